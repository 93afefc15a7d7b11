"""Write it yourself: the reference passes, and each mistake is known by its name."""

import inspect
import math
from itertools import pairwise, product
from pathlib import Path

import pytest
import torch

from lookback import cli
from lookback.exercises import check
from lookback.exercises.judge import exercise, header, judge, names, skeleton

ROOT = Path(__file__).parents[1]
NAMES = names()
MISTAKES = [
    pytest.param(name, mistake, id=f"{name}-{mistake.__name__}")
    for name in NAMES
    for mistake in exercise(name).mistakes
]
RIGHT = """
import torch

def dot_product_attention(Q, K, V, mask=None):
    scores = Q @ K.T / K.size(-1) ** .5
    if mask is not None:
        scores[~mask] = -torch.inf
    weights = scores.softmax(1)
    return weights @ V, weights
"""


@pytest.mark.parametrize("name", NAMES)
def test_the_reference_passes_and_its_skeleton_is_on_the_page(name):
    this = exercise(name)
    verdict = judge(this, this.reference)
    assert verdict, verdict
    assert len(this.mistakes) >= 4
    scope = {}
    exec(skeleton(name), scope)
    empty = scope[this.reference.__name__]
    assert str(judge(this, empty)) == f"{empty.__name__} is still empty."
    page = (ROOT / f"docs/{name}.md").read_text(encoding="utf-8")
    shown = "\n".join(f"    {line}".rstrip() for line in header(this).splitlines())
    assert shown in page


def test_no_two_sequences_of_tags_are_nearly_as_likely():
    """Rounding decides between equal ones, and calls right programs wrong."""
    for case in exercise("hmm").cases():
        words, moves, write = case.arguments
        every = sorted(
            math.prod(moves.get(two, 0) for two in pairwise(("<s>", *tags, "</s>")))
            * math.prod(write.get(pair, 0) for pair in zip(tags, words, strict=True))
            for tags in product(sorted({tag for tag, _ in write}), repeat=len(words))
        )
        assert every[-1] > 1.01 * every[-2], case.name


@pytest.mark.parametrize(("name", "mistake"), MISTAKES)
def test_a_mistake_is_known_by_its_name(name, mistake):
    verdict = judge(exercise(name), mistake)
    assert not verdict
    assert verdict.mistake == mistake.__name__, verdict
    assert str(verdict).endswith(f"The mistake: {inspect.getdoc(mistake)}.")


def loops(Q, K, V, mask=None):
    rows = []
    for t, q in enumerate(Q):
        e = [math.exp(float(q @ k) / len(k) ** 0.5) for k in K]
        e = [0 if mask is not None and not mask[t, s] else x for s, x in enumerate(e)]
        rows.append([x / sum(e) for x in e])
    return torch.tensor(rows) @ V, torch.tensor(rows)


def two_mistakes(Q, K, V, mask=None):
    weights = (Q @ K.T).softmax(1)
    return (weights if mask is None else weights * mask) @ V, weights


def near(Q, K, V, mask=None):
    output, weights = exercise("attention").reference(Q, K, V, mask)
    output[3:, 4:] += 1
    return output, weights


def writes(Q, K, V, mask=None):
    Q /= K.size(-1) ** 0.5
    return exercise("attention").reference(Q, K, V, mask)


def cut(Q, K, V, mask=None):
    output, weights = exercise("attention").reference(Q, K.detach(), V, mask)
    return output, weights


def swapped(Q, K, V, mask=None):
    return exercise("attention").reference(Q, K, V, mask)[::-1]


def fails(Q, K, V, mask=None):
    return Q @ V


@pytest.mark.parametrize(
    ("mine", "said"),
    [
        (loops, "two words: the values are right, but the gradient by Q is"),
        (cut, "but the gradient by K is [0, 0, 0, 0, 0, 0], expected"),
        (swapped, "two words: output has the shape (2, 2), expected (2, 3)"),
        (fails, "two words: fails stops in line"),
        (near, "four random words: output[3, 4] is"),
        (writes, "two words: writes writes into its Q."),
        (two_mistakes, "So far it looks like this mistake: the scores are not"),
        (lambda Q, K, V, mask=None: None, "returns None: is a `return` missing?"),
        (lambda Q, K, V, mask=None: V, "should return 2 things, output and weights: "
         "it returns 1"),
        (lambda Q, K, V, mask=None: ([1.0], [2.0]), "output is no tensor but list"),
        (lambda Q, K, V, mask=None: (V + 1, Q @ K.T), "No mistake that we know does"),
    ],
)  # fmt: skip
def test_what_is_wrong_is_said(mine, said):
    verdict = check("attention", mine)
    assert not verdict
    assert said in str(verdict)


def test_the_command_begins_judges_and_lists(tmp_path, monkeypatch, capsys):
    monkeypatch.chdir(tmp_path)
    assert cli.main(["check", "attention"]) == 0
    assert Path("attention.py").read_text() == skeleton("attention")
    assert cli.main(["check", "attention"]) == 2
    assert cli.main(["check", "attention", "attention.py"]) == 1
    assert "dot_product_attention is still empty." in capsys.readouterr().out
    Path("mine.py").write_text(RIGHT)
    assert cli.main(["check", "attention", "mine.py"]) == 0
    assert "So are the gradients by Q, K, V." in capsys.readouterr().out
    assert cli.main(["check"]) == 0
    listed = capsys.readouterr().out
    assert "  attention   done: mine.py\n" in listed
    assert "  hmm         open\n" in listed
    Path("mine.py").write_text(f"{RIGHT}\n")
    cli.main(["check"])
    assert "done, but changed since: mine.py" in capsys.readouterr().out


@pytest.mark.parametrize(
    ("text", "said"),
    [
        (None, "mine.py: cannot be read: No such file or directory"),
        ("x = 1\nx = (", "mine.py, line 2: '(' was never closed"),
        ("x = 1\nx / 0", "mine.py, line 2: ZeroDivisionError: division by zero"),
        ("exit()", "mine.py, line 1: SystemExit"),
        ("x = 1", "mine.py has no function dot_product_attention"),
    ],
)
def test_what_cannot_be_judged_is_refused(text, said, tmp_path, monkeypatch, capsys):
    monkeypatch.chdir(tmp_path)
    if text is not None:
        Path("mine.py").write_text(text)
    assert cli.main(["check", "attention", "mine.py"]) == 2
    assert said in capsys.readouterr().err
    assert not Path(".lookback-check.json").exists()


def test_a_folder_of_hand_ins_becomes_a_table(tmp_path, capsys):
    (tmp_path / "ada.py").write_text(RIGHT)
    (tmp_path / "bob.py").write_text(
        RIGHT.replace("/ K.size(-1) ** .5", "") + "print()"
    )
    (tmp_path / "eve.py").write_text("import os\nos._exit(0)")
    assert cli.main(["check", "attention", str(tmp_path)]) == 1
    assert capsys.readouterr().out.splitlines() == [
        "name,machine,passed,mistake",
        "ada,attention,yes,",
        "bob,attention,no,not_divided",
        "eve,attention,,the process ended",
    ]

"""Which code stands open, and what is said of the rest."""

import pytest

from lookback.engine.blocks import Piece, parse
from lookback.engine.folding import is_open, summary

TEXT, TABLE = [{"text": "4\n"}], [{"html": "<table></table>"}]
LAW = "def f(x):\n    y = x + 1\n    return y\n"
LOOP = "for x in data:\n    loss(x).backward()\n    step()\n"


def block(code: str, option: str = "", indent: str = "") -> Piece:
    lines = [
        "```python",
        *filter(None, [option]),
        *code.rstrip("\n").split("\n"),
        "```",
    ]
    head = '!!! note "N"\n\n' if indent else ""
    text = head + "".join(f"{indent}{line}\n" for line in lines)
    (piece,) = parse(text, "docs/p.md").pieces
    return piece


@pytest.mark.parametrize(
    "code",
    [
        LAW,
        "import torch\n" + LAW,
        "class A:\n    x = 1\n    y = 2\n",
        LOOP,
        "while True:\n    if a:\n        loss.backward()\n",
        "import a\n\nx = a.f()\nx + 2\n",
    ],
)
def test_what_teaches_stands_open(code: str) -> None:
    assert is_open(block(code), TEXT)


@pytest.mark.parametrize(
    ("code", "outputs"),
    [
        ("import torch\n", []),
        ("x = 2\n", []),
        ("x + 2\n", TABLE),
        ("assert x\nx\n", TEXT),
        ("a = 1\nb = 2\nc = 3\nd = 4\nprint(a)\n", TEXT),
        (
            "for x in data:\n    show(x)\n    model.step(x)\n    print(x)\n    y = x\n",
            TEXT,
        ),
        ("def f():\n    x = 1\n    return plt.subplots()\n", []),
        ("def f():\n    return 1\n", []),
        (LAW + "a = 1\nb = 2\nc = 3\nd = 4\n", []),
    ],
)
def test_driver_code_is_folded(code: str, outputs: list[dict[str, str]]) -> None:
    assert not is_open(block(code), outputs)


def test_the_author_decides() -> None:
    assert is_open(block("x = 2\n", "#| open: true"))
    assert not is_open(block(LAW, "#| open: false"))


def test_the_code_of_a_box_stands_open() -> None:
    assert is_open(block("x = 2\n", indent="    "))
    assert not is_open(block("x = 2\n", "#| open: false", indent="    "))


@pytest.mark.parametrize(
    ("code", "shows", "words"),
    [
        ("assert a\nx", True, "How this was made"),
        ("for x in y:\n    assert a\n    assert b\n", False, "checked: 2 laws ✓"),
        ("assert a", False, "checked: 1 law ✓"),
        ("import a\n", False, "Preparation"),
        ("a, b = 1, 2\nx.y = 3\nc = 4", False, "Preparation: a, b, c"),
        ("a = b = 1\nc = a = 3\nd = 1", False, "Preparation: a, b, c, …"),
    ],
)
def test_a_summary_says_what_the_code_did(code: str, shows: bool, words: str) -> None:
    assert summary(code, shows=shows) == words


@pytest.mark.parametrize("code", [LAW, LOOP])
def test_what_teaches_stands_open_without_an_output_too(code: str) -> None:
    assert is_open(block(code))

"""A chapter's machine as one file: it stands alone and its examples hold."""

import ast
import doctest
import subprocess
import sys
from importlib import import_module
from pathlib import Path
from types import ModuleType

import pytest

from lookback import CHAPTERS, cli
from lookback.extract import Package, program
from lookback.extract.program import LICENCE

PACKAGE = Package()
FILES = {name: program(name, PACKAGE) for name in CHAPTERS}
BUDGET = {  # lines that are not blank
    "ibm1": 143,
    "word2vec": 61,
    "lstm": 93,
    "bahdanau": 197,
    "transformer": 340,
    "gpt": 217,
}
BY_HAND = '''\
"""Scaled dot-product attention: queries are compared with keys, all at once.

The chapter attention of Lookback NUMBER, with parts of masking, as one file that needs
only torch. Written by `lookback extract attention`.
Copyright (c) 2026 The Lookback maintainers. SPDX-License-Identifier: MIT
"""

import math

import torch


def masked_softmax(scores, mask=None):
    """exp(e_j) / Σ_k exp(e_k), j and k being positions that may be attended to."""
    if mask is None:
        return scores.softmax(dim=-1)
    return scores.masked_fill(~mask, -math.inf).softmax(dim=-1)


def scaled_dot_product_attention(Q, K, V, mask=None):
    """softmax(Q Kᵀ / √d_k) V.   Vaswani et al. 2017, equation 1."""
    wide = torch.promote_types(Q.dtype, torch.float32)  # products overflow float16
    scores = Q.to(wide) @ K.to(wide).transpose(-2, -1) / math.sqrt(K.size(-1))
    weights = masked_softmax(scores, mask).to(V)  # (…, T, S), as the scores
    return weights @ V, weights  # (…, T, d_v) and (…, T, S)


def causal_mask(T, past=0, *, device=None):
    """(T, past + T) bool: position t may attend to all before it, and to itself."""
    return torch.ones(T, past + T, dtype=torch.bool, device=device).tril(past)
'''


def definitions(name: str) -> dict[str, ast.stmt]:
    nodes = ast.parse(FILES[name]).body
    return {n.name: n for n in nodes if isinstance(n, ast.ClassDef | ast.FunctionDef)}


def test_a_file_by_hand() -> None:
    text, number = FILES["attention"], FILES["attention"].split(" of Lookback ")[1]
    assert text == BY_HAND.replace("NUMBER", number.split(",")[0])
    licence = (Path(__file__).parents[2] / "LICENSE").read_text(encoding="utf-8")
    assert LICENCE.partition(".")[0] in licence


@pytest.mark.parametrize(
    ("name", "there", "not_there"),
    [
        ("lstm", {"RecurrentLM"}, {"jacobian_norms"}),  # its recipe trains that
        ("bahdanau", {"RNNSearchConfig", "greedy"}, {"beam_search"}),
        ("transformer", {"Transformer"}, {"RNNSearch"}),
        ("moe", {"MixtralConfig"}, {"GPT"}),  # which the model is made with
        ("stack_decoder", {"PhraseTable"}, {"Table"}),  # a protocol
        ("ngram", {"KneserNey"}, {"AddK"}),
    ],
)
def test_a_file_has_what_its_machine_looks_up(
    name: str, there: set[str], not_there: set[str]
) -> None:
    found = {*definitions(name)}
    assert found >= there and not found & not_there


@pytest.mark.parametrize("name", BUDGET)
def test_a_file_keeps_to_its_budget(name: str) -> None:
    assert sum(bool(n.strip()) for n in FILES[name].splitlines()) <= BUDGET[name]


def test_files_import_what_they_use_and_define_each_name_once(tmp_path: Path) -> None:
    for name, text in FILES.items():
        (tmp_path / f"{name}.py").write_text(text, encoding="utf-8")
    lint = [sys.executable, "-m", "ruff", "check", "--isolated", "--output-format"]
    rules = ["--select=E,F,I,W", "--ignore=E741"]
    done = subprocess.run(
        [*lint, "concise", *rules, tmp_path], capture_output=True, text=True
    )
    assert done.returncode == 0, done.stdout
    for name, text in FILES.items():
        nodes = ast.parse(text).body
        targets = [t for n in nodes if isinstance(n, ast.Assign) for t in n.targets]
        names = [t.id for t in targets if isinstance(t, ast.Name)]
        names += definitions(name)
        assert len(names) == len({*names}), name


@pytest.mark.parametrize("name", CHAPTERS)
def test_a_file_stands_alone_and_its_examples_hold(
    name: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    original, file = import_module(f"lookback.{name}"), ModuleType(f"alone_{name}")
    with monkeypatch.context() as without:
        without.setitem(sys.modules, "lookback", None)
        exec(FILES[name], vars(file))
    examples = doctest.DocTestFinder().find(original, globs=vars(original) | vars(file))
    own = [e for e in examples if [*e.name.split("."), ""][2] in definitions(name)]
    assert [e for e in own if e.examples] or name == "training"
    for example in own:
        said: list[str] = []
        assert doctest.DocTestRunner().run(example, out=said.append).failed == 0, said


def test_a_program_is_printed_or_written(tmp_path: Path, capsys) -> None:
    assert cli.main(["extract", "attention"]) == 0
    assert capsys.readouterr().out == FILES["attention"]
    path = tmp_path / "attention.py"
    path.write_text("what stood there before\n" * 99)
    assert cli.main(["extract", "attention", "-o", str(path)]) == 0
    assert path.read_text(encoding="utf-8") == FILES["attention"]
    assert capsys.readouterr().out == f"{path}\n"


@pytest.mark.parametrize(
    ("words", "message"),
    [
        (["badhanau"], "there is no chapter 'badhanau': did you mean 'bahdanau'?"),
        (["GPT"], "there is no chapter 'GPT': did you mean 'gpt'?"),
        (["rnnsearch"], "did you mean 'bahdanau'?"),
        (["../luong"], "there is no chapter '../luong'"),
        (["checks"], "there is no chapter 'checks': there is ngram, rules"),
        (["attention", "-o", "."], "lookback: .: cannot be written: "),
        (["attention", "-o", "no/a.py"], "lookback: no/a.py: cannot be written: "),
    ],
)
def test_a_program_that_cannot_be_is_refused(
    words: list[str], message: str, capsys
) -> None:
    assert cli.main(["extract", *words]) == 2
    out, err = capsys.readouterr()
    assert not out and err.count("\n") == 1 and message in err


def test_it_reads_the_package_and_imports_nothing_of_it() -> None:
    with pytest.raises(ValueError, match="'checks' is no chapter"):
        program("checks")
    script = "import sys; from lookback.extract import program; program('gpt')"
    loaded = "print({'torch', 'numpy', 'lookback.gpt'} & set(sys.modules))"
    words = [sys.executable, "-c", f"{script}; {loaded}"]
    done = subprocess.run(words, capture_output=True, text=True)
    assert (done.stdout, done.stderr) == ("set()\n", "")

"""A chapter's machine as one file: it runs alone and computes what the package does."""

import ast
import doctest
import pickle
import subprocess
import sys
from collections.abc import Mapping
from dataclasses import asdict
from functools import cache
from importlib import import_module
from importlib.metadata import version
from importlib.util import module_from_spec, spec_from_file_location
from pathlib import Path
from typing import Any

import pytest
import torch

from lookback import CHAPTERS, pretrained
from lookback.extract import program
from lookback.extract.program import LICENCE

HERE = Path(__file__).parent
spec = spec_from_file_location("scenarios", HERE / "scenarios.py")
assert spec is not None and spec.loader is not None
scenarios = module_from_spec(spec)
spec.loader.exec_module(scenarios)


BUDGET = {
    "ibm1": 155,
    "nplm": 50,
    "word2vec": 70,
    "glove": 80,
    "window": 130,
    "recursive": 185,
    "lstm": 105,
}
"""Lines that are not blank."""

BY_HAND = '''\
"""Scaled dot-product attention: queries are compared with keys, all at once.

The chapter attention of Lookback 0.1.0, with parts of bahdanau, as one file that needs
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
    scores = Q @ K.transpose(-2, -1) / math.sqrt(K.size(-1))
    weights = masked_softmax(scores, mask)
    return weights @ V, weights


def causal_mask(T, past=0, *, device=None):
    """(T, past + T) bool: position t may attend to all before it, and to itself."""
    return torch.ones(T, past + T, dtype=torch.bool, device=device).tril(past)
'''


def test_a_variant_of_what_a_recipe_trains_is_left_out() -> None:
    for name, kept, variant in (
        ("transformer", "class Transformer(", "PreNorm"),
        ("gpt", "class GPT(", "PostNorm"),
    ):
        assert kept in program(name) and variant not in program(name)


def test_a_file_by_hand() -> None:
    number = version("lookback-attention")
    assert program("attention") == BY_HAND.replace("0.1.0", number)


def test_the_licence_is_that_of_the_package() -> None:
    owner = LICENCE.partition(".")[0]
    assert owner in (HERE.parents[1] / "LICENSE").read_text(encoding="utf-8")


def test_of_two_things_with_one_name_the_chapter_s_keeps_it() -> None:
    fields = {
        node.name: ast.unparse(node)
        for node in ast.parse(program("luong")).body
        if isinstance(node, ast.ClassDef)
    }
    assert "h_tilde: Tensor" in fields["State"]  # Luong's, not that of the cells
    assert "cells: tuple[RecurrentState, ...]" in fields["State"]


def test_methods_that_nothing_calls_are_left_out() -> None:
    defined = {
        f"{top.name}.{node.name}"
        for top in ast.parse(program("bahdanau")).body
        if isinstance(top, ast.ClassDef)
        for node in top.body
        if isinstance(node, ast.FunctionDef)
    }
    assert {"Decoder.start", "RNNSearch.step", "GRUCell.step"} <= defined


@pytest.mark.parametrize("name", BUDGET)
def test_a_file_keeps_to_its_budget(name: str) -> None:
    assert sum(bool(n.strip()) for n in program(name).splitlines()) <= BUDGET[name]


class Door:
    """The names of a chapter, then those of all others, from the package."""

    def __init__(self, name: str) -> None:
        self.modules = [import_module(f"lookback.{n}") for n in (name, *CHAPTERS)]

    def __getattr__(self, name: str) -> Any:
        return next(getattr(m, name) for m in self.modules if hasattr(m, name))


def sizes(name: str) -> dict[str, Any]:
    """What a shipped network is built with."""
    learner = pretrained(name)
    words = {side: len(v) for side, v in learner.vocabularies.items()}
    given = {"weights": learner.network.state_dict()}
    config = asdict(getattr(learner.network, "config", learner.recipe.model))
    if "source" in words:
        ids = learner.vocabularies["source"].ids(["the", "minister", "sleeps", "."])
        both = words["source"], words["target"]
        source = torch.tensor([[*ids, 3]])
        return given | {"config": config, "sizes": both, "source": source}
    return given | {"config": config, "V": words["words"]}


def examples(name: str) -> list[str]:
    """The examples of what a chapter offers first."""
    first = getattr(import_module(f"lookback.{name}"), CHAPTERS[name][0])
    found = doctest.DocTestParser().get_examples(first.__doc__)
    return [example.source for example in found]


@cache
def shipped() -> Mapping[str, Any]:
    """The weights that came with the package, in types that need no import of it."""
    translators = ("encdec", "seq2seq", "bahdanau", "luong", "transformer")
    found = {
        name: sizes(name) for name in (*translators, "nplm", "glove", "gpt", "bert")
    }
    for name in ("recurrent", "lstm"):
        given = sizes(name)
        rest = {k: given["config"][k] for k in ("m", "n", "dropout")}
        found[name] = given | {"config": rest | {"V": given["V"]}}
    found["word2vec"] = {"weights": pretrained("word2vec").network.state_dict()}
    found["ngram"] = {"counts": vars(pretrained("ngram").network.counts)}
    found["ibm1"] = {"attributes": vars(pretrained("ibm1").network)}
    found |= {n: examples(n) for n in CHAPTERS if n not in scenarios.SCENARIOS}
    return found


@pytest.fixture(scope="session")
def alone(tmp_path_factory: pytest.TempPathFactory) -> Mapping[str, Any]:
    """What all files compute, in one process where `import lookback` fails."""
    folder = tmp_path_factory.mktemp("alone")
    files = folder / "files"
    files.mkdir()
    for name in CHAPTERS:
        (files / f"{name}.py").write_text(program(name), encoding="utf-8")
    lint = [
        sys.executable,
        "-m",
        "ruff",
        "check",
        "--isolated",
        "--output-format=concise",
    ]
    done = subprocess.run(
        [*lint, "--select=E,F,I,W", "--ignore=E741,F841", files],
        capture_output=True,
        text=True,
    )
    assert done.returncode == 0, done.stdout  # no import or name too many or too few
    (folder / "given").write_bytes(pickle.dumps(shipped()))
    script = [sys.executable, "-I", HERE / "scenarios.py"]
    done = subprocess.run(
        [*script, files, folder / "given", folder / "out"],
        capture_output=True,
        text=True,
    )
    assert done.returncode == 0, done.stderr
    return pickle.loads((folder / "out").read_bytes())


@pytest.mark.parametrize("name", CHAPTERS)
def test_a_file_computes_what_the_package_does(name: str, alone) -> None:
    package = scenarios.run(name, Door(name), shipped().get(name))
    assert "failed" not in alone[name], alone[name]["failed"]
    assert alone[name].keys() == package.keys() and package
    assert [key for key in package if alone[name][key] != package[key]] == []

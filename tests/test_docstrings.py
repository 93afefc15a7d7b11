"""The examples in the docstrings of the ideas run and print what they say."""

import doctest
from importlib import import_module
from io import StringIO
from pathlib import Path

import pytest
import torch

from lookback import CHAPTERS

SOURCE = Path(__file__).parents[1] / "src/lookback"
IDEAS = [
    path.stem
    for path in sorted(SOURCE.glob("*.py"))
    if "\n__all__ = [" in path.read_text(encoding="utf-8") and path.stem != "__init__"
]

DOORS = ["lookback", "lookback.trainer.checkpoint"]
"""What a reader meets first, before any idea."""


def failures(module):
    """What the examples of a module print that their docstrings do not say."""
    output = StringIO()
    runner = doctest.DocTestRunner(verbose=False)
    with torch.random.fork_rng():
        for test in doctest.DocTestFinder(exclude_empty=True).find(module):
            runner.run(test, out=output.write)
    return output.getvalue()


@pytest.mark.parametrize("module", [*(f"lookback.{i}" for i in IDEAS), *DOORS])
def test_examples_run(module):
    assert failures(import_module(module)) == ""


@pytest.mark.parametrize("chapter", CHAPTERS)
def test_what_a_chapter_offers_first_has_an_example(chapter):
    first = getattr(import_module(f"lookback.{chapter}"), CHAPTERS[chapter][0])
    assert doctest.DocTestParser().get_examples(first.__doc__)


def test_every_idea_says_what_is_public_and_offers_some_of_it():
    assert {*CHAPTERS} == {*IDEAS} - {"checks", "masking", "trees"}
    for chapter, names in CHAPTERS.items():
        assert {*names} <= {*import_module(f"lookback.{chapter}").__all__}


@pytest.mark.parametrize("door", DOORS)
def test_the_doors_have_an_example(door):
    found = doctest.DocTestFinder(exclude_empty=True).find(import_module(door))
    assert any(test.examples for test in found)


def test_an_example_that_is_wrong_is_seen():
    wrong = type(doctest)("wrong", ">>> 1 + 1\n3\n")
    assert "Expected:\n    3\nGot:\n    2\n" in failures(wrong)

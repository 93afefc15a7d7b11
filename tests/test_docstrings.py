"""The examples in the docstrings of the ideas run and print what they say."""

import doctest
from importlib import import_module
from io import StringIO
from pathlib import Path

import pytest
import torch

SOURCE = Path(__file__).parents[1] / "src/lookback"
IDEAS = [
    path.stem
    for path in sorted(SOURCE.glob("*.py"))
    if "\n__all__ = [" in path.read_text(encoding="utf-8")
]

# What a reader of the library uses first: it has an example in its own docstring.
MAIN = {
    "ngram": ["NgramModel"],
    "ibm1": ["IBMModel1"],
    "nplm": ["NPLM"],
    "word2vec": ["SkipGram", "CBOW"],
    "glove": ["GloVe"],
    "recurrent": ["RNNCell", "LSTMCell", "GRUCell", "RecurrentLM"],
    "encdec": ["RNNEncoderDecoder"],
    "seq2seq": ["Seq2Seq"],
    "decoding": ["greedy", "beam_search"],
}


def failures(module):
    """What the examples of a module print that their docstrings do not say."""
    output = StringIO()
    runner = doctest.DocTestRunner(verbose=False)
    with torch.random.fork_rng():
        for test in doctest.DocTestFinder(exclude_empty=True).find(module):
            runner.run(test, out=output.write)
    return output.getvalue()


@pytest.mark.parametrize("idea", IDEAS)
def test_examples_run(idea):
    assert failures(import_module(f"lookback.{idea}")) == ""


@pytest.mark.parametrize(
    ("idea", "name"), [(idea, name) for idea, names in MAIN.items() for name in names]
)
def test_main_classes_have_an_example(idea, name):
    module = import_module(f"lookback.{idea}")
    assert name in module.__all__
    example = doctest.DocTestParser().get_examples(getattr(module, name).__doc__)
    assert example, f"{idea}.{name} has no example"


def test_ideas_with_main_classes_are_tested():
    assert set(MAIN) <= set(IDEAS)


def test_an_example_that_is_wrong_is_seen():
    wrong = type(doctest)("wrong", ">>> 1 + 1\n3\n")
    assert "Expected:\n    3\nGot:\n    2\n" in failures(wrong)

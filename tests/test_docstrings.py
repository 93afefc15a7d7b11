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

# What a reader of the library uses first: it has an example in its own docstring.
MAIN = {
    "ngram": ["NgramModel"],
    "rules": ["RuleTranslator"],
    "features": ["NaiveBayes", "FeatureTagger"],
    "hmm": ["HiddenMarkovModel"],
    "pcfg": ["PCFG"],
    "ibm1": ["IBMModel1"],
    "hmm_alignment": ["HMMAlignment"],
    "phrases": ["PhraseTable"],
    "stack_decoder": ["StackDecoder"],
    "nplm": ["NPLM"],
    "word2vec": ["SkipGram", "CBOW"],
    "glove": ["GloVe"],
    "window": ["WindowTagger", "SentenceLevelLikelihood"],
    "recursive": ["RecursiveNetwork", "GreedyParser"],
    "recurrent": ["RNNCell", "RecurrentLM"],
    "lstm": ["LSTMCell", "GRUCell"],
    "encdec": ["RNNEncoderDecoder"],
    "seq2seq": ["Seq2Seq"],
    "decoding": ["greedy", "beam_search"],
    "bahdanau": ["AdditiveAttention", "RNNSearch"],
    "luong": ["LuongAttention", "LuongTranslator"],
    "attention": ["scaled_dot_product_attention", "Head"],
    "multihead": ["MultiHeadAttention"],
    "bpe": ["BPE"],
    "positions": ["SinusoidalPositions", "LearnedPositions"],
    "layernorm": ["LayerNorm", "Residual"],
    "encoder": ["FeedForward", "EncoderLayer", "Encoder"],
    "decoder": ["DecoderLayer", "Decoder"],
    "transformer": ["Transformer"],
    "training": ["label_smoothed_loss", "noam_rate"],
    "gpt": ["gelu", "Block", "GPT"],
    "bert": ["exact_gelu", "BERT", "join", "TokenClassifier"],
    "rotary": ["RotaryEmbedding", "alibi_slopes", "distances"],
    "grouped": ["GroupedQueryAttention"],
    "modern": ["RMSNorm", "SwiGLU", "Llama"],
    "moe": ["MixtureOfExperts", "balance_loss", "Mixtral"],
}
DOORS = ["lookback", "lookback.workshop.checkpoint"]
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


@pytest.mark.parametrize(
    ("idea", "name"), [(idea, name) for idea, names in MAIN.items() for name in names]
)
def test_main_classes_have_an_example(idea, name):
    module = import_module(f"lookback.{idea}")
    assert name in module.__all__
    example = doctest.DocTestParser().get_examples(getattr(module, name).__doc__)
    assert example, f"{idea}.{name} has no example"


def test_every_idea_says_what_is_public_and_has_main_names():
    assert set(MAIN) == {*CHAPTERS} == {*IDEAS} - {"checks"}


@pytest.mark.parametrize("door", DOORS)
def test_the_doors_have_an_example(door):
    found = doctest.DocTestFinder(exclude_empty=True).find(import_module(door))
    assert any(test.examples for test in found)


def test_an_example_that_is_wrong_is_seen():
    wrong = type(doctest)("wrong", ">>> 1 + 1\n3\n")
    assert "Expected:\n    3\nGot:\n    2\n" in failures(wrong)

"""Corpora: real text, or text of our own making, split for honest measuring."""

from lookback.text.corpora.corpus import SPLITS, UNK, Corpus
from lookback.text.corpora.pair import Pair, PairCorpus, Tags
from lookback.text.corpora.reference import python_reference

__all__ = [
    "SPLITS",
    "UNK",
    "Corpus",
    "Pair",
    "PairCorpus",
    "Tags",
    "python_reference",
]

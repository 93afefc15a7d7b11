"""Corpora: real text, cut into sentences, split for honest measuring."""

from lookback.text.corpora.corpus import SPLITS, UNK, Corpus
from lookback.text.corpora.reference import python_reference

__all__ = ["SPLITS", "UNK", "Corpus", "python_reference"]

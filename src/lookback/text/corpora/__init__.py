"""Corpora: real text, or text that our grammar writes, in three splits."""

from lookback.text.corpora.files import DataError
from lookback.text.corpora.multi30k import multi30k
from lookback.text.corpora.python_reference import python_reference
from lookback.text.corpora.tatoeba import tatoeba
from lookback.text.corpora.wikitext2 import wikitext2
from lookback.text.corpus import SPLITS, UNK, Corpus
from lookback.text.grammar import Lengths, grammar
from lookback.text.pairs import Pair, PairCorpus, Tags

__all__ = [
    "SPLITS",
    "UNK",
    "Corpus",
    "DataError",
    "Lengths",
    "Pair",
    "PairCorpus",
    "Tags",
    "grammar",
    "multi30k",
    "python_reference",
    "tatoeba",
    "wikitext2",
]

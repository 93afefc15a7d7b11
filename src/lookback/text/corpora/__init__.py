"""Corpora: real text, or text that our grammar writes, in three splits."""

from lookback.text.corpora.english_ewt import english_ewt
from lookback.text.corpora.files import DataError
from lookback.text.corpora.multi30k import multi30k
from lookback.text.corpora.python_reference import python_reference
from lookback.text.corpora.tatoeba import tatoeba
from lookback.text.corpora.wikitext2 import wikitext2
from lookback.text.corpus import (
    SPLITS,
    UNK,
    Corpus,
    Pair,
    PairCorpus,
    Tagged,
    TaggedCorpus,
    Tags,
    tagged,
)
from lookback.text.grammar import Lengths, grammar

__all__ = [
    "SPLITS",
    "UNK",
    "Corpus",
    "DataError",
    "Lengths",
    "Pair",
    "PairCorpus",
    "Tagged",
    "TaggedCorpus",
    "Tags",
    "english_ewt",
    "grammar",
    "multi30k",
    "python_reference",
    "tagged",
    "tatoeba",
    "wikitext2",
]

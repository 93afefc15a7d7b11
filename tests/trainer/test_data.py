"""Corpora by name, and the fingerprint that tells one text from another."""

from dataclasses import replace
from types import ModuleType

import pytest

from lookback.text import corpora
from lookback.text.corpora import Corpus, Pair, PairCorpus, Tagged, TaggedCorpus
from lookback.trainer import data
from lookback.trainer.recipe import Data

LINK = frozenset({(0, 0)})
PAIRS = (Pair(("a", "b"), ("c",), LINK, LINK), Pair(("d",), ("e",)))
CORPUS = PairCorpus("t", "1", PAIRS, PAIRS[:1], ())


def test_english_is_the_source_of_pairs() -> None:
    assert data.english(CORPUS, "train") == [("a", "b"), ("d",)]
    text = Corpus("t", "1", 1, (("x",),), (("y",),), (), (), {})
    assert data.english(text, "validation") == [("y",)]
    tagged = TaggedCorpus("t", "1", (Tagged(("a", "b"), ("X", "Y")),), (), ())
    assert data.english(tagged, "train") == [("a", "b")]


def test_the_longest_sentence_of_train_is_known() -> None:
    longer = Pair(("a",) * 5, ("b",) * 9)
    assert data.longest(CORPUS) == 2
    assert data.longest(replace(CORPUS, train=(*PAIRS, longer))) == 5
    assert data.longest(replace(CORPUS, test=(longer,))) == 2
    assert data.longest(replace(CORPUS, train=())) == 0


def test_a_corpus_is_made_once_for_all_that_share_it(tiny: ModuleType) -> None:
    one = data.corpus(Data("toy", (("sentences", 6),)))
    assert data.corpus(Data("toy", (("sentences", 6),), min_count=2)) is one
    assert data.corpus(Data("toy", (("sentences", 9),))) is not one
    assert len(one.train) == 4


def test_what_a_corpus_cannot_take_is_refused(tiny: ModuleType) -> None:
    with pytest.raises(ValueError, match="no corpus 'toi': did you mean 'toy'"):
        data.corpus(Data("toi"))
    with pytest.raises(ValueError, match="no option of toy 'sentence': did you mean"):
        data.corpus(Data("toy", (("sentence", 6),)))
    with pytest.raises(ValueError, match="toy cannot be made with"):
        data.corpus(Data("toy", (("sentences", "x"),)))


def test_pairs_are_refused_of_single_sentences() -> None:
    assert data.pairs(CORPUS, "train") == PAIRS
    with pytest.raises(ValueError, match="needs pairs of sentences: t has none"):
        data.pairs(Corpus("t", "1", 1, (("x",),), (), (), (), {}), "train")


def test_a_vocabulary_holds_the_words_that_train_has_often_enough() -> None:
    sentences = [("a", "b"), ("b", "c")]
    assert data.vocabulary(sentences, Data("t")).entries[4:] == ("b", "a", "c")
    assert data.vocabulary(sentences, Data("t", min_count=2)).entries[4:] == ("b",)


def test_only_corpora_that_are_there_have_names() -> None:
    assert set(data.corpora_names()) <= set(data.NAMES)
    assert all(callable(getattr(corpora, name)) for name in data.corpora_names())


def test_every_change_of_the_text_changes_its_fingerprint() -> None:
    others = [
        replace(CORPUS, train=PAIRS[::-1]),
        replace(CORPUS, validation=()),
        replace(CORPUS, validation=(), test=PAIRS[:1]),
        replace(CORPUS, train=(Pair(("a",), ("b", "c"), LINK, LINK), PAIRS[1])),
        replace(CORPUS, train=(replace(PAIRS[0], sure=frozenset()), PAIRS[1])),
        replace(CORPUS, train=(Pair(("a", "b"), ("c",)), PAIRS[1])),
    ]
    fingerprints = {data.fingerprint(CORPUS), *map(data.fingerprint, others)}
    assert len(fingerprints) == 1 + len(others)
    assert data.fingerprint(replace(CORPUS, name="u")) == data.fingerprint(CORPUS)
    tagged = TaggedCorpus("t", "1", (Tagged(("a",), ("X",)),), (), ())
    other = replace(tagged, train=(Tagged(("a",), ("Y",)),))
    assert data.fingerprint(tagged) != data.fingerprint(other)

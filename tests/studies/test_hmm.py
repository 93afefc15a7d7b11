"""Tagging by HMMs: percents, bits and tags of states by hand."""

import numpy as np
import pytest

from lookback.hmm import HiddenMarkovModel
from lookback.studies.hmm import TAGGERS, Hmm, many_to_one, per_word, percents
from lookback.text.corpora import Tagged, TaggedCorpus

TRAIN = (
    Tagged(("the", "king", "sleeps"), ("DET", "NOUN", "VERB")),
    Tagged(("a", "king", "reads"), ("DET", "NOUN", "VERB")),
)
TEST = (Tagged(("the", "king", "king"), ("DET", "NOUN", "VERB")),)
HELD = (Tagged(("a", "king", "sleeps"), ("DET", "NOUN", "VERB")),)
TOY = TaggedCorpus("toy", "1", TRAIN, HELD, TEST)


def test_a_tagger_learns_from_train() -> None:
    model = TAGGERS["HMM, trigrams"].learn(TOY)
    assert model.order == 3 and {*model.words} == TOY.vocabulary
    assert model.tag([("a", "king")]) == [("DET", "NOUN")]
    assert Hmm(2, longest=1, rare=3).learn(TOY).unknown.longest == 1
    # Each tag has one way on, each word one tag, and the words have 18 endings with one
    # tag; no letters have all three.
    assert model.parameters == 4 + 5 + 18 + 3


def test_percents_by_hand() -> None:
    model = Hmm(2).learn(TOY)  # *king* was a noun whenever it was read
    known, unknown = percents(model, TEST, TOY)
    assert known == pytest.approx(200 / 3) and np.isnan(unknown)


def test_bits_per_word_of_sentences_whose_words_were_read() -> None:
    model = HiddenMarkovModel(2).fit(TRAIN)  # 2 articles, 2 verbs: each with 1/2
    assert per_word(model, TOY) == pytest.approx(-2 / 3)
    unknown = Tagged(("a", "queen", "reads"), ("DET", "NOUN", "VERB"))
    more = TaggedCorpus("toy", "1", TRAIN, (*HELD, unknown), TEST)
    assert per_word(model, more) == per_word(model, TOY)


def test_each_state_is_given_its_commonest_tag() -> None:
    words = sorted(TOY.vocabulary)
    move, write = np.array([[0, 1], [0.5, 0.5]]), np.full((len(words), 1), 0.2)
    model = HiddenMarkovModel.of(["s"], words, move, write)
    assert many_to_one(model, TOY) == pytest.approx(100 / 3)
    assert many_to_one(Hmm(2).learn(TOY), TOY) == 100

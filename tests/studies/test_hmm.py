"""Tagging by HMMs: percents and re-estimation by hand, and what is stored."""

import numpy as np
import pytest

from lookback.hmm import HiddenMarkovModel
from lookback.studies import hmm
from lookback.studies.hmm import (
    KINDS,
    SEEDS,
    TAGGED,
    TAGGERS,
    Again,
    Hmm,
    Untagged,
    again,
    per_word,
    percents,
    text_of,
)
from lookback.text.corpora import Tagged, TaggedCorpus
from lookback.workshop import results

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
    assert percents(model, TEST, TOY) == [66.67, pytest.approx(np.nan, nan_ok=True)]


def test_counting_then_re_estimation(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(hmm, "text_of", lambda pairs: TOY)
    drawn = [again(Again(1, seed=seed, steps=2)) for seed in range(6)]
    found = []
    for sentence in TRAIN:
        model = HiddenMarkovModel(2).fit([sentence])
        likelihood = model.baum_welch([s.words for s in TRAIN], 2)
        found.append([pytest.approx(n, abs=0.06) for n in likelihood])
        assert drawn[0]["test"][-1] == percents(model, TEST, TOY)[0]
    assert all(row["likelihood"] in found for row in drawn)
    assert all(any(row["likelihood"] == one for row in drawn) for one in found)
    for row in drawn:
        assert len(row["test"]) == len(row["validation"]) == 3
        assert row["validation"][0] == 100 and row["held out"] == []


def test_all_sentences_and_those_that_were_not_read(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(hmm, "text_of", lambda pairs: TOY)
    row = again(Again(2, steps=1))
    model = HiddenMarkovModel(2).fit(TRAIN)  # 2 articles, 2 verbs: each with 1/2
    assert row["held out"][0] == per_word(model, TOY) == round(-2 / 3, 4)
    assert len(row["held out"]) == 2
    unknown = Tagged(("a", "queen", "reads"), ("DET", "NOUN", "VERB"))
    more = TaggedCorpus("toy", "1", TRAIN, (*HELD, unknown), TEST)
    assert per_word(model, more) == per_word(model, TOY)


def test_states_without_tags(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(hmm, "text_of", lambda pairs: TOY)
    row = hmm.untagged(Untagged(0, states=3, steps=30))
    assert (np.diff(row["likelihood"]) >= -0.1).all() and len(row["likelihood"]) == 31
    assert len(row["held out"]) == len(row["many to one"]) == 3
    assert 50 <= row["many to one"][-1] <= 100
    assert hmm.untagged(Untagged(0, states=3, steps=30)) == row
    one = hmm.untagged(Untagged(1, states=1, steps=10))
    assert one["many to one"] == [33.33]  # every word has the commonest tag


def test_the_grammar_as_tagged_text() -> None:
    text = text_of(60)
    assert text.name == "grammar" and len(text.train) > 30
    assert text.train[0].tags[-1] == "PUNCT"


def test_what_is_stored_is_what_the_page_says() -> None:
    stored = results("hmm")
    kinds = stored["unknown"]["kinds"]
    for name in KINDS:
        assert (
            kinds[f"{name}, order 3"]["test"][0] > kinds[f"{name}, order 2"]["test"][0]
        )
    assert kinds["suffixes, order 2"]["test"][0] > 91.5
    assert kinds["suffixes, order 3"]["test"][0] > 92.2
    assert kinds["suffixes, order 3"]["unknown"][0] > 68
    drawn = [f"tagged {n}, seed {seed}" for n in TAGGED[:-1] for seed in SEEDS]
    for name in (*drawn, "tagged 12544"):
        row = stored[name]
        assert (np.diff(row["likelihood"]) > 0).all() and len(row["test"]) == 11
    assert stored["tagged 12544"]["test"][0] == kinds["suffixes, order 2"]["test"][0]
    for seed in SEEDS:
        row = stored[f"untagged, seed {seed}"]
        assert 50 < row["many to one"][-1] < 60 and len(row["likelihood"]) == 101

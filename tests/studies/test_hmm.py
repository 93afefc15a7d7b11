"""Tagging by HMMs: percents, confusions and re-estimation by hand, and what is stored.

Mutants that these tests kill: confusions of right tags; a likelihood without its first
value; tags counted from other sentences than the first; validation in place of test.
"""

import numpy as np
import pytest

from lookback.hmm import HiddenMarkovModel
from lookback.studies import hmm
from lookback.studies.hmm import (
    KINDS,
    SEEDS,
    STUDY,
    TAGGED,
    TAGGERS,
    Again,
    Hmm,
    Untagged,
    again,
    by_posterior,
    confusions,
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
    assert model.parameters == 4 + 5  # each tag has one way on, each word one tag


def test_percents_and_confusions_by_hand() -> None:
    model = Hmm(2).learn(TOY)  # *king* was a noun whenever it was read
    assert percents(model, TEST, TOY) == [66.67, pytest.approx(np.nan, nan_ok=True)]
    assert confusions(model, TOY) == [["VERB", "NOUN", 1]]
    assert by_posterior(model, TOY) == [100, 100]


def test_counting_then_re_estimation(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(hmm, "text_of", lambda pairs: TOY)
    row = again(Again(1, steps=2))
    model = HiddenMarkovModel(2).fit(TRAIN[:1])
    found = model.baum_welch([s.words for s in TRAIN], 2)
    assert row["likelihood"] == [pytest.approx(n, abs=0.06) for n in found]
    assert len(row["test"]) == len(row["validation"]) == 3
    assert row["test"][-1] == percents(model, TEST, TOY)[0]
    assert row["validation"][0] == 100


def test_states_without_tags(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(hmm, "text_of", lambda pairs: TOY)
    row = hmm.untagged(Untagged(0, states=3, steps=30))
    assert (np.diff(row["likelihood"]) >= -0.1).all() and len(row["likelihood"]) == 31
    assert 50 <= row["many to one"] <= 100
    assert hmm.untagged(Untagged(0, states=3, steps=30)) == row
    one = hmm.untagged(Untagged(1, states=1, steps=1))
    assert one["many to one"] == 33.33  # every word has the commonest tag


def test_the_grammar_as_tagged_text() -> None:
    text = text_of(60)
    assert text.name == "grammar" and len(text.train) > 30
    assert text.train[0].tags[-1] == "PUNCT"


def test_what_is_stored_is_what_the_page_says() -> None:
    stored = results("hmm")
    assert [*stored.rows] == [*STUDY.cases]
    kinds = stored["unknown"]["kinds"]
    for name in KINDS:
        assert (
            kinds[f"{name}, order 3"]["test"][0] > kinds[f"{name}, order 2"]["test"][0]
        )
    assert kinds["suffixes, order 2"]["test"][0] > 91.5
    assert kinds["suffixes, order 3"]["test"][0] > 92.2
    assert kinds["suffixes, order 3"]["unknown"][0] > 68
    for n in TAGGED:
        row = stored[f"tagged {n}"]
        assert (np.diff(row["likelihood"]) > 0).all() and len(row["test"]) == 11
    assert stored["tagged 12544"]["test"][0] == kinds["suffixes, order 2"]["test"][0]
    for seed in SEEDS:
        assert 30 < stored[f"untagged, seed {seed}"]["many to one"] < 70

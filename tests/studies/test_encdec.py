"""Scoring phrase pairs: what is wrong with a translation, and who notices."""

import math
from dataclasses import replace
from typing import Any

import pytest

from lookback.encdec import EncoderDecoderConfig
from lookback.ngram import KneserNey, NgramModel
from lookback.recipes.encdec import RECIPES, EncoderDecoderLearner
from lookback.studies.encdec import (
    added,
    by_model_1,
    by_network,
    by_noisy_channel,
    exchanged,
    forms,
    reformed,
    scored,
    share,
    wrongs,
)
from lookback.text.corpora import Pair, PairCorpus

LINKS = frozenset({(0, 0), (1, 1), (2, 2), (3, 3)})
SMALL = Pair(
    ("the", "small", "house", "."), ("la", "petite", "maison", "."), LINKS, LINKS
)
CAT = Pair(("the", "small", "cat", "."), ("le", "petit", "chat", "."), LINKS, LINKS)
DOG = Pair(("the", "big", "dog", "."), ("le", "grand", "chien", "."), LINKS, LINKS)
SHORT = Pair(("sleep", "!"), ("dors", "!"), frozenset({(0, 0)}), frozenset({(0, 0)}))
PAIRS = [SMALL, CAT, DOG, SHORT]
TEXT = PairCorpus("toy", "1", tuple(PAIRS), (), tuple(PAIRS))


def test_two_neighbours_change_places_and_the_mark_stays() -> None:
    assert exchanged(SMALL.target) == [
        ("petite", "la", "maison", "."),
        ("la", "maison", "petite", "."),
    ]
    assert exchanged(SHORT.target) == []


def test_another_form_is_what_the_english_word_becomes_elsewhere() -> None:
    met = forms(PAIRS)
    assert met["the"] == ["la", "le"]
    assert met["small"] == ["petit", "petite"]
    assert "!" not in met
    assert set(reformed(SMALL, met)) - {SMALL.target} == {
        ("le", "petite", "maison", "."),
        ("la", "petit", "maison", "."),
    }
    assert reformed(Pair(SMALL.source, SMALL.target), met) == []
    assert reformed(SMALL, {}) == []
    assert reformed(SMALL, {**met, ".": [".", "!"]}) == reformed(SMALL, met)


def test_a_wrong_translation_of_each_kind_and_none_that_is_right() -> None:
    found = wrongs(PAIRS, forms(PAIRS))
    for pair, wrong in zip(PAIRS, found, strict=True):
        assert pair.target not in wrong.values()
    small, short = found[0], found[-1]
    assert list(small) == [
        "two neighbours exchanged",
        "one word left out",
        "one word in another form",
        "another sentence as long",
    ]
    assert sorted(small["two neighbours exchanged"]) == sorted(SMALL.target)
    assert len(small["one word left out"]) == 3
    assert small["one word left out"][-1] == "."
    assert small["another sentence as long"] in (CAT.target, DOG.target)
    assert short == {"one word left out": ("!",)}


def test_each_kind_is_scored_beside_the_right_one() -> None:
    wrong = [{"a": ("x",)}, {}, {"a": ("y", "z"), "b": ("z",)}]
    asked_for: list[Pair] = []

    def scorer(pairs: Any) -> list[float]:
        asked_for.extend(pairs)
        return [float(len(pair.target)) for pair in pairs]

    found = scored(scorer, PAIRS[:3], wrong)
    assert found == [{"": 4, "a": 1}, {"": 4}, {"": 4, "a": 2, "b": 1}]
    assert [pair.source for pair in asked_for[2:4]] == [CAT.source, DOG.source]


def test_the_share_counts_ties_for_half_and_all_kinds_at_once() -> None:
    rows = [
        {"": 2.0, "a": 1.0, "b": 3.0},
        {"": 2.0, "a": 2.0},
        {"": -math.inf, "a": -math.inf},
        {"": 2.0, "b": 1.0},
        {"": 5.0},
    ]
    found = share(rows, "a")
    assert (found["pairs"], found["right"]) == (3, pytest.approx(2 / 3, abs=1e-4))
    assert share(rows, "b")["right"] == 0.5
    both = share(rows, "any of these")
    assert (both["pairs"], both["right"]) == (4, 0.5)
    assert both["low"] < both["right"] < both["high"]
    assert share([{"": 1.0, "a": 0.0}] * 5, "a")["low"] == 1


def test_model_1_by_hand_and_blind_to_order() -> None:
    one = PairCorpus("one", "1", (Pair(("a",), ("x", "y")),), (), ())
    (score,) = by_model_1(one)([Pair(("a",), ("x", "y", "x"))])
    assert score == pytest.approx(3 * math.log((1 / 2 + 1 / 2) / 2))
    (score,) = by_model_1(one, backwards=True)([Pair(("a",), ("x", "y", "x"))])
    assert score == pytest.approx(math.log((1 + 1 + 1 + 1) / 4))
    scorer = by_model_1(TEXT)
    turned = Pair(SMALL.source, SMALL.target[::-1])
    one, other, never = scorer([SMALL, turned, Pair(SMALL.source, ("qui",))])
    assert one == other
    assert never == -math.inf
    longer = Pair(SMALL.source, (*SMALL.target, "petite"))
    assert scorer([longer])[0] < one  # each more word costs


def test_the_noisy_channel_hears_order() -> None:
    scorer = by_noisy_channel(TEXT)
    turned = Pair(SMALL.source, ("petite", "la", "maison", "."))
    right, wrong = scorer([SMALL, turned])
    assert right > wrong
    (channel,) = by_model_1(TEXT, backwards=True)([SMALL])
    assert right < channel  # P(target) is below 1
    french = NgramModel(3, KneserNey()).fit([p.target for p in PAIRS])
    bits = french.entropy([SMALL.target]) * 5
    assert channel - right == pytest.approx(bits * math.log(2))


def test_what_is_added_is_added_kind_by_kind() -> None:
    one, other = {"": -1.0, "a": -2.0}, {"": -3.0, "a": -math.inf}
    assert added(one, other) == {"": -4.0, "a": -math.inf}


def test_the_network_scores_each_pair_in_its_row() -> None:
    config = EncoderDecoderConfig(m=4, n=5, l=3)
    learner = EncoderDecoderLearner(replace(RECIPES["encdec"], model=config))
    learner.vocabularies = learner.words_of(TEXT)
    learner.network = learner.untrained(learner.vocabularies)
    scorer = by_network(learner)
    together = scorer([SHORT, SMALL, CAT])
    assert together == pytest.approx([scorer([p])[0] for p in (SHORT, SMALL, CAT)])
    v = len(learner.sides[1])
    assert together[1] == pytest.approx(-5 * math.log(v), rel=0.15)  # </s> counts

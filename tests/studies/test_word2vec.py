"""The study of word2vec: its texts, and what it asks of vectors."""

from dataclasses import replace

import pytest
import torch

from lookback.measure import analogy_scores, neighbour_agreement
from lookback.studies import word2vec
from lookback.studies.word2vec import (
    SPLITS,
    STUDY,
    Case,
    analogies,
    measure,
    plain,
    text_of,
    truths,
)
from lookback.text.analogies import ANALOGIES
from lookback.text.corpora import grammar
from lookback.text.grammar import noun_kinds
from lookback.workshop import seeds

QUICK = STUDY.check.arguments["case"]


# --- the texts -----------------------------------------------------------------------


def test_a_case_may_learn_from_the_french() -> None:
    french, pairs = text_of(replace(QUICK, text="french")), text_of(QUICK)
    assert "le" in {word for s in french.train for word in s}
    for split in SPLITS:
        wanted = [pair.target for pair in pairs.split(split)]
        assert list(french.split(split)) == wanted
    assert french.name == pairs.name == "grammar"
    assert pairs == grammar(**dict(QUICK.recipe.data.options))
    with pytest.raises(ValueError, match="there is no text 'german'"):
        text_of(replace(QUICK, text="german"))


def test_of_a_real_text_each_sentence_is_read_once(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    splits = {s: [(s,), (s,), (s, "twice")] for s in SPLITS}
    monkeypatch.setattr(word2vec.corpora, "tatoeba", lambda: plain("t", splits))
    found = text_of(replace(QUICK, text="tatoeba"))
    assert found.name == "tatoeba"
    for split in SPLITS:
        assert list(found.split(split)) == [(split,), (split, "twice")]


# --- what is asked -------------------------------------------------------------------


def vectors_of(words: list[str]) -> torch.Tensor:
    return torch.randn(len(words), 6, generator=seeds.generator(4))


@pytest.mark.parametrize("language", ["english", "french"])
def test_neighbours_are_asked_what_the_grammar_knows(language: str) -> None:
    nouns = noun_kinds("small", language)
    words = [*nouns, "xyz"]
    vectors = vectors_of(words)
    found = truths(words, vectors, language)
    people = [w for w in nouns if nouns[w].kind == "person"]
    things = [w for w in nouns if nouns[w].kind != "person"]
    for name, of, known in (
        ("kind", "kind", nouns), ("number", "form", nouns),
        ("he or she", "pronoun", people), ("French gender", "gender", things),
    ):  # fmt: skip
        labels = {w: getattr(nouns[w], of) for w in known}
        agreed = neighbour_agreement(
            labels, words, vectors, generator=seeds.generator(0)
        )
        right = agreed.right
        assert found[name] == [right.value, right.low, right.high, agreed.chance]
        assert found[name][1] <= found[name][0] <= found[name][2]
    assert len(found) == 4


def test_vectors_that_know_the_number_are_seen() -> None:
    nouns = noun_kinds("small", "english")
    words, noise = [*nouns], vectors_of([*nouns])
    forms = sorted({nouns[w].form for w in words})
    axis = torch.eye(len(forms))[[forms.index(nouns[w].form) for w in words]]
    found = truths(words, torch.cat([9 * axis, noise], dim=1), "english")
    assert found["number"][0] == 1
    assert found["kind"][0] < 0.9


def test_analogies_are_told_class_by_class() -> None:
    words = sorted({word for pairs in ANALOGIES.values() for p in pairs for word in p})
    vectors = vectors_of(words)
    found = analogies(words, vectors)
    scores = analogy_scores(ANALOGIES, words, vectors, generator=seeds.generator(0))
    assert found.keys() == scores.keys() == ANALOGIES.keys()
    for name, score in scores.items():
        row, right = found[name], score.right
        assert row["pairs"] == len(ANALOGIES[name])
        assert row["right"] == [right.value, right.low, right.high]
        told = [row[key] for key in ("alone", "open", "is_b", "is_c")]
        assert told == [score.alone, score.open, score.is_b, score.is_c]


def test_a_case_asks_what_its_text_can_answer() -> None:
    short = replace(QUICK.recipe, budget=replace(QUICK.recipe.budget, steps=2))
    trained = {"words", "examples", "seconds", "loss"}
    asked = {"kind", "number", "he or she", "French gender"}
    assert measure(Case(short, "english", asks=False)).keys() == trained
    assert measure(Case(short, "english")).keys() == trained | asked | {"analogies"}
    assert measure(Case(short, "french")).keys() == trained | asked


# --- the cases -----------------------------------------------------------------------

"""The study of word2vec: its texts, and what it asks of vectors."""

import pytest
import torch

from lookback.measure import neighbour_agreement
from lookback.recipes.word2vec import RECIPES
from lookback.studies import word2vec
from lookback.studies.word2vec import SPLITS, plain, text_of, truths
from lookback.text.corpora import grammar
from lookback.text.grammar import noun_kinds
from lookback.workshop import on_few, seeds

FEW = on_few(RECIPES["word2vec"], 500)


def test_a_case_may_learn_from_the_french() -> None:
    french, pairs = (text_of(FEW, text) for text in ("french", "english"))
    assert pairs == grammar(**dict(FEW.data.options))
    for split in SPLITS:
        wanted = [pair.target for pair in pairs.split(split)]
        assert list(french.split(split)) == wanted


def test_of_a_real_text_each_sentence_is_read_once(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    splits = {s: [(s,), (s,), (s, "twice")] for s in SPLITS}
    monkeypatch.setattr(word2vec.corpora, "tatoeba", lambda: plain("t", splits))
    found = text_of(FEW, "tatoeba")
    for split in SPLITS:
        assert list(found.split(split)) == [(split,), (split, "twice")]


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


def test_vectors_that_know_the_number_are_seen() -> None:
    nouns = noun_kinds("small", "english")
    words, noise = [*nouns], vectors_of([*nouns])
    forms = sorted({nouns[w].form for w in words})
    axis = torch.eye(len(forms))[[forms.index(nouns[w].form) for w in words]]
    found = truths(words, torch.cat([9 * axis, noise], dim=1), "english")
    assert found["number"][0] == 1
    assert found["kind"][0] < 0.9

"""Translators trained again: who is compared with whom, and what is stored."""

import pytest

from lookback.measure import bleu, bleu_difference
from lookback.studies import real_seeds
from lookback.studies.real import Translations
from lookback.studies.real_seeds import (
    DUELS,
    STUDY,
    difference,
    measured,
)
from lookback.workshop import results, seeds

WANTED = [["le", "chat", "rouge", "dort", "."], ["un", "chien", "dort", "ici", "."]]


def translations(*written: str) -> Translations:
    return Translations([("s",)] * 2, WANTED, [words.split() for words in written])


def test_a_difference_is_that_of_the_same_sentences() -> None:
    one = translations("le chat rouge dort .", "un chien dort .")
    other = translations("le chat dort .", "un chien dort .")
    found = difference(one, other)
    pair = {"hypotheses": one.written, "others": other.written, "references": WANTED}
    expected = bleu_difference(**pair, generator=seeds.generator(0))
    assert found["BLEU"] == pytest.approx(expected.value, abs=1e-3)
    assert found["low"] == pytest.approx(expected.low, abs=1e-3)
    assert found["BLEU"] > 0 and difference(one, one)["high"] == 0


def test_a_row_names_each_system_and_each_duel(monkeypatch: pytest.MonkeyPatch) -> None:
    written = {
        "encoder–decoder": translations("le", "un"),
        "Luong, dot": translations("le chat dort .", "un chien dort"),
        "RNNsearch": translations("le chat rouge dort .", "un chien dort ."),
        "Transformer": translations(*map(" ".join, WANTED)),
    }
    by_recipe = dict(
        zip(
            STUDY.cases["seed 1"].arguments["case"].recipes,
            written.values(),
            strict=True,
        )
    )
    monkeypatch.setattr(real_seeds, "searched", by_recipe.get)
    row = measured(**STUDY.cases["seed 1"].arguments)
    for name, result in written.items():
        score = bleu(hypotheses=result.written, references=WANTED).score
        assert row["BLEU"][name]["BLEU"] == pytest.approx(score, abs=1e-3)
    assert [*row["difference"]] == [f"{a} − {b}" for a, b in DUELS]
    assert all(each["BLEU"] > 0 for each in row["difference"].values())


def test_the_order_is_the_same_in_each_round() -> None:
    stored = results("real_seeds")
    for row in stored.rows.values():
        assert all(each["low"] > 0 for each in row["difference"].values())

"""The study of what unknown words cost, on a language of a few sentences."""

import numpy as np
import pytest

from lookback.measure import bleu, bleu_counts
from lookback.recipes.transformer import TrainedConfig, TransformerLearner, adam
from lookback.studies import real_subwords
from lookback.studies.real import UNK
from lookback.studies.real_subwords import (
    ALL,
    COPIED,
    KNOWN,
    LISTED,
    STUDY,
    UNKNOWN,
    Alone,
    compared,
    made_up,
    measured,
    original,
    right_copies,
    strangers,
    unknown,
)
from lookback.text.corpora import Pair, PairCorpus
from lookback.workshop import Budget, Data, Recipe, follow, results

TEXT = [
    ("the red cat sleeps .", "le chat rouge dort ."),
    ("the dog sees the red cat .", "le chien voit le chat rouge ."),
    ("a red dog sleeps .", "un chien rouge dort ."),
    ("a red cat sees the dog .", "un chat rouge voit le chien ."),
]
TRAIN = tuple(Pair(tuple(s.split()), tuple(t.split())) for s, t in TEXT)
NEW_TEXT = [
    ("the zebra sees a red cat .", "le zèbre dort ."),
    ("the lama sees zoé .", "le lama voit zoé ."),
]
NEW = tuple(Pair(tuple(s.split()), tuple(t.split())) for s, t in NEW_TEXT)
TEST = (*TRAIN[:2], *NEW)
WORDS = Recipe(
    TransformerLearner,
    Data("animals"),
    0,
    TrainedConfig(N=1, d_model=8, h=2, d_ff=8, smoothing=0.1),
    adam(0.02, 10),
    Budget(60, 60, 30),
)


def test_parts_are_compared_on_the_same_sentences() -> None:
    wanted = [["a", "b", "c", "d", str(k)] for k in range(6)]
    wrong = [["x"], *wanted[1:]]
    counts = {
        name: bleu_counts(hypotheses=written, references=wanted)
        for name, written in (("words", wrong), ("sub-words", wanted))
    }
    found = compared(counts, np.array([True] * 3 + [False] * 3), "sub-words")
    assert found[KNOWN]["difference"]["words"]["BLEU"] == 0
    expected = bleu(hypotheses=wrong[:3], references=wanted[:3]).score
    assert found[UNKNOWN]["BLEU"]["words"]["BLEU"] == pytest.approx(expected, abs=1e-3)
    apart = found[UNKNOWN]["difference"]["words"]
    assert apart["BLEU"] == pytest.approx(100 - expected, abs=1e-3)
    assert apart["low"] >= 0
    whole = bleu(hypotheses=wrong, references=wanted).score
    assert found[ALL]["BLEU"]["words"]["BLEU"] == pytest.approx(whole, abs=1e-3)
    assert found[ALL]["BLEU"]["sub-words"]["BLEU"] == pytest.approx(100)


def test_the_row_of_one_that_ships(monkeypatch: pytest.MonkeyPatch) -> None:
    people = PairCorpus("animals", "1", TRAIN, TRAIN[:2], TEST)
    monkeypatch.setattr(real_subwords, "corpus", lambda data: people)
    learner = follow(WORDS, people)
    monkeypatch.setattr(real_subwords, "pretrained", {"animals": learner}.__getitem__)
    found = measured(Alone("animals", WORDS))
    assert found["unknown"] == {"sentences": 2, "of": 4, "words": 3}
    for part in (ALL, KNOWN, UNKNOWN):
        assert found["test"][part]["BLEU"].keys() == {LISTED, COPIED}
        assert found["test"][part]["difference"].keys() == {LISTED}
    sentences, words = found["<unk> written"]
    assert 0 <= found["right copies"] <= words
    assert sentences <= words


def test_unknown_words_and_right_copies_by_hand() -> None:
    sources = [["a", "x", "x"], ["a"], ["y"]]
    assert unknown(strangers(sources, {"a"})) == {"sentences": 2, "of": 3, "words": 3}
    before = [["le", UNK, UNK], ["le", "zoo"]]
    after = [["le", "zoé", "sees"], ["le", "zoo"]]
    assert right_copies(before, after, [["le", "zoé", "voit"], ["le", "zoo"]]) == 1


def test_the_original_of_tatoeba_is_that_of_its_test(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    listed = {
        (("go", "."), ("va", "!")): ("Go.", "Va !"),
        (("hi", "."), ("salut", "!")): ("Hi.", "Salut !"),
        (("run", "!"), ("cours", "!")): ("Run!", "Cours !"),
    }
    splits = {("go", "."): "test", ("hi", "."): "train", ("run", "!"): "test"}
    monkeypatch.setattr(real_subwords, "read", lambda file, name: name)
    monkeypatch.setattr(real_subwords, "published", {"tatoeba": listed}.__getitem__)
    monkeypatch.setattr(real_subwords, "split_of", splits.__getitem__)
    assert original(Data("tatoeba")) == ["Va !", "Cours !"]
    assert original(Data("animals")) == []


def test_words_that_no_one_wrote(monkeypatch: pytest.MonkeyPatch) -> None:
    people = PairCorpus("animals", "1", TRAIN, (), TEST)
    monkeypatch.setattr(real_subwords, "corpus", lambda data: people)
    found = made_up([["le", "zèbre", "the"], ["chat", "chatte"]], WORDS)
    assert found == {"words": 2, "of": 5, "some": ["zèbre", "chatte"]}


def test_the_stored_rows_hold_together() -> None:
    stored = results("real_subwords")
    assert list(stored.rows) == list(STUDY.cases)
    for row in stored.rows.values():
        for part in row["test"].values():
            for name, apart in part["difference"].items():
                ours, theirs = part["BLEU"][COPIED], part["BLEU"][name]
                expected = ours["BLEU"] - theirs["BLEU"]
                assert apart["BLEU"] == pytest.approx(expected, abs=2e-3)
                assert apart["low"] <= apart["BLEU"] <= apart["high"]
    # The translations are those of the study of real language.
    real = results("real")["Tatoeba, RNNsearch"]["test"]["beam 5"]
    again = stored["Tatoeba, RNNsearch"]["test"][ALL]["BLEU"]["words"]
    assert again["BLEU"] == pytest.approx(real["BLEU"], abs=0.1)

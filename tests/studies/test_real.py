"""The study of real language, on a language of six sentences."""

import numpy as np
import pytest

from lookback.bahdanau import RNNSearchConfig
from lookback.ibm1 import IBMModel1
from lookback.measure import bleu
from lookback.recipes.bahdanau import RNNSearchLearner
from lookback.studies import real
from lookback.studies.real import (
    UNK,
    Translations,
    by_length,
    chosen,
    copied,
    counted,
    exhibits,
    sources_of,
    steps_of,
    translated,
)
from lookback.text.corpora import Pair, PairCorpus
from lookback.workshop import (
    Budget,
    Data,
    Optimiser,
    Recipe,
    follow,
)

TEXT = [
    ("the red cat sleeps .", "le chat rouge dort ."),
    ("the dog sees the red cat .", "le chien voit le chat rouge ."),
    ("a red dog sleeps .", "un chien rouge dort ."),
    ("a cat sees a dog .", "un chat voit un chien ."),
    ("the dog sleeps .", "le chien dort ."),
    ("a dog sees the cat .", "un chien voit le chat ."),
]
TRAIN = tuple(Pair(tuple(s.split()), tuple(t.split())) for s, t in TEXT)
TEST = (
    *TRAIN[:2],
    Pair(("a", "red", "zebra", "sleeps", "."), ("un", "zèbre", "rouge", "dort", ".")),
    Pair(("the", "cat", "sees", "."), ("le", "chat", "dort", ".")),
)


RECIPE = Recipe(
    RNNSearchLearner,
    Data("animals"),
    0,
    RNNSearchConfig(m=7, n=11, k=5, l=6),
    Optimiser("adam", 0.02, clip=1.0),
    Budget(steps=20, tokens=60, evaluate_every=20),
)


def translations(*rows: tuple[str, str, str]) -> Translations:
    """Sources, what is wanted, what was written."""
    sides = [[side.split() for side in column] for column in zip(*rows, strict=True)]
    return Translations(*sides)


def test_what_is_shown_can_be_drawn(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(real, "LENGTHS", range(1, 9))
    learner = follow(RECIPE, PairCorpus("animals", "1", TRAIN, TRAIN[:2], TEST))
    shown = exhibits(learner, translated(learner, TEST, 1), TRAIN)
    assert {"best", "worst"} <= {one["kind"] for one in shown}
    model_1 = IBMModel1().fit(TRAIN, real.ROUNDS)
    for one in shown:
        source, written = one["source"], one["written"]
        assert written != one["reference"]
        weights = learner.attention(source, written)
        np.testing.assert_allclose(one["weights"], weights, atol=6e-4)
        posterior = model_1.posterior(source, written)
        np.testing.assert_allclose(one["Model 1"], posterior, atol=6e-4)
        assert one["unknown"] == [w for w in source if w == "zebra"]


def test_the_same_words_spelt_have_another_score() -> None:
    some = translations(
        ("s", "l' arbre ne dort pas , dit -il .", "l' arbre dort , dit -il .")
    )
    text = [["L'arbre ne dort pas, dit-il."], ["L'arbre dort, dit-il."]]
    score = bleu(hypotheses=text[1], references=text[0])
    found = real.spelt(some)
    assert found == {"BLEU": score.score, "signature": score.signature}
    assert "tok:13a" in found["signature"]
    assert "tok:none" in real.signature(some)
    assert found["BLEU"] != real.score(some)["BLEU"]


def test_what_a_score_does_not_say() -> None:
    found = counted(
        translations(
            ("a b", "A B", "A B"),
            ("a b", "A C D E", "A <unk>"),
            ("c", "le chien dort .", "le chien dort ."),
            ("d", "X Y", "le chien dort ."),
        ),
        TRAIN,
    )
    assert found == {
        "sentences": 4,
        "sources": 3,
        "right": 0.5,
        "references met in training": 0.25,
        "translations met in training": 0.5,
        "unknown words written": 1 / 12,
        "words written of those wanted": 1.0,
    }


def test_scores_by_length_hold_every_sentence_once() -> None:
    words = [" ".join(["w"] * n) for n in (1, 5, 6, 20, 21, 45)]
    found = by_length(translations(*((w, w, w) for w in words)))
    assert [(r["from"], r["to"], r["sentences"]) for r in found] == [
        (1, 5, 2),
        (6, 10, 1),
        (16, 20, 1),
        (21, 99, 2),
    ]
    assert all(r["low"] <= r["BLEU"] <= r["high"] for r in found)
    assert found[1]["BLEU"] == pytest.approx(100)


def test_what_is_shown_is_chosen_by_a_rule() -> None:
    wanted = "a b c d e f g"
    shares_of = [
        "a b c d e f g",  # right: never shown
        "x x x x x x x",
        "a b c d e f x",
        "a b c x x x x",
        "a x x x x x x",
        "a b c d e x x",
        "a b x x x x x",
    ]
    rows = [("s " * 7, wanted, written) for written in shares_of]
    rows += [("s " * 6, wanted, "x"), ("s " * 13, wanted, "a b c d e f")]  # lengths
    ranked = {"best": [2, 5], "middling": [3, 6], "worst": [4, 1]}
    assert chosen(translations(*rows)) == ranked
    few = chosen(translations(*rows[1:3]))
    assert few["best"] == few["worst"] == [1, 0]
    assert chosen(translations(rows[0])) == {"best": [], "middling": [], "worst": []}
    # How long the reference is does not count; of those alike, the first come first.
    long = ("s " * 7, "b " + "c " * 40, "b x x x x x x")
    assert chosen(translations(long, ("s " * 7, "a b c", "a b y")))["best"] == [1, 0]
    assert chosen(translations(*[rows[1]] * 5))["best"] == [0, 1]


# --- where it attends ----------------------------------------------------------------


READ = [
    (("the", "red", "cat", "sleeps"), ("le", "chat", "rouge", "dort", ".")),
    (("a", "cat"), ("le", "chat")),
]
NOT = "at a negation"
POSITIONS = [[0, 2, 1, 3, 4], [1, 1]]  # the full stop attends to </s>


def test_what_each_word_attended_to_is_counted(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(real, "LEAST", 1)
    assert sources_of(("le", "chat", ".", "chien"), READ, POSITIONS) == [
        {"word": "le", "times": 2, "at": [["cat", 1], ["the", 1]], NOT: 0},
        {"word": "chat", "times": 2, "at": [["cat", 2]], NOT: 0},
        {"word": ".", "times": 1, "at": [["</s>", 1]], NOT: 0},
    ]
    monkeypatch.setattr(real, "MOST", 1)
    (le,) = sources_of(("le",), READ, POSITIONS)
    assert le["at"] == [["cat", 1]]
    monkeypatch.setattr(real, "LEAST", 2)
    assert [row["word"] for row in sources_of(("chat", "."), READ, POSITIONS)] == [
        "chat"
    ]


def test_attention_to_negations_is_counted(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(real, "LEAST", 1)
    source = ("i", "don't", "know", "nothing", "not", "notes", "won't")
    target = ("pas", "pas", "ne", "pas", "pas", "pas", "pas")
    pas, ne = sources_of(("pas", "ne"), [(source, target)], [[0, 1, 2, 3, 4, 5, 6]])
    assert pas["times"] == 6
    assert pas[NOT] == 4  # don't, nothing, not, won't
    assert ne[NOT] == 0


def test_steps_of_attention_are_counted_and_those_back_are_named() -> None:
    found = steps_of(READ, POSITIONS)
    # le → chat +2, chat → rouge -1, rouge → dort +2, dort → . is no step; le → chat 0
    assert found["steps"] == [[-2, 0], [-1, 1], [0, 1], [1, 0], [2, 2]]
    assert found["back"] == [["red cat → chat rouge", 1]]


def test_far_steps_are_counted_with_the_last_and_the_first() -> None:
    words = tuple("abcdefg")
    found = steps_of([(words, words[:4])], [[6, 0, 1, 5]])
    assert found["steps"] == [[-2, 1], [-1, 0], [0, 0], [1, 1], [2, 1]]


class Attending:
    """Its weights on the words of a source rise to the last; most is on </s>."""

    def attention_weights(self, read):
        return [np.tile(np.arange(len(s) + 1), (len(t) + 1, 1)) for s, t in read]


class Going(Attending):
    """It attends to the source word by word, and then to the first."""

    def attention_weights(self, read):
        return [np.eye(len(t) + 1, len(s) + 1) for s, t in read]


def test_an_unknown_word_becomes_the_one_attended_to() -> None:
    sources = [["a", "b"], ["two", "zebras"], ["one", "lama", "."]]
    written = [["x", "y"], ["deux", UNK, UNK], [UNK, UNK]]
    last = copied(Attending(), sources, written)
    assert last == [["x", "y"], ["deux", "zebras", "zebras"], [".", "."]]
    # The third row has its most weight on </s>, which is no word.
    each = copied(Going(), sources, written)
    assert each == [["x", "y"], ["deux", "zebras", "two"], ["one", "lama"]]
    assert written[1] == ["deux", UNK, UNK]
    assert copied(Going(), [], []) == []

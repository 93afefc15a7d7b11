"""The study of phrases: parts taken away, words missed, counts kept."""

import numpy as np
import pytest

from lookback.measure import bleu_counts
from lookback.phrases import Option
from lookback.stack_decoder import Translation
from lookback.studies.stack_decoder import (
    FAR,
    LONG,
    OneByOne,
    Shorter,
    counted,
    counts_of,
    marked,
    missed,
)
from lookback.text.corpora import Pair, Tags, grammar

NOUN = ("NP", ("DET", "the"), ("NOUN", "king"))
SIGNS = Pair(
    ("the", "king", "will", "sign"),
    ("le", "roi", "signera"),
    sure=frozenset({(0, 0), (1, 1), (3, 2)}),
    possible=frozenset({(0, 0), (1, 1), (3, 2)}),
    tags=Tags(("DET", "NOUN", "AUX", "VERB"), ("DET", "NOUN", "VERB")),
    tree=("S", NOUN, ("VP", ("AUX", "will"), ("VERB", "sign"))),
)


def test_missed_by_hand() -> None:
    right = missed([SIGNS], [["le", "roi", "signera"]])
    assert right["nouns"] == [0, 1]
    assert right["verbs"][0] == [1, 0, 1]  # *will* is the word after *king*
    wrong = missed([SIGNS, SIGNS], [["le", "reine", "signe"], ["roi", "signera"]])
    assert wrong["nouns"] == [1, 2] and wrong["verbs"][0] == [1, 1, 2]
    assert wrong["short, long"] == {"near": [[1, 2], [0, 0]], "far": [[0, 0], [0, 0]]}


def test_verbs_are_split_by_distance_and_by_length() -> None:
    some = grammar(pairs=200).train
    short = [pair for pair in some if len(pair.source) < LONG]
    whole, part = (missed(p, [pair.target[1:] for pair in p]) for p in (some, short))
    verbs = np.array(whole["verbs"])[:, 1:]
    sides = whole["short, long"]
    assert (
        np.sum(sides["near"], axis=0).tolist() == verbs[: FAR - 1].sum(axis=0).tolist()
    )
    assert (
        np.sum(sides["far"], axis=0).tolist() == verbs[FAR - 1 :].sum(axis=0).tolist()
    )
    assert min(n for rows in sides.values() for _, n in rows) > 0
    for side, rows in part["short, long"].items():
        assert rows == [sides[side][0], [0, 0]]


def test_a_copied_word_is_marked_if_it_was_never_read() -> None:
    one = Translation(
        ("zèbre", "zebra", "a", "le"), 0.0, np.zeros(8),
        ((0, 1, ("zèbre",)), (1, 2, ("zebra",)), (2, 3, ("a",)), (3, 4, ("le",))),
    )  # fmt: skip
    written = marked(("the", "zebra", "a", "b"), one, {"the", "a", "b"})
    assert written == ["zèbre", "<unk>", "a", "le"]


def test_counts_come_back_as_they_were() -> None:
    some = [Pair(("a",), ("x", "y", "z", "x", "y")), Pair(("b",), ("u", "v"))]
    words = [["x", "y", "z", "x"], ["u", "w"]]
    back = counts_of(counted(words, some))
    wanted = [list(pair.target) for pair in some]
    assert (back == bleu_counts(hypotheses=words, references=wanted)).all()


class Two:
    max_length = 3

    def options(self, phrase):
        some = [Option(("x",), (0.0,) * 4), Option(("x", "y"), (0.0,) * 4)]
        return tuple(some) if len(phrase) < 3 else ()


def test_a_table_of_shorter_phrases() -> None:
    one = Shorter(Two(), 1)
    assert one.max_length == 1
    assert [o.target for o in one.options(("a",))] == [("x",)]
    assert len(Shorter(Two(), 2).options(("a",))) == 2


def test_words_one_by_one_have_the_probability_of_the_channel() -> None:
    class Model:
        def translation_prob(self, target, source):
            return {("a", "x"): 0.5, ("a", "y"): 0.0}[target, source]

    (only,) = OneByOne(Model(), Two()).options(("a",))  # type: ignore[arg-type]
    assert only.target == ("x",) and only.scores[0] == pytest.approx(-0.6931472)

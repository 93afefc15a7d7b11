"""What several studies measure: copied and marked words, counts that are stored."""

import numpy as np
import pytest
import torch

from lookback.measure import bleu, bleu_counts
from lookback.ngram import KneserNey, NgramModel
from lookback.phrases import Option
from lookback.stack_decoder import FEATURES, StackDecoder, Translation
from lookback.studies.stack_decoder import (
    UNK,
    columns,
    copied,
    counts_in,
    line_search,
    marked,
    tune,
    unsmoothed,
)


def test_a_copied_word_is_marked_if_it_was_never_read() -> None:
    one = Translation(
        ("zèbre", "zebra", "a", "le"), 0.0, np.zeros(8),
        ((0, 1, ("zèbre",)), (1, 2, ("zebra",)), (2, 3, ("a",)), (3, 4, ("le",))),
    )  # fmt: skip
    written = marked(("the", "zebra", "a", "b"), one, {"the", "a", "b"})
    assert written == ["zèbre", UNK, "a", "le"]


def test_counts_come_back_as_they_were() -> None:
    wanted = [["x", "y", "z", "x", "y"], ["u", "v"]]
    counts = bleu_counts(
        hypotheses=[["x", "y", "z", "x"], ["u", "w"]], references=wanted
    )
    assert (counts_in(columns(counts)) == counts).all()


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


# --- minimum error rate training -----------------------------------------------------


def counted(*sentences: str) -> np.ndarray:
    references = [list("abcde")] * len(sentences)
    return bleu_counts(hypotheses=[*map(list, sentences)], references=references)


def test_a_line_search_by_hand() -> None:
    # Three lines: 2 - γ, 1, -2 + γ: they cross at 1 and at 3, the middle one between.
    good, bad = counted("abcde", "abcdx")
    assert unsmoothed(good) == pytest.approx(100)
    scores, slopes = np.array([[2.0, 1.0, -2.0]]), np.array([[-1.0, 0.0, 1.0]])
    step, found = line_search(scores, slopes, np.array([[bad, good, bad]]))
    assert (step, found) == (pytest.approx(2), pytest.approx(100))
    assert line_search(scores, slopes, np.array([[good, bad, bad]]))[0] < 1
    assert line_search(scores, slopes, np.array([[bad, bad, good]]))[0] > 3
    # Lines that meet in one point: the steepest goes on.
    a, b, c = counted("abcde", "abxxx", "xxxxx")
    scores, slopes = np.array([[0.0, 0.0, 0.0, -1.0]]), np.array([[-1.0, 0, 1, 1]])
    step, found = line_search(scores, slopes, np.array([[c, b, a, c]]))
    assert step > 0 and found == pytest.approx(100)


def test_a_line_search_is_exact() -> None:
    random = np.random.default_rng(5)
    N, K = 6, 9
    scores, slopes = random.normal(size=(N, K)), random.normal(size=(N, K))
    words = random.integers(3, size=(N * K, 8)).astype(str).tolist()
    wanted = np.repeat(random.integers(3, size=(N, 8)).astype(str), K, axis=0).tolist()
    counts = bleu_counts(hypotheses=words, references=wanted).reshape(N, K, 10)
    total = counts[:, 0].sum(axis=0)
    assert unsmoothed(total) == pytest.approx(
        bleu(hypotheses=words[::K], references=wanted[::K]).score
    )
    scores[2, 5:], slopes[2, 5:] = -np.inf, 0  # a sentence of fewer candidates
    step, found = line_search(scores, slopes, counts)

    def at(gamma: float) -> float:
        winner = (np.where(np.isfinite(scores), scores, -1e9) + gamma * slopes).argmax(
            1
        )
        return float(unsmoothed(counts[np.arange(N), winner].sum(axis=0)))

    assert at(step) == pytest.approx(found)
    assert found == pytest.approx(max(map(at, np.linspace(-60, 60, 30001))))


def test_tuning_finds_weights_that_translate_better() -> None:
    # By its own φ the table prefers the wrong word; by another feature the right one.
    class Two:
        max_length = 1

        def options(self, phrase):
            (word,) = phrase
            return (
                Option(("wrong",), (0.0, -4.0, 0.0, 0.0)),
                Option((word.upper(),), (-1.0, 0.0, 0.0, 0.0)),
            )

    pairs = [(list(s), list(s.upper())) for s in ("abcde", "edcba", "bdaec", "aaaab")]
    language = NgramModel(1, KneserNey()).fit([[*"ABCDE", "wrong"]])
    first = {FEATURES[0]: 1.0, "distortion": 1.0}
    decoder = StackDecoder(Two(), language, first)
    assert decoder.translate(list("abc")) == ["wrong"] * 3
    generator = torch.Generator().manual_seed(3)
    weights = tune(decoder, pairs, generator=generator, rounds=3, n=40)
    after = decoder.with_weights(weights)
    assert [after.translate(s) for s, _ in pairs] == [t for _, t in pairs]
    assert set(weights) == set(FEATURES) and decoder.weights == first

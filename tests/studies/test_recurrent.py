"""Agreement and gradients over distance: what is asked, counted and measured."""

from collections.abc import Sequence

import numpy as np
import pytest

from lookback.measure import wilson_interval
from lookback.studies.recurrent import (
    accuracies,
    accuracy,
    preferences,
)
from lookback.text.grammar.agreement import Agreement
from lookback.trainer.learner import Learner


def agreement(distance: int, attractors: int) -> Agreement:
    return Agreement(("the", "king"), "is", "are", distance, attractors)


def test_answers_are_counted_by_distance_and_attractors() -> None:
    questions = [agreement(1, 0), agreement(1, 0), agreement(3, 2), agreement(12, 1)]
    questions.append(agreement(7, 1))
    row = accuracy(questions, [0.1, 0.0, 3.0, -2.0, 1e-9])
    assert row == {
        "distance": [1, 2, 3, 4, 5, 6, 7],
        "all asked": [2, 0, 1, 0, 0, 0, 2],
        "all right": [1.5, 0, 1, 0, 0, 0, 1],
        "attracted asked": [0, 0, 1, 0, 0, 0, 2],
        "attracted right": [0, 0, 1, 0, 0, 0, 1],
    }


def test_accuracies_are_means_over_seeds_with_an_interval_that_holds_them() -> None:
    def row(*right: int) -> dict[str, list[int]]:
        return {"all asked": [100, 50, 0], "all right": [*right, 0]}

    mean, low, high = accuracies([row(90, 10), row(96, 50)], "all")
    assert mean[:2] == pytest.approx([0.93, 0.6])
    assert np.isnan([mean[2], low[2], high[2]]).all()
    assert low[0] == pytest.approx(wilson_interval(np.array(0.93), np.array(100))[0])
    assert (low[1], high[1]) == (0.2, 1.0)


class Letters(Learner):
    """Says ln P of a word = minus the letters it has, of the end -100."""

    train = tensors = restore = evaluate = parameters = None  # type: ignore[assignment]

    def __init__(self) -> None:
        self.read: list[Sequence[str]] = []

    def log_probabilities(self, sentences: Sequence[Sequence[str]]) -> list[np.ndarray]:
        self.read += sentences
        return [np.array([*(-float(len(w)) for w in s), -100.0]) for s in sentences]


def test_preferences_compare_both_forms_after_the_same_words() -> None:
    learner = Letters()
    pairs = [
        Agreement(("the", "king"), "sleeps", "sleep", 1, 0),
        Agreement(("laws",), "are", "is", 1, 0),
        Agreement(("a", "b", "c"), "fail", "fails", 1, 0),
    ]
    assert preferences(learner, pairs).tolist() == [-1, -1, 1]
    assert {("laws", "is"), ("laws", "are")} <= {*learner.read}

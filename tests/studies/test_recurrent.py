"""Agreement and gradients over distance: what is asked, counted and measured."""

from collections import Counter
from collections.abc import Sequence

import numpy as np
import pytest
import torch

from lookback.lstm import LSTMCell
from lookback.measure import wilson_interval
from lookback.recurrent import RecurrentLM, jacobian_norms
from lookback.studies import recurrent
from lookback.studies.recurrent import (
    LAGS,
    accuracies,
    accuracy,
    fading,
    preferences,
)
from lookback.text.corpora import Lengths, grammar
from lookback.text.grammar.agreement import Agreement, minimal_pairs
from lookback.text.vocabulary import Vocabulary
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


def test_what_fades_is_what_the_cell_remembers() -> None:
    words = Vocabulary.build([["a", "b", "c"]])
    with torch.random.fork_rng():
        torch.manual_seed(0)
        model = RecurrentLM(len(words), 3, 4, LSTMCell)
    sentences = [("a", "b", "c", "a") * 10, ("b", "c") * 30]
    assert all(len(s) >= LAGS[-1] for s in sentences)
    found = fading(model, {"words": words}, sentences)
    assert found.keys() == {"h", "c"}
    model = model.double()
    for part, name in enumerate("hc"):
        norms = []
        for sentence in sentences:
            ids = torch.tensor([words.start, *words.ids(sentence[: LAGS[-1]])])
            x = model.C(ids).detach()
            norms.append(jacobian_norms(model.cell, x, part=part).flip(0).log10())
        expected = torch.stack(norms).mean(dim=0)[[*LAGS]]
        assert found[name] == pytest.approx(expected.tolist(), abs=1e-4)
        assert found[name][0] == 0


def test_the_probe_is_new_few_of_a_kind_and_of_known_words(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    drawn = grammar(900, seed=1, lengths=Lengths(uniform=1, low=12, high=20))
    seen, others = [p.source for p in drawn.train], [*drawn.validation, *drawn.test]
    monkeypatch.setattr(recurrent, "corpus", lambda data: None)
    monkeypatch.setattr(recurrent, "english", lambda corpus, split: seen)
    found = recurrent.probe(pairs=900, most=7)
    new = [one for both in minimal_pairs(others) for one in both]
    assert 20 < len(found) < len(new)
    assert {*found} < {*new}
    assert [a.right for a in found[::2]] == [a.wrong for a in found[1::2]]
    places = [min(a.distance, recurrent.FARTHEST) for a in found]
    assert max(map(places.count, places)) == 2 * 7
    times = Counter(word for sentence in seen for word in sentence)
    assert all(times[w] > 1 for a in found for w in (*a.before, a.right, a.wrong))

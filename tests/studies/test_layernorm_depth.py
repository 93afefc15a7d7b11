"""Six and twelve layers: gradients before training, and what the cases have in common.

Mutants that these tests kill: the gradient of another matrix, of a sum instead of a
mean; post-norm called pre; a warm-up that is none; another rate.
"""

from dataclasses import replace

import pytest
import torch

from lookback.studies import layernorm_depth
from lookback.studies.layernorm import SMALL, Normed, NormedLearner
from lookback.studies.layernorm_depth import (
    DEPTHS,
    NORMS,
    RATES,
    SEEDS,
    STUDY,
    gradients,
    measured,
)
from lookback.text.vocabulary import Vocabulary

CASES = STUDY.cases


@pytest.mark.parametrize("norm_first", [False, True])
def test_gradients_are_those_of_each_feed_forward_part_from_below(norm_first):
    torch.manual_seed(0)
    model = Normed(replace(SMALL, N=3, norm_first=norm_first), 9)
    ids = torch.randint(4, 9, (2, 5))
    loss = model(ids).square().sum()
    matrices = [layer.feed_forward.W_2.weight for layer in model.stack.layers]
    expected = torch.autograd.grad(loss / 10, matrices)
    found = gradients(model, model(ids).square().sum(), 10)
    assert found == [pytest.approx(g.norm().item(), abs=1e-4) for g in expected]
    assert len({round(n, 4) for n in found}) == 3


def test_cases_are_what_their_labels_say():
    assert len(CASES) == len(DEPTHS) * len(NORMS) * len(RATES) * 2 * len(SEEDS) + 1
    for label, asked in CASES.items():
        if label == "quick":
            continue
        depth, norm, rate, warmup, seed = label.split(", ")
        N = int(depth.split()[0])
        assert asked.model == replace(SMALL, N=N, norm_first=norm == "pre")
        assert asked.optimiser.rate == float(rate.split()[1])
        assert asked.optimiser.warmup == int(warmup.split()[1])
        assert asked.seed == int(seed.split()[1])
    rest = {
        (c.data, c.budget, c.optimiser.name, c.optimiser.decay, c.optimiser.clip)
        for label, c in CASES.items()
        if label != "quick"
    }
    assert len(rest) == 1


def test_gradients_are_measured_before_the_first_step(monkeypatch):
    words = {"words": Vocabulary.build([["a", "b", "c", "d"]])}
    text = [["a", "b"], ["c", "d", "a"], ["b"]] * 30
    case = replace(CASES["quick"], model=replace(SMALL, N=2))

    def follow(recipe):
        learner = NormedLearner(recipe)
        learner.vocabularies = words
        learner.network = learner.untrained(words)
        with torch.no_grad():  # trained weights are others
            learner.network.A.weight.zero_()
        return learner

    monkeypatch.setattr(layernorm_depth, "follow", follow)
    monkeypatch.setattr(layernorm_depth, "corpus", lambda data: None)
    monkeypatch.setattr(layernorm_depth, "english", lambda corpus, split: text)
    monkeypatch.setattr(layernorm_depth, "outline", lambda learner, text: {"o": 1})
    row = measured(case)
    learner = follow(case)
    read = layernorm_depth.READ
    (batch,) = layernorm_depth.ragged(text[:read], words["words"], read, None)
    first = learner.untrained(words)
    assert row == {"o": 1, "gradients": gradients(first, *learner.loss(first, batch))}
    assert len(row["gradients"]) == 2
    assert min(row["gradients"]) > 0

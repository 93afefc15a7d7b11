"""Six and twelve layers: gradients before training, and what the cases have in common.

Mutants that these tests kill: the gradient of another matrix, of a sum instead of a
mean; post-norm called pre; a warm-up that is none; another rate.
"""

from dataclasses import replace

import pytest
import torch
from lookback.workshop.norms import SMALL, Normed
from lookback.workshop.stacking import DEPTHS, PLACES, RATES, SEEDS, gradients
from lookback.workshop.studies import STUDIES

CASES = STUDIES["depth"].cases


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
    assert len(CASES) == len(DEPTHS) * len(PLACES) * len(RATES) * 2 * len(SEEDS) + 1
    for label, asked in CASES.items():
        if label == "quick":
            continue
        depth, place, rate, warmup, seed = label.split(", ")
        N = int(depth.split()[0])
        assert asked.model == replace(SMALL, N=N, norm_first=place == "pre")
        assert asked.optimiser.rate == float(rate.split()[1])
        assert asked.optimiser.warmup == int(warmup.split()[1])
        assert asked.seed == int(seed.split()[1])
    rest = {
        (c.data, c.budget, c.optimiser.name, c.optimiser.decay, c.optimiser.clip)
        for label, c in CASES.items()
        if label != "quick"
    }
    assert len(rest) == 1

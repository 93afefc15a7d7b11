"""GloVe over the learning rate: the loss over all cells, and the products."""

import numpy as np
import pytest
import torch

from lookback.glove import GloVe, GloVeConfig, cooccurrence, weighting
from lookback.studies.glove_rates import SEEN, agreement, squares


def test_the_loss_is_that_of_all_cells() -> None:
    X = cooccurrence([[0, 1, 2, 1], [2, 0]], 3, 2)
    torch.manual_seed(0)
    model = GloVe(GloVeConfig(m=2, x_max=3, alpha=0.5, window=2), 3)
    total = 0.0
    for i, j, x in zip(X.i, X.j, X.X, strict=True):
        score = (model.w[i] @ model.w_tilde[j] + model.b[i] + model.b_tilde[j]).item()
        f = weighting(torch.tensor(x), 3, 0.5).item()
        total += f * (score - np.log(x)) ** 2
    assert squares(model, X) == pytest.approx(total, rel=1e-4)


def test_products_that_are_the_mutual_information_agree_with_it() -> None:
    dice = np.random.default_rng(1)
    text = [dice.integers(0, 6, size=9).tolist() for _ in range(90)]
    X = cooccurrence([*text, [6, 0], [1, 6]], 7, 3)  # 6 is met less than SEEN times
    model = GloVe(GloVeConfig(m=7, x_max=10, alpha=0.5, window=3), 7)
    pmi = np.zeros((7, 7))
    pmi[X.i, X.j] = np.where(X.X >= SEEN, X.pmi(), 99 * (X.X - 1))
    with torch.no_grad():
        model.w.copy_(torch.from_numpy(pmi))
        model.w_tilde.copy_(torch.eye(7))
    assert agreement(model, X) == pytest.approx(1)

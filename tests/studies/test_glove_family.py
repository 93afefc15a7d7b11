"""What skip-gram and GloVe factorise: the formula and the bins, by hand."""

import numpy as np
import pytest
import torch

from lookback.glove import Cooccurrence, cooccurrence
from lookback.studies.glove_family import by_count, shifted


def test_the_shifted_information_of_one_cell_by_hand() -> None:
    X = cooccurrence([[0, 1, 1], [1, 0]], 2, 1)
    often = torch.tensor([2, 3])
    found = shifted(X, often, k=5, t=1.0)  # t = 1: nothing is left out
    noise = often.double() ** 0.75
    noise = (noise / noise.sum()).numpy()
    total = X.totals()
    wanted = np.log(X.X / (5 * total[X.i] * noise[X.j]))
    assert found == pytest.approx(wanted, abs=1e-6)
    thinned = shifted(X, often, k=5, t=0.4)
    assert not np.allclose(thinned, found)


def test_each_cell_is_in_one_bin() -> None:
    counts = np.array([1, 5, 9.5, 10, 50, 99, 100, 500, 800])
    cells = np.arange(9)
    X = Cooccurrence(9, cells, cells, counts)
    scores = np.array([1.0, 2, 4, 1, 2, 4, 1, 2, 4])
    wanted = np.array([1.0, 2, 4, 4, 2, 1, 1, 2, 4])
    found = by_count(X, scores, wanted)
    assert found[0] == pytest.approx(1) and found[2] == pytest.approx(1)
    assert found[1] < 0

"""What skip-gram and GloVe factorise: the formula, the bins, and the stored rows.

Mutants that these tests kill: noise without its power; subsampling left out; bins that
overlap.
"""

import numpy as np
import pytest
import torch

from lookback.glove import cooccurrence
from lookback.studies.glove_family import STUDY, by_count, shifted
from lookback.workshop import results


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
    dice = np.random.default_rng(0)
    text = [dice.integers(0, 3, size=200).tolist() for _ in range(3)]
    X = cooccurrence([*text, [3, 4, 5, 6, 3, 5, 4, 6, 3, 4]], 7, 2)
    scores = dice.normal(size=len(X.X))
    found = by_count(X, scores, scores)
    assert found[2] == pytest.approx(1)
    assert by_count(X, scores, -scores)[2] == pytest.approx(-1)


def test_skip_gram_comes_nearer_to_its_own_noise_on_every_seed() -> None:
    stored = results("glove_family")
    assert [*stored.rows] == [*STUDY.cases]
    for row in stored.seeds("skip-gram"):
        pairs = zip(row["PMI of its own noise"], row["PMI"], strict=True)
        assert all(own > plain for own, plain in pairs)

"""A head with shared matrices: the task, and what is shared."""

import pytest
import torch

from lookback.studies.attention_tied import LETTERS, TIES, Answerer, dealt


@pytest.mark.parametrize("ahead", [0, 1])
def test_the_card_that_is_wanted_has_the_letter_or_the_one_after_it(ahead: int) -> None:
    drawn = dealt(300, ahead, torch.Generator().manual_seed(1))
    letters, digits, asked, wanted = drawn
    assert letters.shape == digits.shape == (300, 6)
    assert asked.shape == wanted.shape == (300, 1)
    assert all(len(set(row)) == 6 for row in letters.tolist())
    assert letters.min() >= 0 and letters.max() == LETTERS - 1 and digits.max() <= 9
    assert (letters.gather(1, wanted) == (asked + ahead) % LETTERS).all()
    assert (letters == asked).any(dim=1).all()  # the letter asked for is there, too
    assert wanted.unique().tolist() == [0, 1, 2, 3, 4, 5]


def test_what_is_tied_is_one_matrix_and_one_matrix_makes_symmetric_scores() -> None:
    sizes = {tied: Answerer(tied) for tied in TIES}
    counts = {n: sum(p.numel() for p in m.parameters()) for n, m in sizes.items()}
    assert counts["three matrices"] - counts["queries as keys"] == 32 * 16
    assert counts["queries as keys"] == counts["keys as values"]
    x = torch.randn(5, 32)
    for tied, model in sizes.items():
        scores = model.W_Q(x) @ model.W_K(x).T
        symmetric = torch.allclose(scores, scores.T, atol=1e-5)
        assert symmetric == (tied == "queries as keys")
        assert torch.equal(model.W_K(x), model.W_V(x)) == (tied == "keys as values")

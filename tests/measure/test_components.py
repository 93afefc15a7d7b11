"""Principal components: by hand, and as numpy finds them."""

import pytest
import torch

from kit import generator
from lookback.measure import principal_components


def test_components_by_hand():
    # a cross, three long and one wide, pushed away from 0
    points = torch.tensor([[3.0, 0.0], [-3.0, 0.0], [0.0, -1.0], [0.0, 1.0]])
    placed, share = principal_components(points + torch.tensor([50.0, 7.0]))
    assert share.tolist() == pytest.approx([0.9, 0.1])
    assert placed[:2].abs().tolist() == [
        pytest.approx([3, 0], abs=1e-5),
        pytest.approx([3, 0], abs=1e-5),
    ]
    assert placed.max(dim=0).values.tolist() == pytest.approx([3, 1])


def test_components_are_those_of_numpy():
    vectors = torch.randn(20, 6, generator=generator(1)) * torch.tensor(
        [1.0, 5.0, 2.0, 0.5, 3.0, 1.0]
    ) + torch.arange(6)
    placed, share = principal_components(vectors, k=3)
    assert placed.shape == (20, 3)
    values, axes = torch.linalg.eigh(torch.cov(vectors.T))
    expected = (vectors - vectors.mean(0)) @ axes.flip(1)[:, :3]
    torch.testing.assert_close(placed.abs(), expected.abs(), atol=1e-4, rtol=1e-4)
    torch.testing.assert_close(share, (values.flip(0) / values.sum())[:3])
    assert (placed.gather(0, placed.abs().argmax(0, keepdim=True)) > 0).all()
    torch.testing.assert_close(principal_components(-vectors, k=3)[1], share)


@pytest.mark.parametrize(("shape", "k"), [((3,), 2), ((5, 3), 4), ((5, 3), 0)])
def test_no_table_of_vectors(shape, k):
    with pytest.raises(ValueError, match=r"expected \(V, m\)"):
        principal_components(torch.zeros(shape), k=k)

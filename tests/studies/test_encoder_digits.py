"""Products and hops of digits: the tasks, the probe, what the page says of them."""

import torch

from lookback.studies.encoder_digits import (
    PRODUCT,
    RATES,
    answers,
    product,
    readable,
)
from lookback.workshop import results


def test_neighbours_are_multiplied_and_digits_point_to_positions() -> None:
    x = torch.tensor([[3, 1, 4, 1, 5, 9, 2, 6, 8, 7]])
    own, left, found = answers(x, "product")
    assert own.tolist() == x.tolist()
    assert left.tolist() == [[7, 3, 1, 4, 1, 5, 9, 2, 6, 8]]
    assert found.tolist() == [[7, 2, 1, 0, 9, 0, 4, 6, 2, 4]]
    own, there, found = answers(x, "hops")
    assert own.tolist() == x.tolist()
    assert there.tolist() == [[1, 1, 5, 1, 9, 7, 4, 2, 8, 6]]
    assert found.tolist() == [[1, 1, 9, 1, 7, 6, 5, 4, 8, 2]]


def test_a_probe_reads_what_is_there_and_only_that() -> None:
    torch.manual_seed(0)
    wanted = torch.randint(10, (200, 10))
    there = torch.nn.functional.one_hot(wanted, 10).float() @ torch.randn(10, 12)
    assert readable(there, wanted) == 1
    assert readable(torch.randn(200, 10, 12), wanted) < 0.2


def test_a_probe_is_not_fitted_to_rounding() -> None:
    """What LayerNorm gives sums to 0, but for rounding that each processor has."""
    torch.manual_seed(0)
    wanted = torch.randint(10, (200, 10))
    x = torch.nn.functional.layer_norm(torch.randn(200, 10, 12), (12,))
    again = x * (1 + torch.finfo(x.dtype).eps * torch.randn(x.shape))
    assert readable(again, wanted) == readable(x, wanted)


def test_sizes_are_as_the_page_says() -> None:
    stored = results("encoder_digits")

    def size(label: str) -> int:
        return int(stored[f"{label}, seed 0"]["parameters"])

    both = size(product("both", RATES[0]))
    for name in PRODUCT:
        assert abs(size(product(name, RATES[0])) / both - 1) < 0.04
    two, wide = size("hops, two layers"), size("hops, one layer, wider")
    assert abs(wide / two - 1) < 0.01

"""How a panel is held against a run: in double precision, and without a trace."""

import pytest
import torch
from torch import nn

from lookback.diagrams.truth import apart, chance, held
from lookback.figures.diagram import Panel


class Double(nn.Module):
    def __init__(self) -> None:
        super().__init__()
        self.f = nn.Linear(3, 3)

    def forward(self, x: torch.Tensor) -> torch.Tensor:
        return x + self.f(x)


def panel(arrows: str) -> Panel:
    return Panel(
        boxes="""
         x   | word    | $x$ | .(x)  | B n
         f   | learned | f   | f     | B n
         sum | plus    |     | ./add | B n
         y   | name    | $y$
        """,
        grid="""
         | 40 120
         y .
         sum .
         . f
         +20
         x .
        """,
        arrows=arrows,
    )


def run(arrows: str) -> Panel:
    x = chance(2, 3)
    return held(panel(arrows), Double(), lambda root: root(x), {"B": 2, "n": 3})


def test_the_truth_comes_back_and_random_numbers_stay() -> None:
    before = torch.get_rng_state()
    assert apart(run)("x => sum => y\n x -> f -> sum").claims.boxes["f"] == (
        "f",
        "B n",
        True,
    )
    assert torch.equal(torch.get_rng_state(), before)
    assert torch.equal(chance(2), chance(2))


def test_a_lie_is_told() -> None:
    with pytest.raises(ValueError, match="x -> sum is not drawn, but sum reads x"):
        run("sum => y\n x -> f -> sum")

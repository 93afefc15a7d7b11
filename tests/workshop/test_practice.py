"""Practice: a toy task is learned as by the loop that one would write by hand."""

import pytest
import torch
from torch import Tensor, nn

from lookback.workshop import practise


def loss(model: nn.Module, generator: torch.Generator) -> Tensor:
    """The mean square of 3 x - y over four x that are drawn."""
    x = torch.randn(4, 1, generator=generator)
    error: Tensor = (model(x) - 3 * x).square().mean()
    return error


def by_hand(seed: int, steps: int, falls: bool, clip: float | None) -> list[float]:
    torch.manual_seed(seed)
    model, generator = nn.Linear(1, 1), torch.Generator().manual_seed(seed)
    adam, losses = torch.optim.Adam(model.parameters(), lr=0.1), []
    for step in range(steps):
        if falls:
            adam.param_groups[0]["lr"] = 0.1 * (steps - step) / steps
        cost = loss(model, generator)
        adam.zero_grad()
        cost.backward()
        if clip:
            nn.utils.clip_grad_norm_(model.parameters(), clip)
        adam.step()
        losses.append(cost.item())
    return losses


@pytest.mark.parametrize(("falls", "clip"), [(False, None), (True, None), (False, 0.5)])
def test_the_losses_are_those_of_the_loop_by_hand(
    falls: bool, clip: float | None
) -> None:
    before = torch.get_rng_state()
    model, losses = practise(
        lambda: nn.Linear(1, 1), loss, seed=3, steps=9, rate=0.1, falls=falls, clip=clip
    )
    assert not model.training
    assert torch.equal(torch.get_rng_state(), before)
    assert losses == pytest.approx(by_hand(3, 9, falls, clip))


def test_what_needs_no_gradient_stays_and_the_batches_may_come_from_elsewhere() -> None:
    def make() -> nn.Linear:
        model = nn.Linear(1, 1)
        model.bias.requires_grad_(False).fill_(5.0)
        return model

    generator = torch.Generator().manual_seed(1)
    model, first = practise(make, loss, seed=3, steps=2, rate=0.1, generator=generator)
    assert model.bias.item() == 5
    _, second = practise(make, loss, seed=3, steps=2, rate=0.1, generator=generator)
    assert first != second  # the generator has gone on

"""Toy tasks: learned as by the loop that one would write by hand, and counted."""

import pytest
import torch
from torch import Tensor, nn

from lookback.trainer import seeds
from lookback.trainer.toys import END, START, copied, digits, exact, train_toy


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
    model, losses = train_toy(
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
    model, first = train_toy(make, loss, seed=3, steps=2, rate=0.1, generator=generator)
    assert model.bias.item() == 5
    _, second = train_toy(make, loss, seed=3, steps=2, rate=0.1, generator=generator)
    assert first != second  # the generator has gone on


@pytest.mark.parametrize(("drawn", "turned"), [(digits, True), (copied, False)])
def test_the_target_is_the_source_between_two_marks(drawn, turned) -> None:
    source, target = drawn(4, 50, seeds.generator(1))
    assert source.shape == (50, 4) and target.shape == (50, 6)
    assert source.min() >= 0 and source.max() <= 9
    assert (target[:, 0] == START).all() and (target[:, -1] == END).all()
    assert torch.equal(target[:, 1:-1], source.flip(1) if turned else source)


class Reader:
    """Writes what it read from its end on; of a 9 it makes an 8."""

    def start(self, source, mask):
        ended = nn.functional.pad(source.flip(1), (0, 1), value=END)
        return ended, torch.zeros(len(source), dtype=torch.long)

    def step(self, token, state):
        words, t = state
        word = words[torch.arange(len(words)), t]
        word = torch.where(word == 9, 8, word)
        return torch.eye(END + 1)[word], (words, (t + 1).clamp(max=words.size(1) - 1))


def test_exact_are_the_sequences_without_an_error() -> None:
    one, three = exact(Reader(), (1, 3))
    for length, share in ((1, one), (3, three)):
        source, _ = digits(length, 500, seeds.generator(length))
        assert share == (source != 9).all(dim=1).double().mean().item()
    assert 0.8 < one < 1 and three < one
    (turned,) = exact(Reader(), (3,), copied)
    assert turned < 0.15  # only what reads alike from both ends

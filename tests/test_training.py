"""How to train: by hand, against torch's loss and Adam, its own laws."""

import math

import pytest
import torch
from torch import nn

from kit import close, generator
from lookback.recipes.transformer import noam
from lookback.training import (
    BETAS,
    EPS,
    adam_step,
    label_smoothed_loss,
    least_loss,
    noam_rate,
    smoothed_target,
)

B, T, V = 3, 4, 5
DOUBLE = torch.float64
IGNORED = -100  # torch's own mark of a target that costs nothing


def some(seed=0, spread=3.0):
    """logits (B, T, V), target (B, T) and a mask (B, T) that hides some positions."""
    chance = generator(seed)
    logits = spread * torch.randn(B, T, V, generator=chance, dtype=DOUBLE)
    target = torch.randint(V, (B, T), generator=chance)
    mask = torch.arange(T) < torch.tensor([[4], [1], [2]])
    return logits.requires_grad_(), target, mask


# --- by hand -------------------------------------------------------------------------


def test_four_words_by_hand():
    """p is 1/2, 1/4, 1/8, 1/8: -ln p is 1, 2, 3 and 3 ln 2. The second is right."""
    logits = torch.tensor([0.5, 0.25, 0.125, 0.125], dtype=DOUBLE).log() + 7
    y, there, ln2 = torch.tensor(1), torch.tensor(True), math.log(2)
    for epsilon, expected in (
        (0.0, 2.0),
        (0.4, 0.7 * 2 + 0.1 * 1 + 0.1 * 3 + 0.1 * 3),  # 0.6 + 0.4 / 4 on the right one
        (0.2, 0.85 * 2 + 0.05 * 7),
    ):
        found = label_smoothed_loss(logits, y, there, epsilon)
        assert found.item() == pytest.approx(expected * ln2, abs=1e-12)


def test_the_least_loss_by_hand():
    # q = 0.7, 0.1, 0.1, 0.1
    expected = -(0.7 * math.log(0.7) + 0.3 * math.log(0.1))
    assert least_loss(4, 0.4) == pytest.approx(expected, abs=1e-12)
    assert least_loss(4, 0.0) == 0
    assert least_loss(1, 0.3) == pytest.approx(0, abs=1e-12)


def test_the_schedule_by_hand():
    """d_model 4, warm-up 9: ½ · min(step^-½, step / 27)."""
    told = {1: 1 / 54, 3: 1 / 18, 9: 1 / 6, 16: 1 / 8, 36: 1 / 12, 900: 1 / 60}
    for step, expected in told.items():
        assert noam_rate(step, 4, 9) == pytest.approx(expected, rel=1e-12)


def test_the_numbers_of_the_paper():
    """Sections 5.3 and 5.4; the peak is told nowhere, and follows from equation 3."""
    assert BETAS == (0.9, 0.98)
    assert EPS == 1e-9
    assert noam_rate(4000, 512, 4000) == pytest.approx(6.98771e-4, rel=1e-5)
    assert noam_rate(100_000, 512, 4000) == pytest.approx(1.39754e-4, rel=1e-5)


def test_a_smoothed_target_by_hand():
    found = smoothed_target(torch.tensor([[2], [0]]), V=4, epsilon=0.2)
    expected = torch.tensor([[[0.05, 0.05, 0.85, 0.05]], [[0.85, 0.05, 0.05, 0.05]]])
    assert torch.allclose(found, expected)


def test_two_steps_of_adam_by_hand():
    """g = 1, then -1: m̂ is 1, then (0.09 - 0.1) / 0.19; v̂ is 1 both times."""
    theta, m, v = (torch.zeros(1, dtype=DOUBLE) for _ in range(3))
    theta, m, v = adam_step(theta, torch.ones(1, dtype=DOUBLE), m, v, 1, 0.5)
    assert theta.item() == pytest.approx(-0.5, rel=1e-8)
    theta, m, v = adam_step(theta, -torch.ones(1, dtype=DOUBLE), m, v, 2, 0.5)
    assert theta.item() == pytest.approx(-0.5 + 0.5 * 0.01 / 0.19, rel=1e-8)
    assert (m.item(), v.item()) == pytest.approx((-0.01, 0.0396))


# --- against the references ----------------------------------------------------------


def test_adam_is_torchs():
    chance = generator(0)
    theta = torch.randn(3, 4, generator=chance, dtype=DOUBLE)
    weight = nn.Parameter(theta.clone())
    adam = torch.optim.Adam([weight], betas=BETAS, eps=EPS)
    m = v = torch.zeros_like(theta)
    for step in range(1, 9):
        adam.param_groups[0]["lr"] = noam_rate(step, 4, 5)
        weight.grad = torch.randn(3, 4, generator=chance, dtype=DOUBLE)
        adam.step()
        theta, m, v = adam_step(theta, weight.grad, m, v, step, noam_rate(step, 4, 5))
        close(weight.detach(), theta)


@pytest.mark.parametrize("epsilon", [0.0, 0.1, 0.37, 0.99])
def test_it_is_torchs_cross_entropy(epsilon):
    (ours, target, mask), (theirs, _, _) = some(), some()
    found = label_smoothed_loss(ours, target, mask, epsilon)
    hidden = target.masked_fill(~mask, IGNORED)
    loss = nn.CrossEntropyLoss(
        label_smoothing=epsilon, reduction="none", ignore_index=IGNORED
    )
    expected = loss(theirs.transpose(1, 2), hidden)  # which wants classes second
    close(found, expected)
    pull = torch.linspace(-1, 2, B * T, dtype=DOUBLE).view(B, T)
    (found * pull).sum().backward()
    (expected * pull).sum().backward()
    close(ours.grad, theirs.grad)
    assert ours.grad[~mask].eq(0).all()


@pytest.mark.parametrize(("warmup", "d_model"), [(1, 7), (5, 12), (400, 96)])
def test_the_trainer_has_equation_3_at_each_step_and_the_papers_adam(warmup, d_model):
    optimiser, steps = noam(d_model, warmup), 3 * warmup + 20
    for step in range(1, steps + 1):
        rate = optimiser.rate * optimiser.factor(step, steps)
        assert rate == pytest.approx(noam_rate(step, d_model, warmup), rel=1e-12)
    assert optimiser.rate == pytest.approx(1 / math.sqrt(d_model * warmup), rel=1e-12)
    adam = optimiser.over([nn.Parameter(torch.zeros(3))])
    assert type(adam) is torch.optim.Adam
    told = {"betas": BETAS, "eps": EPS, "weight_decay": 0}
    assert told.items() <= adam.param_groups[0].items()
    assert adam.param_groups[0]["lr"] == pytest.approx(optimiser.rate)


# --- laws ----------------------------------------------------------------------------


def test_padding_costs_nothing_whatever_stands_there():
    logits, target, mask = some()
    found = label_smoothed_loss(logits, target, mask, 0.1)
    assert found[~mask].eq(0).all()
    assert found[mask].gt(0).all()
    for other in (IGNORED, V, 0):
        strange = target.masked_fill(~mask, other)
        moved = logits.detach().masked_fill(~mask.unsqueeze(-1), 1e4)
        assert torch.equal(label_smoothed_loss(moved, strange, mask, 0.1), found)
    nothing = label_smoothed_loss(logits, target, torch.zeros_like(mask), 0.1)
    assert nothing.eq(0).all()
    nothing.sum().backward()
    assert logits.grad.eq(0).all()


@pytest.mark.parametrize("epsilon", [0.0, 0.1])
def test_it_is_finite_where_probabilities_are_not(epsilon):
    """A probability of e^-20000 is 0 in any float, and its logarithm -inf."""
    logits = torch.tensor([[1e4, -1e4, 0, 3]], requires_grad=True)
    there = torch.ones(1, dtype=torch.bool)
    loss = label_smoothed_loss(logits, torch.tensor([1]), there, epsilon)
    assert loss.isfinite().all()
    assert loss.item() == pytest.approx(
        (1 - epsilon) * 2e4 + epsilon / 4 * (0 + 2e4 + 1e4 + 9997), rel=1e-6
    )
    loss.sum().backward()
    assert logits.grad.isfinite().all()

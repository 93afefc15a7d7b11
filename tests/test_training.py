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


def reference(logits, target, mask, epsilon, reduction="none"):
    """torch's own, which wants the classes in the second axis."""
    hidden = target.masked_fill(~mask, IGNORED)
    loss = nn.CrossEntropyLoss(
        label_smoothing=epsilon, reduction=reduction, ignore_index=IGNORED
    )
    return loss(logits.transpose(1, 2), hidden)


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


def test_the_gradient_is_that_of_the_smoothed_target():
    logits, target, mask = some()
    label_smoothed_loss(logits, target, mask, 0.3).sum().backward()
    q = smoothed_target(target, V, 0.3)
    expected = (logits.softmax(dim=-1) - q)[mask]
    assert torch.allclose(logits.grad[mask], expected, atol=1e-7)


@pytest.mark.parametrize("epsilon", [0.0, 0.1, 0.37, 0.99])
@pytest.mark.parametrize("reduction", ["none", "sum"])
def test_it_is_torchs_cross_entropy(epsilon, reduction):
    (ours, target, mask), (theirs, _, _) = some(), some()
    found = label_smoothed_loss(ours, target, mask, epsilon)
    expected = reference(theirs, target, mask, epsilon, reduction)
    assert found.shape == (B, T)
    close(found if reduction == "none" else found.sum(), expected)
    pull = torch.linspace(-1, 2, B * T, dtype=DOUBLE).view(B, T)
    if reduction == "sum":
        pull = torch.ones_like(pull)
    (found * pull).sum().backward()
    (expected * pull if reduction == "none" else expected).sum().backward()
    close(ours.grad, theirs.grad)
    assert ours.grad[~mask].eq(0).all()


def test_the_mean_over_words_is_torchs_without_smoothing_and_with():
    """torch divides by the positions that count, whatever is smoothed."""
    for epsilon in (0.0, 0.1):
        logits, target, mask = some()
        found = label_smoothed_loss(logits, target, mask, epsilon).sum() / mask.sum()
        close(found, reference(logits, target, mask, epsilon, "mean"))


def test_the_gradient_is_p_less_q():
    logits, target, mask = some()
    label_smoothed_loss(logits, target, mask, 0.3).sum().backward()
    q = 0.7 * nn.functional.one_hot(target, V).double() + 0.3 / V
    expected = (logits.softmax(dim=-1) - q) * mask.unsqueeze(-1)
    close(logits.grad, expected.detach())


def test_no_axes_in_front_and_many():
    logits, target, mask = some()
    whole = label_smoothed_loss(logits, target, mask, 0.1)
    flat = label_smoothed_loss(
        logits.flatten(0, 1), target.flatten(), mask.flatten(), 0.1
    )
    close(whole.flatten(), flat)
    one = label_smoothed_loss(logits[0, 1], target[0, 1], mask[0, 1], 0.1)
    assert one.shape == ()
    close(one, whole[0, 1])


@pytest.mark.parametrize(("warmup", "d_model"), [(1, 7), (5, 12), (400, 96)])
def test_the_trainers_schedule_is_equation_3_at_each_step(warmup, d_model):
    optimiser, steps = noam(d_model, warmup), 3 * warmup + 20
    for step in range(1, steps + 1):
        rate = optimiser.rate * optimiser.factor(step, steps)
        assert rate == pytest.approx(noam_rate(step, d_model, warmup), rel=1e-12)
    assert optimiser.rate == pytest.approx(1 / math.sqrt(d_model * warmup), rel=1e-12)


def test_the_trainers_adam_is_the_papers():
    weight = nn.Parameter(torch.zeros(3))
    adam = noam(12, 5).over([weight])
    assert type(adam) is torch.optim.Adam
    group = adam.param_groups[0]
    assert group["betas"] == (0.9, 0.98)
    assert group["eps"] == 1e-9
    assert group["lr"] == pytest.approx(1 / math.sqrt(60))
    assert group["weight_decay"] == 0


# --- laws ----------------------------------------------------------------------------


def test_without_smoothing_it_is_the_log_likelihood():
    logits, target, mask = some()
    found = label_smoothed_loss(logits, target, mask, 0.0)
    p = logits.softmax(dim=-1).gather(-1, target.unsqueeze(-1)).squeeze(-1)
    close(found[mask], -p.log()[mask])


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
@pytest.mark.parametrize("dtype", [torch.float32, DOUBLE])
def test_it_is_finite_where_probabilities_are_not(epsilon, dtype):
    """A probability of e^-20000 is 0 in any float, and its logarithm -inf."""
    logits = torch.tensor([[1e4, -1e4, 0, 3]], dtype=dtype, requires_grad=True)
    p = logits.softmax(dim=-1)
    assert p[0, 1] == 0
    there = torch.ones(1, dtype=torch.bool)
    loss = label_smoothed_loss(logits, torch.tensor([1]), there, epsilon)
    assert loss.isfinite().all()
    assert loss.item() == pytest.approx(
        (1 - epsilon) * 2e4 + epsilon / 4 * (0 + 2e4 + 1e4 + 9997), rel=1e-6
    )
    loss.sum().backward()
    assert logits.grad.isfinite().all()


@pytest.mark.parametrize(("size", "epsilon"), [(5, 0.1), (5, 0.6), (1000, 0.1), (2, 0)])
def test_nobody_is_below_the_least_loss_and_q_is_at_it(size, epsilon):
    chance = generator(1)
    q = torch.full((size,), epsilon / size, dtype=DOUBLE)
    q[1] += 1 - epsilon
    least, there = least_loss(size, epsilon), torch.tensor(True)
    best = q.clamp(min=1e-300).log()
    found = label_smoothed_loss(best, torch.tensor(1), there, epsilon)
    assert found.item() == pytest.approx(least, abs=1e-9)
    for spread in (0.01, 0.3, 3, 30):
        other = best + spread * torch.randn(size, generator=chance, dtype=DOUBLE)
        loss = label_smoothed_loss(other, torch.tensor(1), there, epsilon).item()
        assert loss > least - 1e-9


def test_a_surer_model_pays_more_once_it_is_surer_than_q():
    """Without smoothing it would pay ever less."""
    y, there = torch.tensor(0), torch.tensor(True)
    losses = {0.0: [], 0.1: []}
    for lead in (2, 4, 8, 16, 32):
        logits = torch.zeros(50, dtype=DOUBLE)
        logits[0] = lead
        for epsilon, found in losses.items():
            found.append(label_smoothed_loss(logits, y, there, epsilon).item())
    assert losses[0.0] == sorted(losses[0.0], reverse=True)
    assert losses[0.1].index(min(losses[0.1])) == 2
    assert losses[0.1][4] > losses[0.1][3] > losses[0.1][2]


@pytest.mark.parametrize(("warmup", "d_model"), [(1, 3), (7, 12), (4000, 512)])
def test_the_rate_rises_to_its_peak_and_falls(warmup, d_model):
    steps = range(1, 3 * warmup + 3)
    rates = [noam_rate(step, d_model, warmup) for step in steps]
    peak = max(rates)
    assert rates.index(peak) + 1 == warmup
    assert peak == pytest.approx(1 / math.sqrt(d_model * warmup), rel=1e-12)
    assert rates[:warmup] == sorted(rates[:warmup])
    assert rates[warmup - 1 :] == sorted(rates[warmup - 1 :], reverse=True)
    # In a straight line up; four times as many steps, half the rate.
    assert rates[0] * warmup == pytest.approx(peak)
    assert noam_rate(4 * warmup, d_model, warmup) == pytest.approx(peak / 2)
    assert noam_rate(9, 4 * d_model, warmup) * 2 == pytest.approx(
        noam_rate(9, d_model, warmup)
    )

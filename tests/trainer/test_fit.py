"""The training loop: by hand, against a plain loop, its laws, what it refuses."""

import math
from collections.abc import Callable, Iterator
from typing import Any

import numpy as np
import pytest
import torch
from torch import Tensor, nn

from kit import parameters, same
from lookback.trainer.fit import fit
from lookback.trainer.log import Log
from lookback.trainer.recipe import Budget, Optimiser

Batch = tuple[Tensor, Tensor]
SGD = Optimiser("sgd", 0.1)
ADAM = Optimiser("adam", 0.05)


def squares(model: nn.Module, batch: Batch) -> tuple[Tensor, int]:
    """The squared errors of a batch, each of its rows a token."""
    x, y = batch
    return ((model(x) - y) ** 2).sum(), len(x)


def line(weight: float = 1.0) -> nn.Linear:
    model = nn.Linear(1, 1, bias=False)
    nn.init.constant_(model.weight, weight)
    return model


def data(rows: int, seed: int = 0) -> list[Batch]:
    generator = torch.Generator().manual_seed(seed)
    sizes = (2, 3, 1, 4)
    return [
        (torch.randn(n, 3, generator=generator), torch.randn(n, 2, generator=generator))
        for n in (sizes[k % 4] for k in range(rows))
    ]


def network(seed: int = 0) -> nn.Module:
    with torch.random.fork_rng():
        torch.manual_seed(seed)
        return nn.Sequential(nn.Linear(3, 5), nn.Tanh(), nn.Linear(5, 2))


# --- by hand


def test_one_step_by_hand() -> None:
    """x = (1, 2), y = (3, 3), w = 1: the mean of (wx - y)² has the slope
    (2·1·(1 - 3) + 2·2·(2 - 3)) / 2 = -4, so that w becomes 1 + 0.1 · 4."""
    model = line()
    batch = (torch.tensor([[1.0], [2.0]]), torch.tensor([[3.0], [3.0]]))
    log = fit(model, [batch], squares, SGD, Budget(1), progress=False)
    assert model.weight.item() == pytest.approx(1.4)
    (entry,) = log.entries
    assert (entry.step, entry.tokens, entry.rate) == (1, 2, 0.1)
    assert entry.loss == pytest.approx((4 + 1) / 2)
    assert entry.norm == pytest.approx(4)
    assert log.tokens == 2
    assert log.evaluations == []
    assert log.best is None


def test_groups_of_parameters_have_options_of_their_own() -> None:
    """The weight has the slope -4; the bias, the sum over 2 rows of 2 (w + b - 3)
    over 2 rows: 2 (1 - 3) = -4 too, but its rate is 0.01; both rates fall alike."""
    model = nn.Linear(1, 1)
    with torch.no_grad():
        model.weight.fill_(1.0), model.bias.fill_(0.0)
    batch = (torch.tensor([[1.0], [1.0]]), torch.tensor([[3.0], [3.0]]))
    groups = [{"params": [model.weight]}, {"params": [model.bias], "lr": 0.01}]
    falling = Optimiser("sgd", 0.1, decay="linear")
    log = fit(
        model, [batch], squares, falling, Budget(2), parameters=groups, progress=False
    )
    first = [1 + 0.05 * 4, 0.005 * 4]  # half of either rate; then the rate is 0
    found = [model.weight.item(), model.bias.item()]
    assert found == pytest.approx(first)
    assert [entry.rate for entry in log.entries] == [0.05, 0.0]


def test_parameters_that_are_not_given_to_the_optimiser_stay() -> None:
    model, before = network(), parameters(network())
    last = model[2].parameters()  # type: ignore[index]
    fit(model, data(2), squares, SGD, Budget(3), parameters=last, progress=False)
    assert same(parameters(model)[:2], before[:2])
    assert not any(map(torch.equal, parameters(model)[2:], before[2:]))


# --- against a plain loop


def test_it_is_the_loop_that_everyone_writes() -> None:
    """With a rate that rises and falls, and gradients that are clipped."""
    batches, ours, theirs = data(5), network(), network()
    momentum = (("momentum", 0.9),)
    rising = Optimiser("sgd", 0.05, momentum, warmup=4, decay="linear", clip=1.0)
    sgd = torch.optim.SGD(theirs.parameters(), momentum=0.9)
    expected = []
    for step in range(1, 13):
        sgd.zero_grad()
        total, tokens = squares(theirs, batches[(step - 1) % 5])
        loss = total / tokens
        loss.backward()
        norm = nn.utils.clip_grad_norm_(theirs.parameters(), 1.0)
        (group,) = sgd.param_groups
        group["lr"] = 0.05 * (step / 4 if step < 4 else (12 - step) / 8)
        sgd.step()
        expected.append((loss.item(), tokens, norm.item(), group["lr"]))
    log = fit(ours, batches, squares, rising, Budget(12), progress=False)
    for mine, other in zip(parameters(ours), parameters(theirs), strict=True):
        torch.testing.assert_close(mine, other, rtol=1e-5, atol=1e-7)
    found = [(e.loss, e.tokens, e.norm, e.rate) for e in log.entries]
    np.testing.assert_allclose(found, expected, rtol=1e-5)


# --- evaluation and stopping


def scored(
    scores: list[float], every: int = 2, patience: int | None = None, steps: int = 11
) -> tuple[Log, list[Tensor], dict[int, list[Tensor]]]:
    """A run whose evaluations say `scores`: its log, its weights, those it had."""
    model, said, seen = network(), iter(scores), {}
    step = 0

    def loss(model: nn.Module, batch: Batch) -> tuple[Tensor, int]:
        nonlocal step
        step += 1
        assert model.training
        return squares(model, batch)

    def evaluate(module: nn.Module) -> float:
        assert not module.training
        assert not torch.is_grad_enabled()
        seen[step] = parameters(module)
        return next(said)

    budget = Budget(steps, evaluate_every=every, patience=patience)
    log = fit(model, data(5), loss, ADAM, budget, evaluate=evaluate, progress=False)
    assert not model.training
    return log, parameters(model), seen


def test_the_best_weights_stay() -> None:
    log, found, seen = scored([5, 3, 4, 3, 6, 9])
    assert [e.step for e in log.evaluations] == [2, 4, 6, 8, 10, 11]
    assert [e.best for e in log.evaluations] == [True, True] + [False] * 4
    assert same(found, seen[4])
    assert not same(found, seen[8])
    assert log.best is not None
    assert (log.best.step, log.best.score) == (4, 3)


def test_patience_counts_evaluations_without_a_better_one() -> None:
    log, found, seen = scored([5, 6, 4, 7, 4.5, 1, 1], every=1, patience=2)
    assert [e.step for e in log.evaluations] == [1, 2, 3, 4, 5]
    assert same(found, seen[3])
    assert len(scored([5, 6, 4, 7, 3, 4, 2, 3, 1, 2, 0], 1, 2)[0].entries) == 11


def test_evaluation_does_not_change_the_steps() -> None:
    """A plain run and one that is evaluated take the same steps."""
    log, found, _ = scored([6, 5, 4, 3, 2, 1])
    model = network()
    fit(model, data(5), squares, ADAM, Budget(11), progress=False)
    assert same(found, parameters(model))
    assert len(log.entries) == 11


# --- refusals


def refused(words: str, **changes: Any) -> None:
    options = {
        "model": network(),
        "batches": data(2),
        "loss": squares,
        "optimiser": SGD,
        "budget": Budget(3, evaluate_every=1),
        "progress": False,
    }
    with pytest.raises(ValueError, match=words):
        fit(**{**options, **changes})


def scaled(factor: float, tokens: int = 1) -> Callable[..., tuple[Tensor, int]]:
    return lambda model, batch: (squares(model, batch)[0] * factor, tokens)


def test_what_cannot_be_trained_on_is_refused() -> None:
    refused("got an iterator", batches=iter(data(2)))
    refused("got an iterator", batches=(b for b in data(2)))
    refused("there are no batches", batches=[])
    refused("the loss at step 1, over 1 tokens, is nan", loss=scaled(math.nan))
    refused("the loss at step 1, over 1 tokens, is inf", loss=scaled(math.inf))
    refused("over 0 tokens, is nan", loss=scaled(1, tokens=0))
    refused("the evaluation at step 1 is nan", evaluate=lambda model: math.nan)
    refused("there are no batches", batches=lambda: iter([]))


def test_a_gradient_that_is_no_number_is_refused() -> None:
    def steep(model: nn.Module, batch: Batch) -> tuple[Tensor, int]:
        return torch.sqrt((model(batch[0]) * 0).abs()).sum(), 1

    refused("the norm of the gradient at step 1 is nan", loss=steep)


# --- epoch functions


def test_generators_go_on_from_epoch_to_epoch() -> None:
    """What the batches draw, and what the model draws, is what a plain loop draws."""

    def orders(generator: torch.Generator) -> Iterator[list[int]]:
        while True:
            yield torch.randperm(9, generator=generator).tolist()

    generator, drawn = torch.Generator().manual_seed(1), list[list[int]]()
    noise = list[float]()

    def epoch() -> Iterator[Batch]:
        drawn.append(torch.randperm(9, generator=generator).tolist())
        yield from data(2)

    def loss(model: nn.Module, batch: Batch) -> tuple[Tensor, int]:
        noise.append(torch.rand(()).item())
        return squares(model, batch)

    with torch.random.fork_rng():
        torch.manual_seed(2)
        fit(network(), epoch, loss, SGD, Budget(6), progress=False)
        torch.manual_seed(2)
        assert noise == [torch.rand(()).item() for _ in range(6)]
    plain = orders(torch.Generator().manual_seed(1))
    assert drawn == [next(plain) for _ in range(3)]

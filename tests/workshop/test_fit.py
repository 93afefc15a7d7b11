"""The training loop: by hand, against a plain loop, its laws, what it refuses."""

import math
from collections.abc import Callable, Iterator
from typing import Any

import pytest
import torch
from torch import Tensor, nn

from lookback.workshop.fit import Anew, fit
from lookback.workshop.plan import Plan

Batch = tuple[Tensor, Tensor]


def squares(model: nn.Module, batch: Batch) -> tuple[Tensor, int]:
    """The squared errors of a batch, each of its rows a token."""
    x, y = batch
    return ((model(x) - y) ** 2).sum(), len(x)


def line(weight: float = 1.0) -> nn.Linear:
    model = nn.Linear(1, 1, bias=False)
    nn.init.constant_(model.weight, weight)
    return model


def data(rows: int, seed: int = 0) -> list[Batch]:
    chance = torch.Generator().manual_seed(seed)
    sizes = (2, 3, 1, 4)
    return [
        (torch.randn(n, 3, generator=chance), torch.randn(n, 2, generator=chance))
        for n in (sizes[k % 4] for k in range(rows))
    ]


def network(seed: int = 0) -> nn.Module:
    with torch.random.fork_rng():
        torch.manual_seed(seed)
        return nn.Sequential(nn.Linear(3, 5), nn.Tanh(), nn.Linear(5, 2))


def weights(model: nn.Module) -> list[Tensor]:
    return [parameter.detach().clone() for parameter in model.parameters()]


def same(one: list[Tensor], other: list[Tensor]) -> bool:
    return all(map(torch.equal, one, other))


# --- by hand


def test_one_step_by_hand() -> None:
    """x = (1, 2), y = (3, 3), w = 1: the mean of (wx - y)² has the slope
    (2·1·(1 - 3) + 2·2·(2 - 3)) / 2 = -4, so that w becomes 1 + 0.1 · 4."""
    model = line()
    batch = (torch.tensor([[1.0], [2.0]]), torch.tensor([[3.0], [3.0]]))
    sgd = torch.optim.SGD(model.parameters(), lr=0.1)
    log = fit(model, [batch], squares, sgd, Plan(1), progress=False)
    assert model.weight.item() == pytest.approx(1.4)
    (entry,) = log.entries
    assert (entry.step, entry.epoch, entry.tokens, entry.rate) == (1, 1, 2, 0.1)
    assert entry.loss == pytest.approx((4 + 1) / 2)
    assert entry.norm == pytest.approx(4)
    assert log.tokens == 2
    assert log.evaluations == []
    assert log.best is None


def test_the_rate_follows_the_schedule_and_is_left_as_it_was() -> None:
    model = line()
    batch = (torch.tensor([[1.0]]), torch.tensor([[3.0]]))
    sgd = torch.optim.SGD(model.parameters(), lr=0.1)
    plan = Plan(2, schedule=lambda step: {1: 0.5, 2: 2.0}[step])
    log = fit(model, [batch], squares, sgd, plan, progress=False)
    # slopes: 2 (1 - 3) = -4, then w = 1.2 and 2 (1.2 - 3) = -3.6
    assert model.weight.item() == pytest.approx(1 + 0.05 * 4 + 0.2 * 3.6)
    assert [entry.rate for entry in log.entries] == [0.05, 0.2]
    assert sgd.param_groups[0]["lr"] == 0.1


def test_a_long_gradient_is_cut() -> None:
    model = line()
    batch = (torch.tensor([[1.0]]), torch.tensor([[3.0]]))
    sgd = torch.optim.SGD(model.parameters(), lr=0.1)
    log = fit(model, [batch], squares, sgd, Plan(1, clip=0.5), progress=False)
    assert model.weight.item() == pytest.approx(1 + 0.1 * 0.5)
    assert log.entries[0].norm == pytest.approx(4)


# --- against a plain loop


def test_it_is_the_loop_that_everyone_writes() -> None:
    batches, ours, theirs = data(5), network(), network()
    adam = torch.optim.Adam(theirs.parameters(), lr=0.05)
    losses = []
    for step in range(12):
        adam.zero_grad()
        loss, tokens = squares(theirs, batches[step % 5])
        loss = loss / tokens
        loss.backward()
        nn.utils.clip_grad_norm_(theirs.parameters(), 0.7)
        adam.step()
        losses.append(loss.item())
    adam = torch.optim.Adam(ours.parameters(), lr=0.05)
    log = fit(ours, batches, squares, adam, Plan(12, clip=0.7), progress=False)
    for mine, other in zip(weights(ours), weights(theirs), strict=True):
        torch.testing.assert_close(mine, other, rtol=1e-5, atol=1e-7)
    assert [entry.loss for entry in log.entries] == pytest.approx(losses)
    assert [entry.epoch for entry in log.entries] == [1] * 5 + [2] * 5 + [3] * 2


# --- evaluation and stopping


def scored(
    scores: list[float], every: int = 2, patience: int | None = None, steps: int = 11
) -> tuple[Any, list[Tensor], dict[int, list[Tensor]]]:
    """A run whose evaluations say `scores`: its log, its weights, those it had."""
    model, told, seen = network(), iter(scores), {}
    step = 0

    def loss(model: nn.Module, batch: Batch) -> tuple[Tensor, int]:
        nonlocal step
        step += 1
        assert model.training
        return squares(model, batch)

    def evaluate(module: nn.Module) -> float:
        assert not module.training
        assert not torch.is_grad_enabled()
        seen[step] = weights(module)
        return next(told)

    adam = torch.optim.Adam(model.parameters(), lr=0.05)
    plan = Plan(steps, evaluate_every=every, patience=patience)
    log = fit(model, data(5), loss, adam, plan, evaluate=evaluate, progress=False)
    assert not model.training
    return log, weights(model), seen


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


def test_evaluation_that_draws_on_chance_is_kept_apart_from_nothing() -> None:
    """A plain run and one that is evaluated take the same steps."""
    log, found, _ = scored([6, 5, 4, 3, 2, 1])
    model = network()
    adam = torch.optim.Adam(model.parameters(), lr=0.05)
    fit(model, data(5), squares, adam, Plan(11), progress=False)
    assert same(found, weights(model))
    assert len(log.entries) == 11


# --- refusals


def refused(words: str, **changes: Any) -> None:
    model = network()
    asked = {
        "model": model,
        "batches": data(2),
        "loss": squares,
        "optimiser": torch.optim.SGD(model.parameters(), lr=0.1),
        "plan": Plan(3, evaluate_every=1),
        "progress": False,
    }
    with pytest.raises(ValueError, match=words):
        fit(**{**asked, **changes})


def lost(factor: float, tokens: int = 1) -> Callable[..., tuple[Tensor, int]]:
    return lambda model, batch: (squares(model, batch)[0] * factor, tokens)


def test_what_cannot_be_trained_on_is_refused() -> None:
    refused("got an iterator", batches=iter(data(2)))
    refused("got an iterator", batches=(b for b in data(2)))
    refused("there are no batches", batches=[])
    refused("the loss at step 1 is nan", loss=lost(math.nan))
    refused("the loss at step 1 is inf", loss=lost(math.inf))
    refused("over 0 tokens", loss=lost(1, tokens=0))
    refused("the evaluation at step 1 is nan", evaluate=lambda model: math.nan)


def test_a_gradient_that_is_no_number_is_refused() -> None:
    def steep(model: nn.Module, batch: Batch) -> tuple[Tensor, int]:
        return torch.sqrt((model(batch[0]) * 0).abs()).sum(), 1

    refused("the gradient at step 1 has the norm nan", loss=steep)


@pytest.mark.parametrize(
    ("plan", "words"),
    [
        ({"steps": 0}, "steps must be"),
        ({"steps": 1.5}, "steps must be"),
        ({"steps": True}, "steps must be"),
        ({"steps": 1, "evaluate_every": 0}, "evaluate_every must be"),
        ({"steps": 1, "patience": 0}, "patience must be"),
        ({"steps": 1, "clip": 0.0}, "clip must be"),
        ({"steps": 1, "save_every": math.nan}, "save_every must be"),
    ],
)
def test_a_plan_that_makes_no_sense_is_refused(plan: Any, words: str) -> None:
    with pytest.raises(ValueError, match=words):
        Plan(**plan)


# --- the bar, and batches drawn anew


def test_the_bar_shows_loss_and_tokens_a_second(capsys) -> None:
    model = network()
    sgd = torch.optim.SGD(model.parameters(), lr=0.1)
    fit(model, data(3), squares, sgd, Plan(4))
    told = capsys.readouterr().err
    assert "4/4" in told
    assert "loss" in told
    assert "tokens/s" in told


def test_without_tqdm_it_says_what_to_install(monkeypatch: pytest.MonkeyPatch) -> None:
    import sys

    monkeypatch.setitem(sys.modules, "tqdm", None)
    model = network()
    sgd = torch.optim.SGD(model.parameters(), lr=0.1)
    with pytest.raises(ModuleNotFoundError, match=r"lookback-attention\[data\]"):
        fit(model, data(3), squares, sgd, Plan(1))
    fit(model, data(3), squares, sgd, Plan(1), progress=False)


def test_anew_draws_at_each_epoch() -> None:
    drawn = []

    def draw() -> Iterator[Batch]:
        drawn.append(len(drawn))
        yield from data(2)

    model = network()
    sgd = torch.optim.SGD(model.parameters(), lr=0.1)
    fit(model, Anew(draw), squares, sgd, Plan(5), progress=False)
    assert drawn == [0, 1, 2]


def test_chance_goes_on_from_epoch_to_epoch() -> None:
    """What the batches draw, and what the model draws, is what a plain loop draws."""

    def orders(chance: torch.Generator) -> Iterator[list[int]]:
        while True:
            yield torch.randperm(9, generator=chance).tolist()

    chance, drawn = torch.Generator().manual_seed(1), list[list[int]]()
    noise = list[float]()

    def draw() -> Iterator[Batch]:
        drawn.append(torch.randperm(9, generator=chance).tolist())
        yield from data(2)

    def loss(model: nn.Module, batch: Batch) -> tuple[Tensor, int]:
        noise.append(torch.rand(()).item())
        return squares(model, batch)

    model = network()
    sgd = torch.optim.SGD(model.parameters(), lr=0.1)
    with torch.random.fork_rng():
        torch.manual_seed(2)
        fit(model, Anew(draw), loss, sgd, Plan(6), generators=[chance], progress=False)
        torch.manual_seed(2)
        assert noise == [torch.rand(()).item() for _ in range(6)]
    plain = orders(torch.Generator().manual_seed(1))
    assert drawn == [next(plain) for _ in range(3)]

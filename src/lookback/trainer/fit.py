"""The training loop: any torch module, any batches, any loss, in one process."""

import math
import time
from collections.abc import Callable, Iterable, Iterator
from typing import Any

import torch
from torch import Tensor, nn

from .device import moved
from .log import Entry, Log, bar
from .recipe import Budget, Optimiser, Parameters
from .resume import Saved

Loss = Callable[[nn.Module, Any], tuple[Tensor, int]]
Batches = Iterable[Any] | Callable[[], Iterable[Any]]
"""Batches, or an epoch function: it returns the batches of an epoch, drawn anew."""


def fit(
    model: nn.Module,
    batches: Batches,
    loss: Loss,
    optimiser: Optimiser,
    budget: Budget,
    *,
    parameters: Parameters | None = None,
    evaluate: Callable[[nn.Module], float] | None = None,
    saved: Saved | None = None,
    progress: bool = True,
) -> Log:
    """Train `model` in place; return what happened, step by step.

    batches     of an epoch, or a function that draws them, until the steps are done
    loss        (model, batch) → the sum of the losses of its tokens, their number
    parameters  what the optimiser updates, in groups if need be; all of the model's
    evaluate    the loss on validation, the lower the better; the model ends with the
                weights of the best evaluation, and patience counts these alone
    saved       the file of the last saved step, from which the run goes on; it is
                written at each evaluation. Batches are drawn anew, so that a run that
                was killed does not end at the very weights of one that was not
    Raises `ValueError` where there is no batch, and for a loss, a gradient or an
    evaluation that is not finite.
    """
    if isinstance(batches, Iterator):
        raise ValueError(
            "batches must begin anew at each epoch, got an iterator: "
            "give a function that returns it"
        )
    device = next(model.parameters()).device
    updates = optimiser.over(model.parameters() if parameters is None else parameters)
    rates = [float(group["lr"]) for group in updates.param_groups]
    limit = math.inf if optimiser.clip is None else optimiser.clip
    patience = math.inf if budget.patience is None else budget.patience
    log, best = saved.load(model, updates) if saved else (Log(), None)
    drawn, step = forever(batches), len(log.entries)
    start = time.monotonic() - log.seconds
    with bar(budget.steps, step, shown=progress) as show:
        while step < budget.steps and log.since_best < patience:
            step += 1
            model.train()
            updates.zero_grad()
            total, tokens = loss(model, moved(next(drawn), device))
            mean, norm = gradient(model, total, tokens, limit, f"at step {step}")
            factor = optimiser.factor(step, budget.steps)
            for group, rate in zip(updates.param_groups, rates, strict=True):
                group["lr"] = rate * factor
            updates.step()
            seconds = time.monotonic() - start
            entry = Entry(step, mean, tokens, rates[0] * factor, norm, seconds)
            log.entries.append(entry)
            show(entry)
            if step % budget.evaluate_every and step < budget.steps:
                continue
            if evaluate is not None:
                model.eval()
                with torch.no_grad():
                    score = float(evaluate(model))
                finite(score, f"the evaluation at step {step}")
                if log.evaluated(step, score):
                    weights = model.state_dict().items()
                    best = {name: tensor.detach().clone() for name, tensor in weights}
            if saved:
                saved.write(model, updates, log, best)
    if best is not None:
        model.load_state_dict(best)
    model.eval()
    return log


def gradient(
    model: nn.Module, total: Tensor, tokens: int, limit: float, where: str
) -> tuple[float, float]:
    """Compute and clip the gradient of the mean loss: that loss, the norm before."""
    mean = total.item() / tokens if tokens else math.nan
    finite(mean, f"the loss {where}, over {tokens} tokens,")
    (total / tokens).backward()  # type: ignore[no-untyped-call]
    norm = float(nn.utils.clip_grad_norm_(model.parameters(), limit))
    finite(norm, f"the norm of the gradient {where}")
    return mean, norm


def once(batches: Batches) -> Iterable[Any]:
    """The batches of one epoch."""
    return batches() if callable(batches) else batches


def forever(batches: Batches) -> Iterator[Any]:
    """The batches of one epoch after another; `ValueError` for one without any."""
    while True:
        empty = True
        for batch in once(batches):
            empty = False
            yield batch
        if empty:
            raise ValueError("there are no batches to train on")


def finite(number: float, what: str) -> None:
    """Refuse NaN and ∞."""
    if not math.isfinite(number):
        raise ValueError(f"{what} is {number}")

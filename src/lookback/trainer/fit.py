"""The training loop: any torch module, any batches, any loss.

What it promises: a run that was killed goes on from its last state, at most half a
minute old, and ends at the weights, bit for bit on a CPU, of a run that was not.
"""

import math
import time
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass
from itertools import islice
from pathlib import Path
from typing import Any

import torch
from torch import Tensor, nn

from . import seeds
from .distributed import Ranks, moved, share
from .log import Entry, Evaluation, Log, bar
from .recipe import Budget, Optimiser, Parameters
from .resume import GeneratorStates, Progress, load_state, save_state

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
    state: Path | None = None,
    run: str = "",
    generators: Sequence[torch.Generator] = (),
    ranks: Ranks = Ranks(),  # noqa: B008  it is frozen
    progress: bool = True,
    clock: Callable[[], float] = time.monotonic,
    save_every: float = 30.0,
) -> Log:
    """Train `model` in place; return what happened, step by step.

    batches     of an epoch, or a function that draws them, until the steps are done
    loss        (model, batch) → the sum of the losses of its tokens, their number
    parameters  what the optimiser updates, in groups if need be; all of the model's
    evaluate    the loss on validation, the lower the better; the model ends with the
                weights of the best evaluation, and patience counts these alone
    state       the file from which to go on, and in which progress is saved
    run         names what is trained: a state of another run is refused
    generators  the random number generators of the batches; saved in the state
    ranks       the processes that train together, from `distributed.together`
    save_every  seconds after which the state is written again
    """
    if isinstance(batches, Iterator):
        raise ValueError(
            "batches must begin anew at each epoch, got an iterator: "
            "give a function that returns it"
        )
    if not save_every >= 0:
        raise ValueError(f"save_every must be ≥ 0, got {save_every!r}")
    trainer = _Trainer(
        model, batches, loss, optimiser, budget, parameters, evaluate, state, run,
        generators, ranks, clock, save_every,
    )  # fmt: skip
    steps, done = budget.steps, trainer.at.step
    with bar(steps, done, shown=progress and ranks.first) as show:
        trainer.train(show)
    return trainer.at.log


@dataclass
class _Trainer:
    """A run: what `fit` was given, and how far it is (`at`)."""

    model: nn.Module
    batches: Batches
    loss: Loss
    recipe: Optimiser
    budget: Budget
    parameters: Parameters | None
    evaluate: Callable[[nn.Module], float] | None
    state: Path | None
    run: str
    generators: Sequence[torch.Generator]
    ranks: Ranks
    clock: Callable[[], float]
    save_every: float

    def __post_init__(self) -> None:
        self.device = next(self.model.parameters()).device
        updated = self.parameters
        self.optimiser = self.recipe.over(
            self.model.parameters() if updated is None else updated
        )
        self.rates = [float(group["lr"]) for group in self.optimiser.param_groups]
        self.at = Progress()
        if self.state is not None and self.state.exists():
            self.at = load_state(
                self.state, self.run, self.model, self.optimiser, self.ranks
            )
        self.saved = self.since = self.clock()
        self.before = self.at.seconds

    def train(self, show: Callable[[Entry], None]) -> None:
        """Step, evaluate, save, until the steps or the patience are spent."""
        epochs = self._drawn()
        while True:
            if self._due():
                self._evaluate()
            if self._over():
                break
            show(self._step(next(epochs)))
            if self.old:
                self._save()
        self._set_rates(1.0)
        if self.at.best:
            self.model.load_state_dict(self.at.best)
        self.model.eval()
        if not self.at.finished:
            self.at.finished = True
            self._save()

    def _drawn(self) -> Iterator[Any]:
        """The batches from where the run stands, epoch after epoch.

        After a state was read, the epoch is drawn again from the generators as they
        were when it began; batches that were trained on are passed over, and the
        generators put back to where they were.
        """
        while True:
            passed = self.at.position
            if self.at.epoch_start is None:
                self.at.epoch_start = self._generator_states()
            self._restore(self.at.epoch_start)
            batches = self.batches() if callable(self.batches) else self.batches
            drawn = iter(batches)
            if sum(1 for _ in islice(drawn, passed)) < passed:
                raise ValueError(f"the state is {passed} batches on, past their end")
            if passed and self.at.current:
                self._restore(self.at.current)
            for batch in drawn:
                self.at.position += 1
                yield batch
            if not self.at.position:
                raise ValueError("there are no batches to train on")
            self.at.epoch, self.at.position = self.at.epoch + 1, 0
            self.at.epoch_start = None

    def _step(self, batch: Any) -> Entry:
        """One step: the gradient of the mean loss of all tokens on all ranks."""
        old = self.ranks.first and self.clock() - self.saved >= self.save_every
        part, counts = share(batch, self.ranks)
        self.model.train()
        total, tokens = self.loss(self.model, moved(part, self.device))
        if not counts:
            total, tokens = total * 0, 0
        value, count, self.old = self.ranks.sums(
            total.item(), tokens, old, on=self.device
        )
        where = f"at step {self.at.step + 1}"
        if not (math.isfinite(value) and count > 0):
            raise ValueError(f"the loss {where} is {value} over {count:.0f} tokens")
        self.optimiser.zero_grad()
        (total * (1 / count)).backward()  # type: ignore[no-untyped-call]
        self.ranks.sum_gradients(self.model.parameters())
        limit = math.inf if self.recipe.clip is None else self.recipe.clip
        norm = float(nn.utils.clip_grad_norm_(self.model.parameters(), limit))
        if not math.isfinite(norm):
            raise ValueError(f"the gradient {where} has the norm {norm}")
        rate = self._update()
        entry = Entry(self.at.step, self.at.epoch + 1, value / count, int(count), rate,
                      norm, self.at.seconds)  # fmt: skip
        self.at.log.entries.append(entry)
        return entry

    def _update(self) -> float:
        """Let the optimiser take its step, at the rate of the schedule: the rate."""
        self.at.step += 1
        factor = self.recipe.factor(self.at.step, self.budget.steps)
        self._set_rates(factor)
        self.optimiser.step()
        self.at.seconds = self.before + self.clock() - self.since
        return self.rates[0] * factor

    def _set_rates(self, factor: float) -> None:
        for group, rate in zip(self.optimiser.param_groups, self.rates, strict=True):
            group["lr"] = rate * factor

    def _due(self) -> bool:
        """Is this step to be evaluated, and is not yet?"""
        step, budget = self.at.step, self.budget
        wanted = step % budget.evaluate_every == 0 or step >= budget.steps
        return step != self.at.evaluated and wanted

    def _over(self) -> bool:
        """Are the steps done, or the patience?"""
        patience = self.budget.patience or math.inf
        return self.at.step >= self.budget.steps or self.at.stale >= patience

    def _evaluate(self) -> None:
        """Measure the loss on validation; keep the best weights so far."""
        at = self.at
        at.evaluated = at.step
        if self.evaluate is None:
            return
        self.model.eval()
        with torch.no_grad():
            score = self.ranks.gathered(float(self.evaluate(self.model)))[0]
        if not math.isfinite(score):
            raise ValueError(f"the evaluation at step {at.step} is {score}")
        better = at.best_score is None or score < at.best_score
        at.stale = 0 if better else at.stale + 1
        if better:
            at.best_score = score
            weights = self.model.state_dict().items()
            at.best = {name: tensor.detach().clone() for name, tensor in weights}
        at.log.evaluations.append(Evaluation(at.step, score, better))

    def _save(self) -> None:
        """Write the state, if there is a file for it."""
        self.at.current, self.saved = self._generator_states(), self.clock()
        if self.state is not None:
            save_state(
                self.state, self.run, self.at, self.model, self.optimiser, self.ranks
            )

    def _generator_states(self) -> GeneratorStates:
        generators = [generator.get_state() for generator in self.generators]
        return {"torch": seeds.states(), "generators": generators}

    def _restore(self, states: GeneratorStates) -> None:
        seeds.restore(states["torch"])
        for generator, state in zip(self.generators, states["generators"], strict=True):
            generator.set_state(state)

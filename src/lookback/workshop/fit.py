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
from torch.nn.parallel import DistributedDataParallel

from . import seeds
from .log import Entry, Evaluation, Log, bar
from .plan import Plan
from .ranks import Ranks, moved, share
from .resume import Chance, Progress, load_state, save_state

Loss = Callable[[nn.Module, Any], tuple[Tensor, int]]


@dataclass(frozen=True)
class Anew:
    """Batches that begin anew with each `iter`, from a function that draws them once.

    Anew(lambda: sentence_batches(text, vocabulary, tokens=450, generator=chance))
    """

    draw: Callable[[], Iterable[Any]]

    def __iter__(self) -> Iterator[Any]:
        return iter(self.draw())


def fit(
    model: nn.Module,
    batches: Iterable[Any],
    loss: Loss,
    optimiser: torch.optim.Optimizer,
    plan: Plan,
    *,
    evaluate: Callable[[nn.Module], float] | None = None,
    state: Path | None = None,
    run: str = "",
    generators: Sequence[torch.Generator] = (),
    ranks: Ranks = Ranks(),  # noqa: B008  it is frozen
    progress: bool = True,
    clock: Callable[[], float] = time.monotonic,
) -> Log:
    """Train `model` in place; return what happened, step by step.

    batches     each `iter` of them is an epoch; drawn anew until the steps are done
    loss        (model, batch) → the sum of the losses of its tokens, their number;
                it must call the model itself, not its methods
    evaluate    the loss on validation, the lower the better; the model ends with the
                weights of the best evaluation, and patience counts these alone
    state       the file from which to go on, and in which to keep how far we are
    run         names what is trained: a state of another run is refused
    generators  where the batches draw their chance from; kept in the state
    ranks       the processes that train together, from `ranks.together`
    """
    if isinstance(batches, Iterator):
        raise ValueError(
            "batches must begin anew at each epoch, got an iterator: "
            "give Anew(a function that makes it)"
        )
    trainer = _Trainer(
        model, batches, loss, optimiser, plan, evaluate, state, run, generators,
        ranks, clock,
    )  # fmt: skip
    with bar(plan.steps, trainer.at.step, shown=progress and ranks.first) as show:
        trainer.train(show)
    return trainer.at.log


@dataclass
class _Trainer:
    """A run: what `fit` was given, and how far it is (`at`)."""

    model: nn.Module
    batches: Iterable[Any]
    loss: Loss
    optimiser: torch.optim.Optimizer
    plan: Plan
    evaluate: Callable[[nn.Module], float] | None
    state: Path | None
    run: str
    generators: Sequence[torch.Generator]
    ranks: Ranks
    clock: Callable[[], float]

    def __post_init__(self) -> None:
        self.device = next(self.model.parameters()).device
        self.rates = [float(group["lr"]) for group in self.optimiser.param_groups]
        self.at = Progress()
        if self.state is not None and self.state.exists():
            self.at = load_state(
                self.state, self.run, self.model, self.optimiser, self.ranks
            )
        self.wrapped = self.model
        if self.ranks.world > 1:
            self.wrapped = DistributedDataParallel(self.model)
        self.saved = self.since = self.clock()
        self.before = self.at.seconds

    def train(self, show: Callable[[Entry], None]) -> None:
        """Step, look up, keep, until the steps or the patience are spent."""
        epochs = self._drawn()
        while True:
            if self._due():
                self._look_up()
            if self._over():
                break
            show(self._step(next(epochs)))
            if self.old:
                self._keep()
        self._set_rates(1.0)
        if self.at.best:
            self.model.load_state_dict(self.at.best)
        self.model.eval()
        if not self.at.finished:
            self.at.finished = True
            self._keep()

    def _drawn(self) -> Iterator[Any]:
        """The batches from where the run stands, epoch after epoch.

        Behind a state, the epoch is drawn again from the chance with which it began;
        what was trained on is passed over, and chance put back to where it stood.
        """
        while True:
            passed = self.at.position
            if self.at.epoch_chance is None:
                self.at.epoch_chance = self._chance()
            self._restore(self.at.epoch_chance)
            drawn = iter(self.batches)
            if sum(1 for _ in islice(drawn, passed)) < passed:
                raise ValueError(f"the state is {passed} batches on, past their end")
            if passed and self.at.chance:
                self._restore(self.at.chance)
            for batch in drawn:
                self.at.position += 1
                yield batch
            if not self.at.position:
                raise ValueError("there are no batches to train on")
            self.at.epoch, self.at.position = self.at.epoch + 1, 0
            self.at.epoch_chance = None

    def _step(self, batch: Any) -> Entry:
        """One step: the gradient of the mean loss of all tokens on all ranks."""
        old = self.ranks.first and self.clock() - self.saved >= self.plan.save_every
        part, counts = share(batch, self.ranks)
        self.model.train()
        total, tokens = self.loss(self.wrapped, moved(part, self.device))
        if not counts:
            total, tokens = total * 0, 0
        value, count, self.old = self.ranks.sums(
            total.item(), tokens, old, on=self.device
        )
        where = f"at step {self.at.step + 1}"
        if not (math.isfinite(value) and count > 0):
            raise ValueError(f"the loss {where} is {value} over {count:.0f} tokens")
        self.optimiser.zero_grad()
        # DistributedDataParallel takes the mean over ranks; we want the sum.
        (total * (self.ranks.world / count)).backward()  # type: ignore[no-untyped-call]
        limit = math.inf if self.plan.clip is None else self.plan.clip
        norm = float(nn.utils.clip_grad_norm_(self.model.parameters(), limit))
        if not math.isfinite(norm):
            raise ValueError(f"the gradient {where} has the norm {norm}")
        rate = self._move()
        entry = Entry(self.at.step, self.at.epoch + 1, value / count, int(count), rate,
                      norm, self.at.seconds)  # fmt: skip
        self.at.log.entries.append(entry)
        return entry

    def _move(self) -> float:
        """Let the optimiser take its step, at the rate of the schedule: the rate."""
        self.at.step += 1
        factor = self.plan.schedule(self.at.step)
        self._set_rates(factor)
        self.optimiser.step()
        self.at.seconds = self.before + self.clock() - self.since
        return self.rates[0] * factor

    def _set_rates(self, factor: float) -> None:
        for group, rate in zip(self.optimiser.param_groups, self.rates, strict=True):
            group["lr"] = rate * factor

    def _due(self) -> bool:
        """Is this step to be evaluated, and is not yet?"""
        step, plan = self.at.step, self.plan
        wanted = step % plan.evaluate_every == 0 or step >= plan.steps
        return step != self.at.evaluated and wanted

    def _over(self) -> bool:
        """Are the steps done, or the patience?"""
        patience = self.plan.patience or math.inf
        return self.at.step >= self.plan.steps or self.at.stale >= patience

    def _look_up(self) -> None:
        """Ask `evaluate`; remember the weights if they are the best so far."""
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

    def _keep(self) -> None:
        """Write the state, if it was asked for."""
        self.at.chance, self.saved = self._chance(), self.clock()
        if self.state is not None:
            save_state(
                self.state, self.run, self.at, self.model, self.optimiser, self.ranks
            )

    def _chance(self) -> Chance:
        generators = [generator.get_state() for generator in self.generators]
        return {"torch": seeds.states(), "generators": generators}

    def _restore(self, chance: Chance) -> None:
        seeds.restore(chance["torch"])
        for generator, state in zip(self.generators, chance["generators"], strict=True):
            generator.set_state(state)

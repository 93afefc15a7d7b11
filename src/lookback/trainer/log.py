"""What happened in a training run, as data, and the bar that shows it meanwhile."""

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from typing import Any, Self

import numpy as np


@dataclass(frozen=True)
class Entry:
    """One step.

    step     counted from 1
    loss     of the batch before the step, per token, natural logarithm if the loss is a
             likelihood's
    tokens   how many the batch held
    rate     the learning rate of the first group of parameters
    norm     of the gradient, before it was clipped
    seconds  since the run began, without the time between two sittings
    """

    step: int
    loss: float
    tokens: int
    rate: float
    norm: float
    seconds: float


@dataclass(frozen=True)
class Evaluation:
    """The loss on validation after a step, and whether it was the best so far."""

    step: int
    score: float
    best: bool


@dataclass
class Log:
    """All steps and all evaluations, in order."""

    entries: list[Entry] = field(default_factory=list)
    evaluations: list[Evaluation] = field(default_factory=list)

    def evaluated(self, step: int, score: float) -> bool:
        """Note an evaluation: is it the best so far?"""
        best = self.best is None or score < self.best.score
        self.evaluations.append(Evaluation(step, score, best))
        return best

    @property
    def tokens(self) -> int:
        return sum(entry.tokens for entry in self.entries)

    @property
    def seconds(self) -> float:
        return self.entries[-1].seconds if self.entries else 0.0

    @property
    def best(self) -> Evaluation | None:
        """The evaluation whose weights the model ends with; None where none was."""
        return next((e for e in reversed(self.evaluations) if e.best), None)

    @property
    def since_best(self) -> int:
        """How many evaluations came after the best."""
        steps = [e.step for e in self.evaluations]
        return len(steps) - 1 - steps.index(self.best.step) if self.best else 0

    def curve(self, points: int = 40) -> list[list[float]]:
        """The learning curve: at most so many pairs of a step and the mean loss."""
        size = max(1, -(-len(self.entries) // points))
        parts = [self.entries[k : k + size] for k in range(0, len(self.entries), size)]
        means = [float(np.mean([entry.loss for entry in part])) for part in parts]
        steps = [part[-1].step for part in parts]
        return [[s, round(mean, 4)] for s, mean in zip(steps, means, strict=True)]

    @classmethod
    def from_json(cls, data: dict[str, Any]) -> Self:
        """The log that `dataclasses.asdict` wrote."""
        entries = [Entry(**entry) for entry in data["entries"]]
        return cls(entries, [Evaluation(**e) for e in data["evaluations"]])


@contextmanager
def bar(steps: int, done: int, *, shown: bool) -> Iterator[Callable[[Entry], None]]:
    """A bar of steps; what is yielded moves it and writes loss and tokens/s beside."""
    if not shown:
        yield lambda entry: None
        return
    try:
        from tqdm import tqdm
    except ModuleNotFoundError as error:
        raise ModuleNotFoundError(
            "the bar of training needs tqdm: pip install 'lookback-attention[data]', "
            "or fit(…, progress=False)",
            name="tqdm",
        ) from error
    first, tokens = list[Entry](), 0
    with tqdm(total=steps, initial=done, unit="step", dynamic_ncols=True) as shown_bar:

        def show(entry: Entry) -> None:
            nonlocal first, tokens
            first, tokens = (first, tokens + entry.tokens) if first else ([entry], 0)
            passed = entry.seconds - first[0].seconds  # the first step warms up
            rate = f"{tokens / passed:,.0f}" if passed else "…"
            said = f"loss {entry.loss:.3f}, {rate} tokens/s"
            shown_bar.set_postfix_str(said, refresh=False)
            shown_bar.update()

        yield show

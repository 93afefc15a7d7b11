"""How far a training run is: saved in a file, read again, or refused."""

import io
from dataclasses import dataclass, field
from hashlib import sha256
from pathlib import Path
from typing import Any

import torch
from torch import Tensor, nn

from . import files
from .distributed import Ranks
from .log import Log

FORMAT = 2
SIZE = sha256().digest_size
GeneratorStates = dict[str, Any]  # of each random number generator of a process


@dataclass
class Progress:
    """All that a run needs to go on, beside the model's and the optimiser's own.

    step, epoch, position  steps done, epochs done, batches taken from this epoch
    evaluated, stale       the step last evaluated; evaluations since the best
    best_score, best       the lowest evaluation, and the weights that it had
    seconds                that the run took so far
    epoch_start, current   states of the generators when the epoch began, and now
    """

    step: int = 0
    epoch: int = 0
    position: int = 0
    evaluated: int = 0
    stale: int = 0
    seconds: float = 0.0
    finished: bool = False
    best_score: float | None = None
    best: dict[str, Tensor] = field(default_factory=dict)
    epoch_start: GeneratorStates | None = None
    current: GeneratorStates | None = None
    log: Log = field(default_factory=Log)


NUMBERS = (
    "step", "epoch", "position", "evaluated", "stale", "seconds", "finished",
    "best_score",
)  # fmt: skip


def save_state(
    path: Path,
    run: str,
    progress: Progress,
    model: nn.Module,
    optimiser: torch.optim.Optimizer,
    ranks: Ranks,
) -> None:
    """Write the state of a run; all ranks must call it, the first one writes."""
    generators = ranks.gathered((progress.epoch_start, progress.current))
    if not ranks.first:
        return
    state = {
        "format": FORMAT,
        "run": run,
        "world": ranks.world,
        "model": dict(model.state_dict()),
        "optimiser": optimiser.state_dict(),
        "best": progress.best,
        "generators": generators,
        "numbers": {name: getattr(progress, name) for name in NUMBERS},
        "log": progress.log.to_json(),
    }
    write_state(path, state)


def write_state(path: Path, state: dict[str, Any]) -> None:
    """Write a state, all of it or nothing, and the SHA-256 of it before it."""
    data = io.BytesIO()
    torch.save(state, data)
    path.parent.mkdir(parents=True, exist_ok=True)
    files.replace(path, sha256(data.getvalue()).digest() + data.getvalue())


def load_state(
    path: Path,
    run: str,
    model: nn.Module,
    optimiser: torch.optim.Optimizer,
    ranks: Ranks,
) -> Progress:
    """Put model and optimiser where a run stopped; `ValueError` if it is another run.

    Nothing is touched unless all of the state fits.
    """
    state = read_state(path)
    ours = {"format": FORMAT, "run": run, "world": ranks.world}
    for name, value in ours.items():
        if state.get(name) != value:
            raise ValueError(
                f"{path}: a state of another {name}, {state.get(name)!r} instead of "
                f"{value!r}: delete it to begin anew"
            )
    _check(path, state["model"], model)
    model.load_state_dict(state["model"])
    optimiser.load_state_dict(state["optimiser"])
    epoch_start, current = state["generators"][ranks.rank]
    return Progress(
        **state["numbers"],
        best=state["best"],
        epoch_start=epoch_start,
        current=current,
        log=Log.from_json(state["log"]),
    )


def read_state(path: Path) -> dict[str, Any]:
    """The state in a file, which begins with the SHA-256 of the rest.

    `ValueError` where it is truncated, altered, or no state.
    """
    data = path.read_bytes()
    checksum, rest = data[:SIZE], data[SIZE:]
    if sha256(rest).digest() != checksum:
        raise ValueError(
            f"{path}: truncated, altered, or no state of a training run: delete it to "
            "begin anew"
        )
    state: dict[str, Any] = torch.load(io.BytesIO(rest), weights_only=True)
    return state


def _check(path: Path, weights: dict[str, Tensor], model: nn.Module) -> None:
    """The weights' names and shapes are the model's."""
    stored = {name: tuple(tensor.shape) for name, tensor in weights.items()}
    own = {name: tuple(tensor.shape) for name, tensor in model.state_dict().items()}
    if stored != own:
        wrong = sorted(set(stored.items()) ^ set(own.items()))
        raise ValueError(
            f"{path}: a state of another model, which differs in {wrong[:4]}: delete "
            "it to begin anew"
        )

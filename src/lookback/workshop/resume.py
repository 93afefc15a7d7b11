"""How far a training run is: kept in a file, found again, or refused."""

from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import torch
from torch import Tensor, nn

from . import sealed
from .log import Log
from .ranks import Ranks
from .state import pack, unpack

FORMAT = 1
Chance = dict[str, Any]  # where each source of chance of a process stands


@dataclass
class Progress:
    """All that a run needs to go on, beside the model's and the optimiser's own.

    step, epoch, position  steps done, epochs done, batches taken from this epoch
    evaluated, stale       the step last evaluated; evaluations since the best
    best_score, best       the lowest evaluation, and the weights that it had
    seconds                that the run took so far
    epoch_chance, chance   where chance stood as the epoch began, and stands
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
    epoch_chance: Chance | None = None
    chance: Chance | None = None
    log: Log = field(default_factory=Log)


NUMBERS = (
    "step", "epoch", "position", "evaluated", "stale", "seconds", "finished",
    "best_score",
)  # fmt: skip


def save_state(
    path: Path,
    run: str,
    at: Progress,
    model: nn.Module,
    optimiser: torch.optim.Optimizer,
    ranks: Ranks,
) -> None:
    """Write the state of a run; all ranks must call it, the first one writes."""
    chances = ranks.gathered((at.epoch_chance, at.chance))
    if not ranks.first:
        return
    tree = {
        "model": dict(model.state_dict()),
        "optimiser": optimiser.state_dict(),
        "best": at.best,
        "chances": chances,
    }
    tensors: dict[str, Tensor] = {}
    card = {
        "format": FORMAT,
        "run": run,
        "world": ranks.world,
        "tree": pack(tree, tensors, "state"),
        "numbers": {name: getattr(at, name) for name in NUMBERS},
        "log": at.log.to_json(),
    }
    sealed.write(path, tensors, card)


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
    card, tensors = sealed.read(path)
    ours = {"format": FORMAT, "run": run, "world": ranks.world}
    for name, value in ours.items():
        if card.get(name) != value:
            raise ValueError(
                f"{path}: a state of another {name}, {card.get(name)!r} instead of "
                f"{value!r}: delete it to begin anew"
            )
    tree = unpack(card["tree"], tensors)
    _check(path, tree["model"], model)
    model.load_state_dict(tree["model"])
    optimiser.load_state_dict(tree["optimiser"])
    epoch_chance, chance = tree["chances"][ranks.rank]
    return Progress(
        **card["numbers"],
        best=tree["best"],
        epoch_chance=epoch_chance,
        chance=chance,
        log=Log.from_json(card["log"]),
    )


def _check(path: Path, weights: dict[str, Tensor], model: nn.Module) -> None:
    """The weights' names and shapes are the model's."""
    found = {name: tuple(tensor.shape) for name, tensor in weights.items()}
    own = {name: tuple(tensor.shape) for name, tensor in model.state_dict().items()}
    if found != own:
        wrong = sorted(set(found.items()) ^ set(own.items()))
        raise ValueError(
            f"{path}: a state of another model, which differs in {wrong[:4]}: delete "
            "it to begin anew"
        )

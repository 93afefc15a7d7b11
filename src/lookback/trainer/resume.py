"""The last saved step of a training run, from which a killed run goes on."""

from dataclasses import asdict, dataclass
from pathlib import Path

import torch
from torch import Tensor, nn

from . import files
from .log import Log

Weights = dict[str, Tensor]


@dataclass(frozen=True)
class Saved:
    """A file of weights, optimiser state, best weights and log: safetensors and JSON.

    run     names what is trained: the file of another run is refused
    writes  does this process write it? Of several the first one does
    """

    path: Path
    run: str
    writes: bool = True

    def write(
        self,
        model: nn.Module,
        optimiser: torch.optim.Optimizer,
        log: Log,
        best: Weights | None,
    ) -> None:
        """Replace the file by the state of the run after its last step."""
        if not self.writes:
            return
        parts = {"model": model.state_dict(), "best": best or {}}
        for number, state in optimiser.state_dict()["state"].items():
            parts[f"optimiser {number}"] = {
                name: value for name, value in state.items() if torch.is_tensor(value)
            }
        tensors = {
            f"{part}/{k}": t for part, some in parts.items() for k, t in some.items()
        }
        files.write(self.path, tensors, {"run": self.run, "log": asdict(log)})

    def load(
        self, model: nn.Module, optimiser: torch.optim.Optimizer
    ) -> tuple[Log, Weights | None]:
        """Put model and optimiser where the run was saved: its log, its best weights.

        Nothing changes where there is no file. `ValueError` for a file that is
        truncated, or of another run.
        """
        if not self.path.exists():
            return Log(), None
        anew = "delete it to begin anew"
        try:
            about, tensors = files.read(self.path)
        except ValueError as error:
            raise ValueError(f"{error}: {anew}") from error
        if about.get("run") != self.run:
            raise ValueError(f"{self.path}: the state of another run: {anew}")
        parts: dict[str, Weights] = {}
        for name, tensor in tensors.items():
            part, _, inner = name.partition("/")
            parts.setdefault(part, {})[inner] = tensor
        model.load_state_dict(parts["model"])
        state = {
            int(part.removeprefix("optimiser ")): values
            for part, values in parts.items()
            if part.startswith("optimiser ")
        }
        groups = optimiser.state_dict()["param_groups"]
        optimiser.load_state_dict({"state": state, "param_groups": groups})
        return Log.from_json(about["log"]), parts.get("best")

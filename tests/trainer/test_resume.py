"""A run that was killed goes on from its last saved step."""

from pathlib import Path
from types import ModuleType
from typing import Any

import pytest
import torch
from torch import Tensor, nn

from lookback.trainer import files
from lookback.trainer.checkpoint import train
from lookback.trainer.fit import fit
from lookback.trainer.log import Log
from lookback.trainer.recipe import Budget, Optimiser
from lookback.trainer.resume import Saved

STEPS, EVERY = 10, 3
ADAM = Optimiser("adamw", 0.1, (("amsgrad", True),), warmup=1, decay="linear", clip=0.9)


class Killed(Exception):
    """What ends a run in the middle of a step."""


def run(
    path: Path | None, stop_at: int | None = None, name: str = "r"
) -> tuple[list[Tensor], Log]:
    """Train on one batch, so that no draw differs; raise inside the loss of a step."""
    done = 0

    def loss(model: nn.Module, x: Tensor) -> tuple[Tensor, int]:
        nonlocal done
        done += 1
        if done == stop_at:
            raise Killed
        return (model(x) ** 2).sum(), len(x)

    with torch.random.fork_rng():
        torch.manual_seed(7)
        model = nn.Sequential(nn.Linear(3, 6), nn.BatchNorm1d(6), nn.Linear(6, 2))
        x = torch.randn(9, 3)
    log = fit(
        model, [x], loss, ADAM, Budget(STEPS, evaluate_every=EVERY, patience=2),
        evaluate=lambda m: m[2].bias.norm().item(),
        saved=Saved(path, name) if path else None, progress=False,
    )  # fmt: skip
    return [tensor.clone() for tensor in model.state_dict().values()], log


@pytest.mark.parametrize("stop_at", [2, 4, 5, 8])
def test_it_goes_on_from_its_last_evaluation(tmp_path: Path, stop_at: int) -> None:
    whole, log = run(None)
    with pytest.raises(Killed):
        run(tmp_path / "state", stop_at)
    found, again = run(tmp_path / "state")
    assert all(map(torch.equal, found, whole))
    assert again.evaluations == log.evaluations
    losses = ([entry.loss for entry in each.entries] for each in (again, log))
    assert next(losses) == next(losses)
    seconds = [entry.seconds for entry in again.entries]
    assert seconds == sorted(seconds)


def test_a_finished_run_takes_no_step(tmp_path: Path) -> None:
    whole, log = run(tmp_path / "state")
    found, again = run(tmp_path / "state", stop_at=1)
    assert all(map(torch.equal, found, whole))
    assert again == log


def test_of_several_processes_one_writes(tmp_path: Path) -> None:
    model, updates = nn.Linear(1, 1), torch.optim.SGD(nn.Linear(1, 1).parameters())
    Saved(tmp_path / "state", "r", writes=False).write(model, updates, Log(), None)
    assert list(tmp_path.iterdir()) == []


def test_a_state_that_does_not_fit_is_refused(tmp_path: Path) -> None:
    path = tmp_path / "state"
    run(path)
    with pytest.raises(ValueError, match="state of another run: delete it to begin"):
        run(path, name="other")
    path.write_bytes(path.read_bytes()[:-1])
    with pytest.raises(ValueError, match=r"state: truncated.*: delete it to begin"):
        run(path)
    files.write(path, {"a": torch.zeros(3)}, {})
    with pytest.raises(ValueError, match="state of another run: delete it to begin"):
        run(path)


def test_a_recipe_goes_on_where_it_was_killed(
    tiny: ModuleType, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """In the middle of its twelfth step, two after an evaluation."""
    whole = tiny.TinyLearner.loss

    def killed(self: Any, network: nn.Module, batch: Any) -> Any:
        if network.training and self.losses == 11:
            raise Killed
        return whole(self, network, batch)

    with monkeypatch.context() as patch, pytest.raises(Killed):
        patch.setattr(tiny.TinyLearner, "loss", killed)
        train("tiny-dropping", tmp_path, progress=False)
    state = tmp_path / ".tiny-dropping.state"
    assert [*tmp_path.iterdir()] == [state]
    saved = files.read(state)[0]["log"]
    assert len(saved["entries"]) == 10  # the last evaluation
    train("tiny-dropping", tmp_path, progress=False)
    metadata, _ = files.read(tmp_path / "tiny-dropping.safetensors")
    assert metadata["steps"] == 23
    before = [[e["step"], e["score"]] for e in saved["evaluations"]]
    assert metadata["evaluations"][:2] == before
    assert not state.exists()

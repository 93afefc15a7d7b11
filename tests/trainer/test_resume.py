"""A run that was killed ends at the same weights, bit for bit."""

import os
import subprocess
import sys
from collections.abc import Callable, Iterator
from dataclasses import replace
from pathlib import Path
from types import ModuleType
from typing import Any

import pytest
import torch
from torch import Tensor, nn
from torch.utils.data import DataLoader, TensorDataset

from lookback.trainer import files, resume, seeds
from lookback.trainer.checkpoint import train
from lookback.trainer.fit import fit
from lookback.trainer.log import Log
from lookback.trainer.recipe import Budget, Optimiser

STEPS = 13


@pytest.fixture(autouse=True)
def hasty(monkeypatch: pytest.MonkeyPatch) -> None:
    """Do not wait for the disk: these tests write hundreds of states."""
    monkeypatch.setattr(files.os, "fsync", lambda handle: None)


class Killed(Exception):
    """What ends a run in the middle of a step."""


def ticking() -> Callable[[], float]:
    """A clock on which a second passes whenever it is read."""
    ticks = iter(range(10_000))
    return lambda: float(next(ticks))


def run(
    path: Path | None,
    stop_at: int | None = None,
    *,
    save_every: float = 0.0,
    batches: str = "generator",
    scores: bool = True,
    **changes: Any,
) -> tuple[list[Tensor], Log]:
    """Train with everything that has a state; raise inside the loss of a step."""
    generator = seeds.generator(5)
    x = torch.randn(9, 3, generator=torch.Generator().manual_seed(1))

    def epoch() -> Iterator[Tensor]:
        for k in torch.randperm(4, generator=generator).tolist():
            noise = torch.randn((), generator=generator)  # drawn for each batch
            yield x[2 * k : 2 * k + 3] + noise

    def loss(model: nn.Module, batch: Any) -> tuple[Tensor, int]:
        rows = batch[0] if isinstance(batch, list) else batch
        done[0] += 1
        if done[0] == stop_at:
            raise Killed
        return (model(rows) ** 2).sum(), len(rows)

    loader = DataLoader(TensorDataset(x[1:]), batch_size=2, shuffle=True)
    done = [0]
    optimiser = Optimiser(
        "adamw", 0.1, (("amsgrad", True),), warmup=1, decay="inverse-sqrt", clip=0.9
    )
    with seeds.seeded(7):
        model = nn.Sequential(
            nn.Linear(3, 6), nn.BatchNorm1d(6), nn.Dropout(0.3), nn.Linear(6, 2)
        )
        options = {
            "evaluate": (lambda m: m[3].bias.norm().item()) if scores else None,
            "state": path,
            "run": "r",
            "generators": [generator],
            "progress": False,
            "clock": ticking(),
            "save_every": save_every,
            **changes,
        }
        log = fit(
            model, epoch if batches == "generator" else loader, loss, optimiser,
            Budget(STEPS, evaluate_every=3, patience=2), **options,
        )  # fmt: skip
    return [tensor.clone() for tensor in model.state_dict().values()], log


def equal(one: list[Tensor], other: list[Tensor]) -> bool:
    return all(map(torch.equal, one, other))


CASES = [(n, "generator", False) for n in range(1, STEPS + 1)]
CASES += [(n, "generator", True) for n in (3, 4, 6, 7)]
CASES += [(n, "loader", True) for n in (2, 5, 6)]


@pytest.mark.parametrize(("stop_at", "batches", "scores"), CASES)
def test_it_goes_on_from_any_step(
    tmp_path: Path, stop_at: int, batches: str, scores: bool
) -> None:
    path = tmp_path / "state"
    whole, log = run(None, batches=batches, scores=scores)
    if stop_at <= len(log.entries):
        with pytest.raises(Killed):
            run(path, stop_at, batches=batches, scores=scores)
    found, again = run(path, batches=batches, scores=scores)
    assert equal(found, whole)
    timeless = [[replace(e, seconds=0) for e in each.entries] for each in (log, again)]
    assert timeless[0] == timeless[1]
    assert log.evaluations == again.evaluations


def test_killed_again_and_again(tmp_path: Path) -> None:
    whole, log = run(None, scores=False)
    for _ in range(len(log.entries) - 1):
        with pytest.raises(Killed):
            run(tmp_path / "state", 2, scores=False)
    assert equal(run(tmp_path / "state", scores=False)[0], whole)


def test_the_state_is_written_in_time_and_read_from_the_last_time(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    path, steps = tmp_path / "state", list[int]()
    write = resume.save_state

    def watched(path: Path, run: str, progress: resume.Progress, *rest: Any) -> None:
        steps.append(progress.step)
        write(path, run, progress, *rest)

    monkeypatch.setattr(sys.modules[fit.__module__], "save_state", watched)
    whole, _ = run(None, scores=False)
    with pytest.raises(Killed):
        run(path, 12, save_every=7, scores=False)  # a step reads the clock twice
    assert steps == [4, 8]
    assert equal(run(path, save_every=1e9, scores=False)[0], whole)
    assert steps == [4, 8, STEPS]


def test_a_finished_run_stays_as_it_is(tmp_path: Path) -> None:
    path = tmp_path / "state"
    whole, log = run(path)
    before = path.read_bytes()
    found, again = run(path, stop_at=1)
    assert equal(found, whole)
    assert again == log
    assert path.read_bytes() == before


def test_seconds_count_all_sittings(tmp_path: Path) -> None:
    with pytest.raises(Killed):
        run(tmp_path / "state", 6, scores=False)
    first = resume.read_state(tmp_path / "state")["numbers"]["seconds"]
    seconds = [e.seconds for e in run(tmp_path / "state", scores=False)[1].entries]
    assert first == seconds[4] > 0
    assert seconds == sorted(seconds)
    assert seconds[5] > first


def test_a_state_of_another_run_is_refused(tmp_path: Path) -> None:
    path = tmp_path / "state"
    with pytest.raises(Killed):
        run(path, 4)
    with pytest.raises(ValueError, match="state: a state of another run, 'r' instead"):
        run(path, run="other")
    state = resume.read_state(path)
    resume.write_state(path, {**state, "world": 2})
    with pytest.raises(ValueError, match="state of another world, 2 instead of 1"):
        run(path)
    resume.write_state(path, {**state, "format": 1})
    with pytest.raises(ValueError, match="state of another format, 1 instead of"):
        run(path)
    bias = state["model"]["3.bias"]
    resume.write_state(
        path, {**state, "model": {**state["model"], "3.bias": bias[:-1]}}
    )
    with pytest.raises(ValueError, match="state of another model, which differs in"):
        run(path)
    path.write_bytes(path.read_bytes()[:-1])
    with pytest.raises(ValueError, match="state: truncated"):
        run(path)


def test_what_is_no_state_is_refused_wherever_it_ends(tmp_path: Path) -> None:
    path = tmp_path / "state"
    with pytest.raises(Killed):
        run(path, 2)
    whole, other = path.read_bytes(), tmp_path / "model"
    files.write(other, {"a": torch.zeros(3)}, {})
    for n in range(0, len(whole), 97):
        path.write_bytes(whole[:n])
        with pytest.raises(ValueError, match="state: truncated, altered, or no state"):
            resume.read_state(path)
    for n in range(0, len(whole), 97):
        path.write_bytes(whole[:n] + bytes([whole[n] ^ 1]) + whole[n + 1 :])
        with pytest.raises(ValueError, match="state: truncated, altered"):
            resume.read_state(path)
    for content in (b"step 4", b"\0" * 200, other.read_bytes()):
        path.write_bytes(content)
        with pytest.raises(ValueError, match="state: truncated, altered, or no state"):
            resume.read_state(path)


def test_fewer_batches_than_were_trained_on_are_refused(tmp_path: Path) -> None:
    path = tmp_path / "state"
    with pytest.raises(Killed):
        run(path, 4, scores=False)
    state = resume.read_state(path)
    state["numbers"]["position"] = 5
    resume.write_state(path, state)
    with pytest.raises(ValueError, match="the state is 5 batches on, past their end"):
        run(path, scores=False)


def test_a_process_that_is_killed(
    tiny: ModuleType, program: Path, tmp_path: Path
) -> None:
    """`lookback train` in a process, killed in the middle of its twelfth step."""
    words = [sys.executable, program, "train", "tiny-dropping", "--quiet"]
    process = subprocess.Popen(
        [*words, "--into", "."],
        cwd=tmp_path,
        env={**os.environ, "STOP_AFTER": "12"},
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        text=True,
    )
    with process:
        assert process.stdout is not None
        assert process.stdout.readline() == "waiting\n"
        process.kill()
    assert [path.name for path in tmp_path.iterdir()] == [".tiny-dropping.state"]
    state = resume.read_state(tmp_path / ".tiny-dropping.state")
    assert state["numbers"]["step"] == 11
    train("tiny-dropping", tmp_path, progress=False)
    train("tiny-dropping", tmp_path / "whole", progress=False)
    killed = files.read(tmp_path / "tiny-dropping.safetensors")[1]
    whole = files.read(tmp_path / "whole" / "tiny-dropping.safetensors")[1]
    assert equal(list(killed.values()), list(whole.values()))
    assert not (tmp_path / ".tiny-dropping.state").exists()

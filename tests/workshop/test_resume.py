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

from lookback.workshop import resume, sealed, seeds
from lookback.workshop.fit import Anew, fit
from lookback.workshop.log import Log
from lookback.workshop.plan import Plan
from lookback.workshop.train import train

PROGRAM = Path(__file__).with_name("tiny.py")
STEPS = 13


@pytest.fixture(autouse=True)
def hasty(monkeypatch: pytest.MonkeyPatch) -> None:
    """Do not wait for the disk: these tests write hundreds of states."""
    monkeypatch.setattr(sealed.os, "fsync", lambda handle: None)


class Killed(Exception):
    pass


def ticking() -> Callable[[], float]:
    """A clock on which a second passes whenever someone looks."""
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
    chance = seeds.generator(5)
    x = torch.randn(9, 3, generator=torch.Generator().manual_seed(1))

    def draw() -> Iterator[Tensor]:
        for place in torch.randperm(4, generator=chance).tolist():
            noise = torch.randn((), generator=chance)  # drawn for each batch
            yield x[2 * place : 2 * place + 3] + noise

    def loss(model: nn.Module, batch: Any) -> tuple[Tensor, int]:
        rows = batch[0] if isinstance(batch, list) else batch
        done[0] += 1
        if done[0] == stop_at:
            raise Killed
        return (model(rows) ** 2).sum(), len(rows)

    loader = DataLoader(TensorDataset(x[1:]), batch_size=2, shuffle=True)
    done, plan = [0], Plan(
        STEPS, lambda step: 1 / step, 0.9, 3, patience=2, save_every=save_every
    )  # fmt: skip
    with seeds.seeded(7):
        model = nn.Sequential(
            nn.Linear(3, 6), nn.BatchNorm1d(6), nn.Dropout(0.3), nn.Linear(6, 2)
        )
        told = {
            "evaluate": (lambda m: m[3].bias.norm().item()) if scores else None,
            "state": path,
            "run": "r",
            "generators": [chance],
            "progress": False,
            "clock": ticking(),
            **changes,
        }
        adam = torch.optim.AdamW(model.parameters(), lr=0.1, amsgrad=True)
        log = fit(
            model, Anew(draw) if batches == "generator" else loader, loss, adam, plan,
            **told,
        )  # fmt: skip
    return [tensor.clone() for tensor in model.state_dict().values()], log


def same(one: list[Tensor], other: list[Tensor]) -> bool:
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
    assert same(found, whole)
    timeless = [[replace(e, seconds=0) for e in each.entries] for each in (log, again)]
    assert timeless[0] == timeless[1]
    assert log.evaluations == again.evaluations


def test_killed_again_and_again(tmp_path: Path) -> None:
    whole, log = run(None, scores=False)
    for _ in range(len(log.entries) - 1):
        with pytest.raises(Killed):
            run(tmp_path / "state", 2, scores=False)
    assert same(run(tmp_path / "state", scores=False)[0], whole)


def test_the_state_is_written_in_time_and_read_from_the_last_time(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    path, kept = tmp_path / "state", list[int]()
    write = resume.sealed.write

    def watched(path: Path, tensors: Any, card: Any) -> None:
        kept.append(card["numbers"]["step"])
        write(path, tensors, card)

    monkeypatch.setattr(resume.sealed, "write", watched)
    whole, _ = run(None, scores=False)
    with pytest.raises(Killed):
        run(path, 12, save_every=7, scores=False)  # a step looks at the clock twice
    assert kept == [4, 8]
    assert same(run(path, save_every=1e9, scores=False)[0], whole)
    assert kept == [4, 8, STEPS]


def test_a_finished_run_stays_as_it_is(tmp_path: Path) -> None:
    path = tmp_path / "state"
    whole, log = run(path)
    before = path.read_bytes()
    found, again = run(path, stop_at=1)
    assert same(found, whole)
    assert again == log
    assert path.read_bytes() == before


def test_seconds_count_all_sittings(tmp_path: Path) -> None:
    with pytest.raises(Killed):
        run(tmp_path / "state", 6, scores=False)
    first = sealed.read(tmp_path / "state")[0]["numbers"]["seconds"]
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
    card, tensors = sealed.read(path)
    sealed.write(path, tensors, {**card, "world": 2})
    with pytest.raises(ValueError, match="state of another world, 2 instead of 1"):
        run(path)
    wrong = {k: t[:-1] if k == "state.model.3.bias" else t for k, t in tensors.items()}
    sealed.write(path, wrong, card)
    with pytest.raises(ValueError, match="state of another model, which differs in"):
        run(path)
    path.write_bytes(path.read_bytes()[:-1])
    with pytest.raises(ValueError, match="state: truncated"):
        run(path)


def test_fewer_batches_than_were_trained_on_are_refused(tmp_path: Path) -> None:
    path = tmp_path / "state"
    with pytest.raises(Killed):
        run(path, 4, scores=False)
    card, tensors = sealed.read(path)
    card["numbers"]["position"] = 5
    sealed.write(path, tensors, card)
    with pytest.raises(ValueError, match="the state is 5 batches on, past their end"):
        run(path, scores=False)


def test_a_process_that_is_killed(tiny: ModuleType, tmp_path: Path) -> None:
    """`lookback train` in a process, killed in the middle of its twelfth step."""
    words = [sys.executable, PROGRAM, "train", "dropping", "--quiet", "--into", "."]
    process = subprocess.Popen(
        words,
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
    assert [path.name for path in tmp_path.iterdir()] == [".dropping.state"]
    state = sealed.read(tmp_path / ".dropping.state")[0]
    assert state["numbers"]["step"] == 11
    train("dropping", tmp_path, progress=False)
    train("dropping", tmp_path / "whole", progress=False)
    killed = sealed.read(tmp_path / "dropping.safetensors")[1]
    whole = sealed.read(tmp_path / "whole" / "dropping.safetensors")[1]
    assert same(list(killed.values()), list(whole.values()))
    assert not (tmp_path / ".dropping.state").exists()

"""Devices, and several processes that train as one."""

import socket
from collections import namedtuple
from dataclasses import dataclass
from pathlib import Path
from types import ModuleType

import pytest
import torch
import torch.distributed as dist

from lookback.engine.run import process_context
from lookback.trainer import files
from lookback.trainer.checkpoint import train
from lookback.trainer.distributed import Ranks, device, moved, share, together
from lookback.trainer.learner import follow
from lookback.trainer.recipe import Recipe

TOLERANCE = 1e-6
"""Two processes add the same gradients in another order than one."""

Both = namedtuple("Both", "x y")


@dataclass(frozen=True)
class Rows:
    x: torch.Tensor
    name: str = "rows"


def test_each_row_goes_to_one_rank() -> None:
    x = torch.arange(10).reshape(5, 2)
    batch = {"both": Both(x, [x + 1, "word"]), "rows": Rows(x * 2)}
    first, second = (share(batch, Ranks(rank, 2)) for rank in range(2))
    assert first[1]
    assert second[1]
    assert first[0]["both"].x.tolist() == [[0, 1], [4, 5], [8, 9]]
    assert second[0]["both"].x.tolist() == [[2, 3], [6, 7]]
    assert second[0]["both"].y[0].tolist() == [[3, 4], [7, 8]]
    assert second[0]["both"].y[1] == "word"
    assert second[0]["rows"].x.tolist() == [[4, 6], [12, 14]]
    assert second[0]["rows"].name == "rows"


def test_a_rank_without_rows_takes_one_that_does_not_count() -> None:
    x = torch.arange(4).reshape(2, 2)
    part, counts = share((x,), Ranks(2, 3))
    assert part[0].tolist() == [[0, 1]]
    assert not counts


def test_alone_a_batch_stays_whole() -> None:
    batch = (torch.zeros(2), torch.zeros(3))
    assert share(batch, Ranks()) == (batch, True)
    with pytest.raises(ValueError, match="the same first axis"):
        share(batch, Ranks(0, 2))


def test_a_batch_moves_with_all_that_is_in_it() -> None:
    batch = moved((torch.zeros(2), [Rows(torch.ones(1))]), torch.device("meta"))
    assert batch[0].device.type == "meta"
    assert batch[1][0].x.device.type == "meta"


def test_alone_nothing_is_summed() -> None:
    with together(torch.device("cpu")) as ranks:
        assert ranks == Ranks(0, 1)
        assert ranks.first
        assert ranks.sums(1.5, True, on=torch.device("cpu")) == [1.5, 1]
        assert ranks.gathered("mine") == ["mine"]


def test_the_fastest_device_that_is_there(monkeypatch: pytest.MonkeyPatch) -> None:
    cuda, mps = torch.cuda, torch.backends.mps
    monkeypatch.setattr(mps, "is_available", lambda: False)
    monkeypatch.setattr(cuda, "is_available", lambda: False)
    assert device() == torch.device("cpu")
    with pytest.raises(ValueError, match="this machine has no cuda"):
        device("cuda")
    with pytest.raises(ValueError, match="a device is one of auto, cpu, cuda, mps"):
        device("gpu")
    monkeypatch.setattr(mps, "is_available", lambda: True)
    assert device() == torch.device("mps")
    monkeypatch.setattr(cuda, "is_available", lambda: True)
    assert device() == torch.device("cuda", 0)
    monkeypatch.setenv("LOCAL_RANK", "1")
    assert device() == torch.device("cuda", 1)
    assert device("cpu") == torch.device("cpu")


def test_torchrun_and_mps_do_not_go_together(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("RANK", "0")
    monkeypatch.setenv("WORLD_SIZE", "2")
    with (
        pytest.raises(ValueError, match="--device cpu"),
        together(torch.device("mps")),
    ):
        pass


# In a process that has torch already: to import it takes longer than to train.
RANK = """\
import os, runpy, sys
os.environ |= variables
sys.stdout, sys.stderr = open(said, "w"), open(complained, "w")
sys.argv = words
runpy.run_path(words[0], run_name="__main__")
"""


def test_two_processes_find_the_weights_of_one(
    tiny: ModuleType, program: Path, tmp_path: Path
) -> None:
    """What torchrun starts: batches of 1 to 6 rows, of unequal length, on two ranks."""
    with socket.socket() as free:
        free.bind(("127.0.0.1", 0))
        port = free.getsockname()[1]
    address = {"MASTER_ADDR": "127.0.0.1", "MASTER_PORT": str(port), "WORLD_SIZE": "2"}
    words = [program, "train", "tiny", "--into", tmp_path / "two", "--device", "cpu"]
    said = [(tmp_path / f"said-{n}", tmp_path / f"complained-{n}") for n in range(2)]
    processes = []
    for n, (out, error) in enumerate(said):
        names = {
            "words": [*map(str, words)],
            "variables": {**address, "RANK": str(n), "LOCAL_RANK": str(n)},
            "said": str(out),
            "complained": str(error),
        }
        processes.append(process_context().Process(target=exec, args=(RANK, names)))  # type: ignore[attr-defined]
        processes[n].start()
    for process in processes:
        process.join()
    (first, bar), (second, other_bar) = ([p.read_text() for p in two] for two in said)
    assert [process.exitcode for process in processes] == [0, 0], (bar, other_bar)
    assert first == f"{tmp_path / 'two' / 'tiny.safetensors'}\n"
    assert "23/23" in bar
    assert second == ""
    assert "23/23" not in other_bar
    train("tiny", tmp_path / "one", on="cpu", progress=False)
    (two, shared), (one, alone) = (
        files.read(tmp_path / folder / "tiny.safetensors") for folder in ("two", "one")
    )
    assert (two["processes"], one["processes"]) == (2, 1)
    assert two["tokens"] == one["tokens"]
    assert shared.keys() == alone.keys()
    for name, tensor in shared.items():
        torch.testing.assert_close(tensor, alone[name], rtol=0, atol=TOLERANCE)


def test_ranks_sum_gradients_of_the_same_parameters() -> None:
    used, other, frozen = (torch.ones(2, requires_grad=n < 2) for n in range(3))
    (used * 3).sum().backward()
    Ranks().sum_gradients([used, other, frozen])
    assert other.grad is None
    dist.init_process_group("gloo", store=dist.HashStore(), rank=0, world_size=1)
    try:
        Ranks(0, 2).sum_gradients([used, other, frozen])
    finally:
        dist.destroy_process_group()
    assert used.grad is not None and used.grad.tolist() == [3, 3]
    assert other.grad is not None and other.grad.tolist() == [0, 0]
    assert frozen.grad is None


def test_each_rank_drops_out_other_units_of_the_same_model(tiny: ModuleType) -> None:
    def trained(recipe: Recipe, rank: int) -> list[torch.Tensor]:
        learner = follow(recipe, ranks=Ranks(rank, 1))
        return list(learner.network.state_dict().values())

    for recipe, alike in ((tiny.TINY, True), (tiny.DROPPING, False)):
        one, other = trained(recipe, 0), trained(recipe, 1)
        assert all(map(torch.equal, one, other)) == alike

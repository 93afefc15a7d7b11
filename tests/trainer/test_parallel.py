"""Two processes that train as one."""

import socket
from pathlib import Path
from types import ModuleType

import pytest
import torch

from lookback.engine.run import process_context
from lookback.trainer import files
from lookback.trainer.checkpoint import train
from lookback.trainer.parallel import of_first, rank, shared, together, world

ROUNDING = 2.0**-53 * 400
"""Two processes add the same numbers in another order than one. A gradient here is a
sum of less than 400, and each addition in float64 moves it by at most 2⁻⁵³ of the
largest."""

# In a process that has torch already: to import it takes longer than to train.
PROCESS = """\
import os, runpy, sys
os.environ |= variables
sys.stdout, sys.stderr = open(said, "w"), open(complained, "w")
sys.argv = words
runpy.run_path(words[0], run_name="__main__")
"""


def test_alone_the_loss_stays_as_it_is() -> None:
    with together(torch.device("cpu")):
        assert (rank(), world(), of_first(1.5)) == (0, 1, 1.5)
        assert shared(torch.nn.Linear(1, 1), len) is len  # type: ignore[arg-type]


def test_torchrun_and_mps_do_not_go_together(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("WORLD_SIZE", "2")
    with (
        pytest.raises(ValueError, match="--device cpu"),
        together(torch.device("mps")),
    ):
        pass


def test_two_processes_find_the_gradients_of_one(
    tiny: ModuleType, program: Path, tmp_path: Path
) -> None:
    """What torchrun starts; then `lookback train`, whose batches differ in length."""
    with socket.socket() as one, socket.socket() as other:
        one.bind(("127.0.0.1", 0)), other.bind(("127.0.0.1", 0))
        ports = [str(each.getsockname()[1]) for each in (one, other)]
    words = [program, "train", "tiny", "--into", tmp_path / "two", "--device", "cpu"]
    processes = []
    for n in range(2):
        variables = {
            "MASTER_ADDR": "127.0.0.1", "WORLD_SIZE": "2", "RANK": str(n),
            "LOCAL_RANK": str(n), "PORTS": " ".join(ports),
            "GRADIENTS": str(tmp_path / f"gradients-{n}"),
        }  # fmt: skip
        names = {
            "words": [*map(str, words)],
            "variables": variables,
            "said": str(tmp_path / f"said-{n}"),
            "complained": str(tmp_path / f"complained-{n}"),
        }
        processes.append(process_context().Process(target=exec, args=(PROCESS, names)))  # type: ignore[attr-defined]
        processes[n].start()
    for process in processes:
        process.join()
    said, bars = (
        [(tmp_path / f"{what}-{n}").read_text() for n in range(2)]
        for what in ("said", "complained")
    )
    assert [process.exitcode for process in processes] == [0, 0], bars
    assert said == [f"{tmp_path / 'two' / 'tiny.safetensors'}\n", ""]
    assert ["23/23" in bar for bar in bars] == [True, False]

    alone = tiny.gradients()
    for n in range(2):
        both = torch.load(tmp_path / f"gradients-{n}", weights_only=True)
        for (loss, tokens, ours), (whole, all_tokens, theirs) in zip(
            both, alone, strict=True
        ):
            assert tokens == all_tokens
            assert loss == pytest.approx(whole, rel=ROUNDING)
            for mine, other in zip(ours, theirs, strict=True):
                apart = (mine - other).abs().max() / other.abs().max()
                assert apart <= ROUNDING

    train("tiny", tmp_path / "one", on="cpu", progress=False)
    two, one = (
        files.read(tmp_path / folder / "tiny.safetensors")[0]
        for folder in ("two", "one")
    )
    assert (two["processes"], one["processes"]) == (2, 1)
    assert (two["steps"], two["tokens"]) == (one["steps"], one["tokens"])

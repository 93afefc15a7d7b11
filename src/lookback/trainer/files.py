"""Files of tensors with what is known of them: safetensors, with JSON in its header."""

import json
import os
import platform
import subprocess
from collections.abc import Mapping
from importlib.metadata import version
from pathlib import Path
from typing import Any

import torch
from safetensors import SafetensorError
from safetensors.torch import load, save
from torch import Tensor

KEY = "lookback"

Metadata = dict[str, Any]


def write(path: Path, tensors: Mapping[str, Tensor], about: Mapping[str, Any]) -> None:
    """Write tensors and their metadata, all or nothing. The same in, the same bytes.

    tensors  by name, each of any shape and type; they are copied to the CPU
    about    the metadata, what JSON can hold
    Raises `ValueError` where the path cannot be written, naming it.
    """
    # Cloned, since tied weights share their memory, which safetensors refuses.
    copied = {k: v.detach().cpu().clone().contiguous() for k, v in tensors.items()}
    data = save(copied, {KEY: json.dumps({**about}, ensure_ascii=False)})
    try:
        path.parent.mkdir(parents=True, exist_ok=True)
        replace(path, data)
    except OSError as error:
        raise _unwritable(path, error) from error


def check_writable(path: Path) -> None:
    """`ValueError` where `write` would fail, before hours are spent."""
    try:
        path.parent.mkdir(parents=True, exist_ok=True)
        if path.is_dir():
            raise IsADirectoryError(None, "it is a folder")
        beside = _beside(path)
        beside.touch()
        beside.unlink()
    except OSError as error:
        raise _unwritable(path, error) from error


def _unwritable(path: Path, error: OSError) -> ValueError:
    return ValueError(f"{path}: cannot be written: {error.strerror or error}")


def _beside(path: Path) -> Path:
    """A hidden file of this process in the same folder."""
    return path.with_name(f".{path.name}.{os.getpid()}")


def replace(path: Path, data: bytes) -> None:
    """Write a file so that it holds all of the bytes, or what it held before."""
    beside = _beside(path)
    try:
        beside.write_bytes(data)
        beside.replace(path)
    except OSError as error:
        error.filename = str(path)  # a full disk names no file
        raise
    finally:
        beside.unlink(missing_ok=True)


def read(path: Path) -> tuple[Metadata, dict[str, Tensor]]:
    """The metadata and the tensors of a file.

    Raises `ValueError`, naming the file and the reason: it is not there, it is
    truncated, it is no such file.
    """
    try:
        data = path.read_bytes()
    except OSError as error:
        reason = error.strerror or error
        raise ValueError(f"{path}: cannot be read: {reason}") from error
    try:
        tensors = dict(sorted(load(data).items()))  # it returns them in any order
        # Eight bytes say how long the header is, which is JSON; the tensors follow.
        header = json.loads(data[8 : 8 + int.from_bytes(data[:8], "little")])
        about: Metadata = json.loads(header["__metadata__"][KEY])
    except (SafetensorError, ValueError, KeyError, TypeError, AttributeError) as error:
        raise ValueError(
            f"{path}: truncated, or no file that Lookback wrote "
            f"({type(error).__name__}: {error})"
        ) from error
    return about, tensors


def versions() -> dict[str, str]:
    """What the numbers depend on; builds such as torch's +cpu are left out."""
    names = {name: version(name) for name in ("torch", "numpy", "safetensors")}
    names["lookback"] = version("lookback-attention")
    plain = {name: number.partition("+")[0] for name, number in names.items()}
    return {"python": platform.python_version(), **plain}


def machine(device: torch.device) -> str:
    """The processor by its trade name and its cores, and the GPU where one was used."""
    cores = f"{_processor()}, {os.cpu_count()} cores"
    if device.type == "cuda":
        return f"{torch.cuda.get_device_name(device)} ({cores})"
    return cores


def _processor() -> str:
    if platform.system() == "Darwin":
        words = ["sysctl", "-n", "machdep.cpu.brand_string"]
        done = subprocess.run(words, capture_output=True, encoding="utf-8")
        return done.stdout.strip()
    try:
        lines = Path("/proc/cpuinfo").read_text(encoding="utf-8").splitlines()
    except OSError:
        lines = []
    named = (line.partition(":")[2].strip() for line in lines if "model name" in line)
    return next(named, "") or platform.processor() or platform.machine()

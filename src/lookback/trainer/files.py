"""Files of tensors with their metadata: whole and unaltered, or refused.

The format is safetensors. The metadata is JSON in the file's header, and holds a
SHA-256 of the tensors and of itself. A file is written beside its name and then moved
there, so that nobody ever sees half of one.
"""

import hashlib
import json
import os
import platform
import subprocess
import tempfile
from collections.abc import Mapping
from importlib.metadata import version
from pathlib import Path
from typing import Any

import torch
from safetensors import SafetensorError
from safetensors.torch import load, save
from torch import Tensor

KEY, CHECKSUM = "lookback", "checksum"

Metadata = dict[str, Any]


def write(path: Path, tensors: Mapping[str, Tensor], about: Mapping[str, Any]) -> None:
    """Write tensors and their metadata, all or nothing. The same in, the same bytes.

    tensors  by name, each of any shape and type; they are copied to the CPU
    about    the metadata, what JSON can hold
    Raises `ValueError` where the path cannot be written, naming it.
    """
    # Cloned, since tied weights share their memory, which safetensors refuses.
    copied = {k: v.detach().cpu().clone().contiguous() for k, v in tensors.items()}
    metadata = {**about, CHECKSUM: checksum(copied, about)}
    data = save(copied, {KEY: json.dumps(metadata, ensure_ascii=False)})
    try:
        path.parent.mkdir(parents=True, exist_ok=True)
        replace(path, data)
    except OSError as error:
        raise _unwritable(path, error) from error


def check_writable(path: Path) -> None:
    """`ValueError` where `write` would fail, before hours are spent."""
    try:
        path.parent.mkdir(parents=True, exist_ok=True)
        tempfile.TemporaryFile(dir=path.parent).close()
        if path.is_dir():
            raise IsADirectoryError(None, "it is a folder")
    except OSError as error:
        raise _unwritable(path, error) from error


def _unwritable(path: Path, error: OSError) -> ValueError:
    return ValueError(f"{path}: cannot be written: {error.strerror or error}")


def replace(path: Path, data: bytes) -> None:
    """Write a file so that it holds all of the bytes, or what it held before."""
    handle, name = tempfile.mkstemp(dir=path.parent, prefix=f".{path.name}.")
    try:
        with os.fdopen(handle, "wb") as file:
            file.write(data)
            file.flush()
            os.fsync(file.fileno())  # a machine that stops now leaves all or nothing
        Path(name).chmod(0o666 & ~_umask())
        Path(name).replace(path)
    except BaseException as error:
        Path(name).unlink(missing_ok=True)
        if isinstance(error, OSError):  # a full disk names no file
            error.filename = str(path)
        raise


def _umask() -> int:
    """What this process takes away from the rights of new files."""
    mask = os.umask(0o022)
    os.umask(mask)
    return mask


def read(path: Path) -> tuple[Metadata, dict[str, Tensor]]:
    """The metadata and the tensors of a file; `ValueError` unless it is unaltered.

    Also raised, naming the file and the reason: it is not there, it is truncated, it is
    no such file.
    """
    try:
        data = path.read_bytes()
    except OSError as error:
        reason = error.strerror or error
        raise ValueError(f"{path}: cannot be read: {reason}") from error
    try:
        tensors = dict(sorted(load(data).items()))  # it returns them in any order
        about = json.loads(_header(data)[KEY])
        recorded = about.pop(CHECKSUM)
    except (SafetensorError, ValueError, KeyError, TypeError, AttributeError) as error:
        raise ValueError(
            f"{path}: truncated, or no file that Lookback wrote "
            f"({type(error).__name__}: {error})"
        ) from error
    if recorded != checksum(tensors, about):
        raise ValueError(f"{path}: altered since it was written: its checksum differs")
    return about, tensors


def _header(data: bytes) -> dict[str, str]:
    """Eight bytes say how long the header is, which is JSON; the tensors follow."""
    end = 8 + int.from_bytes(data[:8], "little")
    metadata: dict[str, str] = json.loads(data[8:end])["__metadata__"]
    return metadata


def checksum(tensors: Mapping[str, Tensor], about: Mapping[str, Any]) -> str:
    """A SHA-256 over the metadata and each tensor's name, type, shape and bytes."""
    digest = hashlib.sha256(json.dumps(about, sort_keys=True).encode())
    for name, tensor in sorted(tensors.items()):
        head = [name, str(tensor.dtype), list(tensor.shape)]
        digest.update(json.dumps(head).encode())
        digest.update(tensor.reshape(-1).view(torch.uint8).numpy().tobytes())
    return digest.hexdigest()


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

"""A file of tensors with a card that describes them, sealed: whole, or refused.

The format is safetensors. The card is JSON in the file's metadata, and holds a SHA-256
of the tensors and of itself. A file is written beside its name and then moved there, so
that nobody ever sees half of one.
"""

import hashlib
import json
import os
import tempfile
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import torch
from safetensors import SafetensorError
from safetensors.torch import load, save
from torch import Tensor

KEY, SEAL = "lookback", "seal"

Card = dict[str, Any]


def write(path: Path, tensors: Mapping[str, Tensor], card: Mapping[str, Any]) -> None:
    """Write tensors and their card, all of it or nothing. The same in, the same bytes.

    tensors  by name, each of any shape and type; they are copied to the CPU
    card     what JSON can hold
    Raises `ValueError` where the path cannot be written, naming it.
    """
    # Cloned, since tied weights share their memory, which safetensors refuses.
    kept = {k: v.detach().cpu().clone().contiguous() for k, v in tensors.items()}
    sealed = {**card, SEAL: seal(kept, card)}
    data = save(kept, {KEY: json.dumps(sealed, ensure_ascii=False)})
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
    except BaseException:
        Path(name).unlink(missing_ok=True)
        raise


def _umask() -> int:
    """What this process takes away from the rights of new files."""
    mask = os.umask(0o022)
    os.umask(mask)
    return mask


def read(path: Path) -> tuple[Card, dict[str, Tensor]]:
    """The card and the tensors of a file; `ValueError` unless it is whole and sealed.

    Also raised, naming the file and the reason: it is not there, it is truncated, it is
    no such file, it was altered.
    """
    try:
        data = path.read_bytes()
    except OSError as error:
        reason = error.strerror or error
        raise ValueError(f"{path}: cannot be read: {reason}") from error
    try:
        tensors = dict(sorted(load(data).items()))  # it tells them in any order
        card = json.loads(_metadata(data)[KEY])
        found = card.pop(SEAL)
    except (SafetensorError, ValueError, KeyError, TypeError, AttributeError) as error:
        raise ValueError(
            f"{path}: truncated, or no file that Lookback wrote "
            f"({type(error).__name__}: {error})"
        ) from error
    if found != seal(tensors, card):
        raise ValueError(f"{path}: altered since it was written: its seal is broken")
    return card, tensors


def _metadata(data: bytes) -> dict[str, str]:
    """Eight bytes say how long the header is, which is JSON; the tensors follow."""
    end = 8 + int.from_bytes(data[:8], "little")
    metadata: dict[str, str] = json.loads(data[8:end])["__metadata__"]
    return metadata


def seal(tensors: Mapping[str, Tensor], card: Mapping[str, Any]) -> str:
    """A SHA-256 over the card and each tensor's name, type, shape and bytes."""
    digest = hashlib.sha256(json.dumps(card, sort_keys=True).encode())
    for name, tensor in sorted(tensors.items()):
        head = [name, str(tensor.dtype), list(tensor.shape)]
        digest.update(json.dumps(head).encode())
        digest.update(tensor.reshape(-1).view(torch.uint8).numpy().tobytes())
    return digest.hexdigest()

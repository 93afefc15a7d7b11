"""What an idea refuses, declared in one line: shapes, ids, whole numbers, masks.

Checked is what torch lets pass in silence: a broadcast that nobody meant, a negative
id, an axis of 0, a row that may attend to nothing. What torch refuses clearly by
itself, as a wrong type, is left to torch. Every function raises `ValueError`: the name
of the thing, what it is, and what was expected. A message is made where a check fails
and nowhere else.
"""

import math
from collections.abc import Collection, Iterator, Mapping, Sequence

import torch
from torch import Tensor

__all__ = [
    "above",
    "at_least",
    "between",
    "finite",
    "ids",
    "may_attend",
    "one_of",
    "padded",
    "shapes",
    "share",
    "whole",
]


def shapes(**tensors: tuple[Tensor | None, str]) -> None:
    """Each tensor has the axes that its pattern names, none of them 0.

    shapes(Q=(Q, "… T d_k"), K=(K, "… S d_k"), x=(x, f"B T {d_model}"))

    A letter is one size in all patterns of a call; a number is that size; … in front
    stands for any axes, which have to broadcast with those of the other patterns. An
    empty pattern is a number's. A tensor that is None passes.
    """
    sizes: dict[str, int] = {}
    fronts: list[Sequence[int]] = []
    for name, (tensor, pattern) in tensors.items():
        if tensor is None:
            continue
        shape, axes = tensor.shape, pattern.split()
        if axes[:1] == ["…"]:
            axes = axes[1:]
            fronts.append(shape[: max(0, len(shape) - len(axes))])
            fits = len(shape) >= len(axes) and _broadcast(fronts)
        else:
            fits = len(shape) == len(axes)
        ends = shape[len(shape) - len(axes) :]
        if not fits or 0 in shape or not _bind(axes, ends, sizes):
            raise ValueError(_misshapen(name, shape, pattern, sizes))


def _bind(axes: list[str], ends: Sequence[int], sizes: dict[str, int]) -> bool:
    """Do the axes fit what letters stand for so far? New letters get their size."""
    for axis, size in zip(axes, ends, strict=True):
        if axis.isdigit():
            if int(axis) != size:
                return False
        elif axis not in sizes:
            sizes[axis] = size
        elif sizes[axis] != size:
            return False
    return True


def _broadcast(fronts: Sequence[Sequence[int]]) -> bool:
    """Is every size, counted from the last axis, 1 or that of all others?"""
    for depth in range(1, max(map(len, fronts)) + 1):
        found = {front[-depth] for front in fronts if len(front) >= depth}
        if len(found - {1}) > 1:
            return False
    return True


def _misshapen(
    name: str, shape: Sequence[int], pattern: str, sizes: dict[str, int]
) -> str:
    axes = pattern.split()
    known = [f"{axis} being {sizes[axis]}" for axis in axes if axis in sizes]
    if "…" in axes:
        known.append("… the same axes for all tensors, or 1")
    if 0 in shape:
        known.append("none of them 0")
    expected = ", ".join((f"({', '.join(axes)})", *known))
    return f"{name} has shape {tuple(shape)}: expected {expected}"


def ids(V: int, /, **tensors: Tensor) -> None:
    """Each tensor holds ids of V words, 0 … V - 1. An empty one does."""
    for name, tensor in tensors.items():
        if tensor.dtype in (torch.bool, torch.uint8):  # as an index it would be a mask
            raise ValueError(f"{name} is {tensor.dtype}: expected ids of torch.int64")
        if not _readable(tensor) or not tensor.numel():
            continue
        least, most = (int(end) for end in tensor.aminmax())
        if least < 0 or most >= V:
            raise ValueError(
                f"{name} holds ids from {least} to {most}: expected 0 to {V - 1}"
            )


def whole(least: int = 1, /, **values: object) -> None:
    """Each value is a whole number, at least so large."""
    for name, value in values.items():
        if type(value) is not int or value < least:
            raise ValueError(f"{name} must be a whole number ≥ {least}, got {value!r}")


def between(least: int, most: int, /, **values: object) -> None:
    """Each value is a whole number from least to most."""
    for name, value in values.items():
        if type(value) is not int or not least <= value <= most:
            raise ValueError(
                f"{name} must be a whole number from {least} to {most}, got {value!r}"
            )


def above(bound: float, /, **values: float | Tensor) -> None:
    """Each value is a finite number > bound; of a tensor, every number is."""
    for name, least, most in _ends(values):
        if not bound < least <= most < math.inf:
            raise ValueError(f"{name} must be > {bound}, got {_range(least, most)}")


def at_least(bound: float, /, **values: float | Tensor) -> None:
    """Each value is a finite number ≥ bound; of a tensor, every number is."""
    for name, least, most in _ends(values):
        if not bound <= least <= most < math.inf:
            raise ValueError(f"{name} must be ≥ {bound}, got {_range(least, most)}")


def _ends(
    values: Mapping[str, float | Tensor],
) -> Iterator[tuple[str, float, float]]:
    """The name, the least and the largest number of each value that holds any."""
    for name, value in values.items():
        if not isinstance(value, Tensor):
            yield name, value, value
        elif _readable(value) and value.numel():
            least, most = value.aminmax()
            yield name, least.item(), most.item()


def _range(least: float, most: float) -> str:
    return f"{least}" if f"{least}" == f"{most}" else f"numbers from {least} to {most}"


def finite(why: str, /, **tensors: Tensor) -> None:
    """Each tensor holds numbers, none of them NaN or infinite."""
    for name, tensor in tensors.items():
        if _readable(tensor) and not bool(tensor.isfinite().all()):
            raise ValueError(f"{name} must be finite: {why}")


def share(**values: float) -> None:
    """Each value is a share of something that is not all of it: 0 ≤ value < 1."""
    for name, value in values.items():
        if not 0 <= value < 1:
            raise ValueError(f"{name} must be ≥ 0 and < 1, got {value!r}")


def one_of(names: Collection[str], /, **values: object) -> None:
    """Each value is one of these names."""
    for name, value in values.items():
        if value not in names:
            expected = ", ".join(map(repr, names))
            raise ValueError(f"{name} must be one of {expected}, got {value!r}")


def may_attend(mask: Tensor, scores: Tensor, /) -> None:
    """The mask is bool, fits the scores, and leaves each row something to attend to.

    mask    (…, S)  of the shape of scores, or one that broadcasts to it
    scores  (…, S)  what is masked: scores, or the ids of B sentences
    """
    sizes = zip(reversed(mask.shape), reversed(scores.shape), strict=False)
    fits = mask.dim() <= scores.dim() and all(a in (1, b) for a, b in sizes)
    if mask.dtype != torch.bool or not fits:
        raise ValueError(
            f"mask is {mask.dtype} of shape {tuple(mask.shape)}: expected torch.bool "
            f"of shape {tuple(scores.shape)}, True on what may be attended to"
        )
    if _readable(mask) and not bool(mask.any(dim=-1).all()):
        rows = (~mask.any(dim=-1)).nonzero().tolist()
        raise ValueError(
            f"mask is False everywhere in rows {rows}: expected one True in each"
        )


def padded(mask: Tensor, /) -> None:
    """The mask (B, T) is False only on padding, after all words of a sentence."""
    if _readable(mask) and bool((mask[:, 1:] & ~mask[:, :-1]).any()):
        raise ValueError(
            "mask is False before a True: expected padding at the end only"
        )


def _readable(tensor: Tensor) -> bool:
    """Has it values now, and not only a shape, as while a model is exported?"""
    return not (tensor.is_meta or torch.compiler.is_compiling())

"""Trees of numbers and tensors, such as an optimiser's state, as tensors and JSON."""

from typing import Any

from torch import Tensor


def pack(tree: Any, tensors: dict[str, Tensor], name: str) -> Any:
    """The tree as JSON that `unpack` undoes; its tensors go into `tensors`.

    tree  None, truth values, numbers, strings, tensors; lists, tuples and dicts of them
    name  begins the names of its tensors
    """
    match tree:
        case Tensor():
            tensors[name] = tree
            return {"tensor": name}
        case dict():
            return {
                "dict": [
                    [key, pack(value, tensors, f"{name}.{key}")]
                    for key, value in tree.items()
                ]
            }
        case list() | tuple():
            kind = "list" if isinstance(tree, list) else "tuple"
            parts = enumerate(tree)
            return {kind: [pack(part, tensors, f"{name}.{n}") for n, part in parts]}
        case None | bool() | int() | float() | str():
            return tree
        case _:
            raise ValueError(f"{name} cannot be kept: {type(tree).__name__} {tree!r}")


def unpack(packed: Any, tensors: dict[str, Tensor]) -> Any:
    """What `pack` was given."""
    if not isinstance(packed, dict):
        return packed
    ((kind, inside),) = packed.items()
    if kind == "tensor":
        return tensors[inside]
    if kind == "dict":
        return {key: unpack(value, tensors) for key, value in inside}
    parts = [unpack(part, tensors) for part in inside]
    return parts if kind == "list" else tuple(parts)

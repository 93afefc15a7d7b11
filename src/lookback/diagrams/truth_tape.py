"""Record a run of a module: its calls, its operations, and every tensor in between.

`record` runs a function under a TorchFunctionMode, which sees every operation, and
under a profiler, which sees every call of ours with its arguments, its locals and its
result. `Tape.replay` computes the operations again with some numbers changed.
"""

import inspect
import sys
from collections.abc import Callable, Collection, Iterator, Mapping
from dataclasses import dataclass, field
from functools import cached_property
from pathlib import Path
from types import FrameType
from typing import Any, NamedTuple

import torch
from torch import Tensor, nn
from torch.overrides import TorchFunctionMode

__all__ = ["Call", "Operation", "Slot", "Tape", "record", "with_random_weights"]

Hook = Callable[[int, Tensor], Tensor]
"""(number of a slot, its new value) → the value with which the replay goes on."""


class Slot(NamedTuple):
    """Stand for a tensor in the stored arguments and results of an operation."""

    number: int


@dataclass
class Call:
    """Hold a call of a function of ours, or of a module: in which module, with what.

    path  of the module whose method it is, "" the root's; None for a plain function
    """

    name: str
    path: str | None
    arguments: dict[str, Any]
    locals: dict[str, Any] = field(default_factory=dict)
    result: Any = None


@dataclass(frozen=True)
class Operation:
    """Hold an operation of torch; `call` is the innermost call of ours around it."""

    name: str
    function: Callable[..., Any]
    arguments: tuple[Any, ...]
    options: dict[str, Any]
    outputs: Any
    call: int

    @cached_property
    def read(self) -> list[int]:
        return [slot.number for slot in slots((self.arguments, self.options))]

    @cached_property
    def written(self) -> list[int]:
        return [slot.number for slot in slots(self.outputs)]

    @property
    def in_place(self) -> bool:
        last = self.name.endswith("_") and not self.name.endswith("__")
        return last or self.name in ("__setitem__", "__iadd__", "__imul__")


class Tape:
    """Hold what was recorded: calls and operations in order, tensors by number."""

    def __init__(self, root: nn.Module) -> None:
        self.root = root
        self.calls: list[Call] = []
        self.operations: list[Operation] = []
        self.tensors: list[Tensor] = []  # alive, so that no id is given twice
        self.values: list[Tensor] = []
        self._numbers: dict[int, int] = {}
        self.parameters = {
            name: self.slot(each).number for name, each in root.named_parameters()
        }

    def slot(self, tensor: Tensor) -> Slot:
        """Return the slot of a tensor; a new one where it was never seen."""
        if id(tensor) not in self._numbers:
            self._numbers[id(tensor)] = len(self.tensors)
            self.tensors.append(tensor)
            self.values.append(tensor.detach().clone())
        return Slot(self._numbers[id(tensor)])

    def label(self, call: Call) -> str:
        """Name a call as an address does: `path`, `path.method` or `function`."""
        if call.path is None:
            return call.name
        return (
            call.path or "." if call.name == "forward" else f"{call.path}.{call.name}"
        )

    def replay(self, hook: Hook, seeds: Collection[int]) -> None:
        """Compute the operations again; new values, and the seeds, pass the hook.

        What reads only unchanged values is not computed again, unless the run wrote
        into a tensor. Raises ValueError for an operation that cannot be repeated.
        """
        careful = any(operation.in_place for operation in self.operations)
        changed: dict[int, Tensor] = {}
        made = {number for each in self.operations for number in each.written}
        for number in range(len(self.values)) if careful else seeds:
            if number not in made:
                value = hook(number, self.values[number].clone())
                self._settle(number, value, changed, careful)
        for each in self.operations:
            if careful or any(number in changed for number in each.read):
                fresh = self._repeat(each, changed)
            elif any(number in seeds for number in each.written):
                fresh = [self.values[number].clone() for number in each.written]
            else:
                continue
            for number, value in zip(each.written, fresh, strict=True):
                self._settle(number, hook(number, value), changed, careful)

    def _repeat(self, each: Operation, changed: Mapping[int, Tensor]) -> list[Tensor]:
        def value(slot: Slot) -> Tensor:
            return changed.get(slot.number, self.values[slot.number])

        try:
            arguments, options = fill((each.arguments, each.options), value)
            result = each.function(*arguments, **options)
        except Exception as error:
            raise ValueError(f"{each.name} cannot be computed again: {error}") from None
        return list(tensors(result))

    def _settle(
        self, number: int, value: Tensor, changed: dict[int, Tensor], careful: bool
    ) -> None:
        if careful or not same(value, self.values[number]):
            changed[number] = value


def same(a: Tensor, b: Tensor) -> bool:
    """Compare two tensors but for rounding."""
    if a.shape != b.shape or a.dtype != b.dtype:
        return False
    if torch.equal(a, b) or not a.is_floating_point():
        return torch.equal(a, b)
    return torch.allclose(a, b, rtol=0, atol=1e-12, equal_nan=True)


def slots(value: Any) -> Iterator[Slot]:
    """Find all slots in nested tuples, lists, dictionaries and slices."""
    yield from (item for item in _leaves(value) if isinstance(item, Slot))


def tensors(value: Any) -> Iterator[Tensor]:
    yield from (item for item in _leaves(value) if isinstance(item, Tensor))


def _leaves(value: Any) -> Iterator[Any]:
    if isinstance(value, Slot | Tensor):
        yield value
    elif isinstance(value, tuple | list):
        for item in value:
            yield from _leaves(item)
    elif isinstance(value, dict):
        yield from _leaves(list(value.values()))
    elif isinstance(value, slice):
        yield from _leaves([value.start, value.stop, value.step])


def fill(value: Any, change: Callable[[Any], Any]) -> Any:
    """Copy a nest, each slot or tensor in it replaced."""
    if isinstance(value, Slot | Tensor):
        return change(value)
    if isinstance(value, tuple) and hasattr(value, "_fields"):
        return type(value)(*(fill(item, change) for item in value))
    if isinstance(value, tuple | list):
        return type(value)(fill(item, change) for item in value)
    if isinstance(value, dict):
        return {key: fill(item, change) for key, item in value.items()}
    return value


class _Operations(TorchFunctionMode):
    """Write every operation on tensors onto a tape."""

    def __init__(self, tape: Tape, calls: "_Calls") -> None:
        super().__init__()
        self.tape, self.calls = tape, calls

    def __torch_function__(
        self, func: Any, types: Any, args: Any = (), kwargs: Any = None
    ) -> Any:
        options = dict(kwargs or {})
        stored = fill((tuple(args), options), self.tape.slot)
        result = func(*args, **options)
        name = getattr(func, "__name__", str(func))
        if name == "__get__":  # a property, as in x.T
            name = getattr(getattr(func, "__self__", None), "__name__", name)
        if any(True for _ in tensors(result)) or name == "__setitem__":
            outputs, call = fill(result, self.tape.slot), self.calls.innermost
            self.tape.operations.append(
                Operation(name, func, stored[0], stored[1], outputs, call)
            )
        return result


class _Calls:
    """Note the calls of ours and of the root's modules, as Python's profiler."""

    def __init__(self, tape: Tape) -> None:
        self.tape = tape
        self.paths = {id(m): path for path, m in tape.root.named_modules()}
        self.ours = _folder(type(tape.root))
        self.open: list[tuple[FrameType, int]] = []

    @property
    def innermost(self) -> int:
        return self.open[-1][1] if self.open else -1

    def __call__(self, frame: FrameType, event: str, result: Any) -> None:
        if event == "call":
            self._enter(frame)
        elif event == "return" and self.open and self.open[-1][0] is frame:
            call = self.tape.calls[self.open.pop()[1]]
            call.locals, call.result = dict(frame.f_locals), result

    def _enter(self, frame: FrameType) -> None:
        code = frame.f_code
        mine = code.co_filename.startswith(self.ours) and code.co_filename != __file__
        if code.co_name.startswith("<") or not (mine or code.co_name == "forward"):
            return
        owner = frame.f_locals.get("self")
        path = self.paths.get(id(owner)) if isinstance(owner, nn.Module) else None
        if path is None and not mine:
            return
        self.open.append((frame, len(self.tape.calls)))
        self.tape.calls.append(Call(code.co_name, path, dict(frame.f_locals)))


def _folder(kind: type) -> str:
    """Find our code: the package of a class, or its file if it is in none."""
    file, depth = Path(inspect.getfile(kind)), kind.__module__.count(".")
    return str(file.parents[depth - 1]) if depth else str(file)


def record(root: nn.Module, run: Callable[[], object]) -> Tape:
    """Record one run, which calls `root`, its parts and functions around them.

    Raises ValueError where the operations, computed again, give other numbers: then
    something happened that no operation on tensors tells of.
    """
    tape = Tape(root)
    calls, before = _Calls(tape), sys.getprofile()
    with torch.no_grad(), _Operations(tape, calls):
        sys.setprofile(calls)
        try:
            run()
        finally:
            sys.setprofile(before)

    def unchanged(number: int, value: Tensor) -> Tensor:
        if not same(value, tape.values[number]):
            raise ValueError("the run, computed again, gives other numbers")
        return value

    with torch.no_grad():
        for each in tape.operations:
            for slot, value in zip(
                slots(each.outputs), tape._repeat(each, {}), strict=True
            ):
                unchanged(slot.number, value)
    return tape


def with_random_weights(module: nn.Module) -> nn.Module:
    """Draw all parameters of a module anew, in double precision; end training.

    A fresh norm multiplies by 1 and adds 0: what it does would not show.
    """
    generator = torch.Generator()
    module.double().eval()
    with torch.no_grad():
        for each in module.parameters():
            drawn = torch.randn(each.shape, generator=generator, dtype=each.dtype)
            each.copy_(0.6 * drawn)
    return module

"""Hold a drawing of a machine against a run, by changing the numbers of each box.

Each box names a tensor of the run by its address. An arrow from box A to box B is true
if B changes when A's numbers are replaced while every other box keeps its own. `hold`
compares the arrows that are drawn with all those that are true, and shapes and kinds.

An address is `path`, the result of a module; `path.method`; `function`; `.` the root's.
After it may follow `#3`, the third call; then `(x)`, an argument on entry, `:total`, a
local at return, or `/add#2`, the second `add` right in that call; then `[0]`, `[:, 2]`.
Several addresses, joined by `&`, are one box. A parameter's name is an address, too.
"""

import difflib
import re
from collections.abc import Collection, Iterator, Mapping
from typing import Any, NamedTuple

import torch
from torch import Tensor

from lookback.diagrams.truth_tape import Tape, same

__all__ = ["Claim", "hold"]

ADDRESS = re.compile(
    r"(?P<call>\.?[A-Za-z_][\w.]*|\.)(#(?P<nth>\d+))?"
    r"(\((?P<argument>\w+)\)|:(?P<local>\w+)|/(?P<op>\w+?)(#(?P<which>\d+))?)?"
    r"(?P<indices>(\[[^\]]*\])*)"
)
DRAWS = 3  # of random numbers: one alone may fall where a ReLU is 0

Arrow = tuple[str, str]


class Claim(NamedTuple):
    """Hold what a drawing says of a box.

    address  of its tensor;  shape  such as "B S d_model", or "" where none is claimed
    learned  True: it has parameters; False: it has none; None: nothing is claimed
    covers   addresses of what is inside it, whose modules it stands for, too
    """

    address: str
    shape: str = ""
    learned: bool | None = None
    covers: Collection[str] = ()


class _Part(NamedTuple):
    """Hold a slice of a recorded tensor, and the path of the module it belongs to."""

    number: int
    cut: tuple[Any, ...]
    path: str | None


def hold(
    tape: Tape,
    boxes: Mapping[str, Claim],
    arrows: Collection[Arrow],
    *,
    sizes: Mapping[str, int],
    omits: Collection[Arrow] = (),
    unboxed: Collection[str] = (),
) -> set[Arrow]:
    """Find the true arrows between the boxes, and compare the drawn ones with them.

    sizes    of the letters in shapes: primes, so that no product is another's
    omits    true arrows that are left out on purpose
    unboxed  paths of modules with parameters that have no box: drawn as arrows, or not
    Raises ValueError that lists all that is wrong.
    """
    parts = {name: _bind(tape, name, claim) for name, claim in boxes.items()}
    _refuse_twins(parts)
    wrong = [
        line
        for name, claim in boxes.items()
        for line in _wrong_shape(tape, name, claim, parts[name], sizes)
    ]
    true = {(a, b) for a in boxes for b in _children(tape, parts[a], parts, a)}
    drawn, left = set(arrows), set(omits)
    wrong += [
        f"{a} -> {b} is drawn, but {b} does not depend on {a} directly"
        for a, b in sorted(drawn - true)
    ]
    wrong += [
        f"{a} -> {b} is not drawn, but {b} reads {a}"
        for a, b in sorted(true - drawn - left)
    ]
    wrong += [
        f"{a} -> {b} is said to be left out, but there is no such arrow"
        for a, b in sorted(left - true)
    ]
    wrong += [f"{a} -> {b} is drawn and said to be left out"
              for a, b in sorted(left & drawn)]  # fmt: skip
    paths = {
        name: {part.path for part in parts[name]}
        | {_part(tape, name, address).path for address in claim.covers}
        for name, claim in boxes.items()
    }
    wrong += _wrong_kinds(tape, boxes, parts, paths, unboxed)
    if wrong:
        raise ValueError("the drawing is not what ran:\n  " + "\n  ".join(wrong))
    return true


def _children(
    tape: Tape, seeds: Collection[_Part], parts: Mapping[str, list[_Part]], own: str
) -> set[str]:
    """Find the boxes that change when these slices do, and all others keep theirs."""
    found: set[str] = set()
    generator = torch.Generator()
    at: dict[int, list[tuple[str, _Part]]] = {}
    for name, bound in parts.items():
        for part in bound:
            at.setdefault(part.number, []).append((name, part))

    def hook(number: int, value: Tensor) -> Tensor:
        recorded = tape.values[number]
        for name, part in at.get(number, ()):
            if name != own and not same(value[part.cut], recorded[part.cut]):
                found.add(name)
                value = value.clone()
                value[part.cut] = recorded[part.cut]
        for part in seeds:
            if part.number == number:
                value = value.clone()
                value[part.cut] = _other(recorded[part.cut], recorded, generator)
        return value

    numbers = {part.number for part in seeds}
    with torch.no_grad():
        for _ in range(DRAWS):
            tape.replay(hook, numbers)
    return found


def _other(value: Tensor, whole: Tensor, generator: torch.Generator) -> Tensor:
    """Draw random numbers of the same shape and type; whole ones are no larger."""
    if value.is_floating_point():
        return torch.randn(value.shape, generator=generator, dtype=value.dtype)
    most = int(whole.max()) + 1
    return torch.randint(0, most, value.shape, generator=generator).to(value.dtype)


def _refuse_twins(parts: Mapping[str, list[_Part]]) -> None:
    seen: dict[str, str] = {}
    for name, bound in parts.items():
        for part in bound:
            key = f"{part.number} {part.cut}"
            if key in seen:
                raise ValueError(f"{seen[key]} and {name} are the same tensor")
            seen[key] = name


def _wrong_shape(
    tape: Tape, name: str, claim: Claim, bound: list[_Part], sizes: Mapping[str, int]
) -> Iterator[str]:
    if not claim.shape:
        return
    expected = tuple(_size(word, sizes, name) for word in claim.shape.split())
    for part in bound:
        shape = tuple(tape.values[part.number][part.cut].shape)
        if shape != expected:
            yield (
                f"{name} is drawn with the shape {claim.shape}, here {expected}, "
                f"and has {shape}"
            )


def _size(word: str, sizes: Mapping[str, int], name: str) -> int:
    """Look up the size of `d_model`, `2n` or `3`."""
    match = re.fullmatch(r"(\d*)([^\W\d]\w*)?", word)
    if not match or not word or (match[2] and match[2] not in sizes):
        known = ", ".join(sizes)
        raise ValueError(f"the shape of {name} names {word}: expected one of {known}")
    return int(match[1] or 1) * (sizes[match[2]] if match[2] else 1)


def _wrong_kinds(
    tape: Tape,
    boxes: Mapping[str, Claim],
    parts: Mapping[str, list[_Part]],
    paths: Mapping[str, Collection[str | None]],
    unboxed: Collection[str],
) -> Iterator[str]:
    """List boxes wrongly learned or not, and parameters that lie under no box."""
    learned: set[str] = set()
    for parameter, number in tape.parameters.items():
        module = parameter.rpartition(".")[0]
        reached = _children(tape, [_Part(number, (), None)], parts, "")
        if module not in unboxed:
            learned |= reached
            if not reached:
                yield f"{parameter} reaches no box: draw {module}, or name it unboxed"
        for name in sorted(reached):
            under = any(_is_under(module, path) for path in paths[name])
            if module not in unboxed and not under:
                yield (
                    f"{name} reads {parameter}, which lies under no box: draw "
                    f"{module or 'it'}, or name it unboxed"
                )
    for name, claim in boxes.items():
        if claim.learned is True and name not in learned:
            yield f"{name} is drawn as learned, and has no parameters"
        if claim.learned is False and name in learned:
            yield f"{name} is drawn as an operation, and has parameters"


def _is_under(module: str, path: str | None) -> bool:
    if not path:  # the root holds everything: it covers what is its own alone
        return module == path
    return module == path or module.startswith(f"{path}.")


def _bind(tape: Tape, name: str, claim: Claim) -> list[_Part]:
    """Find the slices that a box stands for."""
    return [_part(tape, name, one.strip()) for one in claim.address.split("&")]


def _part(tape: Tape, name: str, address: str) -> _Part:
    match = ADDRESS.fullmatch(address)
    if not match:
        raise ValueError(f"{name}: {address!r} is no address")
    if match["call"] in tape.parameters:
        number = tape.parameters[match["call"]]
        return _Part(number, (), match["call"].rpartition(".")[0])
    calls = [n for n, c in enumerate(tape.calls) if tape.label(c) == match["call"]]
    if not calls:
        known = sorted({tape.label(call) for call in tape.calls})
        near = difflib.get_close_matches(match["call"], known, 3, 0.4) or known[:8]
        raise ValueError(
            f"{name}: nothing called {match['call']} ran; nearest: {', '.join(near)}"
        )
    if len(calls) > 1 and not match["nth"]:
        raise ValueError(
            f"{name}: {match['call']} ran {len(calls)} times: say which, as in "
            f"{match['call']}#1"
        )
    if int(match["nth"] or 1) not in range(1, len(calls) + 1):
        raise ValueError(f"{name}: {match['call']} ran {len(calls)} times, no more")
    number = calls[int(match["nth"] or 1) - 1]
    value = _value(tape, name, number, match)
    return _sliced(tape, name, value, match["indices"], tape.calls[number].path)


def _value(tape: Tape, name: str, number: int, match: re.Match[str]) -> Any:
    """Find what the middle of an address names in a call."""
    call = tape.calls[number]
    for kind, there in (("argument", call.arguments), ("local", call.locals)):
        if match[kind]:
            if match[kind] not in there:
                known = ", ".join(sorted(set(there) - {"self"}))
                raise ValueError(
                    f"{name}: {match['call']} has no {kind} {match[kind]}; it has "
                    f"{known}"
                )
            return there[match[kind]]
    if not match["op"]:
        return call.result
    inside = [each for each in tape.operations if each.call == number]
    called = [each for each in inside if each.name.strip("_") == match["op"]]
    which = int(match["which"] or 1)
    if not called or (len(called) > 1 and not match["which"]) or which > len(called):
        known = ", ".join(dict.fromkeys(each.name.strip("_") for each in inside))
        raise ValueError(
            f"{name}: {match['call']} computes {match['op']} {len(called)} times: say "
            f"which; it computes {known}"
        )
    outputs = called[which - 1].outputs
    return outputs


def _sliced(tape: Tape, name: str, value: Any, indices: str, path: str | None) -> _Part:
    """Pick from tuples by indices, then cut the tensor."""
    index: tuple[Any, ...] = ()
    for text in re.findall(r"\[([^\]]*)\]", indices):
        each = tuple(_index(word.strip(), name) for word in text.split(","))
        if isinstance(value, list | tuple) and not hasattr(value, "number"):
            value = value[each[0]]
        elif index:
            raise ValueError(f"{name}: a tensor is cut once, as in [:, 2]")
        else:
            index = each
    number = getattr(value, "number", None)
    if number is None:
        if not isinstance(value, Tensor):
            raise ValueError(f"{name}: this is no tensor but {type(value).__name__}")
        number = tape.slot(value).number
    tape.values[number][index]  # raises IndexError where there is no such place
    return _Part(number, index, path)


def _index(word: str, name: str) -> Any:
    if word == "...":
        return ...
    parts = word.split(":")
    if not all(re.fullmatch(r"-?\d*", part) for part in parts) or len(parts) > 3:
        raise ValueError(f"{name}: [{word}] is no index")
    numbers = [int(part) if part else None for part in parts]
    return numbers[0] if len(numbers) == 1 else slice(*numbers)

"""Judge a function that a reader wrote: is it right, or which mistake is it?

A mistake is a program, too. A function that returns what a mistake returns, in every
case, has made it, and the docstring of the mistake is what the reader is told.
"""

import copy
import inspect
import linecache
import math
import warnings
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from importlib import import_module
from pathlib import Path
from typing import Any, NamedTuple

import torch
from torch import Tensor

from lookback.text.spelling import did_you_mean, listed

Function = Callable[..., Any]
RTOL, ATOL = 1e-4, 1e-5  # float32, and sums in any order
OUTSIDE = (
    "is something computed outside torch, by math, numpy, float(), item() or "
    "torch.tensor(), or cut by detach() or no_grad?"
)
PARTS = 6  # numbers of a result that a message shows


class Case(NamedTuple):
    """What a function is called with, and how messages name it."""

    name: str
    arguments: tuple[Any, ...]


@dataclass(frozen=True)
class Exercise:
    """A machine to write.

    reference  the machine; its name, signature and docstring are the reader's skeleton
    results    the name of each thing that it returns
    cases      makes the same cases at each call
    mistakes   functions of the same signature; their docstrings are the diagnoses
    gradients  the arguments by which gradients are compared, too
    given      names of the exercise's module that readers may use
    """

    reference: Function
    results: tuple[str, ...]
    cases: Callable[[], Sequence[Case]]
    mistakes: Sequence[Function]
    gradients: tuple[str, ...] = ()
    given: tuple[str, ...] = ()


@dataclass(frozen=True)
class Verdict:
    """Right or wrong, and what the reader is told; true where it is right."""

    passed: bool
    message: str = field(repr=False)
    mistake: str = ""

    def __bool__(self) -> bool:
        return self.passed

    def __str__(self) -> str:
        return self.message

    __repr__ = __str__  # what a notebook shows


def numbers(*sizes: tuple[int, ...]) -> tuple[Tensor, ...]:
    """Tensors of these sizes, of numbers that look random and are the same anywhere."""
    n = torch.arange(sum(map(math.prod, sizes)), dtype=torch.float64)
    drawn = torch.split((1.5 * (n * n).sin()).float(), [*map(math.prod, sizes)])
    return tuple(x.view(size) for x, size in zip(drawn, sizes, strict=True))


class Wrong(Exception):
    """A case in which a function is wrong; the message says how."""


def names() -> list[str]:
    """The chapters that have a machine to write."""
    from lookback import CHAPTERS

    here = Path(__file__).parent
    return [name for name in CHAPTERS if (here / f"{name}.py").exists()]


def exercise(name: str) -> Exercise:
    """The exercise of that chapter; `ValueError` where there is none."""
    if name not in (every := names()):
        hint = did_you_mean(name, every) or ":"
        raise ValueError(f"there is no exercise {name!r}{hint} there is{listed(every)}")
    this: Exercise = import_module(f"lookback.exercises.{name}").EXERCISE
    return this


def skeleton(name: str) -> str:
    """A file in which the body is missing."""
    this = exercise(name)
    first = "import torch\n" if this.gradients else ""
    if this.given:
        first += f"\nfrom lookback.exercises.{name} import {', '.join(this.given)}\n"
    lines = (
        "your lines; gradients are compared, too" if this.gradients else "your lines"
    )
    start = f"{first}\n\n" if first else ""
    return f"{start}{header(this)}\n    raise NotImplementedError  # {lines}\n"


def header(this: Exercise) -> str:
    """The first lines of the function that a reader writes: signature, docstring."""
    parameters = inspect.signature(this.reference).parameters.values()
    plain = [p.replace(annotation=inspect.Parameter.empty) for p in parameters]
    lines = (inspect.getdoc(this.reference) or "").splitlines()
    doc = "\n".join(f"    {line}".rstrip() for line in lines)
    end = "\n    " if len(lines) > 1 else ""
    name = this.reference.__name__
    return f'def {name}{inspect.Signature(plain)}:\n    """{doc.strip()}{end}"""'


def check(name: str, mine: Function) -> Verdict:
    """Judge a function: is it the machine of that chapter?

    >>> from lookback.exercises import check
    >>> check("positions", lambda T, d_model: None)
    (T, d_model) = (1, 2): <lambda> returns None: is a `return` missing?
    """
    if not callable(mine):
        raise ValueError(f"{mine!r} is no function: check({name!r}, your function)")
    return judge(exercise(name), mine)


def judge(this: Exercise, mine: Function) -> Verdict:
    """Compare values, then gradients, case by case; name the mistake if it is known."""
    right: list[str] = []
    try:
        for case in this.cases():
            _compare(this, mine, case)
            right.append(case.name)
        for case in this.cases() if this.gradients else ():
            _compare_gradients(this, mine, case)
    except Wrong as error:
        before = f"Right so far: {', '.join(right)}.\n" if right else ""
        cases = this.cases()
        known = [m for m in this.mistakes if _same(this, mine, m, cases)]
        here = [
            m for m in this.mistakes if _same(this, mine, m, cases[: len(right) + 1])
        ]
        said, name = "The mistake", ""
        if not known and len(here) == 1:  # of several mistakes, the first to be seen
            known, said = here, "So far it looks like this mistake"
        if known:
            name = known[0].__name__
            why = f"\n{said}: {inspect.getdoc(known[0])}."
        elif error.args[1:]:  # what is wrong is said already
            why = ""
        else:
            why = "\nNo mistake that we know does this."
        return Verdict(False, f"{before}{error.args[0]}{why}", name)
    said = f"All {len(right)} cases are right: {', '.join(right)}."
    by = ", ".join(this.gradients)
    return Verdict(True, f"{said} So are the gradients by {by}." if by else said)


def _results(this: Exercise, function: Function, case: Case) -> tuple[Any, ...]:
    """What a function returns in a case, one thing for each name of a result.

    Raises `Wrong` where it fails, or returns another number of things.
    """
    name, said = function.__name__, case.name
    try:
        got = function(*case.arguments)
    except NotImplementedError:
        raise Wrong(f"{name} is still empty.", True) from None
    except Exception as error:
        kind = f"{type(error).__name__}: {error}".strip(": ")
        where = _line(error, function)
        raise Wrong(f"{said}: {name} stops{where} with {kind}", True) from error
    if got is None:
        raise Wrong(f"{said}: {name} returns None: is a `return` missing?", True)
    if len(this.results) == 1:
        return (got,)
    if not isinstance(got, tuple | list) or len(got) != len(this.results):
        count = len(got) if isinstance(got, tuple | list) else 1
        raise Wrong(
            f"{said}: {name} should return {len(this.results)} things, "
            f"{' and '.join(this.results)}: it returns {count}",
            True,
        )
    return tuple(got)


def _line(error: Exception, function: Function) -> str:
    """Where the reader's own code failed: " in line 3 (`x = y`)"."""
    code, found, trace = getattr(function, "__code__", None), "", error.__traceback__
    while trace is not None:
        path = trace.tb_frame.f_code.co_filename
        if code is not None and path == code.co_filename:
            text = linecache.getline(path, trace.tb_lineno).strip()
            found = f" in line {trace.tb_lineno}" + (f" (`{text}`)" if text else "")
        trace = trace.tb_next
    return found


def _compare(this: Exercise, mine: Function, case: Case) -> None:
    """Raise `Wrong` where a result is not the reference's."""
    given = copy.deepcopy(case)
    got = _results(this, mine, given)
    wanted = _results(this, this.reference, case)
    names = inspect.signature(this.reference).parameters
    for name, a, b in zip(names, given.arguments, case.arguments, strict=False):
        if not (callable(b) or equal(a, b)):
            raise Wrong(f"{case.name}: {mine.__name__} writes into its {name}.", True)
    for name, a, b in zip(this.results, got, wanted, strict=True):
        if equal(a, b):
            continue
        what = f"{case.name}: {name}"
        if isinstance(b, Tensor) and not isinstance(a, Tensor):
            kind = type(a).__name__
            raise Wrong(f"{what} is no tensor but {kind}: {shown(a)}.", True)
        if isinstance(b, Tensor) and a.shape != b.shape:
            shapes = f"{tuple(a.shape)}, expected {tuple(b.shape)}"
            raise Wrong(f"{what} has the shape {shapes}.")
        raise Wrong(f"{what}{difference(a, b)}.")


def _compare_gradients(this: Exercise, mine: Function, case: Case) -> None:
    """Raise `Wrong` where a gradient is not the reference's."""
    try:
        got = _gradients(this, mine, case)
    except (RuntimeError, Wrong) as error:
        raise Wrong(
            f"{case.name}: the values are right, but no gradient comes back: {OUTSIDE} "
            f"({error})",
            True,
        ) from error
    wanted = _gradients(this, this.reference, case)
    for name, a, b in zip(this.gradients, got, wanted, strict=True):
        if not equal(a, b):
            raise Wrong(
                f"{case.name}: the values are right, but the gradient by {name} is "
                f"{shown(a)}, expected {shown(b)}: {OUTSIDE}",
                True,
            )


def _gradients(this: Exercise, function: Function, case: Case) -> list[Tensor]:
    """Those of a weighted sum of all results, by the arguments named."""
    names = [*inspect.signature(this.reference).parameters]
    arguments = [*case.arguments]
    by = [names.index(name) for name in this.gradients]
    for n in by:
        arguments[n] = arguments[n].clone().requires_grad_()
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # what is taken out of torch has no gradient
        results = _results(this, function, Case(case.name, tuple(arguments)))
    weighted = [
        (y * torch.arange(y.numel()).cos().view(y.shape)).sum() for y in results
    ]
    total = torch.stack(weighted).sum()
    asked = [arguments[n] for n in by]
    found = torch.autograd.grad(total.sum(), asked, allow_unused=True)
    pairs = zip(found, asked, strict=True)
    return [torch.zeros_like(x) if grad is None else grad for grad, x in pairs]


def _same(
    this: Exercise, mine: Function, mistake: Function, cases: Sequence[Case]
) -> bool:
    """Is this mistake the reader's: the same results in these cases?"""
    try:
        for case in cases:
            got = _results(this, mine, copy.deepcopy(case))
            if not equal(got, _results(this, mistake, case)):
                return False
    except Wrong:
        return False
    return True


def equal(a: Any, b: Any) -> bool:
    """Equal up to rounding: tensors, numbers, and lists and dictionaries of them."""
    if isinstance(a, Tensor) and isinstance(b, Tensor):
        same = a.shape == b.shape and a.is_floating_point() == b.is_floating_point()
        return same and torch.allclose(
            a.detach().double(), b.detach().double(), RTOL, ATOL, equal_nan=True
        )
    if isinstance(a, Mapping) and isinstance(b, Mapping):
        return a.keys() == b.keys() and all(equal(a[key], b[key]) for key in b)
    if isinstance(a, list | tuple) and isinstance(b, list | tuple):
        return len(a) == len(b) and all(map(equal, a, b))
    if isinstance(a, int | float) and isinstance(b, int | float):
        return math.isclose(a, b, rel_tol=RTOL, abs_tol=ATOL)
    if isinstance(a, Tensor) and isinstance(b, int | float):
        return a.numel() == 1 and equal(a.item(), b)
    return bool(type(a) is type(b) and a == b)


def difference(a: Any, b: Any) -> str:
    """The beginnings of two results, or the first place in which they differ."""
    if isinstance(b, Mapping) and isinstance(a, Mapping):
        key = next((k for k in b if k in a and not equal(a[k], b[k])), None)
        if key is not None:
            return f"[{key!r}] is {shown(a[key])}, expected {shown(b[key])}"
    if isinstance(b, Tensor) and shown(a) == shown(b):
        pairs = zip(a.flatten().tolist(), b.flatten().tolist(), strict=True)
        n = next(n for n, pair in enumerate(pairs) if not equal(*pair))
        place = ", ".join(
            str(int(i)) for i in torch.unravel_index(torch.tensor(n), b.shape)
        )
        return f"[{place}] is {a.flatten()[n]:.4g}, expected {b.flatten()[n]:.4g}"
    return f" is {shown(a)}, expected {shown(b)}"


def shown(value: Any) -> str:
    """The first few numbers of a result."""
    if isinstance(value, Tensor):
        value = value.flatten().tolist()
    if isinstance(value, float):
        return f"{value:.4g}"
    if isinstance(value, Mapping):
        parts = [f"{k!r}: {shown(v)}" for k, v in [*value.items()][:PARTS]]
    elif isinstance(value, list | tuple):
        parts = [shown(v) for v in value[:PARTS]]
    else:
        return repr(value)
    more = [", …"] if len(value) > PARTS else [""]
    opening, closing = "{}" if isinstance(value, Mapping) else "[]"
    return f"{opening}{', '.join(parts)}{more[0]}{closing}"

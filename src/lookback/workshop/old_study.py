"""Studies: what takes too long for a page to measure, measured once and stored.

A study is a list of cases, each a function and its arguments. It stands in
`lookback/studies/NAME.py` as STUDY; its results lie beside it in NAME.json, which a
person can read, with the machine, the versions and the cost of every case.
`lookback measure NAME` renews those whose case changed, and no other;
`lookback measure --verify NAME` measures them anew and says what differs.
"""

import datetime
import hashlib
import inspect
import json
import os
import re
import time
from collections.abc import Callable, Collection, Iterable, Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass
from importlib import import_module
from itertools import product
from pathlib import Path
from typing import Any

import torch

from lookback.text.corpora import DataError
from lookback.text.spelling import listed

from .files import check_writable, machine, replace, versions
from .recipe import known, modules, plain

SHIPPED = Path(__file__).parents[1] / "studies"
VARIABLE = "LOOKBACK_RESULTS"
FORMAT = 1
CHECK = "check"  # the label of the case that a test measures again
DIGITS = 6  # significant ones, of a number that is stored
ROW = re.compile(r"\[\n([-+.\deE,\s]+)\]")  # a list of numbers, stored in one line

Row = dict[str, Any]


@dataclass(frozen=True)
class Case:
    """A measurement that can be asked for again: a function and its arguments.

    function   returns what came out: numbers, words, and lists of them
    arguments  by name; dataclasses (as recipes are), numbers and words alone
    """

    function: Callable[..., Row]
    arguments: Mapping[str, Any]

    def measured(self) -> Row:
        """What the function returns, its numbers rounded as they are stored."""
        row: Row = rounded(self.function(**self.arguments))
        return row

    def digest(self, version: int) -> str:
        """A SHA-256 of version, function and arguments, those left out, too."""
        bound = inspect.signature(self.function).bind(**self.arguments)
        bound.apply_defaults()
        arguments = {name: plain(value) for name, value in bound.arguments.items()}
        what = [version, self.function.__name__, arguments]
        return hashlib.sha256(json.dumps(what, sort_keys=True).encode()).hexdigest()


def case(function: Callable[..., Row], /, **arguments: Any) -> Case:
    """The case in which that function is called with these arguments.

    Raises `TypeError` where it does not take them.
    """
    inspect.signature(function).bind(**arguments)
    return Case(function, arguments)


def grid(
    label: str, function: Callable[..., Row], /, **axes: Iterable[Any]
) -> dict[str, Case]:
    """A case for each combination of arguments, under its label.

    >>> list(grid("h {h}, seed {seed}", lambda h, seed: {}, h=(1, 2), seed=[0]))
    ['h 1, seed 0', 'h 2, seed 0']
    """
    rows = [dict(zip(axes, row, strict=True)) for row in product(*axes.values())]
    return {label.format(**row): case(function, **row) for row in rows}


def each(
    function: Callable[..., Row], /, **labelled: Mapping[str, Any]
) -> dict[str, Case]:
    """A case for each value of one argument, under the value's label.

    >>> list(each(lambda recipe: {}, recipe={"seed 0": "one", "seed 1": "other"}))
    ['seed 0', 'seed 1']
    """
    ((name, values),) = labelled.items()
    return {label: case(function, **{name: value}) for label, value in values.items()}


def rounded(value: Any) -> Any:
    """The same with each fraction rounded to DIGITS significant digits.

    >>> rounded({"loss": [2 / 3, 5]})
    {'loss': [0.666667, 5]}
    """
    if isinstance(value, dict):
        return {key: rounded(part) for key, part in value.items()}
    if isinstance(value, list | tuple):
        return [rounded(part) for part in value]
    return float(f"{value:.{DIGITS}g}") if isinstance(value, float) else value


@dataclass(frozen=True)
class Study:
    """A question, and the cases in which it is asked.

    about    what is measured, in one line
    cases    label → case
    check    a case of a few steps or a few sentences, which a test measures again; it
             is stored with the others, under CHECK, and no page shows it
    version  raised when a function changes what it means
    times    keys of rows that hold what depends on the machine and on its other work
    """

    about: str
    cases: Mapping[str, Case]
    check: Case
    version: int = 1
    times: Collection[str] = ("seconds", "sentences a second")

    @property
    def labels(self) -> list[str]:
        """Those of all cases that are stored, CHECK first."""
        return [CHECK, *self.cases]

    def case(self, label: str) -> Case:
        return self.check if label == CHECK else self.cases[label]

    def digest(self, label: str) -> str:
        """A SHA-256 of a case: another one is another measurement."""
        return self.case(label).digest(self.version)

    def measured(self, label: str) -> Row:
        """What a case gives, on one thread; CHECK in double precision.

        Training makes rounding larger: Adam's first step is the *sign* of a gradient,
        also of one that is 0 but for rounding. In float32 that reaches the digits that
        are stored, and each processor has its own. In float64 it begins 2²⁹ times
        smaller, and far below the ε = 1e-8 that Adam adds.
        """
        dtype = torch.float64 if label == CHECK else torch.get_default_dtype()
        with one_thread(), default_dtype(dtype):
            return self.case(label).measured()


class Cases(Mapping[str, Case]):
    """Cases that are made when they are needed: label → function that makes one.

    So a table may list systems whose modules are imported only where it shows them.
    """

    def __init__(self, functions: Mapping[str, Callable[[], Case]]) -> None:
        self._functions = dict(functions)

    def __getitem__(self, label: str) -> Case:
        return self._functions[label]()

    def __contains__(self, label: object) -> bool:
        return label in self._functions

    def __iter__(self) -> Iterator[str]:
        return iter(self._functions)

    def __len__(self) -> int:
        return len(self._functions)


@dataclass(frozen=True)
class Results:
    """What a study measured: label → row, and how each row came to be."""

    name: str
    rows: Mapping[str, Row]
    origins: Mapping[str, Row]

    def __getitem__(self, label: str) -> Row:
        return self.rows[known(f"case of {self.name}", label, self.rows)]

    def seeds(self, name: str) -> list[Row]:
        """The rows of all seeds of a case: those labelled "name, seed …"."""
        names = {label: label.split(", seed")[0] for label in self.rows}
        known(f"case of {self.name}", name, names.values())
        return [row for label, row in self.rows.items() if names[label] == name]

    @property
    def provenance(self) -> dict[str, str]:
        """What the stamp of a page says of a study that the page shows."""
        days = sorted({str(origin["date"]) for origin in self.origins.values()})
        machines = sorted({str(origin["machine"]) for origin in self.origins.values()})
        spent = sum(float(origin["seconds"]) for origin in self.origins.values())
        # noted in the file where a text has been read in another way since then
        notes = sorted({o["edition"] for o in self.origins.values() if "edition" in o})
        return {
            "study": self.name,
            "cases": str(len(self.rows)),
            "measured in": f"{spent:,.0f} s of one thread on {' and '.join(machines)}",
            "on": " to ".join(dict.fromkeys((days[0], days[-1]))),
            **({"edition": "; ".join(notes)} if notes else {}),
        }


def study(name: str) -> Study:
    """The study of that name; `ValueError` with the nearest where there is none."""
    named: Study = import_module(
        f"lookback.studies.{known('study', name, modules('studies'))}"
    ).STUDY
    return named


def folder() -> Path:
    """Where results are written: LOOKBACK_RESULTS, or beside the package."""
    return Path(os.environ.get(VARIABLE) or SHIPPED)


def results(
    name: str, where: Path | None = None, *, cases: Iterable[str] | None = None
) -> Results:
    """What the study of that name measured, in the order of its cases.

    cases  the labels of those that are wanted; None: all
    Raises `ValueError` where a case is missing or was measured before it changed.
    """
    this, path = study(name), _path(name, where)
    found, labels = stored(path), list(this.cases if cases is None else cases)
    for label in labels:
        known(f"case of {name}", label, this.labels)
    wrong = [k for k in labels if found.get(k, {}).get("digest") != this.digest(k)]
    if wrong:
        raise ValueError(
            f"{path}: {len(wrong)} cases of {name} are not measured, the first is "
            f"{wrong[0]!r}: `lookback measure {name}` does it"
        )
    rows = {label: found[label]["measured"] for label in labels}
    return Results(name, rows, {label: found[label] for label in labels})


def measure(
    name: str,
    where: Path | None = None,
    *,
    only: str = "",
    again: bool = False,
    say: Callable[[str], None] = print,
) -> Path:
    """Measure the cases that are missing or changed, store each at once: the path.

    only   those whose label holds these words
    again  also those that are up to date
    What needs a corpus that is not here is left as it was, and said.
    """
    this, path, labels = study(name), _path(name, where), chosen(name, only)
    check_writable(path)
    _write(path, this, {k: row for k, row in stored(path).items() if k in this.labels})
    for label in labels:
        digest, before = this.digest(label), stored(path).get(label, {})
        if before.get("digest") == digest and not again:
            say(f"{label}: up to date")
            continue
        try:
            row = {"digest": digest, **_measured(this, label)}
        except DataError as error:
            say(f"{label}: left as it was: {error.command}")
            continue
        _write(path, this, {**stored(path), label: row})
        say(f"{label}: {row['seconds']} s")
    return path


def chosen(name: str, only: str) -> list[str]:
    """The labels of a study that hold these words; `ValueError` where none does."""
    labels = study(name).labels
    if some := [label for label in labels if only in label]:
        return some
    raise ValueError(f"no case of {name} has {only!r} in it: there is{listed(labels)}")


def _measured(this: Study, label: str) -> Row:
    """One case: what came out, where, when and at what cost."""
    began = time.process_time()
    row = this.measured(label)
    seconds = time.process_time() - began
    return {
        "measured": row,
        "seconds": round(seconds, 2),
        "machine": machine(torch.device("cpu")),
        "versions": versions(),
        "date": datetime.datetime.now(datetime.UTC).date().isoformat(),
    }


@contextmanager
def one_thread() -> Iterator[None]:
    """Inside, torch computes on one thread: sums and costs that repeat."""
    before = torch.get_num_threads()
    torch.set_num_threads(1)
    try:
        yield
    finally:
        torch.set_num_threads(before)


@contextmanager
def default_dtype(dtype: torch.dtype) -> Iterator[None]:
    """Inside, new tensors of fractions have this dtype."""
    before = torch.get_default_dtype()
    torch.set_default_dtype(dtype)
    try:
        yield
    finally:
        torch.set_default_dtype(before)


def _path(name: str, where: Path | None) -> Path:
    return (where or folder()) / f"{name}.json"


def stored(path: Path) -> dict[str, Row]:
    """All rows of a file of results by their labels, with digest and origin."""
    if not path.exists():
        return {}
    try:
        content = json.loads(path.read_text(encoding="utf-8"))
        if content["format"] != FORMAT:
            raise ValueError(f"format {content['format']} where {FORMAT} is known")
        rows: dict[str, Row] = content["cases"]
        return rows
    except (ValueError, KeyError, TypeError) as error:
        raise ValueError(f"{path}: these are no results of a study: {error}") from error


def _write(path: Path, this: Study, rows: Mapping[str, Row]) -> None:
    """All rows, in the order of the study's cases; or nothing."""
    rank = {label: n for n, label in enumerate(this.labels)}
    order = sorted(rows, key=lambda label: rank.get(label, len(rank)))
    ordered = {label: rows[label] for label in order}
    content = {"format": FORMAT, "about": this.about, "cases": ordered}
    text = json.dumps(content, indent=1, ensure_ascii=False)
    text = ROW.sub(lambda row: f"[{' '.join(row[1].split())}]", text)
    replace(path, (text + "\n").encode())

"""Studies: what takes too long for a page to measure, measured once and stored.

The study of chapter X stands in `lookback/studies/X.py` as STUDY: its experiments, each
a function and the settings in which it is run. The results lie beside it in X.json,
which a person can read, with the machine, the versions and the day of each run.
`lookback measure X` renews what is missing or changed, and nothing else;
`lookback measure --verify X` measures anew and says what differs.
"""

import datetime
import hashlib
import inspect
import json
import os
import time
from collections.abc import Callable, Collection, Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field
from importlib import import_module
from itertools import product
from pathlib import Path
from typing import Any, TypeAlias

import numpy as np
import torch
from numpy.typing import NDArray

from lookback.text.corpora import DataError
from lookback.text.spelling import listed

from .files import check_writable, machine, replace, versions
from .recipe import check_choice, modules, plain

SHIPPED = Path(__file__).parents[1] / "studies"
VARIABLE = "LOOKBACK_RESULTS"
FORMAT = 2
SMOKE = "smoke"  # the setting of the run that the tests make again
DIGITS = 6  # significant ones, of a number that is stored
WIDTH = 88  # columns of a line of results

Row: TypeAlias = dict[str, Any]
Setting: TypeAlias = Mapping[str, Any]


def grid(**axes: Iterable[Any]) -> list[Setting]:
    """All combinations of values, the last axis changing fastest.

    >>> grid(h=(1, 2), seed=[0])
    [{'h': 1, 'seed': 0}, {'h': 2, 'seed': 0}]
    """
    return [dict(zip(axes, row, strict=True)) for row in product(*axes.values())]


@dataclass(frozen=True)
class Experiment:
    """A function, and the settings in which it is run.

    run        measures: returns numbers, words, and lists of them, by name
    settings   each names a run by plain values: {"score": "dot", "d_k": 4, "seed": 0}
    smoke      the arguments of a run of a few steps, which the tests make again
    arguments  setting → the arguments of `run`, where these are not the setting itself:
               a recipe, say, for a name and a seed
    """

    run: Callable[..., Row]
    settings: Sequence[Setting] = ({},)
    smoke: Setting | None = None
    arguments: Callable[..., Setting] = dict

    def arguments_of(self, setting: Setting) -> Setting:
        """Those of `run`; what `smoke` holds are arguments already."""
        return setting if setting is self.smoke else self.arguments(**setting)

    def all_settings(self) -> list[Setting]:
        """The smoke run first."""
        return [*([] if self.smoke is None else [self.smoke]), *self.settings]


@dataclass(frozen=True)
class Study:
    """The experiments of a chapter: name → experiment.

    about    what is measured, in one line
    version  raised when a function changes what it means
    times    keys of rows that hold what depends on the machine and on its other work
    """

    about: str
    experiments: Mapping[str, Experiment]
    version: int = 1
    times: Collection[str] = ("seconds", "sentences a second")

    def digest(self, name: str, setting: Setting) -> str:
        """Hash version, function and arguments: what else it is measured with."""
        experiment = self.experiments[name]
        bound = inspect.signature(experiment.run).bind(
            **experiment.arguments_of(setting)
        )
        bound.apply_defaults()
        arguments = {key: plain(value) for key, value in bound.arguments.items()}
        what = [self.version, experiment.run.__name__, arguments]
        text = json.dumps(what, sort_keys=True)
        return hashlib.sha256(text.encode()).hexdigest()[:16]

    def measured(self, name: str, setting: Setting) -> Row:
        """Run on one thread, the smoke run in double precision; round what comes out.

        Training makes rounding larger: Adam's first step is the *sign* of a gradient,
        also of one that is 0 but for rounding. In float32 that reaches the digits that
        are stored, and each processor has its own. In float64 it begins 2²⁹ times
        smaller, and far below the ε = 1e-8 that Adam adds.
        """
        experiment = self.experiments[name]
        smoke = setting is experiment.smoke
        dtype = torch.float64 if smoke else torch.get_default_dtype()
        with one_thread(), default_dtype(dtype):
            row: Row = rounded(experiment.run(**experiment.arguments_of(setting)))
        return row


def label(study: Study, name: str, setting: Setting) -> str:
    """What people call a run: "scores, score dot, d_k 4, seed 0"."""
    smoke = setting is study.experiments[name].smoke
    values = [SMOKE] if smoke else [f"{key} {value}" for key, value in setting.items()]
    return ", ".join([name, *values])


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
class Outcome:
    """What an experiment measured: a row for each setting.

    >>> results("attention")["scores"].values("test perplexity", score="dot", d_k=4)
    array([36.3, 35.9, 36.5])
    """

    study: str
    name: str
    stored: Sequence[Row] = field(repr=False)

    def rows(self, **setting: Any) -> list[Row]:
        """The rows of all settings with these values, in the order of the experiment.

        Raises `ValueError` where there is none, or it is not measured as it is today.
        """
        this = study(self.study)
        every = this.experiments[self.name].settings
        chosen = [s for s in every if setting.items() <= s.items()]
        for key, value in ({} if chosen else setting).items():
            what = f"setting of {self.study}'s {self.name}"
            check_choice(what, key, {key for s in every for key in s})
            values = {repr(s[key]) for s in every if key in s}
            check_choice(f"{key} in {self.study}'s {self.name}", repr(value), values)
        if not chosen:
            raise ValueError(f"{self.study}'s {self.name} was not run with {setting}")
        return [self._row(this, one) for one in chosen]

    def _row(self, this: Study, setting: Setting) -> Row:
        digest = this.digest(self.name, setting)
        for one in self.stored:
            if one["setting"] == setting and one["digest"] == digest:
                row: Row = one["measured"]
                return row
        raise ValueError(
            f"{label(this, self.name, setting)!r} is not measured as it is today: "
            f"`lookback measure {self.study}` does it"
        )

    def row(self, **setting: Any) -> Row:
        """The only row with these values."""
        rows = self.rows(**setting)
        if len(rows) > 1:
            raise ValueError(f"{len(rows)} rows of {self.name} have {setting}")
        return rows[0]

    def values(self, key: str, **setting: Any) -> NDArray[Any]:
        """A number, or list of numbers, of all rows with these values: (rows, …)."""
        return np.array([row[key] for row in self.rows(**setting)])


@dataclass(frozen=True)
class Results(Mapping[str, Outcome]):
    """What a study measured, experiment by experiment."""

    name: str
    content: Row = field(repr=False)

    def __getitem__(self, name: str) -> Outcome:
        every = study(self.name).experiments
        check_choice(f"experiment of {self.name}", name, every)
        return Outcome(self.name, name, self.content["results"].get(name, []))

    def __iter__(self) -> Iterator[str]:
        return iter(study(self.name).experiments)

    def __len__(self) -> int:
        return len(study(self.name).experiments)

    @property
    def provenance(self) -> dict[str, str]:
        """What the stamp of a page says of a study that the page shows."""
        runs, rows = self.content["runs"], _rows(self.content)
        days = sorted({str(run["date"]) for run in runs})
        machines = sorted({str(run["machine"]) for run in runs})
        spent = sum(float(row["seconds"]) for row in rows)
        # noted in the file where a text has been read in another way since then
        notes = sorted({run["edition"] for run in runs if "edition" in run})
        return {
            "study": self.name,
            "cases": str(sum(row["setting"] != SMOKE for row in rows)),
            "measured in": f"{spent:,.0f} s of one thread on {' and '.join(machines)}",
            "on": " to ".join(dict.fromkeys((days[0], days[-1]))),
            **({"edition": "; ".join(notes)} if notes else {}),
        }


def study(name: str) -> Study:
    """The study of that name; `ValueError` with the nearest where there is none."""
    check_choice("study", name, modules("studies"))
    this: Study = import_module(f"lookback.studies.{name}").STUDY
    return this


def folder() -> Path:
    """Where results are written: LOOKBACK_RESULTS, or beside the package."""
    return Path(os.environ.get(VARIABLE) or SHIPPED)


def results(name: str, where: Path | None = None) -> Results:
    """What the study of that name measured; each row is checked when it is read."""
    study(name)
    path = _path(name, where)
    if not path.exists():
        raise ValueError(f"{path}: no results: `lookback measure {name}` makes them")
    return Results(name, stored(path))


def measure(
    name: str,
    where: Path | None = None,
    *,
    only: str = "",
    again: bool = False,
    say: Callable[[str], None] = print,
) -> Path:
    """Measure what is missing or changed, store each run at once: the path.

    only   those whose label holds these words
    again  also those that are up to date
    What needs a corpus that is not here is left as it was, and said.
    """
    this, path, runs = study(name), _path(name, where), chosen(name, only)
    check_writable(path)
    _write(path, this, stored(path))
    for which, setting in runs:
        digest, said = this.digest(which, setting), label(this, which, setting)
        content = stored(path)
        before = find(content, this, which, setting)
        if before.get("digest") == digest and not again:
            say(f"{said}: up to date")
            continue
        began = time.process_time()
        try:
            row = this.measured(which, setting)
        except DataError as error:
            say(f"{said}: left as it was: {error.command}")
            continue
        seconds = round(time.process_time() - began, 2)
        new = {
            "setting": _setting(this, which, setting),
            "digest": digest,
            "run": _run(content),
            "seconds": seconds,
            "measured": row,
        }
        rows = content["results"].setdefault(which, [])
        content["results"][which] = [r for r in rows if r is not before] + [new]
        _write(path, this, content)
        say(f"{said}: {seconds} s")
    return path


def chosen(name: str, only: str = "") -> list[tuple[str, Setting]]:
    """Experiment and setting of each run whose label holds these words.

    Raises `ValueError` where none does.
    """
    this = study(name)
    every = {
        label(this, which, setting): (which, setting)
        for which, experiment in this.experiments.items()
        for setting in experiment.all_settings()
    }
    if some := [run for said, run in every.items() if only in said]:
        return some
    raise ValueError(f"no run of {name} has {only!r} in it: there is{listed(every)}")


def find(content: Row, this: Study, name: str, setting: Setting) -> Row:
    """The stored row of a run; empty where there is none."""
    wanted, rows = _setting(this, name, setting), content["results"].get(name, [])
    return next((row for row in rows if row["setting"] == wanted), {})


def _setting(this: Study, name: str, setting: Setting) -> Setting | str:
    """The setting as it is stored: the smoke run's by name."""
    return SMOKE if setting is this.experiments[name].smoke else dict(setting)


def _run(content: Row) -> int:
    """The number of this run, of this machine and this day, among those stored."""
    this = {
        "machine": machine(torch.device("cpu")),
        "versions": versions(),
        "date": datetime.datetime.now(datetime.UTC).date().isoformat(),
    }
    if this not in content["runs"]:
        content["runs"].append(this)
    number: int = content["runs"].index(this)
    return number


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


def _rows(content: Row) -> list[Row]:
    return [row for rows in content["results"].values() for row in rows]


def stored(path: Path) -> Row:
    """The runs and results of a file; empty ones where there is no file."""
    if not path.exists():
        return {"runs": [], "results": {}}
    try:
        content: Row = json.loads(path.read_text(encoding="utf-8"))
        if content["format"] != FORMAT:
            raise ValueError(f"format {content['format']} where {FORMAT} is known")
        content["runs"] = list(content["runs"])
        content["results"] = dict(content["results"])
        return content
    except (ValueError, KeyError, TypeError) as error:
        raise ValueError(f"{path}: these are no results of a study: {error}") from error


def _write(path: Path, this: Study, content: Row) -> None:
    """The rows of the study's settings, in their order, and their runs; or nothing."""
    results = {
        name: [row for s in e.all_settings() if (row := find(content, this, name, s))]
        for name, e in this.experiments.items()
    }
    rows = [row for some in results.values() for row in some]
    used = sorted({row["run"] for row in rows})
    for row in rows:
        row["run"] = used.index(row["run"])
    runs = [content["runs"][number] for number in used]
    content = {"format": FORMAT, "about": this.about, "runs": runs, "results": results}
    replace(path, (written(content) + "\n").encode())


def written(value: Any, indent: str = "", taken: int = 0) -> str:
    """JSON whose lines are filled: what fits in one line of WIDTH stands in one.

    >>> print(written({"a": [1, 2]}))
    {"a": [1, 2]}
    """
    flat = json.dumps(value, ensure_ascii=False)
    if len(indent) + taken + len(flat) < WIDTH or not isinstance(value, dict | list):
        return flat
    inner = indent + " "
    if isinstance(value, dict):
        keys = [f"{json.dumps(key, ensure_ascii=False)}: " for key in value]
        parts = [
            k + written(v, inner, len(k))
            for k, v in zip(keys, value.values(), strict=True)
        ]
    else:
        parts = [written(part, inner) for part in value]
    lines = [parts[0]]
    for part in parts[1:]:
        together = len(inner) + len(lines[-1]) + len(part) + 3
        if "\n" not in lines[-1] + part and together < WIDTH:
            lines[-1] += ", " + part
        else:
            lines.append(part)
    opening, closing = "{}" if isinstance(value, dict) else "[]"
    return f"{opening}\n{inner}" + f",\n{inner}".join(lines) + f"\n{indent}{closing}"

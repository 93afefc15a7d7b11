"""Run the benches: `python bench/run.py` all of them, `python bench/run.py hmm` one.

A bench times a model beside what one would use instead: NLTK, torch, gensim … Each
computes on one thread. Works of one row take turns, and the fastest turn counts,
in seconds of the processor. A bench has a `main`, which prints its tables.
"""

import os
import sys
import time
from collections.abc import Callable, Mapping
from importlib import import_module
from pathlib import Path

os.environ["OMP_NUM_THREADS"] = "1"  # read by torch when it is imported
os.environ["RAYON_NUM_THREADS"] = "1"  # by tokenizers
os.environ["TOKENIZERS_PARALLELISM"] = "false"

from lookback.measure import timings

Rows = Mapping[str, Mapping[str, Callable[[], object]]]


def speeds(title: str, rows: Rows, amount: float, turns: int = 3) -> None:
    """Print how many things a second works do; see `table`."""
    table(title, rows, lambda seconds: f"{amount / seconds:14,.0f}", turns)


def costs(title: str, rows: Rows, amount: float = 1, turns: int = 3) -> None:
    """Print how many milliseconds each thing takes that works do; see `table`."""
    table(title, rows, lambda seconds: f"{1e3 * seconds / amount:14.3f}", turns)


def table(title: str, rows: Rows, figure: Callable[[float], str], turns: int) -> None:
    """Print a figure of each work, and the ratio of two.

    rows    name of a row → name of a column → what is timed
    figure  of the seconds of the fastest of so many turns, after one to warm up
    """
    columns = [*dict.fromkeys(name for row in rows.values() for name in row)]
    ratio = f"{'ratio':>10}" * (len(columns) == 2)
    print(f"{title:30}" + "".join(f"{name:>14}" for name in columns) + ratio)
    for name, row in rows.items():
        found = timings(*row.values(), repeats=turns, clock=time.process_time)
        figures = dict(zip(row, map(figure, found), strict=True))
        told = "".join(figures.get(column, " " * 14) for column in columns)
        if ratio and len(figures) == 2:
            first, second = (float(f.replace(",", "")) for f in figures.values())
            told += f"{first / second:10.2f}"
        print(f"{name:30}{told}", flush=True)


def main() -> None:
    benches = {path.stem for path in Path(__file__).parent.glob("*.py")} - {
        "run",
        "engine",
    }
    for name in sys.argv[1:] or sorted(benches):
        if name not in benches:
            raise SystemExit(f"no bench is called {name!r}: {sorted(benches)}")
        bench = import_module(name)
        print(f"\n{name}: {(bench.__doc__ or '').partition(chr(10))[0]}", flush=True)
        bench.main()


if __name__ == "__main__":
    main()

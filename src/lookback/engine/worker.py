"""Run the blocks of one page in a process of its own, and collect their outputs.

The blocks of a page share one `__main__` module, in order, like a notebook. Every line
and column that a traceback names is the page's own.
"""

from __future__ import annotations

import ast
import io
import linecache
import multiprocessing
import os
import signal
import sys
import threading
import time
import tokenize
import traceback
import types
import warnings
from collections.abc import Callable
from contextlib import suppress
from dataclasses import dataclass
from multiprocessing.connection import Connection
from pathlib import Path
from typing import Any

from .blocks import Piece
from .opened import PACKAGE, imported, opened, watch
from .output import BlockFault, Output, as_terminal, captured, clean, refuse_errors
from .svg import drawn, use_style

FIGURES = (
    ("matplotlib.figure", "Figure"),
    ("lookback.figures.frames", "Frames"),
    ("lookback.figures.live", "Live"),
)
"""Classes, by module and name, whose objects become figures of a page."""


@dataclass(frozen=True)
class Job:
    """Name a page to run, and the pieces that run, in order.

    package  the folder of the import package: what the page reads there is reported
    """

    name: str
    pieces: tuple[Piece, ...]
    package: Path = PACKAGE

    @property
    def key(self) -> list[Any]:
        """List what the outputs depend on: code, and whether a figure is expected."""
        return [[p.kind, p.code, "alt" in p.options] for p in self.pieces]


def main(connection: Connection, job: Job) -> None:
    """Run a page and send ("start",), then ("done", outputs) per piece.

    Ends with ("end", provenance, opened, imported) or ("error", message, line); without
    a word where whoever started it is gone.
    """
    with suppress(BrokenPipeError):
        _run(connection, job)


def _run(connection: Connection, job: Job) -> None:
    lead_group(connection)
    if "fork" in multiprocessing.get_all_start_methods():
        # Workers of a block then know its functions, which are in no file.
        multiprocessing.set_start_method("fork", force=True)
    began = time.time()
    watch()
    use_style()
    warnings.resetwarnings()
    warnings.simplefilter("error")
    threads = _collect_thread_errors()
    sys.unraisablehook = lambda failure: None  # what a destructor warns of, by chance
    module = types.ModuleType("__main__")
    sys.modules["__main__"] = module
    connection.send(("start",))
    piece = job.pieces[0]
    try:
        for piece in job.pieces:
            outputs = run_piece(piece, job, module.__dict__)
            if threads:
                raise threads[0]
            connection.send(("done", outputs))
    except BaseException as error:
        line, message = describe(error, job, piece)
        connection.send(("error", message, line))
    else:
        models, files = provenance(module.__dict__), opened(job.package, since=began)
        connection.send(("end", models, files, imported()))
    connection.close()


def lead_group(connection: Connection) -> None:
    """Lead a process group, which ends when whoever started this process is gone."""
    signal.signal(signal.SIGINT, signal.SIG_IGN)  # whoever started it stops it
    if hasattr(os, "setpgid"):
        os.setpgid(0, 0)
    starter = multiprocessing.parent_process()

    def starter_ends() -> None:
        connection.close()
        if starter:
            starter.join()

    kill_group_after(starter_ends)


def kill_group_after(wait: Callable[[], object]) -> None:
    """Kill the process group of this process, once `wait` returns in a child.

    A thread would not do: it cannot run while compiled code holds the interpreter, and
    Python warns of whatever forks a process that has threads.
    """
    if hasattr(os, "fork") and os.fork() == 0:
        try:
            wait()
        finally:
            os.killpg(0, signal.SIGKILL)


def _collect_thread_errors() -> list[BaseException]:
    """Record exceptions raised in threads so that they fail the block."""
    errors: list[BaseException] = []
    threading.excepthook = lambda failure: errors.append(
        failure.exc_value or RuntimeError(f"{failure.exc_type.__name__} in a thread")
    )
    return errors


def run_piece(piece: Piece, job: Job, namespace: dict[str, Any]) -> list[Output]:
    """Run one piece in the page's namespace and return what is shown under it."""
    with captured() as printed:
        if piece.kind == "value":
            code = compile(_padded(piece, job), job.name, "eval", dont_inherit=True)
            shown = [Output("text", str(eval(code, namespace)))]
        else:
            value = _execute(piece, job, namespace)
            shown = _figures(value, piece, job) + _show(value)
    refuse_errors(printed.errors, "value" if piece.kind == "value" else "block")
    if printed.text and piece.kind == "value":
        fault = f"this value prints {printed.text!r}: a sentence shows what it gives"
        raise BlockFault(f"{fault}, so print in a block")
    if printed.text:
        shown.insert(0, Output("text", printed.text))
    return [*map(clean, shown)]


def _execute(piece: Piece, job: Job, namespace: dict[str, Any]) -> Any:
    """Run a block; return its last expression's value unless it ends in `;`."""
    tree, last = ast.parse(_padded(piece, job), job.name), None
    shows = tree.body and isinstance(tree.body[-1], ast.Expr)
    if shows and not _ends_with_semicolon(piece.code):
        last = ast.Expression(tree.body.pop().value)  # type: ignore[attr-defined]
    exec(compile(tree, job.name, "exec", dont_inherit=True), namespace)
    if last is None:
        return None
    return eval(compile(last, job.name, "eval", dont_inherit=True), namespace)


def _ends_with_semicolon(code: str) -> bool:
    """Tell whether the last statement ends in a semicolon."""
    tokens = tokenize.generate_tokens(io.StringIO(code).readline)
    words = [
        t.string for t in tokens if t.string.strip() and t.type != tokenize.COMMENT
    ]
    return words[-1] == ";"


def _padded(piece: Piece, job: Job) -> str:
    """Put a piece at its line of an empty page, and have tracebacks quote that page.

    A block in a list or a box is indented in its page: here it is not, so that a
    traceback's carets stand under what they mean.
    """
    padded = "\n" * (piece.first - 1) + piece.code
    lines = linecache.getlines(job.name)[: piece.first - 1]
    lines += [f"{line}\n" for line in padded.split("\n")][len(lines) :]
    linecache.cache[job.name] = 0, None, lines, job.name
    return padded


def _show(value: Any) -> list[Output]:
    """Convert a value to an output; figures are shown elsewhere, None not at all."""
    if value is None or _is_figure(value):
        return []
    if hasattr(value, "_repr_quiz_"):
        return [Output("quiz", settings=value._repr_quiz_())]
    if hasattr(value, "_repr_html_"):
        return [Output("html", value._repr_html_())]
    return [Output("text", repr(value) + "\n")]


def _is_figure(value: Any) -> bool:
    """Recognize a diagram, and a figure by its class, if that has been imported."""
    modules = ((sys.modules.get(module), name) for module, name in FIGURES)
    classes = (getattr(module, name, ()) for module, name in modules)
    return hasattr(value, "_repr_figure_") or isinstance(value, tuple(classes))


def _figures(value: Any, piece: Piece, job: Job) -> list[Output]:
    """Convert the one figure a block drew to SVG; refuse one without alt text."""
    found: list[Any] = []
    if "matplotlib.pyplot" in sys.modules:
        pyplot = sys.modules["matplotlib.pyplot"]
        found = [pyplot.figure(number) for number in pyplot.get_fignums()]
        pyplot.close("all")
    if _is_figure(value) and value not in found:
        found.append(value)
    alt, number = piece.options.get("alt", ""), len(found)
    if number and not alt:
        raise BlockFault(
            "this block draws a figure that has no words for who cannot see it: "
            "begin the block with `#| alt: what the figure shows`"
        )
    if number != bool(alt):
        count = f"{number} figures" if number else "no figure"
        raise BlockFault(f"this block has one alt text and draws {count}")
    prefix = f"f{job.pieces.index(piece)}"  # one page, one figure per block
    return [drawn(figure, prefix=prefix) for figure in found]


def describe(error: BaseException, job: Job, piece: Piece) -> tuple[int, str]:
    """Find the page's line where an error arose, and format its traceback."""
    if isinstance(error, BlockFault):
        return piece.line, str(error)
    trace = traceback.TracebackException.from_exception(error)
    while trace.stack and trace.stack[0].filename != job.name:
        del trace.stack[0]
    line = trace.stack[0].lineno if trace.stack else piece.first
    if isinstance(error, SyntaxError) and error.filename == job.name:
        line = error.lineno
    head = f"{type(error).__name__}: {error}".rstrip(": ")
    told = as_terminal(f"{head}\n{''.join(trace.format()).rstrip()}")
    return line or piece.line, told


def provenance(namespace: dict[str, Any]) -> list[dict[str, str]]:
    """Collect the provenance of the page's models: parameters, training, cost.

    Any object of the page with a mapping `provenance` is read, once.
    """
    cards: list[dict[str, str]] = []
    for name, value in list(namespace.items()):
        card = None if name.startswith("_") else getattr(value, "provenance", None)
        if isinstance(card, dict):
            texts = {str(key): str(text) for key, text in card.items()}
            if texts not in cards:
                cards.append(texts)
    return cards

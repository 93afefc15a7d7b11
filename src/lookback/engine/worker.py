"""Run the blocks of one page in a process of its own, and collect their outputs.

The blocks of a page share one `__main__` module, in order, like a notebook. Every line
and column that a traceback names is the page's own.
"""

from __future__ import annotations

import ast
import contextlib
import io
import linecache
import re
import sys
import threading
import time
import traceback
import types
import warnings
from dataclasses import dataclass
from multiprocessing.connection import Connection
from pathlib import Path
from typing import TYPE_CHECKING, Any

from .blocks import Piece
from .opened import PACKAGE, imported, opened, watch

if TYPE_CHECKING:
    from matplotlib.figure import Figure

Output = dict[str, str]

_ADDRESS = re.compile(r"\bat 0x[0-9a-fA-F]{6,}")
_CODE = re.compile(r"(`[^`]*`)")


@dataclass(frozen=True)
class Job:
    """Name a page to run, its file, and the pieces that run, in order.

    package  the folder of the import package: what the page reads there is reported
    """

    name: str
    path: str
    pieces: tuple[Piece, ...]
    package: Path = PACKAGE


class BlockFault(Exception):
    """Report a fault of a block by its message alone, without a traceback."""


def main(connection: Connection, job: Job) -> None:
    """Run a page and send, per piece, ("start", i), then ("done", i, outputs).

    Ends with ("end", seconds, provenance, opened, imported) or ("error", i, line,
    message).
    """
    watch()
    _prepare()
    threads = _collect_thread_errors()
    module = types.ModuleType("__main__")
    sys.modules["__main__"] = module
    began, index = time.perf_counter(), 0
    try:
        for index, piece in enumerate(job.pieces):
            connection.send(("start", index))
            outputs = run_piece(piece, job, module.__dict__)
            if threads:
                raise threads[0]
            connection.send(("done", index, outputs))
    except BaseException as error:
        line, message = describe(error, job, job.pieces[index])
        connection.send(("error", index, line, message))
    else:
        seconds = time.perf_counter() - began
        models = provenance(module.__dict__)
        files, modules = opened(job.package), imported()
        connection.send(("end", seconds, models, files, modules))
    connection.close()


def _prepare() -> None:
    """Set torch to one thread, so that sums are reproducible; make warnings errors."""
    if "torch" in sys.modules:
        sys.modules["torch"].set_num_threads(1)
    with contextlib.suppress(ImportError):
        from .svg import use_style

        use_style()
    warnings.resetwarnings()
    warnings.simplefilter("error")


def _collect_thread_errors() -> list[BaseException]:
    """Record exceptions raised in threads so that they fail the block."""
    errors: list[BaseException] = []
    threading.excepthook = lambda failure: errors.append(
        failure.exc_value or RuntimeError(f"{failure.exc_type.__name__} in a thread")
    )
    return errors


def run_piece(piece: Piece, job: Job, namespace: dict[str, Any]) -> list[Output]:
    """Run one piece in the page's namespace and return what is shown under it."""
    if piece.kind == "value":
        value = eval(_compiled(piece, job, "eval"), namespace)
        return [{"text": escape_tags(reject_memory_address(str(value)))}]
    printed = io.StringIO()
    with contextlib.redirect_stdout(printed):
        value = _execute(piece, job, namespace)
        shown = _show(value)
    outputs = [{"text": printed.getvalue()}] if printed.getvalue() else []
    outputs += _figures(value, piece, job) + shown
    return outputs


def _execute(piece: Piece, job: Job, namespace: dict[str, Any]) -> Any:
    """Run a block; return its last expression's value unless it ends in `;`."""
    tree = _tree(piece, job, "exec")
    assert isinstance(tree, ast.Module)
    last = None
    if (
        tree.body
        and isinstance(tree.body[-1], ast.Expr)
        and not _ends_with_semicolon(piece.code)
    ):
        last = ast.Expression(tree.body.pop().value)  # type: ignore[attr-defined]
    exec(compile(tree, job.path, "exec", dont_inherit=True), namespace)
    if last is None:
        return None
    return eval(compile(last, job.path, "eval", dont_inherit=True), namespace)


def _ends_with_semicolon(code: str) -> bool:
    """Tell whether the last statement ends in a semicolon."""
    end = ast.parse(code).body[-1]
    line, column = end.end_lineno or 0, end.end_col_offset or 0
    rest = [code.split("\n")[line - 1].encode()[column:].decode()]
    rest += code.split("\n")[line:]
    return any(part.split("#")[0].strip().startswith(";") for part in rest)


def _compiled(piece: Piece, job: Job, mode: str) -> types.CodeType:
    tree = _tree(piece, job, mode)
    code: types.CodeType = compile(tree, job.path, mode, dont_inherit=True)  # type: ignore[call-overload]
    return code


def _tree(piece: Piece, job: Job, mode: str) -> ast.AST:
    """Parse a piece and move its nodes to the page's lines and columns."""
    try:
        tree = ast.parse(piece.code, job.path, mode)
    except SyntaxError as error:
        _place(error, piece)
        raise
    for node in ast.walk(tree):
        if isinstance(node, ast.stmt | ast.expr | ast.excepthandler | ast.arg):
            node.col_offset += piece.column
            node.end_col_offset = (node.end_col_offset or 0) + piece.column
    ast.increment_lineno(tree, piece.first - 1)
    return tree


def _place(error: SyntaxError, piece: Piece) -> None:
    """Move a SyntaxError to the page's own line and column."""
    line = min(error.lineno or 1, piece.code.count("\n") + 1)
    error.text = " " * piece.column + piece.code.split("\n")[line - 1]
    error.lineno = line + piece.first - 1
    error.end_lineno = (error.end_lineno or line) + piece.first - 1
    error.offset = (error.offset or 1) + piece.column
    error.end_offset = (error.end_offset or 1) + piece.column


def _show(value: Any) -> list[Output]:
    """Convert a value to an output; figures are shown elsewhere, None not at all."""
    if value is None or _is_figure(value) or hasattr(value, "_repr_figure_"):
        return []
    for method in ("_repr_html_", "_repr_svg_"):
        if hasattr(value, method) and (markup := getattr(value, method)()):
            return [{"html": reject_memory_address(markup)}]
    return [{"text": reject_memory_address(repr(value)) + "\n"}]


def escape_tags(value: str) -> str:
    """Escape `<` outside of code, so that a value in a sentence begins no tag."""
    parts = _CODE.split(value)
    parts[::2] = [part.replace("<", "&lt;") for part in parts[::2]]
    return "".join(parts)


def reject_memory_address(text: str) -> str:
    """Return the text; raise BlockFault where it shows an address of memory."""
    if match := _ADDRESS.search(text):
        raise BlockFault(
            f"this shows a memory address (`{match[0]}`), which changes with every "
            "run: give the object a __repr__, or end the line with `;`"
        )
    return text


def _is_figure(value: Any) -> bool:
    """Recognize matplotlib's figures, figures.frames and figures.Live."""
    if "matplotlib.figure" not in sys.modules:
        return False
    figure = isinstance(value, sys.modules["matplotlib.figure"].Figure)
    frames = hasattr(value, "frames") and hasattr(value, "chosen")
    return figure or frames or (hasattr(value, "still") and hasattr(value, "settings"))


def _figures(value: Any, piece: Piece, job: Job) -> list[Output]:
    """Convert the one figure a block drew to SVG; refuse one without alt text."""
    found: list[Figure] = []
    if "matplotlib.pyplot" in sys.modules:
        pyplot = sys.modules["matplotlib.pyplot"]
        found = [pyplot.figure(number) for number in pyplot.get_fignums()]
        pyplot.close("all")
    if _is_figure(value) and value not in found:
        found.append(value)
    diagrams = [value._repr_figure_()] if hasattr(value, "_repr_figure_") else []
    alt, number = piece.options.get("alt", ""), len(found) + len(diagrams)
    if number and not alt:
        raise BlockFault(
            "this block draws a figure that has no words for who cannot see it: "
            "begin the block with `#| alt: what the figure shows`"
        )
    if number != bool(alt):
        drawn = f"{number} figures" if number else "no figure"
        raise BlockFault(f"this block has one alt text and draws {drawn}")
    if not found:
        return [{"diagram": markup} for markup in diagrams]
    from .svg import parts_of

    prefix = f"f{job.pieces.index(piece)}"  # one page, one figure per block
    return [parts_of(found[0], prefix=prefix)]


def describe(error: BaseException, job: Job, piece: Piece) -> tuple[int, str]:
    """Find the page's line where an error arose, and format its traceback."""
    if isinstance(error, BlockFault):
        return piece.line, str(error)
    linecache.checkcache(job.path)
    trace = traceback.TracebackException.from_exception(error)
    frames = [n for n, frame in enumerate(trace.stack) if frame.filename == job.path]
    trace.stack = (
        traceback.StackSummary.from_list(trace.stack[frames[0] :])
        if frames
        else (traceback.StackSummary.from_list([]))
    )
    line = trace.stack[0].lineno if frames else piece.first
    if isinstance(error, SyntaxError) and error.filename == job.path:
        line = error.lineno
    head = f"{type(error).__name__}: {error}".rstrip(": ")
    text = "".join(trace.format()).replace(job.path, job.name)
    return line or piece.line, f"{head}\n{text.rstrip()}"


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

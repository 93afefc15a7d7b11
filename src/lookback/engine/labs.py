"""Read labs as pages; run their cells with mkdocs-jupyter's converter.

A lab is a notebook in percent format. It becomes a page like any other, whose links,
citations, formulas and figures need nothing of their own.
"""

from __future__ import annotations

import html
import json
import os
import re
import tempfile
import time
import warnings
from dataclasses import asdict, replace
from itertools import pairwise
from multiprocessing.connection import Connection
from pathlib import Path
from typing import Any

from .blocks import Page, Piece, parse
from .errors import PageError
from .opened import imported, opened, watch
from .output import (
    BlockFault,
    Output,
    as_terminal,
    clean,
    from_json,
    refuse_errors,
)
from .svg import drawn, use_style
from .worker import FIGURES, Job, kill_group_after, lead_group, provenance

try:
    import fcntl
except ModuleNotFoundError:  # Windows: Jupyter alone ends kernels
    fcntl = None  # type: ignore[assignment]

JUPYTER = {
    "jupyter_nbconvert_config.py": """\
client = c.NotebookClient
client.startup_timeout = client.iopub_timeout = 300  # of a busy machine
client.timeout = None  # of a cell: the engine has one of the page
client.extra_arguments = [
    "--log-level=ERROR",  # it warns that it listens on this machine's TCP
    "--IPKernelApp.exec_lines=import lookback.engine.labs as _; _.set_up()",
]
""",
    "nbconvert/templates/mkdocs_html/notebook.html.j2": (
        "{{ nb.cells | json_dumps | escape_html }}"  # nbconvert parses it as HTML
    ),
}
"""Jupyter's configuration: kernels that call `set_up`, and in place of mkdocs-jupyter's
template one that writes the cells that ran as JSON."""

FIGURE = "application/json"
"""The MIME type under which a kernel displays an Output that becomes a figure."""

_MARKER = re.compile(
    r"# %%(?P<markdown> \[markdown\])?"
    r'(?: tags=\["(?P<tag>exercise|mistakes|differs|solution)"\])?'
)
_TITLE = re.compile(r"# \*\*(.+?)\.?\*\*[ ]*")
_PLACE = re.compile(r"Cell In\[(\d+)\], line (\d+)")


def is_lab(uri: str) -> bool:
    """Tell a lab from a page of Markdown."""
    return uri.endswith(".py")


def read(text: str, name: str) -> Page:
    """Parse a lab as a page with the same lines, its cells of code as fences.

    A Markdown cell tagged exercise, mistakes or differs is a box, and begins with its
    bold title; cells tagged solution are folded inside the box before them.
    """
    lines = [*text.rstrip("\n").split("\n"), ""]
    starts = [n for n, line in enumerate(lines) if line.startswith("# %%")]
    out, box = _prose(lines, 0, [*starts, len(lines)][0], name), ""
    for start, end in pairwise([*starts, len(lines)]):
        marker = _MARKER.fullmatch(lines[start])
        if marker is None:
            message = "a cell begins with `# %%` or `# %% [markdown]`, and has one tag"
            raise PageError(name, start + 1, message)
        tag = marker["tag"] or ""
        if marker["markdown"]:
            cell = [_box(lines, start, tag, box, name)]
            indented = _prose(lines, start + 1, end, name)
        elif tag == box or not tag:
            cell, indented = [], _fence(lines, start + 1, end, name)
        else:
            raise PageError(name, start + 1, "a box begins with a Markdown cell")
        indent = " " * {"": 0, "solution": 8}.get(tag, 4)
        out += cell + [indent + line if line else "" for line in indented]
        box = tag
    page = parse("\n".join(out), name)
    for piece in page.pieces:
        if piece.kind == "value":
            raise PageError(name, piece.line, "print the value in a cell of the lab")
        if piece.kind == "code" and not lines[piece.line - 1].startswith("# %%"):
            raise PageError(name, piece.line, "make this fence a cell of the lab")
        if "open" in piece.options:
            raise PageError(name, piece.line, "all cells of a lab stand open")
        if piece.kind == "code":
            piece.options["open"] = "true"
    return page


def _prose(lines: list[str], start: int, end: int, name: str) -> list[str]:
    """Cut the `# ` of the lines of a Markdown cell."""
    for number in range(start, end):
        if lines[number].strip() and not re.match("#( |$)", lines[number]):
            raise PageError(name, number + 1, "begin a line of prose with `# `")
    return [line[2:].rstrip() for line in lines[start:end]]


def _box(lines: list[str], start: int, tag: str, box: str, name: str) -> str:
    """Write the head of a box in place of the mark of the cell that begins it."""
    if not tag or tag == box == "solution":
        return ""
    if tag == "solution" and box:
        return '    ??? solution "Solution"'
    title = _TITLE.match(lines[start + 1])
    if tag == "solution" or title is None:
        message = "a box begins with its **title**, and a solution follows an exercise"
        raise PageError(name, start + 1, message)
    lines[start + 1] = "# " + lines[start + 1][title.end() :]
    return f'!!! {tag} "{title[1]}"'


def _fence(lines: list[str], start: int, end: int, name: str) -> list[str]:
    """Fence a cell of code: from the line of its mark to the blank one after it."""
    code = "\n".join(lines[start:end]).rstrip()
    blank = end - start - code.count("\n") - 2
    if blank < 0:
        raise PageError(name, end + 1, "leave a blank line before this cell")
    ticks = "`" * max(3, 1 + max(map(len, re.findall("`+", code)), default=0))
    return [f"{ticks}python", *code.split("\n"), ticks, *[""] * blank]


def main(connection: Connection, job: Job) -> None:
    """Run a lab as mkdocs-jupyter does; send what `worker.main` sends of a page."""
    from nbclient.exceptions import CellControlSignal, DeadKernelError

    lead_group(connection)
    connection.send(("start",))
    with tempfile.TemporaryDirectory() as name:
        folder, piece = Path(name), job.pieces[0]
        try:
            for piece, cell in zip(job.pieces, _run(job, folder), strict=True):
                connection.send(("done", _outputs(cell, piece)))
        except (CellControlSignal, DeadKernelError) as error:
            at = _report(folder)["cell"]
            for _ in range(at):
                connection.send(("done", []))
            connection.send(("error", *_failure(error, job, at)))
        except BlockFault as fault:
            connection.send(("error", str(fault), piece.line))
        else:
            report = _report(folder)
            parts = report["models"], report["files"], report["modules"]
            connection.send(("end", *parts))
    connection.close()


def _report(folder: Path) -> Any:
    """Read what the kernel has written: see set_up."""
    return json.loads(Path(folder, "report.json").read_text("utf-8"))


def _run(job: Job, folder: Path) -> Any:
    """Have mkdocs-jupyter run a lab: its cells of code, as nbformat has them.

    It sets the environment of this process.
    """
    from mkdocs_jupyter.convert import nb2html

    cells = "".join(f"# %%\n{piece.code}\n\n" for piece in job.pieces)
    for name, text in {**JUPYTER, "lab.py": cells}.items():
        (folder / name).parent.mkdir(parents=True, exist_ok=True)
        (folder / name).write_text(text, encoding="utf-8")
    os.environ["MPLBACKEND"] = "module://matplotlib_inline.backend_inline"
    os.environ["JUPYTER_CONFIG_PATH"] = os.environ["JUPYTER_PATH"] = str(folder)
    os.environ["LOOKBACK_LAB"] = str(folder)
    os.environ.pop("PYTEST_CURRENT_TEST", None)  # a kernel would miss its children
    with (folder / "lock").open("wb") as lock:
        if fcntl:  # until this process has left here, however it does: see set_up
            fcntl.flock(lock, fcntl.LOCK_EX)
        found = nb2html(str(folder / "lab.py"), execute=True, allow_errors=False)
    return json.loads(html.unescape(found))


def _failure(error: Exception, job: Job, cell: int) -> tuple[str, int]:
    """Tell a cell's failure, with lines of the lab in place of its cells; its line."""

    def place(match: re.Match[str]) -> str:
        return f"{job.name}:{job.pieces[int(match[1]) - 1].first + int(match[2]) - 1}"

    trace = str(error).rpartition("------------------\n")[2].strip()
    line = job.pieces[cell].line
    if first := _PLACE.search(trace):
        line = int(place(first).rpartition(":")[2])
    head = f"{getattr(error, 'ename', '')}: {getattr(error, 'evalue', error)}"
    return as_terminal(f"{head}\n{_PLACE.sub(place, trace)}"), line


def _outputs(cell: Any, piece: Piece) -> list[Output]:
    """Take the outputs of a cell. Raises BlockFault at what no page can show."""
    found, figures, errors, printing = list[Output](), 0, "", False
    for output in cell["outputs"]:
        data, went_on = output.get("data", {}), printing
        printing = output.get("name") == "stdout"
        if output.get("name") == "stderr":
            errors += output["text"]
        elif printing and went_on:  # a slow kernel sends what is printed in parts
            found[-1] = replace(found[-1], text=found[-1].text + output["text"])
        elif FIGURE in data:
            found.append(from_json(data[FIGURE]))
            figures += 1
        elif "text/html" in data:
            found.append(Output("html", data["text/html"]))
        else:
            found.append(Output("text", output.get("text") or data["text/plain"]))
    if figures != ("alt" in piece.options):
        message = f"this cell draws {figures} figures: it may draw one, and begins with"
        raise BlockFault(f"{message} `#| alt: what the figure shows` if it does")
    refuse_errors(errors, "cell")
    return [*map(clean, found)]


def set_up() -> None:
    """Set up the kernel of a lab: the book's figures, warnings as errors, a report.

    It runs in the kernel before the first cell: see JUPYTER. The report, in the folder
    LOOKBACK_LAB: what the lab read, its models, the number of the cell that runs.
    """
    from IPython.core.getipython import get_ipython
    from IPython.display import display

    began, folder = time.time(), Path(os.environ["LOOKBACK_LAB"])
    if fcntl:  # a kernel leads a process group of its own
        lock = (folder / "lock").open("rb")
        kill_group_after(lambda: fcntl.flock(lock, fcntl.LOCK_EX))
    watch()
    use_style()
    warnings.filterwarnings("error", module=r"__main__|lookback(\.|$)")
    shell: Any = get_ipython()
    shell.run_line_magic("xmode", "Plain")
    shell.run_line_magic("colors", "nocolor")
    at = [-1]  # the number of the cell that runs

    def show_figure(figure: Any) -> None:
        """Display an Output, which the page makes a figure of."""
        output = asdict(drawn(figure, prefix=f"f{at[0]}"))
        display({FIGURE: output}, raw=True)  # type: ignore[no-untyped-call]

    formatter = shell.display_formatter.ipython_display_formatter
    for module, name in FIGURES:
        formatter.for_type_by_name(module, name, show_figure)

    def write_report() -> None:
        """Write it after each cell: the last one leaves the whole."""
        models = provenance(shell.user_ns)
        found = {"cell": at[0], "models": models}
        found |= {"files": opened(since=began), "modules": imported()}
        (folder / "report.json").write_text(json.dumps(found), encoding="utf-8")

    def before_cell(info: Any) -> None:
        at[0] += 1
        write_report()

    shell.events.register("pre_run_cell", before_cell)
    shell.events.register("post_run_cell", lambda result: write_report())

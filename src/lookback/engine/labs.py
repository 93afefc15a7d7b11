"""Read labs; run them with mkdocs-jupyter's converter, as cells of a page.

A lab is a notebook in percent format. Its prose becomes Markdown, which MkDocs renders
as that of any page: links, citations and formulas need nothing of their own. Its code
and its outputs are those of mkdocs-jupyter's notebook, in the book's classes.
"""

from __future__ import annotations

import json
import os
import re
import tempfile
import time
import warnings
from dataclasses import asdict
from itertools import pairwise
from multiprocessing.connection import Connection
from pathlib import Path
from typing import Any

from .blocks import Page, Piece, parse
from .errors import PageError, read_text
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
    "NotebookClient": {  # a busy machine may start a kernel and hear from it slowly
        "startup_timeout": 300,
        "iopub_timeout": 300,
        "timeout": None,  # of a cell: the engine has one of the page
        "extra_arguments": [
            "--log-level=ERROR",  # it warns that it listens on this machine's TCP
            "--IPKernelApp.exec_lines=import lookback.engine.labs as _; _.set_up()",
        ],
    }
}
"""What Jupyter's configuration file says of the kernels that run labs."""

_MARKER = re.compile(
    r"# %%(?P<markdown> \[markdown\])?"
    r'(?: tags=\["(?P<tag>exercise|mistakes|differs|solution)"\])?'
)
_TITLE = re.compile(r"# \*\*(.+?)\.?\*\*[ ]*")
_OPTION = re.compile(r'<span class="c1">#\|[^<]*</span>\n')
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
    for number, line in enumerate(lines, 1):
        if len(line.splitlines()) > 1:
            sign = ascii(line[len(line.splitlines()[0])])
            message = f"Jupytext breaks this line at a {sign}: write that as an escape"
            raise PageError(name, number, message)
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
    lead_group(connection)
    connection.send(("start",))
    try:
        shown, report = _run(job)
    except _CellFault as fault:
        for _ in range(fault.cell):
            connection.send(("done", []))
        connection.send(("error", str(fault), fault.line))
    else:
        for outputs in shown:
            connection.send(("done", outputs))
        connection.send(("end", report["models"], report["files"], report["modules"]))
    connection.close()


class _CellFault(Exception):
    """Report a fault of a cell, by its number, and the line of the lab."""

    def __init__(self, cell: int, line: int, message: str) -> None:
        super().__init__(message)
        self.cell, self.line = cell, line


def _run(job: Job) -> tuple[list[list[Output]], dict[str, Any]]:
    """Have a lab executed and rendered: what its cells show, and the report of its run.

    It sets the environment of this process. Raises _CellFault at a cell that fails or
    warns.
    """
    from bs4 import BeautifulSoup
    from mkdocs_jupyter.convert import nb2html
    from nbclient.exceptions import CellControlSignal, DeadKernelError

    assert job.lab
    with (
        tempfile.TemporaryDirectory() as folder,
        Path(folder, "lock").open("wb") as lock,
    ):
        if fcntl:  # until this process ends, however it does: see set_up
            fcntl.flock(lock, fcntl.LOCK_EX)
        report = Path(folder, "report.json")
        settings = Path(folder, "jupyter_nbconvert_config.json")
        settings.write_text(json.dumps(JUPYTER), encoding="utf-8")
        os.environ["MPLBACKEND"] = "module://matplotlib_inline.backend_inline"
        os.environ["JUPYTER_CONFIG_PATH"] = folder
        os.environ["LOOKBACK_LAB_REPORT"] = str(report)
        os.environ.pop("PYTEST_CURRENT_TEST", None)  # a kernel would miss its children
        lab = Path(folder, "lab.py")  # without a byte order mark, which Jupytext keeps
        lab.write_text(read_text(job.lab, job.name), encoding="utf-8")
        try:
            html = nb2html(str(lab), True, allow_errors=False)
        except (CellControlSignal, DeadKernelError) as error:
            at = json.loads(report.read_text("utf-8"))["cell"]
            raise _failure(error, job, at) from None
        found = json.loads(report.read_text("utf-8"))
    cells = BeautifulSoup(html, "html.parser").select(".jp-CodeCell[id]")
    numbered = enumerate(zip(cells, job.pieces, strict=True))
    return [_outputs(cell, piece, at) for at, (cell, piece) in numbered], found


def _failure(error: Exception, job: Job, cell: int) -> _CellFault:
    """Tell a cell's failure with lines of the lab in place of its cells."""

    def place(match: re.Match[str]) -> str:
        return f"{job.name}:{job.pieces[int(match[1]) - 1].line + int(match[2])}"

    trace = str(error).rpartition("------------------\n")[2].strip()
    line = job.pieces[cell].line
    if first := _PLACE.search(trace):
        line = int(place(first).rpartition(":")[2])
    head = f"{getattr(error, 'ename', '')}: {getattr(error, 'evalue', error)}"
    told = as_terminal(f"{head}\n{_PLACE.sub(place, trace)}")
    return _CellFault(cell, line, told)


def _outputs(cell: Any, piece: Piece, at: int) -> list[Output]:
    """Take code and outputs from the cell of that number of mkdocs-jupyter's page."""
    code = _OPTION.sub("", cell.select_one(".highlight-ipynb pre").decode_contents())
    html = f'<div class="highlight"><pre><code>{code.rstrip()}</code></pre></div>'
    found, figures, errors = [Output("cell", html)], 0, ""
    for output in cell.select(".jp-OutputArea-output"):
        if output["data-mime-type"] == "application/vnd.jupyter.stderr":
            errors += output.text
        elif figure := output.select_one("script"):  # see set_up
            found.append(from_json(json.loads(figure.string)))
            figures += 1
        elif output["data-mime-type"] == "text/html":
            found.append(Output("html", output.decode_contents().strip()))
        else:
            found.append(Output("text", output.pre.text))
    if figures != ("alt" in piece.options):
        message = f"this cell draws {figures} figures: it may draw one, and begins with"
        message += " `#| alt: what the figure shows` if it does"
        raise _CellFault(at, piece.line, message)
    try:
        refuse_errors(errors, "cell")
        return [*map(clean, found)]
    except BlockFault as error:
        raise _CellFault(at, piece.line, str(error)) from None


def set_up() -> None:
    """Set up the kernel of a lab: the book's figures, warnings as errors, a report.

    It runs in the kernel before the first cell: see JUPYTER. LOOKBACK_LAB_REPORT names
    the file for what the lab read, its models, and the number of the cell that runs.
    """
    from IPython.core.getipython import get_ipython
    from IPython.display import display

    began, report = time.time(), Path(os.environ["LOOKBACK_LAB_REPORT"])
    if fcntl:  # a kernel leads a process group of its own
        lock = report.with_name("lock").open("rb")
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
        output = json.dumps(asdict(drawn(figure, prefix=f"f{at[0]}")))
        html = f'<script type="application/json">{output}</script>'
        display({"text/html": html, "text/plain": "figure"}, raw=True)  # type: ignore[no-untyped-call]

    formatter = shell.display_formatter.ipython_display_formatter
    for module, name in FIGURES:
        formatter.for_type_by_name(module, name, show_figure)

    def write_report() -> None:
        """Write it after each cell: the last one leaves the whole."""
        models = provenance(shell.user_ns)
        found = {"cell": at[0], "models": models}
        found |= {"files": opened(since=began), "modules": imported()}
        report.write_text(json.dumps(found), encoding="utf-8")

    def before_cell(info: Any) -> None:
        at[0] += 1
        write_report()

    shell.events.register("pre_run_cell", before_cell)
    shell.events.register("post_run_cell", lambda result: write_report())

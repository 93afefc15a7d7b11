"""A page as a notebook that runs by itself, once the package is installed."""

from __future__ import annotations

import re
from typing import Any
from urllib.parse import urljoin

from .blocks import Page, Piece
from .labels import labels, reference_words
from .render import Setting, source_of
from .run import Run

_BOX = re.compile(r"""(?:!!!|\?\?\?\+?|===[!+]*)\s*([\w -]*?)\s*(?:"([^"]*)")?\s*$""")
_ATTRIBUTES = re.compile(r"(?<!`)[ \t]*\{:?[ ]*[.#][^{}]*\}")
_LINK = re.compile(r"(?<!!)\[([^\]]+)\]\((?!https?:)([^)\s]+)(?:\s+\"[^\"]*\")?\)")

INSTALL = """\
# Needed once where the package is not installed, as on Colab.
import importlib.util
import subprocess
import sys

if importlib.util.find_spec("lookback") is None:
    pip = [sys.executable, "-m", "pip", "install", "--quiet"]
    subprocess.run([*pip, "{package}"], check=True)
"""


def to_notebook(
    page: Page,
    run: Run,
    setting: Setting,
    *,
    package: str = "lookback-attention[figures]",
    page_url: str = "",
) -> dict[str, Any]:
    """The page's sentences and blocks as notebook cells (nbformat 4.5).

    package   what pip installs where `lookback` is absent
    page_url  where the page stands on the web; relative links are resolved against it
    """
    cells = [_cell("code", INSTALL.format(package=package), 0)]
    for kind, text in _cells(page, run, setting):
        if kind == "markdown":
            text = _portable(text, page_url)
        if text.strip():
            cells.append(_cell(kind, text.strip("\n"), len(cells)))
    kernel = {"display_name": "Python 3", "language": "python", "name": "python3"}
    metadata = {"kernelspec": kernel, "language_info": {"name": "python"}}
    return {"cells": cells, "metadata": metadata, "nbformat": 4, "nbformat_minor": 5}


def _cell(kind: str, text: str, number: int) -> dict[str, Any]:
    lines = text.splitlines(keepends=True)
    cell: dict[str, Any] = {
        "cell_type": kind,
        "id": f"cell-{number}",
        "metadata": {},
        "source": lines,
    }
    if kind == "code":
        cell |= {"execution_count": None, "outputs": []}
    return cell


def _cells(page: Page, run: Run, setting: Setting) -> list[tuple[str, str]]:
    """Alternating prose and code, boxes and tabs laid flat."""
    cells: list[tuple[str, str]] = [("markdown", "")]
    results, position, line = iter(run.outputs), 0, 1

    def prose(text: str, flat: bool = True) -> None:
        nonlocal line
        shown = _flatten(text, line, page) if flat else text
        cells[-1] = ("markdown", cells[-1][1] + shown)
        line += text.count("\n") if flat else 0

    waiting = ""
    for piece in page.pieces:
        waiting += page.text[position : piece.start]
        position = piece.end
        outputs = next(results) if piece.runs else []
        if piece.kind not in ("code", "source", "shown"):
            waiting += _words(piece, outputs, page, setting)
            continue
        prose(waiting)
        waiting = ""
        if question := piece.options.get("predict"):
            gap = "" if cells[-1][1].endswith("\n\n") else "\n\n"
            prose(f"{gap}**Predict.** {question}", flat=False)
        line += page.text.count("\n", piece.start, piece.end)
        if piece.kind == "code":
            cells += [("code", piece.code), ("markdown", "")]
        else:
            prose(_listing(piece, page, setting), flat=False)
    prose(waiting + page.text[position:])
    return cells


def _words(
    piece: Piece, outputs: list[dict[str, str]], page: Page, setting: Setting
) -> str:
    """What stands in a sentence for a piece; as many lines as the page has there."""
    if piece.kind == "value":
        return _as_tall(outputs[0]["text"], piece, page)
    if piece.kind == "cite":
        works = setting.bibliography.cited(piece.code, page.name, piece.line)
        references = (_reference(work.label, work.url, at) for work, at in works)
        return _as_tall("; ".join(references), piece, page)
    if piece.kind == "ref" and not piece.options["words"]:
        uri, _, anchor = piece.code.partition("#")
        there = setting.numbered(uri)[0] if uri else labels(page)
        return reference_words(piece, page, there.by_id.get(anchor))
    text = page.text[piece.start : piece.end]
    return "\n" * text.count("\n") if piece.kind in ("comment", "front") else text


def _as_tall(text: str, piece: Piece, page: Page) -> str:
    """The words on one line, and as many line breaks as the piece has on its page."""
    breaks = "\n" * page.text.count("\n", piece.start, piece.end)
    text = text.replace("\n", " ")
    opens = page.text[: piece.start].rpartition("\n")[2].strip() == ""
    return text + breaks if opens else breaks + text


def _reference(label: str, url: str, locator: str) -> str:
    where = f", {locator}" if locator else ""
    return f"[{label}{where}]({url})" if url else label + where


def _listing(piece: Piece, page: Page, setting: Setting) -> str:
    if piece.kind == "source":
        source = source_of(piece, page, setting)
        return f"```python\n# {source.module}\n{source.text.rstrip()}\n```"
    if piece.options.get("python"):
        return f"```python\n{piece.code}\n```"
    text = page.text[piece.start : piece.end]
    return "\n".join(line[piece.column :] for line in text.split("\n"))


def _flatten(text: str, first: int, page: Page) -> str:
    """Lay boxes and tabs flat: their titles bold, their content at the margin."""
    lines = []
    for number, line in enumerate(text.split("\n"), start=first):
        cut = page.lines.boxes.get(number, 0)
        line = line[cut:] if not line[:cut].strip() else line
        if match := _BOX.match(line):
            kind, title = match.groups()
            line = f"**{title or kind.split()[0].capitalize()}**"
        lines.append(line)
    return "\n".join(lines)


def _portable(text: str, page_url: str) -> str:
    """Without the site's attributes; relative links absolute, or only their words."""

    def link(match: re.Match[str]) -> str:
        if not page_url or match[2].startswith("#"):
            return match[1]
        target = re.sub(r"\.(md|py)(#|$)", r"/\2", match[2])
        return f"[{match[1]}]({urljoin(page_url, '../' + target)})"

    return _LINK.sub(link, _ATTRIBUTES.sub("", text))

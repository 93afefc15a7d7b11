"""Write a page as a Jupyter notebook that runs once the package is installed."""

from __future__ import annotations

import json
import re
from pathlib import PurePosixPath
from typing import Any
from urllib.parse import urljoin

from .blocks import Page, Piece
from .labels import labels, reference_words
from .render import Setting, source_of
from .run import Run
from .worker import Output

PACKAGE = "lookback-attention[figures]"
INSTALL = """\
# Needed once where the package is not installed, as on Colab.
import importlib.util
import subprocess
import sys

if importlib.util.find_spec("lookback") is None:
    pip = [sys.executable, "-m", "pip", "install", "--quiet"]
    subprocess.run([*pip, "{package}"], check=True)
"""

_BOX = re.compile(r"""(?:!!!|\?\?\?\+?|===[!+]*)\s*([\w -]*?)\s*(?:"([^"]*)")?\s*$""")
_ATTRIBUTES = re.compile(r"(?<!`)[ \t]*\{:?[ ]*[.#][^{}]*\}")
_LINK = re.compile(r"(?<!!)\[([^\]]+)\]\((?!https?:)([^)\s]+)(?:\s+\"[^\"]*\")?\)")
_GITHUB = re.compile(r"https://github\.com/([^/]+/[^/]+)")


def path_of(uri: str, directory_urls: bool = True) -> str:
    """Place a page's notebook beside the page: `ngram/ngram.ipynb`."""
    stem = PurePosixPath(uri).with_suffix("")
    folder = stem if directory_urls else stem.parent
    return str(folder / f"{stem.name}.ipynb")


def colab_url(path: str, repository: str) -> str:
    """Link a notebook in Colab; "" where its repository is not on GitHub."""
    match = _GITHUB.match(repository.removesuffix(".git"))
    colab = "https://colab.research.google.com/github"
    return f"{colab}/{match[1]}/blob/gh-pages/{path}" if match else ""


def to_json(notebook: dict[str, Any]) -> str:
    """Serialise a notebook: the same cells, the same bytes."""
    return json.dumps(notebook, indent=1, ensure_ascii=False, sort_keys=True) + "\n"


def to_notebook(
    page: Page, run: Run, setting: Setting, *, repository: str = "", page_url: str = ""
) -> dict[str, Any]:
    """Convert a page's sentences and blocks to notebook cells (nbformat 4.5).

    repository  from which pip installs the package where it is absent; "" is PyPI
    page_url    where the page stands on the web: relative links are resolved against it
    """
    package = f"{PACKAGE} @ git+{repository}" if repository else PACKAGE
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
    source = text.splitlines(keepends=True)
    cell = {"cell_type": kind, "id": f"cell-{number}", "metadata": {}, "source": source}
    return cell | ({"execution_count": None, "outputs": []} if kind == "code" else {})


def _cells(page: Page, run: Run, setting: Setting) -> list[tuple[str, str]]:
    """Split a page into prose and code; boxes and tabs are laid flat."""
    cells = [("markdown", "")]
    results, position = iter(run.outputs), 0

    def add(text: str) -> None:
        cells[-1] = ("markdown", cells[-1][1] + text)

    for piece in page.pieces:
        outputs = next(results, []) if piece.runs else []
        if piece.kind == "math":
            continue  # Jupyter sets it
        add(_flat(page, position, piece.start))
        position = piece.end
        if piece.kind == "code":
            if question := piece.options.get("predict"):
                gap = "" if cells[-1][1].endswith("\n\n") else "\n\n"
                add(f"{gap}**Predict.** {question}")
            cells += [("code", piece.code), ("markdown", "")]
        else:
            add(_words(piece, outputs, page, setting))
    add(_flat(page, position, len(page.text)))
    return cells


def _flat(page: Page, start: int, end: int) -> str:
    """Lay boxes and tabs flat: their titles bold, their content at the margin."""
    first, lines = page.text.count("\n", 0, start) + 1, []
    begun = start > 0 and page.text[start - 1] != "\n"  # in the middle of a line
    for number, line in enumerate(page.text[start:end].split("\n"), start=first):
        cut = 0 if begun and number == first else page.lines.boxes.get(number, 0)
        line = line[cut:] if not line[:cut].strip() else line
        if match := _BOX.match(line):
            kind, title = match.groups()
            line = f"**{title or kind.split()[0].capitalize()}**"
        lines.append(line)
    return "\n".join(lines)


def _words(piece: Piece, outputs: list[Output], page: Page, setting: Setting) -> str:
    """Write in plain Markdown what a piece that is no cell stands for."""
    if piece.kind in ("comment", "front"):
        return ""
    if piece.kind == "value":
        return outputs[0]["text"] if outputs else "…"
    if piece.kind == "cite":
        works = setting.bibliography.cited(piece.code, page.name, piece.line)
        names = ((f"{w.label}, {at}" if at else w.label, w.url) for w, at in works)
        links = "; ".join(f"[{name}]({url})" if url else name for name, url in names)
        return " ".join(links.split())
    if piece.kind == "source":
        source = source_of(piece, page, setting)
        return f"```python\n# {source.module}\n{source.text.rstrip()}\n```"
    if piece.options.get("python"):
        return f"```python\n{piece.code}\n```"
    if piece.kind == "ref" and not piece.options["words"]:
        uri, _, anchor = piece.code.partition("#")
        there = setting.numbered(uri)[0] if uri else labels(page)
        return reference_words(piece, page, there.by_id.get(anchor))
    text = page.text[piece.start : piece.end]
    return "\n".join(line[piece.column :] for line in text.split("\n"))


def _portable(text: str, page_url: str) -> str:
    """Drop the site's attributes; make relative links absolute, or only their words."""

    def link(match: re.Match[str]) -> str:
        if not page_url or match[2].startswith("#"):
            return match[1]
        target = re.sub(r"\.(md|py)(#|$)", r"/\2", match[2])
        return f"[{match[1]}]({urljoin(page_url, '../' + target)})"

    return _LINK.sub(link, _ATTRIBUTES.sub("", text))

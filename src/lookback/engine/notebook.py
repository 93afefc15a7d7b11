"""Write a page as a Jupyter notebook that runs once the package is installed."""

from __future__ import annotations

import re
from pathlib import PurePosixPath
from urllib.parse import urljoin

from nbformat import v4, writes

from .blocks import Page, Piece
from .labels import reference_words
from .render import Setting
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


def path_of(page: str, written: str) -> str:
    """Place a page's notebook beside what is `written`: `ngram/ngram.ipynb`."""
    name = PurePosixPath(page).stem
    return str(PurePosixPath(written).with_name(f"{name}.ipynb"))


def colab_url(path: str, repository: str) -> str:
    """Link a notebook in Colab; "" where its repository is not on GitHub."""
    match = _GITHUB.match(repository.removesuffix(".git"))
    colab = "https://colab.research.google.com/github"
    return f"{colab}/{match[1]}/blob/gh-pages/{path}" if match else ""


def to_notebook(setting: Setting, *, repository: str = "", page_url: str = "") -> str:
    """Convert a page's sentences and blocks to a notebook, as JSON.

    repository  from which pip installs the package where it is absent; "" is PyPI
    page_url    where the page stands on the web: relative links are resolved against it
    """
    package = f"{PACKAGE} @ git+{repository}" if repository else PACKAGE
    cells = [v4.new_code_cell(INSTALL.format(package=package), id="cell-0")]
    for kind, text in _cells(setting):
        name = f"cell-{len(cells)}"
        if kind == "code":
            cells.append(v4.new_code_cell(text.strip("\n"), id=name))
        elif (prose := _portable(text, page_url).strip("\n")).strip():
            cells.append(v4.new_markdown_cell(prose, id=name))
    kernel = {"display_name": "Python 3", "language": "python", "name": "python3"}
    metadata = {"kernelspec": kernel, "language_info": {"name": "python"}}
    made: str = writes(v4.new_notebook(cells=cells, metadata=metadata))
    return made + "\n"


def _cells(setting: Setting) -> list[tuple[str, str]]:
    """Split a page into prose and code; boxes and tabs are laid flat."""
    page, cells, prose, position = setting.page, list[tuple[str, str]](), "", 0
    for piece, outputs in setting.pieces():
        if piece.kind == "math":
            continue  # Jupyter sets it
        prose += _flat(page, position, piece.start)
        position = piece.end
        if piece.kind not in ("code", "source"):
            prose += _words(piece, outputs, setting)
            continue
        if question := piece.options.get("predict"):
            prose = f"{prose.rstrip()}\n\n**Predict.** {question}"
        if question := piece.options.get("quiz"):
            prose = f"{prose.rstrip()}\n\n**Test yourself.** {question}"
        cells += [("markdown", prose), ("code", setting.copy(piece))]
        prose = ""
    return [*cells, ("markdown", prose + _flat(page, position, len(page.text)))]


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


def _words(piece: Piece, outputs: list[Output], setting: Setting) -> str:
    """Write in plain Markdown what a piece that is no cell stands for."""
    match piece.kind:
        case "comment" | "front":
            return ""
        case "value":
            return outputs[0]["text"]
        case "cite":
            works = setting.works(piece)
            links = (f"[{name}]({w.url})" if w.url else name for name, w in works)
            return " ".join("; ".join(links).split())
        case "ref" if not piece.options["words"]:
            label, _ = setting.label(piece.code)
            return reference_words(piece, setting.page, label)
    text = setting.page.text[piece.start : piece.end]
    return "\n".join(line[piece.column :] for line in text.split("\n"))


def _portable(text: str, page_url: str) -> str:
    """Drop the site's attributes; make relative links absolute, or only their words."""

    def link(match: re.Match[str]) -> str:
        if not page_url or match[2].startswith("#"):
            return match[1]
        target = re.sub(r"\.(md|py)(#|$)", r"/\2", match[2])
        return f"[{match[1]}]({urljoin(page_url, '../' + target)})"

    return _LINK.sub(link, _ATTRIBUTES.sub("", text))

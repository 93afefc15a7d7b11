"""Write a page as a Jupyter notebook that runs once the package is installed.

What is folded on the page is folded here: hints and solutions are `<details>` of
Markdown; code has Jupyter's `source_hidden` (JupyterLab), Colab's `cellView`, and the
tags of Jupyter Book; VS Code reads none of these, and shows the code. In JupyterLab the
output of a solution is hidden, too: all cells may be run without giving an answer away.

Cells of a solution have the tag `solution`: without them the notebook is a hand-out,
with a cell tagged `answer` where the reader's own goes.
"""

from __future__ import annotations

import ast
import posixpath
import re
import sys
from collections.abc import Iterable, Iterator
from contextlib import suppress
from dataclasses import dataclass
from itertools import groupby
from typing import Any
from urllib.parse import urljoin

from nbformat import v4, writes

from .blocks import Page, Piece, parse
from .cite import Entry
from .labels import reference_words
from .opened import distributions
from .output import Output
from .render import PageContext, is_open, literal
from .tex import TERM

EXTRAS = "[data,figures]"
OWN = {"lookback", "matplotlib", "numpy", "torch"}
"""What the package itself installs; a page may import reference libraries, too."""

INSTALL = """\
# Needed once where the package is not installed, as on Colab.
import importlib.util
import subprocess
import sys

if importlib.util.find_spec("lookback") is None:
    pip = [sys.executable, "-m", "pip", "install", "--quiet"]
    subprocess.run([*pip, {packages}], check=True)
"""
INSTALL_BY_HAND = """\
import importlib.util

if importlib.util.find_spec("lookback") is None:
    raise ModuleNotFoundError(
        "Lookback is not installed here: in a copy of its repository run "
        "`pip install '.[data,figures]'`, and then this cell again."
    )
"""
FOLDED = {
    "jupyter": {"source_hidden": True},
    "cellView": "form",
    "tags": ["hide-input"],
}
SOLUTION, ANSWER = {"tags": ["solution"]}, {"tags": ["answer"]}
FOLDED_SOLUTION = {
    "jupyter": {"source_hidden": True, "outputs_hidden": True},
    "cellView": "form",
    "tags": ["hide-cell", "solution"],
}

QUESTIONS = {"predict": "Predict", "quiz": "Test yourself"}
_OF_THE_SITE = re.compile(
    r"""
    (?P<kept> (?P<tick>`+) .+? (?P=tick)
            | \$\$ .+? \$\$
            | \$(?!\s) (?:(?!\n\s*\n)[^$])+? (?<!\s)\$(?!\d) )
  | [ \t]* \{:?[ ]* [.#] [^{}]* \}
  | (?<!!) \[ (?P<words> (?: `[^`]+` | [^\]`] )+ ) \]
    \( (?!https?:) (?P<target> [^)\s]+ ) (?: \s+ "[^"]*" )? \)
    """,
    re.VERBOSE | re.DOTALL,
)
_GITHUB = re.compile(r"https://github\.com/([^/]+/[^/]+)")

Cell = tuple[str, str, dict[str, Any]]
"""A cell: code or markdown, its text, its metadata."""


def colab_url(path: str, repository: str) -> str:
    """Link a notebook in Colab; "" where its repository is not on GitHub."""
    match = _GITHUB.match(repository.removesuffix(".git"))
    colab = "https://colab.research.google.com/github"
    return f"{colab}/{match[1]}/blob/gh-pages/{path}" if match else ""


def install(address: str, others: Iterable[str] = ()) -> str:
    """Write the cell that installs the package, and others that the page imports.

    address  of the repository, `git+https://…`; without one the cell says what to do
    """
    names = [f"lookback-attention{EXTRAS} @ {address}", *others]
    packages = ", ".join(f'"{name}"' for name in names)
    return (INSTALL if address else INSTALL_BY_HAND).format(packages=packages)


def imported(page: Page) -> list[str]:
    """List the distributions that a page's blocks import beside the package's own."""
    modules = set[str]().union(*(_imports(piece.code) for piece in page.running))
    tops = {module.partition(".")[0] for module in modules}
    found = distributions(tops - OWN - sys.stdlib_module_names)
    return sorted(found.keys() - {"python"})


def _imports(code: str) -> frozenset[str]:
    """List the modules that a block imports; none, where it cannot be read."""
    modules = set[str]()
    with suppress(SyntaxError):  # its run tells the line
        for node in ast.walk(ast.parse(code)):
            match node:
                case ast.Import(names=names):
                    modules |= {name.name for name in names}
                case ast.ImportFrom(module=str(module)):
                    modules.add(module)
    return frozenset(modules)


def to_notebooks(
    context: PageContext, *, package: str = "", page_url: str = ""
) -> tuple[str, str]:
    """Convert a page to a notebook, as JSON: with its solutions, and without.

    package    the address of the package, for `install`
    page_url   where the page stands on the web: links and citations lead to that site;
               without it a link is its words, and a citation leads to the work
    """
    cells = [v4.new_code_cell(install(package, imported(context.page)), id="cell-0")]
    for kind, text, metadata in _joined(_Writer(context, page_url).cells()):
        told: dict[str, Any] = {"id": f"cell-{len(cells)}", "metadata": metadata}
        if kind == "code":
            cells.append(v4.new_code_cell(text.strip("\n"), **told))
        else:
            cells.append(v4.new_markdown_cell(text.strip("\n"), **told))
    kernel = {"display_name": "Python 3", "language": "python", "name": "python3"}
    about = {"kernelspec": kernel, "language_info": {"name": "python"}}
    handout = [c for c in cells if "solution" not in c.metadata.get("tags", ())]
    whole, without = (
        f"{writes(v4.new_notebook(cells=some, metadata=about))}\n"
        for some in (cells, handout)
    )
    return whole, without


def _joined(cells: Iterable[Cell]) -> Iterator[Cell]:
    """Join prose that stands together, and leave out what says nothing."""
    said = (cell for cell in cells if cell[1].strip() or cell[2])
    for plain, some in groupby(
        said, lambda cell: (cell[0], cell[2]) == ("markdown", {})
    ):
        if plain:
            yield "markdown", "\n\n".join(text.strip("\n") for _, text, _ in some), {}
        else:
            yield from some


@dataclass
class _Writer:
    """Write the pieces of a page as plain Markdown and code."""

    context: PageContext
    page_url: str

    def __post_init__(self) -> None:
        self.page = self.context.page

    def cells(self) -> Iterator[Cell]:
        """Split the page into prose and code; boxes are laid flat, but for folds."""
        position, text = 0, self.page.text
        starts = [0, *(line.end() for line in re.finditer(r"\n|\Z", text))]
        for box in self.page.lines.boxes:
            if box.kind in ("hint", "solution"):
                yield from self._part(position, starts[box.first - 1])
                position = starts[box.last]
                inside = [*self._part(starts[box.first], position)]
                yield from _hint(inside) if box.kind == "hint" else _solution(inside)
        yield from self._part(position, len(text))

    def _part(self, position: int, end: int) -> Iterator[Cell]:
        """Write a part of the page."""
        prose = ""
        for piece, outputs in self.context.pieces():
            if piece.kind == "math" or not position <= piece.start < end:
                continue  # Jupyter sets formulas
            prose += self._flat(position, piece.start)
            position = piece.end
            if piece.kind not in ("code", "source"):
                prose += self._words(piece, outputs)
                continue
            for option, name in QUESTIONS.items():
                if question := piece.options.get(option):
                    asked = self._sentence(question, piece)
                    prose = f"{prose.rstrip()}\n\n**{name}.** {asked}"
            yield "markdown", self._portable(prose), {}
            shows = bool(outputs) and piece.kind == "code"
            unfolded = is_open(piece, shows=shows)
            yield "code", self.context.copy(piece), {} if unfolded else FOLDED
            prose = self._caption(piece, piece.options.get("caption", ""))
        prose += self._flat(position, end)
        yield "markdown", self._portable(prose), {}

    def _flat(self, start: int, end: int) -> str:
        """Lay boxes flat: their titles bold, their content at the margin."""
        text, heads = self.page.text, {box.first: box for box in self.page.lines.boxes}
        first, lines = text.count("\n", 0, start) + 1, []
        begun = start > 0 and text[start - 1] != "\n"  # in the middle of a line
        for number, line in enumerate(text[start:end].split("\n"), start=first):
            whole = not (begun and number == first)
            cut = self.page.lines.column(number) if whole else 0
            line = line[cut:] if not line[:cut].strip() else line
            if whole and line and (box := heads.get(number)):
                line = f"**{box.title or box.kind.split()[0].capitalize()}**"
            elif ".lb-twin" in line:
                continue  # it leads to the same in JavaScript, on the page alone
            lines.append(line)
        return "\n".join(lines)

    def _words(self, piece: Piece, outputs: list[Output]) -> str:
        """Write in plain Markdown what a piece that is no cell stands for."""
        match piece.kind:
            case "comment" if piece.code.startswith("caption:"):
                return self._caption(piece, piece.code.removeprefix("caption:")) + "\n"
            case "comment" | "front":
                return ""
            case "value":
                shown = "…" if outputs[0].is_missing else outputs[0].text
                text = literal(shown, piece, self.page)
                return text.replace("&#36;", "<span>&#36;</span>")  # for MathJax
            case "cite":
                works = self.context.works(piece)
                links = (self._citation(words, work) for words, work in works)
                return " ".join("; ".join(links).split())
            case "ref":
                return self._reference(piece, self.page)
        text = self.page.text[piece.start : piece.end]
        return "\n".join(line[piece.column :] for line in text.split("\n"))

    def _citation(self, words: str, work: Entry) -> str:
        """Link to the work in the site's bibliography, or to the work itself."""
        url = self._url("bibliography.md")
        address = f"{url}#{work.key}" if url else work.url
        return f"[{words}]({address})" if address else words

    def _reference(self, piece: Piece, page: Page) -> str:
        """Link to a place of the site; what is numbered here needs no link."""
        label, _ = self.context.label(piece.code)
        words = reference_words(piece, page, label)
        here = label and piece.code.startswith("#")
        return words if here else self._link(words, piece.code)

    def _caption(self, piece: Piece, words: str) -> str:
        """Write the number of a figure or a table, and what it shows, under it."""
        label = self.context.labels.at.get(piece.start)
        if label is None or label.kind == "listing":
            return ""
        return f"**{label.title}** {self._sentence(words, piece)}".rstrip()

    def _sentence(self, words: str, piece: Piece) -> str:
        """Convert a caption or a question: only its references change."""
        text = " ".join(words.split())
        page = parse(text, self.page.name)
        for each in reversed(page.pieces):
            if each.kind == "ref":
                shown = self._reference(each, page)
                text = text[: each.start] + shown + text[each.end :]
        return text

    def _portable(self, text: str) -> str:
        """Drop attributes of the site, and terms; make links absolute, or words."""

        def plain(match: re.Match[str]) -> str:
            if match["words"]:
                return self._link(match["words"], match["target"])
            return TERM.sub(" ", match["kept"] or "")  # a space: `{{` begins a value

        return _OF_THE_SITE.sub(plain, text)

    def _link(self, words: str, target: str) -> str:
        path, mark, anchor = target.partition("#")
        uri = posixpath.join(self.context.uri, "..", path) if path else self.context.uri
        url = self._url(posixpath.normpath(uri))
        return f"[{words}]({url}{mark}{anchor})" if url else words

    def _url(self, uri: str) -> str:
        """Name a page's address on the web; "" where there is none."""
        if not self.page_url:
            return ""
        if uri == self.context.uri:
            return self.page_url
        there = self.context.url(uri)
        return urljoin(self.page_url, there) if there else ""


def _hint(cells: Iterable[Cell]) -> Iterator[Cell]:
    for kind, text, metadata in cells:
        yield kind, _details("Hint", text) if kind == "markdown" else text, metadata


def _solution(cells: list[Cell]) -> Iterator[Cell]:
    """Fold a solution, and put a place for the reader's own before it."""
    cells = [cell for cell in cells if cell[1].strip()]
    coded = any(kind == "code" for kind, _, _ in cells)
    yield ("code", "", ANSWER) if coded else ("markdown", "*Your answer:*", ANSWER)
    title = "Solution"
    if cells and cells[0][0] == "code":
        yield "markdown", "**Solution:** the folded cell below.", SOLUTION
        title = "Solution, continued"
    for kind, text, _ in cells:
        if kind == "code":
            yield kind, text, FOLDED_SOLUTION
        else:
            yield kind, _details(title, text), SOLUTION
            title = "Solution, continued"


def _details(title: str, text: str) -> str:
    """Fold text, which stands between blank lines: so it is read as Markdown."""
    inside = text.strip("\n")
    fold = f"<details>\n<summary>{title}</summary>\n\n{inside}\n\n</details>"
    return fold if inside else ""

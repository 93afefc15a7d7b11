"""Write the HTML of the engine's own markers, a page's stamp and its description."""

from __future__ import annotations

import os
import re
import subprocess
from collections import Counter
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

from jinja2 import Environment, FileSystemLoader
from markupsafe import Markup

from .blocks import runs
from .book import Book, mapping
from .cite import Entry
from .errors import PageError, read_text
from .paths import ReadingPath
from .run import Run
from .search import EXCLUDE

_MARKS = re.compile(r"\[([^\]]*)\]\([^)]*\)|\[@[^\]]*\]|\*\*?|`")
SHARED = 3  # chapters about one paper, from which on it has a line of its own
TEMPLATES = Environment(
    loader=FileSystemLoader(Path(__file__).parent),
    autoescape=True,
    trim_blocks=True,
    lstrip_blocks=True,
)
TEMPLATES.globals["exclude"] = Markup(EXCLUDE)


def title_of(book: Book, uri: str) -> str:
    """Read a page's title from its front matter or its first heading."""
    head = re.search(r"^# (.+?)[ ]*(\{.*)?$", book.pages[uri].text, re.MULTILINE)
    return str(book.front[uri].get("title") or (head[1] if head else uri))


def short_title(book: Book, uri: str) -> str:
    """Cut a page's title at its colon."""
    return title_of(book, uri).partition(":")[0]


def markers(
    book: Book,
    parts: Sequence[tuple[str, Sequence[str]]],
    link: Callable[[str], str],
    reading_paths: Sequence[ReadingPath],
    needs: Mapping[str, Sequence[str]],
    times: Mapping[str, str],
    repository: str = "",
) -> dict[str, str]:
    """Write the HTML that replaces `<!-- lookback: … -->` in a page.

    parts  the navigation: a part's title and its pages; chapters are about papers
    link   page → its URL from the page that holds the marker
    reading_paths  those of mkdocs.yml
    needs  chapter → what to read just before it
    times  title of a path → how long it takes
    repository  where the source is, or ""
    """

    history = []
    for part, uris in parts:
        chapters = [
            Chapter(
                title_of(book, uri),
                link(uri),
                question=str(book.front[uri].get("question", "")),
                papers=book.papers(uri),
            )
            for uri in uris
            if book.about_papers(uri)
        ]
        if chapters:
            history.append((part, chapters))
    works = {
        key: [(title_of(book, uri), link(uri)) for uri in uris]
        for key, uris in book.cited().items()
    }
    doors = [
        (
            reading_path,
            [(short_title(book, uri), link(uri)) for uri in reading_path.pages],
        )
        for reading_path in reading_paths
    ]
    some = [door for door in doors if 1 < len(door[1]) < len(needs)]
    return {
        "doors": html("doors", doors, times),
        "paths": html("paths", some),
        "needs": needs_map(
            [(short_title(book, uri), link(uri)) for uri in needs],
            [[[*needs].index(one) for one in before] for before in needs.values()],
        ),
        "counts": counts(book, [uri for _, uris in parts for uri in uris]),
        "citation": citation(book.root / "CITATION.cff", repository),
        "timeline": timeline(history),
        "bibliography": book.bibliography.page_html(works),
    }


def html(macro: str, *values: object) -> str:
    """Fill in a macro of backmatter.html."""
    module = TEMPLATES.get_template("backmatter.html").module
    return str(getattr(module, macro)(*values)).strip()  # Markup escapes what it joins


@dataclass(frozen=True)
class Chapter:
    """Hold what the timeline shows of a chapter."""

    title: str
    url: str
    question: str
    papers: Sequence[Entry]

    @property
    def years(self) -> tuple[str, str]:
        """Return the years of its first and its last paper."""
        years = [paper.year for paper in self.papers]
        return min(years), max(years)


@dataclass(frozen=True)
class Axis:
    """Map years to percent, from a decade's first to two years after the last paper."""

    first: int
    last: int

    @property
    def decades(self) -> range:
        return range(self.first, self.last, 10)

    def place(self, year: str | int) -> str:
        """Place a year on the axis, in percent."""
        return f"{100 * (int(year) - self.first) / (self.last - self.first):.2f}%"


def timeline(parts: Sequence[tuple[str, Sequence[Chapter]]]) -> str:
    """List the chapters by part, with questions and a mark for each paper's year.

    CSS places the marks on an axis. A paper of several chapters is one line through
    all of them.
    """
    works = [work for _, some in parts for chapter in some for work in chapter.papers]
    if not works:
        return ""
    years = [int(work.year) for work in works]
    chapters = Counter(sorted(works, key=lambda work: work.key))
    common = {work: n for work, n in chapters.items() if n >= SHARED}
    return html("timeline", parts, Axis(min(years) // 10 * 10, max(years) + 2), common)


def needs_map(
    chapters: Sequence[tuple[str, str]], needs: Sequence[Sequence[int]]
) -> str:
    """List the chapters, with an arc from each to those that it needs.

    chapters  (title, URL) of each;  needs  for each, the rows of what it needs
    """
    arcs = [(above, below) for below, some in enumerate(needs) for above in some]
    reach = max((below - above for above, below in arcs), default=0)
    return html("needs", [*zip(chapters, needs, strict=True)], arcs, reach)


def counts(book: Book, pages: Sequence[str]) -> str:
    """List what the book consists of; what it has none of is left out."""
    chapters = [uri for uri in pages if book.about_papers(uri)]
    papers = {paper.key for uri in chapters for paper in book.papers(uri)}
    pieces = [piece for page in book.pages.values() for piece in page.pieces]
    numbers = {
        "chapters": len(chapters),
        "papers rebuilt or compared": len(papers),
        "figures drawn by code": sum("alt" in p.options for p in pieces),
        "trained models": len(list(book.package.glob("recipes/*.safetensors"))),
        "labs": sum(uri.endswith(".py") for uri in pages),
    }
    return html("counts", numbers)


def citation(path: Path, repository: str = "") -> str:
    """Write CITATION.cff as a sentence and as BibTeX; "" where there is no such file.

    Its year is that of the commit, its address that of the repository, where there is
    one, unless the file states them (`date-released`, `url`).
    Raises PageError where the file lacks its title, its authors or its version.
    """
    if not path.is_file():
        return ""
    cff = mapping(read_text(path, path.name), path.name, "the citation")
    for key in ("title", "authors", "version"):
        if not cff.get(key):
            raise PageError(path.name, 1, f"`{key}` is missing: a citation needs it")
    people = [
        person.get("name") or f"{person['given-names']} {person['family-names']}"
        for person in cff["authors"]
    ]
    committed = git(path.parent, "log", "-1", "--format=%cs")
    year = str(cff.get("date-released") or committed)[:4]
    address = cff.get("url") or cff.get("repository-code") or repository
    fields = {
        "author": " and ".join(f"{{{name}}}" for name in people),
        "title": cff["title"],
        "year": year,
        "version": cff["version"],
        "url": address,
    }
    lines = [f"  {name} = {{{text}}}," for name, text in fields.items() if text]
    return html(
        "citation",
        people,
        cff | {"year": year, "url": address},
        "\n".join(["@software{lookback,", *lines, "}"]),
    )


def stamp(run: Run, versions: dict[str, str]) -> list[list[str]]:
    """List how a page was made: versions, and its models' provenance.

    Nothing here is measured: two builds of one commit give the same bytes.
    """
    rows = [["Python", versions["python"]], ["PyTorch", versions["torch"]]]
    for card in run.models:
        name, *facts = card.items()
        shown = ", ".join(f"{key}: {text}" for key, text in facts)
        rows.append([" ".join(name), shown])
    return rows


def git(root: Path, *words: str) -> str:
    """Return what git prints; "" where no repository tracks the book's mkdocs.yml.

    So an archive of the book, unpacked inside another repository, has none.
    """
    own = _git(root, "ls-files", ":(glob)mkdocs*.y*ml")
    return _git(root, *words) if own else ""


def _git(root: Path, *words: str) -> str:
    """Return what git prints in a folder, or "" where it fails or is not installed.

    A hook of git names its own repository in the environment: that is left out.
    """
    outer = {"GIT_DIR", "GIT_WORK_TREE", "GIT_INDEX_FILE", "GIT_PREFIX"}
    try:
        answer = subprocess.run(
            ["git", "-C", str(root), *words],
            env={name: os.environ[name] for name in os.environ.keys() - outer},
            capture_output=True,
            encoding="utf-8",
            errors="replace",
            check=True,
        )
    except (OSError, subprocess.CalledProcessError):
        return ""
    return answer.stdout.strip()


def commit_of(root: Path) -> str:
    """Name the commit, and say where the book's files differ from it."""
    commit = git(root, "rev-parse", "--short=10", "HEAD")
    changed = git(root, "status", "--porcelain", "--untracked-files=no", "--", ".")
    return f"{commit} and later edits" if commit and changed else commit


def blob(root: Path, repository: str) -> str:
    """Begin the address of a file in a repository on the web: at this very commit.

    Without a commit, as in an archive, it is the newest of the repository.
    """
    commit, _, folder = git(root, "rev-parse", "HEAD", "--show-prefix").partition("\n")
    return f"{repository}/blob/{commit or 'HEAD'}/{folder}"


def description(book: Book, uri: str) -> str:
    """Describe a page as its front matter does, else by its first sentence.

    A sentence of under 20 characters, and a paragraph with a formula, are passed over.
    """
    about = book.front[uri].get("description") or book.front[uri].get("question")
    if about:
        return str(about)
    page = book.pages[uri]
    lines = page.text.split("\n")
    for first, last in runs(page.lines.prose):
        text = " ".join(lines[first - 1 : last])
        sentence = re.split(r"(?<=[.!?])\s", _MARKS.sub(r"\1", text), maxsplit=1)[0]
        if len(sentence) >= 20 and text[:1] not in "#<" and "$" not in text:
            return sentence
    return ""

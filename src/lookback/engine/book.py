"""Read and run the pages of a book together. Imports no MkDocs."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from dataclasses import dataclass, field
from functools import lru_cache
from pathlib import Path
from typing import Any

import yaml

from . import labs
from .blocks import Page, parse
from .cache import Cache
from .cite import Bibliography, Entry, read_bibliography
from .errors import PageError
from .glossary import read_glossary
from .run import Run, run_pages
from .worker import Job


@dataclass
class Book:
    """Hold a folder of pages, the package they show, and where runs are stored.

    root        the project: page names are relative to it (`docs/ngram.md`)
    docs        the folder of the pages
    package     the folder of the import package
    cache       the folder for what pages showed; None keeps nothing
    time_limit  seconds a page may take, by the clock, beside others on a busy machine
    """

    root: Path
    docs: Path
    package: Path
    cache: Path | None = None
    time_limit: float = 300.0
    pages: dict[str, Page] = field(default_factory=dict)
    runs: dict[str, Run] = field(default_factory=dict)

    def __post_init__(self) -> None:
        self.bibliography: Bibliography = read_bibliography(
            self.docs / "references.bib", self.name("references.bib")
        )
        self.glossary = self._glossary()

    def _glossary(self) -> dict[str, str]:
        path = self.docs / "glossary.md"
        return read_glossary(path.read_text(encoding="utf-8")) if path.is_file() else {}

    def name(self, uri: str) -> str:
        """Return the page's path relative to the project, as its author knows it."""
        path = self.docs / uri
        if path.is_relative_to(self.root):
            return path.relative_to(self.root).as_posix()
        return path.as_posix()

    def read(self, uris: Iterable[str]) -> None:
        """Read and parse pages, named relative to `docs`."""
        for uri in uris:
            text = (self.docs / uri).read_text(encoding="utf-8")
            read = labs.read if labs.is_lab(uri) else parse
            self.pages[uri] = read(text, self.name(uri))

    def job(self, uri: str) -> Job:
        """Collect the pieces of a page that run."""
        page, path = self.pages[uri], str((self.docs / uri).resolve())
        return Job(page.name, path, page.running, self.package)

    def run(
        self,
        *,
        fresh: bool = False,
        processes: int | None = None,
        say: Callable[[str], None] = lambda line: None,
    ) -> None:
        """Run every page read; what the cache knows is not run, unless `fresh`.

        say  gets the lines of progress
        raises PageError at the first page that fails, when the others have stopped
        """
        cache = Cache(self.cache, self.package) if self.cache else None
        waiting: dict[str, tuple[str, Job]] = {}
        for uri, page in self.pages.items():
            job = self.job(uri)
            stored = Run(page.name) if not job.pieces else None
            if stored is None and cache and not fresh:
                stored = cache.read(job)
            if stored is None and labs.is_lab(uri):
                continue  # see run_lab
            if stored is None:
                waiting[job.name] = uri, job
            else:
                self.runs[uri] = stored
        if waiting:
            say(f"Running the blocks of {len(waiting)} page{'s' * (len(waiting) > 1)}")
        runs = run_pages(
            [job for _, job in waiting.values()],
            processes=processes,
            time_limit=self.time_limit,
        )
        for done, run in enumerate(runs, 1):
            if run.error:
                raise run.error
            uri, job = waiting[run.name]
            say(f"{done} of {len(waiting)}: {run.name} ran for {run.seconds:.1f} s")
            self.runs[uri] = run
            if cache:
                cache.write(job, run)

    def run_lab(self, uri: str, render: Callable[[], str]) -> None:
        """Run a lab whose stored run was not valid: `render` is mkdocs-jupyter's."""
        run = labs.run(self.pages[uri], render)
        self.runs[uri] = run
        if self.cache:
            Cache(self.cache, self.package).write(self.job(uri), run)

    def skip(self) -> None:
        """Fill in empty outputs, and an ellipsis for every value, without running."""
        for uri, page in self.pages.items():
            shown: list[list[dict[str, str]]] = [
                [{"text": "…"}] if piece.kind == "value" else []
                for piece in page.running
            ]
            self.runs[uri] = Run(page.name, shown)

    def front(self, uri: str) -> dict[str, Any]:
        """Parse a page's front matter."""
        page = self.pages[uri]
        text = next((p.code for p in page.pieces if p.kind == "front"), "")
        try:
            found = _read(text)
        except yaml.YAMLError as error:
            mark = getattr(error, "problem_mark", None)
            line = mark.line + 2 if mark else 1
            raise PageError(page.name, line, f"front matter: {error}") from None
        if not isinstance(found, dict):
            raise PageError(page.name, 1, "front matter must be `key: value` lines")
        return found

    def papers(self, uri: str) -> list[Entry]:
        """Look up the papers that a chapter's front matter names."""
        keys = self.front(uri).get("papers") or []
        missing = [key for key in keys if key not in self.bibliography.entries]
        if missing:
            raise PageError(
                self.pages[uri].name,
                1,
                f"papers: `{missing[0]}` is not in {self.bibliography.name}",
            )
        return [self.bibliography.entries[key] for key in keys]

    def about_papers(self, uri: str) -> bool:
        """Tell whether it is a chapter: a page whose front matter names papers."""
        return uri in self.pages and bool(self.papers(uri))

    def is_chapter(self, uri: str) -> bool:
        """Tell whether a page is a lab, or about papers."""
        return labs.is_lab(uri) or self.about_papers(uri)

    def cited(self) -> dict[str, list[str]]:
        """Map each cited key to the pages that cite it, in reading order."""
        found: dict[str, list[str]] = {}
        for uri, page in self.pages.items():
            works = self.papers(uri)
            for piece in page.pieces:
                if piece.kind == "cite":
                    cited = self.bibliography.cited(piece.code, page.name, piece.line)
                    works += [work for work, _ in cited]
            for key in dict.fromkeys(work.key for work in works):
                found.setdefault(key, []).append(uri)
        return found


@lru_cache(maxsize=256)
def _read(text: str) -> Any:
    """Parse YAML; pages ask for the same front matter many times in a build."""
    return yaml.safe_load(text) or {}


def one_page(path: Path, time_limit: float = 300.0) -> tuple[Book, str]:
    """Read a page by its path in the book it belongs to: (book, its name there)."""
    path = path.resolve()
    if not path.is_file():
        raise ValueError(f"there is no page {path}")
    if labs.is_lab(path.name):
        raise ValueError(f"{path} is a notebook: open it in Jupyter, with jupytext")
    root = next((p for p in path.parents if (p / "mkdocs.yml").is_file()), path.parent)
    docs = root / "docs" if path.is_relative_to(root / "docs") else path.parent
    book = Book(root, docs, Path(__file__).parents[1], time_limit=time_limit)
    uri = path.relative_to(docs).as_posix()
    book.read([uri])
    return book, uri

"""Read and run the pages of a book together. Imports no MkDocs."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from contextlib import closing
from dataclasses import dataclass, field, replace
from functools import lru_cache
from pathlib import Path
from typing import Any

import yaml

from lookback.extract import Package

from . import labs
from .blocks import Page, Piece, parse
from .cache import Cache
from .cite import Bibliography, Entry, read_bibliography
from .errors import PageError, read_text
from .glossary import read_glossary
from .labels import Labels, labels
from .opened import PACKAGE
from .output import Output
from .quiz import judged
from .run import Run, run_pages
from .source import Excerpt, excerpt
from .worker import Job

CACHE = ".lookback"
"""Where a project stores its runs, unless its settings say otherwise."""

# An edit changes one page: the others are parsed once.
_page, _lab = lru_cache(512)(parse), lru_cache(64)(labs.read)
_labels = lru_cache(512)(labels)


@lru_cache(4)
def _bibliography(path: Path, name: str, edited: int) -> Bibliography:
    return read_bibliography(path, name)


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
    front: dict[str, dict[str, Any]] = field(default_factory=dict)
    excerpts: dict[tuple[str, str], Excerpt] = field(default_factory=dict)

    def __post_init__(self) -> None:
        works = self.docs / "references.bib"
        edited = works.stat().st_mtime_ns if works.is_file() else 0
        self.bibliography = _bibliography(works, self.name(works.name), edited)
        path = self.docs / "glossary.md"
        text = read_text(path, self.name(path.name)) if path.is_file() else ""
        self.glossary = read_glossary(text)
        self.modules = Package(self.package)
        self.stored = Cache(self.cache, self.package) if self.cache else None

    def name(self, uri: str) -> str:
        """Return the page's path relative to the project, as its author knows it."""
        path = self.docs / uri
        if path.is_relative_to(self.root):
            return path.relative_to(self.root).as_posix()
        return path.as_posix()

    def read(self, uris: Iterable[str]) -> None:
        """Read and parse pages, named relative to `docs`, and their front matter."""
        for uri in uris:
            text = read_text(self.docs / uri, self.name(uri))
            read = _lab if labs.is_lab(uri) else _page
            try:
                self.pages[uri] = page = read(text, self.name(uri))
                self.front[uri] = _front_matter(page)
            except RecursionError:
                message = "something on this page is nested too deeply to be read"
                raise PageError(self.name(uri), 1, message) from None

    def labels(self, uri: str) -> Labels:
        """Number the things of a page."""
        return _labels(self.pages[uri])

    def excerpt(self, piece: Piece) -> Excerpt:
        """Cut what a `src=` block names out of the package's source."""
        what = piece.options["module"], piece.options["names"]
        if what not in self.excerpts:
            self.excerpts[what] = excerpt(piece, self.modules)
        return self.excerpts[what]

    def job(self, uri: str) -> Job:
        """Collect the pieces of a page that run."""
        page = self.pages[uri]
        return Job(page.name, page.running, self.package)

    def run(self, *, say: Callable[[str], None] = lambda line: None) -> None:
        """Run every page read; what the cache knows is not run.

        say  gets the lines of progress
        raises PageError, when all have run, that names each page that failed
        """
        waiting: dict[str, tuple[str, Job]] = {}
        for uri in self.pages:
            job = self.job(uri)
            stored = self.stored.read(job) if self.stored else None
            if stored or not job.pieces:
                self.runs[uri] = stored or Run(job.name)
            else:
                waiting[job.name] = uri, job
        if waiting:
            say(f"Running the blocks of {len(waiting)} page{'s' * (len(waiting) > 1)}")
        jobs, errors = [job for _, job in waiting.values()], list[PageError]()
        ended = run_pages(jobs, time_limit=self.time_limit)
        with closing(ended) as runs:  # an error stops the others
            for done, run in enumerate(runs, 1):
                at = f"{done} of {len(waiting)}: {run.name}"
                if run.error:
                    say(f"{at} failed")
                    errors.append(run.error)
                    continue
                say(f"{at} ran for {run.seconds:.1f} s")
                if fault := self.store(waiting[run.name][0], run):
                    say(fault)
        tested = (judged(self.pages[uri], run).error for uri, run in self.runs.items())
        errors += filter(None, tested)
        if errors:
            first, *others = errors
            message = "\n\n".join([first.message, *map(str, others)])
            raise PageError(first.page, first.line, message)

    def store(self, uri: str, run: Run) -> str:
        """Take a page's run, and store it for the next build.

        Returns what `Cache.write` does.
        """
        self.runs[uri] = run
        return self.stored.write(self.job(uri), run) if self.stored else ""

    def set_run(self, uri: str, run: Run) -> None:
        """Take a run that may be none, or have failed: something stands in for outputs.

        For a value it is an ellipsis, for what surely shows something a sentence.
        """
        run, pieces = judged(self.pages[uri], run), self.pages[uri].running
        rest = range(len(run.outputs), len(pieces))
        outputs = [*run.outputs, *(_stand_in(pieces[at], at, run) for at in rest)]
        self.runs[uri] = replace(run, outputs=outputs)

    def skip_runs(self) -> None:
        """Fill in empty outputs, and an ellipsis for every value, without running."""
        for uri, page in self.pages.items():
            self.set_run(uri, Run(page.name))

    def papers(self, uri: str) -> list[Entry]:
        """Look up the papers that a chapter's front matter names."""
        keys = self.front[uri].get("papers") or []
        if missing := [key for key in keys if key not in self.bibliography.entries]:
            message = f"papers: `{missing[0]}` is not in {self.bibliography.name}"
            raise PageError(self.pages[uri].name, 1, message)
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


def _stand_in(piece: Piece, at: int, run: Run) -> list[Output]:
    """Write what a page shows in place of the outputs of a piece."""
    if at == run.failed:
        return [Output("fault", str(run.error))]
    if piece.kind == "value":
        return [Output("text", "…")]
    if not {"alt", "caption", "quiz"} & piece.options.keys():
        return []
    if run.error:
        return [Output("waits", "Not run: a block above failed.")]
    return [Output("waits", "This page is running.")] if run.pending else []


def _front_matter(page: Page) -> dict[str, Any]:
    text = next((p.code for p in page.pieces if p.kind == "front"), "")
    return mapping(text, page.name, "front matter", first=2)


def mapping(text: str, name: str, what: str, *, first: int = 1) -> dict[str, Any]:
    """Load YAML that is `key: value` lines; `first` is the line where it begins."""
    try:
        found = yaml.safe_load(text) or {}
    except yaml.YAMLError as error:
        mark = getattr(error, "problem_mark", None)
        line = mark.line + first if mark else 1
        raise PageError(name, line, f"{what}: {error}") from None
    if not isinstance(found, dict):
        raise PageError(name, 1, f"{what} must be `key: value` lines")
    return found


def one_page(
    path: Path, *, time_limit: float = 300.0, store: bool = False
) -> tuple[Book, str]:
    """Read a page by its path in the book it belongs to: (book, its name there).

    store  keep what it shows where a build looks for it
    """
    path = path.resolve()
    if not path.is_file():
        raise ValueError(f"there is no page {path}")
    root = next((p for p in path.parents if (p / "mkdocs.yml").is_file()), path.parent)
    docs = root / "docs" if path.is_relative_to(root / "docs") else path.parent
    cache = root / CACHE if store else None
    book = Book(root, docs, PACKAGE, cache, time_limit)
    uri = path.relative_to(docs).as_posix()
    book.read([uri])
    return book, uri

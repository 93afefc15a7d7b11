"""What the engine writes itself: the timeline, a page's stamp, a module's listing."""

from __future__ import annotations

import html
import re
import subprocess
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import lru_cache
from pathlib import Path

from .book import Book
from .cite import Entry
from .run import Run


@dataclass(frozen=True)
class Chapter:
    """A chapter as the timeline shows it."""

    title: str
    url: str
    question: str
    papers: Sequence[Entry]

    @property
    def years(self) -> str:
        """`1948–1998`, or one year."""
        years = sorted({paper.year for paper in self.papers})
        return years[0] if len(years) == 1 else f"{years[0]}–{years[-1]}"


def timeline(parts: Sequence[tuple[str, Sequence[Chapter]]]) -> str:
    """The line of history: part by part, each chapter with its years and question."""
    sections = []
    for title, chapters in parts:
        items = "".join(
            f'<li><span class="lb-years">{chapter.years}</span>'
            f'<a href="{chapter.url}">{html.escape(chapter.title)}</a>'
            f"<p>{html.escape(chapter.question)}</p></li>"
            for chapter in chapters
        )
        sections.append(
            f"<section><h3>{html.escape(title)}</h3><ol>{items}</ol></section>"
        )
    return f'<div class="lb-timeline">{"".join(sections)}</div>'


def markers(
    book: Book, parts: Sequence[tuple[str, Sequence[str]]], link: Callable[[str], str]
) -> dict[str, str]:
    """The HTML that takes the place of `<!-- lookback: … -->` in a page.

    parts  the navigation: a part's title and its pages; chapters are about papers
    link   page → its URL from the page that holds the marker
    """

    def title(uri: str) -> str:
        head = re.search(r"^# (.+?)[ ]*(\{.*)?$", book.pages[uri].text, re.MULTILINE)
        return str(book.front(uri).get("title") or (head[1] if head else uri))

    history = []
    for part, uris in parts:
        chapters = [
            Chapter(
                title(uri),
                link(uri),
                question=str(book.front(uri).get("question", "")),
                papers=book.papers(uri),
            )
            for uri in uris
            if uri in book.pages and book.papers(uri)
        ]
        if chapters:
            history.append((part, chapters))
    works = {
        key: [(title(uri), link(uri)) for uri in uris]
        for key, uris in book.cited().items()
    }
    return {
        "timeline": timeline(history),
        "bibliography": book.bibliography.page_html(works),
    }


def stamp(run: Run, versions: dict[str, str], commit: str) -> str:
    """How a page was made: commit, versions, and its models' own words.

    Nothing of it is measured in the build: two builds of one commit are the same bytes.
    """
    rows = [("Commit", commit)] if commit else []
    rows += [("Python", versions["python"]), ("PyTorch", versions["torch"])]
    for card in run.models:
        name, *facts = card.items()
        rows.append(
            (" ".join(name), ", ".join(f"{key}: {text}" for key, text in facts))
        )
    inside = "".join(
        f"<div><dt>{html.escape(key)}</dt><dd>{html.escape(text)}</dd></div>"
        for key, text in rows
    )
    return (
        '<aside class="lb-stamp" aria-label="How this page was made">'
        f"<dl>{inside}</dl></aside>"
    )


def git(root: Path, *words: str) -> str:
    """What git answers, or "" where there is no repository or no git."""
    try:
        answer = subprocess.run(
            ["git", "-C", str(root), *words], capture_output=True, text=True, check=True
        )
    except (OSError, subprocess.CalledProcessError):
        return ""
    return answer.stdout.strip()


def commit_of(root: Path) -> str:
    """The short name of the commit, with a mark where files differ from it."""
    commit = git(root, "rev-parse", "--short=10", "HEAD")
    changed = git(root, "status", "--porcelain", "--untracked-files=no")
    return f"{commit} and later edits" if commit and changed else commit


@lru_cache(maxsize=256)
def listing(module: str, path: str, text: str) -> str:
    """A page that shows a module whole, each line with an address of its own, L1 …"""
    from pygments import highlight
    from pygments.formatters import HtmlFormatter
    from pygments.lexers import PythonLexer

    formatter = HtmlFormatter(linespans="L", wrapcode=True, cssclass="highlight")
    code = highlight(text, PythonLexer(), formatter).replace('id="L-', 'id="L')
    return (
        f"---\ntitle: {module}\nsearch:\n  exclude: true\nhide:\n  - toc\n---\n\n"
        f"# `{module}`\n\nThe whole of `{path}`, as this site was built from it.\n\n"
        f'<div class="lb-listing">{code}</div>\n'
    )

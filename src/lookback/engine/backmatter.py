"""What the engine writes itself: its markers, a page's stamp, a module's listing."""

from __future__ import annotations

import html
import re
import subprocess
from collections.abc import Callable, Sequence
from pathlib import Path

from .book import Book
from .code import leave_plain_tokens_alone
from .counts import counts, counts_html
from .howtocite import citation_html
from .run import Run
from .timeline import Chapter, timeline


def title_of(book: Book, uri: str) -> str:
    """A page's title: as its front matter says, or its first heading."""
    head = re.search(r"^# (.+?)[ ]*(\{.*)?$", book.pages[uri].text, re.MULTILINE)
    return str(book.front(uri).get("title") or (head[1] if head else uri))


def markers(
    book: Book, parts: Sequence[tuple[str, Sequence[str]]], link: Callable[[str], str]
) -> dict[str, str]:
    """The HTML that takes the place of `<!-- lookback: … -->` in a page.

    parts  the navigation: a part's title and its pages; chapters are about papers
    link   page → its URL from the page that holds the marker
    """

    history = []
    for part, uris in parts:
        chapters = [
            Chapter(
                title_of(book, uri),
                link(uri),
                question=str(book.front(uri).get("question", "")),
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
    pages = [uri for _, uris in parts for uri in uris]
    about = [uri for uri in pages if book.about_papers(uri)]
    labs = sum(uri.endswith(".py") for uri in pages)
    return {
        "counts": counts_html(counts(book, about, labs)),
        "citation": citation_html(book.root / "CITATION.cff"),
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


CODE = "<!-- code -->"
"""Stands in a listing's Markdown for its code, which Markdown would take apart."""


def listing(module: str, path: str, pages: tuple[tuple[str, str], ...] = ()) -> str:
    """A page that shows a module whole, with CODE in place of it.

    pages  (title, link) of the pages that show it or link to it: the way back
    """
    links = ", ".join(f"[{title}]({link})" for title, link in pages)
    back = f"← Back to {links}\n{{ .lb-back }}\n\n" if pages else ""
    return (
        f"---\ntitle: {module}\nsearch:\n  exclude: true\nhide:\n  - toc\n---\n\n"
        f"# `{module}`\n\n{back}The whole of `{path}`, as this site was built from it."
        f"\n\n{CODE}\n\n{back}"
    )


def listed(text: str, suffix: str = ".py") -> str:
    """The code of a module in colours, each line with an address of its own, L1 …"""
    from pygments import highlight
    from pygments.formatters import HtmlFormatter
    from pygments.lexers import JavascriptLexer, PythonLexer

    leave_plain_tokens_alone()  # in whatever process this is
    lexer = JavascriptLexer() if suffix == ".js" else PythonLexer()
    formatter = HtmlFormatter(linespans="L", wrapcode=True, cssclass="highlight")
    code = highlight(text, lexer, formatter).replace('id="L-', 'id="L')
    return f'<div class="lb-listing">{code}</div>'

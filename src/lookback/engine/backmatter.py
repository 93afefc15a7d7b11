"""Write the HTML of the engine's own markers, a page's stamp and its description."""

from __future__ import annotations

import html
import re
import socket
import subprocess
import sys
from collections.abc import Callable, Sequence
from pathlib import Path

import yaml

from .book import Book
from .errors import PageError
from .run import Run
from .search import EXCLUDE
from .timeline import Chapter, timeline


def title_of(book: Book, uri: str) -> str:
    """Read a page's title from its front matter or its first heading."""
    head = re.search(r"^# (.+?)[ ]*(\{.*)?$", book.pages[uri].text, re.MULTILINE)
    return str(book.front(uri).get("title") or (head[1] if head else uri))


def markers(
    book: Book, parts: Sequence[tuple[str, Sequence[str]]], link: Callable[[str], str]
) -> dict[str, str]:
    """Write the HTML that replaces `<!-- lookback: … -->` in a page.

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
    return {
        "counts": counts_html(book, [uri for _, uris in parts for uri in uris]),
        "citation": citation_html(book.root / "CITATION.cff"),
        "timeline": timeline(history),
        "bibliography": book.bibliography.page_html(works),
    }


def counts_html(book: Book, pages: Sequence[str]) -> str:
    """List what the book consists of; what it has none of is left out."""
    chapters = [uri for uri in pages if book.about_papers(uri)]
    papers = {paper.key for uri in chapters for paper in book.papers(uri)}
    pieces = [piece for page in book.pages.values() for piece in page.pieces]
    numbers = {
        "chapters": len(chapters),
        "papers rebuilt or compared": len(papers),
        "blocks of code that ran": sum(p.kind == "code" for p in pieces),
        "figures drawn by them": sum("alt" in p.options for p in pieces),
        "trained models": len(list(book.package.glob("recipes/*.safetensors"))),
        "labs": sum(uri.endswith(".py") for uri in pages),
    }
    items = "".join(
        f"<li><strong>{n:,}</strong> {what}</li>".replace(",", "\u202f")
        for what, n in numbers.items()
        if n
    )
    return f'<ul class="lb-counts">{items}</ul>'


def citation_html(path: Path) -> str:
    """Write CITATION.cff as a sentence and as BibTeX; "" where there is no such file.

    Raises PageError where the file lacks its title, its authors or its version.
    """
    if not path.is_file():
        return ""
    cff = yaml.safe_load(path.read_text(encoding="utf-8")) or {}
    for key in ("title", "authors", "version"):
        if not cff.get(key):
            raise PageError(path.name, 1, f"`{key}` is missing: a citation needs it")
    title, version = html.escape(cff["title"]), html.escape(str(cff["version"]))
    people = [
        person.get("name") or f"{person['given-names']} {person['family-names']}"
        for person in cff["authors"]
    ]
    fields = {
        "author": " and ".join(f"{{{name}}}" for name in people),
        "title": cff["title"],
        "version": cff["version"],
        "url": cff.get("url") or cff.get("repository-code"),
    }
    lines = [f"  {name} = {{{text}}}," for name, text in fields.items() if text]
    entry = html.escape("\n".join(["@software{lookback,", *lines, "}"]), quote=False)
    return (
        f'<div class="lb-citation"><p>{html.escape(", ".join(people))}. '
        f"<cite>{title}</cite>. Version {version}.</p>"
        f'<pre class="lb-text" tabindex="0">{entry}</pre></div>'
    )


def stamp(run: Run, versions: dict[str, str], commit: str) -> str:
    """Write how a page was made: commit, versions, and its models' provenance.

    Nothing here is measured: two builds of one commit give the same bytes.
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
        '<aside class="lb-stamp" aria-label="How this page was made"'
        f" {EXCLUDE}>"
        f"<dl>{inside}</dl></aside>"
    )


def git(root: Path, *words: str) -> str:
    """Return what git prints, or "" where there is no repository or no git."""
    try:
        answer = subprocess.run(
            ["git", "-C", str(root), *words], capture_output=True, text=True, check=True
        )
    except (OSError, subprocess.CalledProcessError):
        return ""
    return answer.stdout.strip()


def commit_of(root: Path) -> str:
    """Name the commit, and say where files differ from it."""
    commit = git(root, "rev-parse", "--short=10", "HEAD")
    changed = git(root, "status", "--porcelain", "--untracked-files=no")
    return f"{commit} and later edits" if commit and changed else commit


def description(question: str, page: str) -> str:
    """Describe a page by its question, else by the first sentence of its HTML.

    A sentence of under 20 characters, and a paragraph with a formula, are passed over.
    """
    if question:
        return question
    for paragraph in re.findall(r"<p\b[^>]*>(.*?)</p>", page, re.DOTALL):
        words = " ".join(html.unescape(re.sub(r"<[^>]+>", "", paragraph)).split())
        sentence = re.split(r"(?<=[.!?])\s", words, maxsplit=1)[0]
        if len(sentence) >= 20 and "<math" not in paragraph:
            return sentence
    return ""


def refuse_taken_port(host: str, port: int) -> None:
    """Raise ValueError, before minutes of building, where a port cannot be bound."""
    with socket.socket(socket.AF_INET6 if ":" in host else socket.AF_INET) as probe:
        if sys.platform != "win32":
            probe.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
        try:
            probe.bind((host, port))
        except OSError as error:
            raise ValueError(
                f"port {port} of {host} cannot be used ({error.strerror}): another "
                f"program may be serving there. Choose another port with "
                f"`make serve PORT={port + 1}` or `mkdocs serve -a {host}:{port + 1}`"
            ) from None

"""What the book consists of, counted when it is built: reasons to trust it."""

from __future__ import annotations

import ast
from collections.abc import Sequence
from functools import cache
from pathlib import Path

from .book import Book


def counts(book: Book, chapters: Sequence[str], labs: int = 0) -> list[tuple[str, str]]:
    """(number, what it counts), of all pages of the book; zeros are left out.

    chapters  the pages that are about papers;  labs  how many labs there are
    Tests are counted as functions, before a parameter makes several of one.
    """
    pieces = [piece for page in book.pages.values() for piece in page.pieces]
    papers = {paper.key for uri in chapters for paper in book.papers(uri)}
    tests = sorted((book.root / "tests").rglob("*.py"))
    found = {
        "chapters": len(chapters),
        "papers rebuilt or compared": len(papers),
        "blocks of code that ran": sum(p.kind == "code" for p in pieces),
        "figures drawn by them": sum("alt" in p.options for p in pieces),
        "trained models": len(list((book.package / "recipes").glob("*.safetensors"))),
        "test functions": sum(_tests(path, path.stat().st_mtime_ns) for path in tests),
        "labs": labs,
    }
    return [(f"{n:,}".replace(",", "\u202f"), what) for what, n in found.items() if n]


def counts_html(found: Sequence[tuple[str, str]]) -> str:
    items = "".join(
        f"<li><strong>{number}</strong> {what}</li>" for number, what in found
    )
    return f'<ul class="lb-counts">{items}</ul>'


@cache
def _tests(path: Path, changed: int) -> int:
    """Test functions of a module and of its classes, where pytest finds them.

    changed  when the file was written: then it is counted again
    """
    body = ast.parse(path.read_text(encoding="utf-8")).body
    classes = [node.body for node in body if isinstance(node, ast.ClassDef)]
    return sum(
        isinstance(node, ast.FunctionDef) and node.name.startswith("test_")
        for nodes in (body, *classes)
        for node in nodes
    )

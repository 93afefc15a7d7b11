"""Check that every page, lab and figure of site/ was made since .cache/began changed.

Run it after `make site` from an empty cache: it fails for a page whose blocks did not
run in that build, and for a figure that a page's code draws and the site lacks.
"""

from __future__ import annotations

import sys
from pathlib import Path

from bs4 import BeautifulSoup

from lookback.engine.book import Book
from lookback.engine.labels import labels

ROOT = Path(__file__).parents[1]
DOCS, CACHE, SITE = ROOT / "docs", ROOT / ".cache/lookback", ROOT / "site"


def faults(book: Book, uri: str, began: float) -> list[str]:
    """List what this build did not make of a page."""
    page = book.pages[uri]
    entries = CACHE.glob(f"{page.name.replace('/', '--')}/*.json")
    if all(entry.stat().st_mtime < began for entry in entries):
        return [f"{page.name}: its blocks did not run in this build"]
    folder = SITE if uri == "index.md" else SITE / Path(uri).with_suffix("")
    html = BeautifulSoup((folder / "index.html").read_bytes(), "lxml")
    figures = [label for label in labels(page).by_id.values() if label.kind == "figure"]
    return [
        f"{page.name}: {figure.text} is not in the site"
        for figure in figures
        if not html.select(
            f"figure#{figure.id} :is(svg, table), #{figure.id} figure svg"
        )
    ]


def main() -> int:
    began = (ROOT / ".cache/began").stat().st_mtime
    book = Book(ROOT, DOCS, ROOT / "src/lookback", CACHE)
    paths = [*DOCS.glob("*.md"), *DOCS.glob("labs/*.py")]
    book.read(path.relative_to(DOCS).as_posix() for path in sorted(paths))
    running = [uri for uri, page in book.pages.items() if page.running]
    found = [fault for uri in running for fault in faults(book, uri, began)]
    print("\n".join(found) or f"{len(running)} pages and labs ran in this build")
    return bool(found)


if __name__ == "__main__":
    sys.exit(main())

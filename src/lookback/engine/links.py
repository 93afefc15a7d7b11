"""Give MkDocs' warnings of dead links the page's name and line."""

from __future__ import annotations

import logging
import re
from pathlib import Path

from .book import Book
from .errors import PageError, read_text

WARNINGS = (
    re.compile(r"Doc file '(?P<page>[^']+)' contains .*?link '(?P<link>[^']+)'"),
    re.compile(r"A .* to '(?P<link>[^']+)' is included in the 'nav'(?P<page>)"),
)
"""How MkDocs warns of a dead link: it tells no line, and has no event for it."""


class DeadLinks(logging.Handler):
    """Collect MkDocs' warnings of dead links during a build."""

    logger = logging.getLogger("mkdocs.structure")

    def __init__(self) -> None:
        super().__init__(logging.WARNING)
        self.found: list[re.Match[str]] = []

    def start(self) -> None:
        """Listen from now on."""
        self.found.clear()
        self.logger.addHandler(self)

    def stop(self) -> None:
        """Listen no more."""
        self.logger.removeHandler(self)

    def emit(self, record: logging.LogRecord) -> None:
        """Keep a warning in the words of WARNINGS."""
        matches = (pattern.search(record.getMessage()) for pattern in WARNINGS)
        self.found += [match for match in matches if match]

    def raise_first(self, book: Book, settings: Path) -> None:
        """Raise PageError for the first dead link of a page or of the nav."""
        for match in self.found:
            uri, message = match["page"], match.string
            path, name = settings, settings.name
            if uri:
                path, name = book.docs / uri, book.name(uri)
            line = line_of(match["link"], read_text(path, name))
            raise PageError(name, line, message)


def line_of(link: str, text: str) -> int:
    """Find the line of a link's target, however it is written; 1 where it is not."""
    for written in (f"({link}", f"(<{link}", f"]: {link}", f"]: <{link}", f" {link}"):
        before, found, _ = text.partition(written)
        if found:
            return before.count("\n") + 1
    return 1

"""Report a fault of a page by its name, its line and why."""

from __future__ import annotations


class PageError(ValueError):
    """Name a fault in a page.

    page     path as the author knows it, `docs/ngram.md`
    line     1-based line of that file
    message  what is wrong and what to do, possibly with a traceback below
    """

    def __init__(self, page: str, line: int, message: str) -> None:
        super().__init__(f"{page}:{line}: {message}")
        self.page, self.line, self.message = page, line, message

    def __reduce__(self) -> tuple[type[PageError], tuple[str, int, str]]:
        return PageError, (self.page, self.line, self.message)

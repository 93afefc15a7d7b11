"""Report a fault of a page by its name, its line and why; read files of people's."""

from __future__ import annotations

from pathlib import Path


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


def read_text(path: Path, name: str) -> str:
    """Read a file that people write: UTF-8, with or without a byte order mark.

    Lines end in `\\n`, as in a file that Python opens. Raises PageError, with `name`
    and the line, for another encoding or a file that cannot be read.
    """
    try:
        text = path.read_bytes().decode("utf-8-sig")
    except OSError as error:
        raise PageError(name, 1, f"it cannot be read: {error.strerror}") from None
    except UnicodeDecodeError as error:
        before, byte = error.object[: error.start], error.object[error.start]
        line, column = before.count(b"\n") + 1, error.start - before.rfind(b"\n")
        fault = f"it is not UTF-8 (byte 0x{byte:02x} at column {column} of this line)"
        raise PageError(name, line, f"{fault}: save it as UTF-8") from None
    if "\0" in text:
        line = text.count("\n", 0, text.index("\0")) + 1
        fault = "it holds NUL, as UTF-16 does: save it as UTF-8"
        raise PageError(name, line, fault)
    return text.replace("\r\n", "\n").replace("\r", "\n")

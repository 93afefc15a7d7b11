"""Capture what a block puts out, and clean it: text that a page can hold.

Chapters and labs take their outputs here: what is printed, values, HTML, figures. What
a child process writes is shown with what is printed.
"""

from __future__ import annotations

import io
import os
import re
import sys
from collections.abc import Iterator, Mapping
from contextlib import contextmanager, redirect_stderr, redirect_stdout
from dataclasses import dataclass, field, replace
from tempfile import TemporaryFile
from typing import IO, Any, Literal

Kind = Literal[
    "text", "html", "svg", "diagram", "frames", "live", "quiz", "waits", "fault"
]


@dataclass(frozen=True)
class Output:
    """Hold one thing that a block puts out, or says in its place.

    kind      text; html; svg, diagram, frames, live: a figure; quiz: a self-test;
              waits, fault: why there is no output, or none yet
    text      what is shown: text, or markup
    numbers   HTML tables of a figure;  script  the module of docs/live/ that moves it
    parts     the frames of a figure; the drawing that a live one begins with
    settings  labels, chosen, first and scroll of frames; models and options of a live
              figure; right, answers, typed and cells of a self-test
    """

    kind: Kind
    text: str = ""
    numbers: str = ""
    script: str = ""
    parts: tuple[Output, ...] = ()
    settings: Mapping[str, Any] = field(default_factory=dict)

    @property
    def is_figure(self) -> bool:
        return self.kind in ("svg", "diagram", "frames", "live")

    @property
    def is_missing(self) -> bool:
        """Tell whether it says why there is no output, or none yet."""
        return self.kind in ("waits", "fault")


def from_json(fields: dict[str, Any]) -> Output:
    """Make the output whose fields `asdict` gave."""
    return Output(**{**fields, "parts": tuple(map(from_json, fields["parts"]))})


_ADDRESS = re.compile(r"\bat\s+0x[0-9a-fA-F]{6,}")
_SEQUENCE = re.compile(  # CSI, its numbers and its letter; OSC and the like; others
    r"(?:\x1b\[|\x9b)(?P<count>[0-?]*)[ -/]*(?P<move>[@-~])"
    r"|\x1b[\]PX^_].*?(?:\x07|\x1b\\|\x9c|$)|\x1b[ -/]*[0-~]",
    re.DOTALL,
)
_CONTROL = re.compile("[\x00-\x08\x0b\x0c\x0e-\x1f\x7f-\x9f\ufffe\uffff]")
_MOVES = re.compile(rf"{_SEQUENCE.pattern}|[^\n\r\b\x1b\x9b]+|.", re.DOTALL)


class BlockFault(Exception):
    """Report a fault of a block by its message alone, without a traceback."""


@dataclass
class Printed:
    """Hold what a block wrote to standard output, and to standard error."""

    text: str = ""
    errors: str = ""


@contextmanager
def captured() -> Iterator[Printed]:
    """Capture standard output and error of this process and of those it starts.

    What an error leaves on standard error becomes a note of it. Bytes that are not
    UTF-8 become U+FFFD.
    """
    printed = Printed()
    try:
        with _file_for(1) as out, _file_for(2) as err:
            try:
                with redirect_stdout(_writer(1)), redirect_stderr(_writer(2)):
                    yield printed
            finally:
                _flush()
                printed.text, printed.errors = _read(out), as_terminal(_read(err))
    except BaseException as error:
        if printed.errors:
            error.add_note(f"On standard error:\n{printed.errors}")
        raise


@contextmanager
def _file_for(descriptor: int) -> Iterator[IO[bytes]]:
    """Put a file in place of a descriptor."""
    _flush()
    kept = os.dup(descriptor)
    with TemporaryFile() as file:
        os.dup2(file.fileno(), descriptor)
        try:
            yield file
        finally:
            os.dup2(kept, descriptor)
            os.close(kept)


def _flush() -> None:
    """Write what the streams that the process began with keep back."""
    for stream in (sys.__stdout__, sys.__stderr__):
        if stream and not stream.closed:
            stream.flush()


def _writer(descriptor: int) -> io.TextIOWrapper:
    """Open a stream that keeps nothing back: children write between two lines of it."""
    raw: Any = io.FileIO(descriptor, "w", closefd=False)
    return io.TextIOWrapper(
        raw, "utf-8", "backslashreplace", newline="\n", write_through=True
    )


def _read(file: IO[bytes]) -> str:
    file.seek(0)
    return file.read().decode("utf-8", "replace")


def clean(output: Output) -> Output:
    """Clean all strings of an output; raise BlockFault at an address of memory.

    Text is what a terminal shows of it at the end.
    """
    if output.kind == "text":
        return Output("text", _clean(as_terminal(output.text)))
    return replace(
        output,
        text=_clean(output.text),
        numbers=_clean(output.numbers),
        parts=tuple(map(clean, output.parts)),
        settings=_clean(output.settings),
    )


def _clean(value: Any) -> Any:
    """Clean every string of a value that JSON can hold."""
    if isinstance(value, Mapping):
        return {_clean(key): _clean(one) for key, one in value.items()}
    if isinstance(value, list | tuple):
        return [*map(_clean, value)]
    if not isinstance(value, str):
        return value
    text = printable(value)
    if match := _ADDRESS.search(text):
        raise BlockFault(
            f"this shows a memory address (`{match[0]}`), which changes with every "
            "run: print what the object holds, give it a __repr__, or end the line "
            "with `;`"
        )
    return text


def refuse_errors(errors: str, what: str) -> None:
    """Raise BlockFault for what a block, or a cell, writes to standard error."""
    if errors.strip():
        raise BlockFault(
            f"this {what} warns: {errors.strip()}\nNo reader sees standard error: "
            "print what they need, and silence the rest"
        )


def printable(text: str) -> str:
    """Leave out what is no text in HTML and XML: controls, sequences of terminals.

    Half a surrogate pair becomes its escape, and each line ends in `\\n`.
    """
    text = _SEQUENCE.sub("", text).replace("\r\n", "\n").replace("\r", "\n")
    return _CONTROL.sub("", text).encode("utf-8", "backslashreplace").decode()


def as_terminal(text: str) -> str:
    """Write what a terminal shows at the end: a progress bar only as it was left."""
    text = re.sub("[\x0b\x0c\x85]", "\n", text.replace("\r\n", "\n"))
    if not re.search("[\r\b\x1b\x9b]", text):
        return printable(text)
    rows, row, column = [""], 0, 0
    for match in _MOVES.finditer(text):
        count, line = int(re.sub(r"\D.*", "", match["count"] or "") or 0), rows[row]
        match f"CSI {match['move']}" if match["move"] else match[0]:
            case "\n":
                row, column = row + 1, 0
                rows += [""] * (row == len(rows))
            case "\r":
                column = 0
            case "\b" | "CSI D":
                column = max(column - max(count, 1), 0)
            case "CSI C":
                column += max(count, 1)
            case "CSI A":
                row = max(row - max(count, 1), 0)
            case "CSI K":
                start = " " * column if count == 1 else line[:column] * (count == 0)
                rows[row] = start + line[column:] * (count == 1)
            case words if not _SEQUENCE.fullmatch(match[0]):
                words = printable(words)
                end = column + len(words)
                rows[row] = line[:column].ljust(column) + words + line[end:]
                column = end
    return "\n".join(rows)

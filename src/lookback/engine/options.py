"""The `#| key: value` lines at the top of a block: what it asks of its page."""

from __future__ import annotations

import re

from .errors import PageError
from .fences import Fence

OPTIONS = ("alt", "caption", "id", "key", "open", "predict")
SWITCHES = ("key", "open")

_ID = re.compile(r"[a-z][a-z0-9-]*")


def read_options(fence: Fence, name: str) -> tuple[dict[str, str], int]:
    """The options of a block of the page `name`, and how many lines they take.

    Raises PageError, with its line, at what no block knows.
    """
    options: dict[str, str] = {}
    lines, key = fence.body.split("\n"), ""
    for number, line in enumerate(lines):
        if not line.startswith("#|"):
            _refuse_empty(options, name, fence.first)
            return options, number
        at, text = fence.first + 1 + number, line[2:]
        if key and text.startswith("   "):
            options[key] += " " + text.strip()
            continue
        key, colon, value = (part.strip() for part in text.partition(":"))
        if not colon or key not in OPTIONS:
            raise PageError(name, at, _unknown(line, key))
        if fault := _fault(key, value):
            raise PageError(name, at, fault)
        options[key] = value
    return options, len(lines)


def _unknown(line: str, key: str) -> str:
    if key == "fold":
        return "`#| fold: true` is written `#| open: false`"
    return f"`{line}` is no option: a block knows {', '.join(OPTIONS)}"


def _fault(key: str, value: str) -> str:
    if key in SWITCHES and value not in ("true", "false"):
        return f"`{key}: {value}`: expected true or false"
    if key == "id" and not _ID.fullmatch(value):
        return f"`id: {value}`: expected lower-case letters, digits and `-`"
    return ""


def _refuse_empty(options: dict[str, str], name: str, line: int) -> None:
    for key, value in options.items():
        if not value:
            raise PageError(name, line, f"`#| {key}:` has no value")

"""What the page says of the scripts is true of them."""

import gzip
import re

import pytest
from pygments.lexers import JavascriptLexer
from pygments.token import Comment, String, Whitespace

from lookback.engine.plugin_scripts import joined, served

from .conftest import sources

MOST = 25_000  # bytes, compressed
STILL = {"frames", "map", "page", "query"}  # what needs no model


def test_all_scripts_together_are_small() -> None:
    """As they are served: two files, one that loads the other where it is needed."""
    live = {n: text for n, text in served(sources()).items() if n not in STILL}
    assert {*live} == {"kit", "live"}
    assert sum(len(gzip.compress(script.encode())) for script in live.values()) <= MOST


def program(text: str) -> list[tuple[str, str]]:
    """What a script consists of: its tokens, without comments and white space.

    The lexer, too, takes a regular expression after `=>` for a division.
    """
    spaced = re.search(r"=>\s*/(?![/*])[^/\n]*[\s\"'`]", text)
    assert not spaced, "write (/…/) after =>"
    found: list[tuple[str, str]] = []
    for kind, value in JavascriptLexer(stripnl=False, ensurenl=False).get_tokens(text):
        if kind in Whitespace or kind in Comment or not value.strip():
            continue
        if found and kind in String and found[-1][0] == str(kind):
            found[-1] = (str(kind), found[-1][1] + value)
        else:
            found.append((str(kind), value))
    return found


def test_what_is_served_is_the_same_program() -> None:
    written = joined(sources())
    for name, text in served(sources()).items():
        assert program(text) == program(written[name]), name
        assert len(text) < len(written[name])


@pytest.mark.parametrize(
    "text",
    [
        "const s = `${f(`a  ${b}  c`)}`;",
        "function* f() { yield /a  b/; }",
    ],
)
def test_what_is_misread_would_be_seen(text: str) -> None:
    assert program(served({"x": text})["x"]) != program(text)


def test_a_regular_expression_after_an_arrow_would_be_seen() -> None:
    with pytest.raises(AssertionError, match="after =>"):
        program("const f = (x) => /a  b/.test(x);")

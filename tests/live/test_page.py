"""What the page says of the scripts is true of them."""

import gzip
import re
from pathlib import Path

import pytest
from pygments.lexers import JavascriptLexer
from pygments.token import Comment, String, Whitespace

from lookback.engine.scripts import served

from .conftest import LIVE

PAGE = (LIVE.parent / "live.md").read_text(encoding="utf-8")
MOST = 25_000  # bytes, compressed
STILL = {"folding", "frames", "map", "preview", "query"}  # what needs no model


def test_the_javascript_on_the_page_is_that_of_the_scripts() -> None:
    scripts = "".join(p.read_text(encoding="utf-8") for p in sorted(LIVE.glob("*.js")))
    shown = re.findall(r"^    ```js\n(.*?)^    ```", PAGE, re.DOTALL | re.MULTILINE)
    assert shown
    for block in shown:
        code = re.sub(r"^    ", "", block, flags=re.MULTILINE)
        assert code in scripts


def test_all_scripts_together_are_small() -> None:
    """As they are served; a browser asks for each by itself."""
    live = [path for path in LIVE.glob("*.js") if path.stem not in STILL]
    scripts = [served(path.read_text(encoding="utf-8")) for path in live]
    assert sum(len(gzip.compress(script.encode())) for script in scripts) <= MOST


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


@pytest.mark.parametrize("path", sorted(LIVE.glob("*.js")), ids=lambda path: path.stem)
def test_what_is_served_is_the_same_program(path: Path) -> None:
    text = path.read_text(encoding="utf-8")
    assert program(served(text)) == program(text)
    assert len(served(text)) < len(text)


@pytest.mark.parametrize(
    "text",
    [
        "const s = `${f(`a  ${b}  c`)}`;",
        "function* f() { yield /a  b/; }",
    ],
)
def test_what_is_misread_would_be_seen(text: str) -> None:
    assert program(served(text)) != program(text)


def test_a_regular_expression_after_an_arrow_would_be_seen() -> None:
    with pytest.raises(AssertionError, match="after =>"):
        program("const f = (x) => /a  b/.test(x);")

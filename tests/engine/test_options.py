"""What a block may ask of its page, and what it may not."""

import pytest

from lookback.engine.errors import PageError
from lookback.engine.fences import read_lines
from lookback.engine.options import read_options


def options(*lines: str) -> tuple[dict[str, str], int]:
    text = "\n".join(["", "```python", *lines, "```"])
    (fence,) = read_lines(text, "docs/p.md").fences
    return read_options(fence, "docs/p.md")


def test_options_end_where_code_begins() -> None:
    read = options("#| alt: one", "#|   two", "#| key: true", "x", "#| open: true")
    assert read == ({"alt": "one two", "key": "true"}, 3)


def test_a_value_may_begin_on_the_next_line() -> None:
    assert options("#| predict:", "#|   Which?", "x")[0] == {"predict": " Which?"}


@pytest.mark.parametrize(
    ("lines", "at", "words"),
    [
        (["#| fold: true"], 3, "open: false"),
        (["#| alt: a", "#| colour: red"], 4, "no option: a block knows alt"),
        (["#| open: yes"], 3, "expected true or false"),
        (["#| key: 1"], 3, "expected true or false"),
        (["#| id: Figure 2"], 3, "lower-case"),
        (["#| caption:", "x"], 2, "has no value"),
    ],
)
def test_what_no_block_knows_is_refused(lines: list[str], at: int, words: str) -> None:
    with pytest.raises(PageError, match=words) as refusal:
        options(*lines)
    assert refusal.value.line == at

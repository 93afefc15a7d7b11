"""Which lines of a page are fences, which are sentences."""

import pytest

from lookback.engine.errors import PageError
from lookback.engine.fences import read_lines


def fences(text: str) -> list[tuple[int, int, int, str]]:
    found = read_lines(text, "docs/p.md").fences
    return [(f.first, f.last, f.indent, f.body) for f in found]


def test_a_plain_fence_and_its_lines() -> None:
    assert fences("# T\n\n```python\nx = 1\n\ny = 2\n```\nend\n") == [
        (3, 7, 0, "x = 1\n\ny = 2")
    ]


@pytest.mark.parametrize("opening", ['!!! note "N"', '??? solution "S"', '=== "Tab"'])
def test_boxes_and_tabs_hold_fences_four_columns_in(opening: str) -> None:
    text = f"{opening}\n\n    Say.\n\n    ```python\n    if x:\n        y\n    ```\n"
    assert fences(text) == [(5, 8, 4, "if x:\n    y")]


def test_lists_hold_fences() -> None:
    fence = "    ```python\n    {}\n    ```\n"
    text = f"1. One\n\n{fence.format('a')}\n- Two\n\n{fence.format('b')}"
    assert fences(text) == [(3, 5, 4, "a"), (9, 11, 4, "b")]


def test_footnotes_and_definitions_hold_fences() -> None:
    fence = "    ```python\n    a\n    ```\n"
    for opening in ("[^1]:\n    Note\n\n", "[^1]: Note\n\n", "Term\n:   Text\n\n"):
        assert [body for *_, body in fences(opening + fence)] == ["a"]


def test_a_tab_in_a_box_holds_fences_eight_columns_in() -> None:
    text = '!!! note\n\n    === "T"\n\n        ```python\n        a\n        ```\n'
    assert fences(text) == [(5, 7, 8, "a")]


def test_a_box_ends_where_the_text_returns_to_the_margin() -> None:
    text = "!!! note\n\n    In.\n\nOut.\n\n    ```python\n    indented code\n    ```\n"
    assert fences(text) == []


@pytest.mark.parametrize(
    "text",
    [
        "> ```python\n> no\n> ```\n",
        "    ```python\n    no\n    ```\n",
        "<!--\n```python\nno\n```\n-->\n",
    ],
)
def test_quoted_indented_and_commented_fences_do_not_run(text: str) -> None:
    assert fences(text) == []


def test_a_fence_shown_inside_a_longer_fence_is_not_one() -> None:
    found = fences("````markdown\n```python\nno\n```\n````\n")
    assert found == [(1, 5, 0, "```python\nno\n```")]


def test_tildes_close_only_tildes() -> None:
    assert fences("~~~python\n```\n~~~\n") == [(1, 3, 0, "```")]


def test_prose_leaves_out_code() -> None:
    text = "One.\n\n```python\nx\n```\n\nTwo\nthree.\n\n    indented\n"
    assert read_lines(text, "p.md").prose == {1, 7, 8}


def test_quoted_code_is_no_prose_and_the_quotation_goes_on() -> None:
    text = "> Say $x$.\n>\n> ```\n> $no$\n> ```\n> Say $y$.\n\nEnd.\n"
    assert read_lines(text, "p.md").prose == {1, 2, 6, 8}


def test_front_matter_is_no_prose() -> None:
    assert read_lines("---\ntitle: x\n---\nText\n", "p.md").prose == {4}


def test_boxes_know_how_far_in_they_stand() -> None:
    lines = read_lines("!!! note\n\n    In.\n\n    - item\n\n        deep\n", "p.md")
    assert lines.boxes[3] == 4
    assert lines.boxes[7] == 4  # the list item is no box


@pytest.mark.parametrize(
    ("text", "line", "word"),
    [
        ("# T\n\n```python\nx\n", 3, "never closed"),
        ("- item\n\n  ```python\n  x\n  ```\n", 3, "indented by 2"),
        ("- ```python\n", 1, "line of its own"),
        ("!!! note\n\n    ```python\n  x\n    ```\n", 4, "stands left of it"),
        ("---\ntitle: x\n", 1, "closing `---`"),
        ("<!-- never\n", 1, "never closed"),
    ],
)
def test_what_cannot_be_meant_is_refused_with_its_line(
    text: str, line: int, word: str
) -> None:
    with pytest.raises(PageError, match=word) as refusal:
        read_lines(text, "docs/p.md")
    assert str(refusal.value).startswith(f"docs/p.md:{line}: ")


def test_a_paragraph_may_go_on_with_an_indented_line() -> None:
    text = "A sentence\n    that goes on with $x$.\n\n    code\n"
    assert read_lines(text, "p.md").prose == {1, 2}


def test_a_comment_over_blank_lines_is_one_comment() -> None:
    text = "<!-- a\n\n    ```python\n\nb -->\nEnd.\n"
    lines = read_lines(text, "p.md")
    assert lines.fences == () and lines.prose == {1, 2, 3, 4, 5, 6}


def test_tabs_count_as_four_columns() -> None:
    assert fences("- a\n\n\t```python\n\tx\n\t```\n") == [(3, 5, 4, "x")]


def test_faults_inside_and_at_the_end_of_a_page_name_their_own_line() -> None:
    for text, line in [
        ("a\n\n!!! note\n\n    ```python\n    x\n  y\n    ```\n", 7),
        ("a\n\nb\n\n```python\nx\n", 5),
        ("a\n\n   ```python\n   x\n   ```\n", 3),
    ]:
        with pytest.raises(PageError) as refusal:
            read_lines(text, "p.md")
        assert refusal.value.line == line

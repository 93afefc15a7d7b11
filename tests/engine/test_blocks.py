"""What a page asks to run, show, typeset and cite."""

import pytest

from lookback.engine.blocks import Piece, parse
from lookback.engine.errors import PageError


def pieces(text: str, *kinds: str) -> list[Piece]:
    return [p for p in parse(text, "docs/p.md").pieces if not kinds or p.kind in kinds]


def only(text: str) -> Piece:
    (piece,) = pieces(text)
    return piece


def test_options_are_taken_off_the_top_and_lines_still_count_right() -> None:
    piece = only("```python\n#| alt: one\n#|   two\n#| open: true\nx = 1\n```\n")
    assert piece.options == {"alt": "one two", "open": "true"}
    assert (piece.code, piece.line, piece.first) == ("x = 1", 1, 5)


@pytest.mark.parametrize("info", ["python", "py", "python3", "{.python}", "{ .py }"])
def test_every_python_fence_runs(info: str) -> None:
    assert only(f"```{info}\nx\n```\n").kind == "code"


@pytest.mark.parametrize("info", ["", "text", "bash", "pycon", "{.yaml}"])
def test_other_fences_are_shown(info: str) -> None:
    assert only(f"```{info}\nx\n```\n").kind == "shown"


def test_notest_is_shown_and_says_why() -> None:
    assert only("```{.python notest}\n# needs a GPU\nx\n```\n").kind == "shown"


def test_source_names_an_object() -> None:
    piece = only('```{.python src="lookback.ngram:NgramModel.fit"}\n```\n')
    assert (piece.kind, piece.code) == ("source", "lookback.ngram:NgramModel.fit")


def test_titles_and_highlighted_lines_are_kept() -> None:
    piece = only('```python title="a.py" hl_lines="1 2"\nx\n```\n')
    assert piece.header == 'title="a.py" hl_lines="1 2"'


def test_the_pieces_of_a_sentence() -> None:
    text = "A {{ 1 + 1 }} of $x_{{i}}$, `{{ no }} $no$` and [@a, p. 3; @b] \\$5 $6.\n"
    found = [(p.kind, p.code) for p in pieces(text)]
    assert found == [
        ("value", "1 + 1"),
        ("math", "x_{{i}}"),
        ("cite", "@a, p. 3; @b"),
    ]
    assert text[pieces(text)[0].start : pieces(text)[0].end] == "{{ 1 + 1 }}"


def test_prices_are_no_formula() -> None:
    assert pieces("It costs $5 and then $6 more.\n") == []


def test_a_value_may_hold_braces_of_its_own() -> None:
    piece = only("so {{ f'{ {1: 2}[1] }' }} it is\n")
    assert piece.code == "f'{ {1: 2}[1] }'"


def test_a_value_knows_its_column() -> None:
    piece = only("ab {{  x }}\n")
    assert (piece.line, piece.first, piece.column) == (1, 1, 7)


def test_displayed_formulas_span_lines() -> None:
    piece = only("$$\na = b\n$$\n")
    assert (piece.code, piece.options) == ("a = b", {"display": "true"})


def test_a_stray_dollar_does_not_reach_into_the_next_paragraph() -> None:
    assert pieces("one $x\n\ntwo$ three\n") == []


def test_formulas_inside_boxes_and_quotations_count() -> None:
    text = '!!! note "N"\n\n    A $x$.\n\n> B $y$.\n'
    assert [p.code for p in pieces(text, "math")] == ["x", "y"]


def test_a_link_that_begins_with_at_is_no_citation() -> None:
    assert pieces("[@home](index.md) and [@x][y]\n") == []


def test_windows_line_ends_are_read_like_others() -> None:
    assert only("```python\r\nx\r\n```\r\n").code == "x"


@pytest.mark.parametrize(
    ("text", "line", "words"),
    [
        ("```python notest\nx\n```\n", 1, r"\{.python notest\}"),
        ("\n```{.python notest}\nx\n```\n", 2, "says why"),
        ("```{.python norun}\nx\n```\n", 1, "no `norun`"),
        ('```{.python source="x"}\n```\n', 1, "no `source`"),
        ('```{.python src="a:b"}\nx\n```\n', 1, "leave it empty"),
        ("```python\n#| colour: red\nx\n```\n", 2, "no option"),
        ("```python\n#| alt\nx\n```\n", 2, "no option"),
        ("a\nb {{ 1 +\n", 2, "no closing"),
        ("a {{ 1 + }} b\n", 1, "is not a value"),
        ("## Of $x$\n", 1, "needs a name"),
    ],
)
def test_what_cannot_be_meant_is_refused_with_its_line(
    text: str, line: int, words: str
) -> None:
    with pytest.raises(PageError, match=words) as refusal:
        parse(text, "docs/p.md")
    assert refusal.value.line == line


def test_a_named_heading_may_hold_a_formula() -> None:
    assert only("## Of $x$ { #of-x }\n").kind == "math"


def test_every_piece_is_a_slice_of_the_page() -> None:
    text = (
        "---\ntitle: T\n---\n# T\n\nA <!-- note --> b.\n\n1. One\n\n"
        "    ```python\n    x\n    ```\n\n~~~text\ny\n~~~\n\n$$\nz\n$$\n\n"
        '```{.python src="a:b"}\n```\n'
    )
    page = parse(text, "docs/p.md")
    assert [(p.kind, p.line, p.code, text[p.start : p.end]) for p in page.pieces] == [
        ("front", 1, "title: T\n", "---\ntitle: T\n---\n"),
        ("comment", 6, "note", "<!-- note -->"),
        ("code", 10, "x", "    ```python\n    x\n    ```"),
        ("shown", 14, "y", "~~~text\ny\n~~~"),
        ("math", 18, "z", "$$\nz\n$$"),
        ("source", 22, "a:b", '```{.python src="a:b"}\n```'),
    ]
    assert [p.code for p in page.running] == ["x"]


def test_what_stands_in_a_comment_means_nothing() -> None:
    assert pieces("a <!-- $x$ {{ 1 +\n [@b] --> c\n", "math", "value", "cite") == []


def test_a_fault_in_an_expression_is_told() -> None:
    with pytest.raises(PageError, match="invalid syntax"):
        parse("a {{ 1 +* 2 }} b\n", "docs/p.md")


def test_a_value_on_the_last_line_needs_no_line_end() -> None:
    assert only("a {{ 12 }}").code == "12"


def test_a_value_in_a_second_paragraph_knows_its_line_and_column() -> None:
    piece = only("one\n\ntwo\nand {{ x }}\n")
    assert (piece.line, piece.column) == (4, 7)


def test_an_unknown_option_is_told_with_its_own_line() -> None:
    with pytest.raises(PageError) as refusal:
        parse("\n```python\n#| alt: a\n#| nope: b\n```\n", "docs/p.md")
    assert refusal.value.line == 4

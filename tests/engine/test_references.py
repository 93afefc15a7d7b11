"""Links to what a page numbers."""

import pytest

from lookback.engine.blocks import Piece, parse
from lookback.engine.errors import PageError
from lookback.engine.labels import Label, labels
from lookback.engine.references import link, link_equations, named

FIGURE = Label("figure", "map", "2")
EQUATIONS = labels(parse("$$a \\tag{6}$$\n\n$$b \\tag{7'}$$\n", "docs/p.md"))
SIX = '<a class="lb-ref" href="#eq-6">(6)</a>'


def words(text: str, label: Label | None) -> str:
    page = parse(text, "docs/p.md")
    (piece,) = (piece for piece in page.pieces if piece.kind == "ref")
    return named(piece, page, label)


def test_a_link_leads_to_its_place_here_or_on_another_page() -> None:
    assert link(FIGURE) == '<a class="lb-ref" href="#map">figure 2</a>'
    assert link(FIGURE, "<em>it</em>", "../luong/") == (
        '<a class="lb-ref" href="../luong/#map"><em>it</em></a>'
    )


@pytest.mark.parametrize(
    ("text", "shown"),
    [
        ("See [](#map).", "figure 2"),
        ("[](#map) shows it.", "Figure 2"),
        ("So it is. [](#map) shows it.", "Figure 2"),
        ("One.\n\n[](#map) shows it.", "Figure 2"),
        ("the\n[](#map) shows it.", "figure 2"),
        ("See [the map](#map).", "the map"),
    ],
)
def test_a_figure_is_called_by_its_number(text: str, shown: str) -> None:
    assert words(text, FIGURE) == shown


@pytest.mark.parametrize(
    ("label", "fault"),
    [(None, "nothing numbered"), (Label("equation", "eq-n1", ""), "has no number")],
)
def test_a_link_without_words_needs_a_number(label: Label | None, fault: str) -> None:
    with pytest.raises(PageError, match=fault) as refusal:
        words("One\ntwo\n[](#gone)", label)
    assert refusal.value.line == 3


@pytest.mark.parametrize("text", ["`[](#a)`", "![](#a)", "[$x$](#a)", "[a](b.md)"])
def test_what_is_no_reference(text: str) -> None:
    found: tuple[Piece, ...] = parse(text + "\n", "docs/p.md").pieces
    assert [piece.code for piece in found if piece.kind == "ref"] == []


@pytest.mark.parametrize(
    ("text", "shown"),
    [
        ("by (6), and (2014)", f"by {SIX}, and (2014)"),
        ("(7'): so", '<a class="lb-ref" href="#eq-7-prime">(7\')</a>: so'),
        ("f(6), (5), (6 or 7), [a](6)", "f(6), (5), (6 or 7), [a](6)"),
        ("<a href='#'>(6)</a> <em>(6)</em>", f"<a href='#'>(6)</a> <em>{SIX}</em>"),
        ("<pre><code>(6)</code></pre><h2>(6)</h2>(6)", None),
    ],
)
def test_an_equation_named_in_a_sentence_is_a_link(
    text: str, shown: str | None
) -> None:
    shown = shown or text.replace("</h2>(6)", f"</h2>{SIX}")
    assert link_equations(text, EQUATIONS) == shown


def test_a_page_without_equations_stays_as_it_is() -> None:
    assert link_equations("(6)", labels(parse("(6)\n", "docs/p.md"))) == "(6)"

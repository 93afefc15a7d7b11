"""Diagrams on a page: links that lead somewhere, and words for those who see none."""

import pytest

from lookback.engine.blocks import parse
from lookback.engine.diagrams import diagram_html, linked, target_of

BOX = '<a href="lookback:{}" aria-label="norm"><rect/></a>'
TEXT = "# E\n\n$$a \\tag{2}$$\n\n## B { #b }\n"
PAGES = {"encoder.md": parse(TEXT, "docs/encoder.md")}


def test_a_link_leads_where_the_build_says() -> None:
    found = linked(BOX.format("encoder#eq-2"), lambda target: f"../{target}&")
    assert found == '<a href="../encoder#eq-2&amp;" aria-label="norm"><rect/></a>'


def test_a_target_without_a_page_is_no_link() -> None:
    assert linked(BOX.format("source:a.b:C"), lambda target: "") == "<rect/>"


def test_several_links_stay_apart() -> None:
    both = BOX.format("a") + "<text>x</text>" + BOX.format("b")
    assert linked(both, lambda t: t if t == "b" else "") == (
        '<rect/><text>x</text><a href="b" aria-label="norm"><rect/></a>'
    )


@pytest.mark.parametrize(
    ("target", "found"),
    [
        ("encoder", ("encoder.md", "")),
        ("encoder#eq-2", ("encoder.md", "eq-2")),
        ("encoder#b", ("encoder.md", "b")),
    ],
)
def test_what_a_box_names(target: str, found: tuple[str, str]) -> None:
    assert target_of(target, PAGES) == found


@pytest.mark.parametrize(
    ("target", "message"),
    [
        ("odd", r"links to odd: there is no page odd\.md"),
        ("encoder#eq-3", r"encoder\.md holds no \\tag\{3\}"),
        ("encoder#c", r"encoder\.md holds no #c"),
    ],
)
def test_what_is_not_there_is_refused(target: str, message: str) -> None:
    with pytest.raises(ValueError, match=message):
        target_of(target, PAGES)


def test_both_variants_get_the_words() -> None:
    html = diagram_html('<svg a=""></svg><svg b=""></svg>', 'a "box"', "It < that.")
    assert html.count('role="group" aria-label="a &quot;box&quot;"') == 2
    assert "<figcaption>It &lt; that.</figcaption></figure>" in html

"""Test tables: the same cells in HTML and in plain text."""

from xml.etree import ElementTree

import pytest

from lookback.figures import Table

TABLE = Table(
    ["model", "perplexity", "unseen"],
    [["add-k", 1234.5, "12 %"], ["Kneser–Ney <kn>", "90.1", "–"]],
    caption="Test topics & more",
)


def test_html_names_rows_and_columns() -> None:
    root = ElementTree.fromstring(TABLE._repr_html_())
    assert root.tag == "table" and root.findtext("caption") == "Test topics & more"
    heads = root.findall("thead/tr/th")
    assert [(h.text, h.get("scope")) for h in heads] == [
        ("model", "col"),
        ("perplexity", "col"),
        ("unseen", "col"),
    ]
    rows = root.findall("tbody/tr")
    assert [(row[0].tag, row[0].get("scope")) for row in rows] == [("th", "row")] * 2
    assert [[cell.text for cell in row] for row in rows] == [
        ["add-k", "1234.5", "12\u202f%"],
        ["Kneser–Ney <kn>", "90.1", "–"],
    ]
    assert {cell.tag for row in rows for cell in row[1:]} == {"td"}


def test_numbers_stand_right_and_words_left() -> None:
    root = ElementTree.fromstring(TABLE._repr_html_())
    for row in (*root.findall("thead/tr"), *root.findall("tbody/tr")):
        sides = [cell.get("style") for cell in row]
        assert sides == ["text-align:left", *["text-align:right"] * 2]


def test_a_year_is_not_grouped() -> None:
    assert (
        '<td style="text-align:right">2014</td>'
        in Table(["", "year"], [["a", 2014]])._repr_html_()
    )


def test_the_result_column_is_known() -> None:
    page = Table(["a", "b"], [["x", 1]], result="b")._repr_html_()
    cells = ElementTree.fromstring(page)
    assert [c.get("class") for c in cells.findall("tbody/tr/*")] == [None, "lb-result"]


def test_align_is_obeyed() -> None:
    html = Table(["a", "b", "c"], [["x", "1", "y"]], align="rlc")._repr_html_()
    cells = ElementTree.fromstring(html).findall("tbody/tr/*")
    sides = [cell.get("style") for cell in cells]
    assert sides == [f"text-align:{side}" for side in ("right", "left", "center")]


def test_plain_text_lines_up() -> None:
    assert repr(TABLE) == (
        "Test topics & more\n"
        "model            perplexity  unseen\n"
        "---------------  ----------  ------\n"
        "add-k                1234.5    12\u202f%\n"
        "Kneser–Ney <kn>        90.1       –"
    )
    assert repr(Table(["a"], [])) == "a\n-"


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (([], []), "header is empty"),
        ((["a", "b"], [["1"]]), r"row 0 is \['1'\]: expected 2 cells"),
        ((["a", "b"], [["1", "2"], "xy"]), "row 1 is 'xy': expected 2 cells"),
        ((["a", "b"], [], "l"), "align is 'l'"),
        ((["a", "b"], [], "lx"), "align is 'lx'"),
        ((["a", "b"], [], "", "", "c"), "result is 'c'"),
    ],
)
def test_refusals(arguments: tuple, message: str) -> None:
    with pytest.raises(ValueError, match=message):
        Table(*arguments)


def test_an_empty_corner_is_no_heading() -> None:
    page = Table(["", "n"], [["a", 1]])._repr_html_()
    assert "<thead><tr><td></td><th" in page

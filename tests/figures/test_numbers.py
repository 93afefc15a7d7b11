"""Test the tables of numbers: words are escaped, cells complete."""

from xml.etree import ElementTree

import numpy as np

from lookback.figures.numbers import chart_numbers, map_numbers, text_numbers


def cells(page: str) -> list[list[list[str]]]:
    tables = ElementTree.fromstring(f"<div>{page}</div>")
    return [[["".join(c.itertext()) for c in r] for r in t.iter("tr")] for t in tables]


def test_numbers_are_there_as_programs_read_them() -> None:
    """A row's name is one, too; what is shown as it is read stands once."""
    page = chart_numbers([12345.0], "x", {"a": [-2e-7], "b": [0.5], "c": [np.nan]})
    given = [cell.attrib for cell in ElementTree.fromstring(page).iter()]
    read = [marks["data-value"] for marks in given if "data-value" in marks]
    assert read == ["12345", "-2.00e-07", ""]


def test_of_many_points_some_are_told() -> None:
    page = chart_numbers([str(i) for i in range(100)], "x", {"": [0.0] * 100}, rows=4)
    (table,) = cells(page)
    assert table[0] == ["x", "value"]  # a series without a name
    assert [row[0] for row in table[1:]] == ["0", "33", "66", "99"]
    assert "4 of 100 points" in page


def test_a_row_of_texts() -> None:
    assert cells(text_numbers(("a", "b"), [("x", "y")])) == [[["a", "b"], ["x", "y"]]]
    assert "<td>the &lt;unk&gt;</td>" in text_numbers(("a", "b"), [("x", "the <unk>")])


def test_what_has_no_name_has_its_number() -> None:
    """A header that is blank has it, too: a screen reader would read nothing."""
    for none in ("", " "):
        names = {"corner": "", "label": ""}
        page = map_numbers({"": np.ones((2, 2))}, ["a", none], [none, "b"], **names)
        assert [row[0] for row in cells(page)[0]] == ["", "a", "2"]
        assert cells(page)[0][0] == ["", "1", "b"]

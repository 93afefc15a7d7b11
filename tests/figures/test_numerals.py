"""Test the format of numbers."""

import pytest

from lookback.figures.numerals import digits_before, in_figures, is_number, rounded


@pytest.mark.parametrize(
    ("text", "written"),
    [
        ("50000", "50\u202f000"),
        ("1,500", "1\u202f500"),
        ("6270", "6270"),
        ("1234567.25", "1\u202f234\u202f567.25"),
        ("-0.3", "−0.3"),
        ("95 %", "95\u202f%"),
        ("21%", "21\u202f%"),
        ("1.19e-250", "1.19 × 10⁻²⁵⁰"),
        ("12.0 ± 0.5", "12.0 ± 0.5"),
        ("29.3 (27.9 to 30.7)", "29.3 (27.9 to 30.7)"),
        ("-", "-"),
        ("2 -1 1", "2 −1 1"),
        ("(2, -1, 1)", "(2, −1, 1)"),
        ("add-k", "add-k"),
        ("GRU-50000", "GRU-50000"),
        ("4,345 and 21% of -x", "4\u202f345 and 21\u202f% of -x"),
        ("", ""),
    ],
)
def test_how_a_number_is_written(text: str, written: str) -> None:
    assert in_figures(text) == written
    assert in_figures(written) == written  # once is enough


@pytest.mark.parametrize(
    "text", ["-0.3", "1.19 × 10⁻²⁵⁰", "50\u202f000", "95\u202f%", "–"]
)
def test_what_is_written_is_a_number_still(text: str) -> None:
    assert is_number(text)


@pytest.mark.parametrize("text", ["add-k", "3 models", "", "x 1", "1 of 4"])
def test_words_are_none(text: str) -> None:
    assert not is_number(text)


@pytest.mark.parametrize(
    ("value", "written"),
    [
        (0, "0"),
        (3.0, "3"),
        (12345, "12\u202f345"),
        (0.12345, "0.123"),
        (12.345, "12.3"),
        (1234.5, "1234"),
        (-0.5, "−0.500"),
        (1.5e-9, "1.50 × 10⁻⁹"),
        (float("nan"), "–"),
    ],
)
def test_data_is_rounded(value: float, written: str) -> None:
    assert rounded(value) == written


def test_digits_are_counted_before_the_point() -> None:
    assert digits_before("50,000.25") == 5
    assert digits_before("-7.125 ± 12") == 2
    assert digits_before("3e10") == digits_before("word") == 0

"""Save the numbers of a figure as CSV files."""

from __future__ import annotations

from pathlib import Path

from playwright.sync_api import Page, expect

from lookback.figures.numbers import chart_numbers

NUMBERS = chart_numbers([12345.0], "n, m", {'"la"': [-2e-7], "": [float("nan")]})
FILL = "(table, page) => { table.outerHTML = page }"


def test_each_table_of_a_figure_is_saved_as_programs_read_it(page: Page) -> None:
    page.goto("attention/")
    fold = page.locator("#figure-4 + .lb-numbers")
    fold.locator("table").first.evaluate(FILL, NUMBERS)
    for _ in range(3):  # offered once
        fold.locator("summary").press("Enter")
    names = [f"Save attention-figure-4-{n}.csv" for n in (1, 2)]
    expect(fold.get_by_role("link")).to_have_text(names)
    with page.expect_download() as download:
        fold.get_by_role("link").first.press("Enter")
    assert download.value.suggested_filename == "attention-figure-4-1.csv"
    text = Path(download.value.path()).read_bytes().decode("utf-8")
    assert text == '"n, m","""la""",value\r\n12345,-2.00e-07,'

"""Save the numbers of a figure as CSV files."""

from __future__ import annotations

from pathlib import Path

from playwright.sync_api import Locator, Page, expect

from lookback.figures.numbers import chart_numbers

NUMBERS = chart_numbers([12345.0], "n, m", {'"la"': [-2e-7], "": [float("nan")]})
FILL = "(table, page) => { table.outerHTML = page }"


def opened(page: Page, figure: str) -> Locator:
    """Open the numbers of a figure by keyboard."""
    fold = page.locator(f"#{figure} + .lb-numbers")
    fold.locator("summary").press("Enter")
    return fold


def test_a_table_is_saved_as_programs_read_it(page: Page) -> None:
    page.goto("ngram/")
    table = page.locator("#figure-1 + .lb-numbers table")
    table.evaluate(FILL, NUMBERS)
    link = opened(page, "figure-1").get_by_role("link")
    with page.expect_download() as download:
        link.press("Enter")
    assert download.value.suggested_filename == "ngram-figure-1.csv"
    text = Path(download.value.path()).read_bytes().decode("utf-8")
    assert text == '"n, m","""la""",value\r\n12345,-2.00e-07,'


def test_each_table_of_a_figure_is_a_file(page: Page) -> None:
    page.goto("attention/")
    fold = opened(page, "figure-4")
    expect(fold.locator("table")).to_have_count(2)
    names = [f"Save attention-figure-4-{n}.csv" for n in (1, 2)]
    expect(fold.get_by_role("link")).to_have_text(names)
    for _ in range(2):
        fold.locator("summary").press("Enter")
    expect(fold.get_by_role("link")).to_have_count(2)

"""Touch the matrices of attention: what makes a number is lit and said."""

from __future__ import annotations

import pytest
from playwright.sync_api import Locator, Page, expect

from .checks import on_a_phone, overflowing, without_script


@pytest.fixture
def figure(page: Page) -> Locator:
    page.goto("attention/")
    return page.locator("#matrices")


def cell(figure: Locator, grid: str, i: int, j: int) -> Locator:
    row = figure.locator(f"[data-grid={grid}] tbody tr").nth(i)
    return row.locator("td").nth(j)


def lit(figure: Locator) -> dict[str, list[str]]:
    """Collect the numbers that are lit, by their grid."""
    found: dict[str, list[str]] = {}
    for one in figure.locator(".lb-from").all():
        grid = one.evaluate("e => e.closest('table').dataset.grid")
        found.setdefault(grid, []).append(one.inner_text())
    return found


def test_a_product_lights_its_row_and_its_column(figure: Locator) -> None:
    status = figure.get_by_role("status")
    cell(figure, "S", 1, 3).hover()
    assert lit(figure) == {"Q2": ["1", "1", "2"], "KT": ["2", "1", "2"]}
    product = "product of rivers for bank: 1 · 2 + 1 · 1 + 2 · 2 = 7"
    expect(status).to_have_text(product)
    cell(figure, "E", 1, 3).click()
    expect(status).to_have_text("score of rivers for bank: 7 / √3 = 4.04")
    cell(figure, "Q", 3, 2).click()
    assert lit(figure) == {"X": ["0", "2", "1", "0"], "WQ": ["0", "1", "0", "1"]}
    expect(status).to_have_text(
        "Q of rivers, number 3: 0 · 0 + 2 · 1 + 1 · 0 + 0 · 1 = 2"
    )


def test_the_arrows_move_and_the_mask_hides(page: Page, figure: Locator) -> None:
    status = figure.get_by_role("status")
    figure.locator("[data-grid=A]").focus()
    page.keyboard.press("ArrowDown")
    page.keyboard.press("ArrowRight")
    page.keyboard.press("ArrowRight")
    expect(status).to_contain_text("weight of where for bank: exp(2.31) / (exp(1.15)")
    expect(status).to_contain_text("= 0.13")
    mask = figure.get_by_role("button", name="Causal mask")
    mask.click()
    expect(cell(figure, "E", 1, 2)).to_have_text("−∞")
    expect(cell(figure, "A", 1, 1)).to_have_text("0.64")
    cell(figure, "E", 1, 2).click()
    expect(status).to_contain_text("where comes later than bank: hidden")
    mask.click()
    expect(cell(figure, "A", 1, 3)).to_have_text("0.73")


def test_the_numbers_appear_in_the_order_of_computing(
    page: Page, figure: Locator
) -> None:
    slider, status = figure.locator("input[type=range]"), figure.get_by_role("status")
    expect(figure.locator(".lb-unmade")).to_have_count(0)
    slider.press("Home")
    expect(cell(figure, "S", 0, 0)).to_be_visible()
    expect(cell(figure, "S", 0, 1)).to_be_hidden()
    expect(status).to_have_text("product of that for that: 1 · 0 + 1 · 2 + 0 · 0 = 2")
    assert lit(figure) == {"Q2": ["1", "1", "0"], "KT": ["0", "2", "0"]}
    for _ in range(5):
        slider.press("ArrowRight")
    expect(status).to_have_text("products of all words for bank: 2, 3, 4, 7, 1")
    assert lit(figure)["Q2"] == ["1", "1", "2"] and len(lit(figure)["KT"]) == 15
    expect(cell(figure, "E", 0, 0)).to_be_hidden()
    page.emulate_media(media="print")
    expect(cell(figure, "Z", 4, 2)).to_be_visible()
    page.emulate_media(media="screen")
    slider.press("End")
    expect(status).to_contain_text("Z of meet: 1.47, 5.18, 1.24")
    assert lit(figure)["A"] == ["0.00", "0.21", "0.04", "0.68", "0.07"]
    expect(figure.locator(".lb-unmade")).to_have_count(0)


@on_a_phone
def test_on_a_phone_every_label_and_column_stays(page: Page, figure: Locator) -> None:
    assert overflowing(page) == []
    room = page.evaluate("document.documentElement.clientWidth")
    cells = page.locator("#matrices :is(th, td, caption), .lb-query :is(th, td)")
    boxes = cells.evaluate_all(
        "all => all.map(e => e.getBoundingClientRect()).map(b => [b.width, b.right])"
    )
    assert len(boxes) > 100
    assert [box for box in boxes if not (box[0] > 0 and box[1] <= room)] == []


@without_script
def test_without_scripts_all_numbers_stand(figure: Locator) -> None:
    expect(figure.locator("table")).to_have_count(14)
    expect(figure.locator(".lb-lit").last).to_contain_text("1.28")

"""Point at the rows of attention maps, alone and in frames."""

from __future__ import annotations

import pytest
from playwright.sync_api import Locator, Page, expect

from .checks import on_a_phone, without_script

ROWS, STATUS, NUMBER = ".lb-rows button", "[role=status]", ".lb-shown text:visible"
MAP = 'figure[data-live="map"]'
FRAMES = "figure.lb-frames:has([data-live=map])"
BOTH = pytest.mark.parametrize(
    ("name", "selector"),
    [("bahdanau/", MAP), ("attention/", FRAMES)],
    ids=["map", "frames"],
)


def open_figure(page: Page, name: str, selector: str) -> Locator:
    """Open a page; locate the first figure that matches, with its rows in place."""
    page.goto(name)
    figure = page.locator(selector).first
    figure.locator(ROWS).first.wait_for(state="attached")
    return figure


def tables(figure: Locator) -> Locator:
    """Locate the numbers that are folded under a figure."""
    return figure.locator("xpath=following-sibling::details[1]")


def weights(figure: Locator, row: int) -> list[float]:
    """Read a row of the map that is shown from the table folded under it."""
    frame = tables(figure).locator("[data-frame]:not([hidden])")
    table = frame if frame.count() else tables(figure)
    cells = table.locator(f"tbody tr:nth-child({row + 1}) td").all_text_contents()
    return [float(text.replace("−", "-")) for text in cells]


def percent(row: list[float]) -> list[int]:
    return [round(100 * weight) for weight in row if weight >= 0.01]


def numbers(figure: Locator) -> list[int]:
    """Read the numbers written into the map's row."""
    return [int(text) for text in figure.locator(NUMBER).all_text_contents()]


def font_sizes(figure: Locator) -> list[float]:
    """Measure the words over the first panel that is shown."""
    words = figure.locator("svg:visible [id*='-axes_1'] [id*='-xtick_'] text")
    size = "texts => texts.map(text => parseFloat(getComputedStyle(text).fontSize))"
    found: list[float] = words.evaluate_all(size)
    return found


@pytest.mark.parametrize(
    ("name", "selector", "on_paper"), [("bahdanau/", MAP, 1), ("attention/", FRAMES, 3)]
)
def test_hovering_a_row_shows_its_numbers_and_paper_has_no_controls(
    page: Page, name: str, selector: str, on_paper: int
) -> None:
    figure = open_figure(page, name, selector)
    before = font_sizes(figure)
    figure.locator(ROWS).nth(1).hover()
    row = weights(figure, 1)
    assert row and numbers(figure) == percent(row)
    largest = max(range(len(row)), key=row.__getitem__)
    after = font_sizes(figure)
    assert after.index(max(after)) == largest and after[largest] > before[largest]
    expect(figure.locator(STATUS)).to_have_count(1)
    expect(figure.locator(STATUS)).to_contain_text(" attends to ")
    page.mouse.move(0, 0)
    expect(figure.locator(".lb-shown")).to_have_count(0)
    assert font_sizes(figure) == before
    figure.locator(ROWS).nth(1).focus()
    page.emulate_media(media="print")
    expect(figure.locator("svg[role=img]:visible")).to_have_count(on_paper)
    for control in (".lb-bar", ".lb-shown"):
        expect(figure.locator(control)).to_be_hidden()
    expect(tables(figure)).to_be_hidden()


@BOTH
def test_keys_walk_the_rows_and_the_status_tells_them(
    page: Page, name: str, selector: str
) -> None:
    figure = open_figure(page, name, selector)
    rows, status = figure.locator(ROWS), figure.locator(STATUS)
    last = rows.count() - 1
    assert rows.evaluate_all("rows => rows.filter(r => r.tabIndex === 0).length") == 1
    rows.first.focus()
    keys = ("ArrowDown", 1), ("End", last), ("ArrowUp", last - 1), ("Home", 0)
    for key, at in keys:
        page.keyboard.press(key)
        expect(rows.nth(at)).to_be_focused()
        assert rows.nth(at).get_attribute("aria-label") == status.text_content()
    assert f"{round(100 * max(weights(figure, 0)))} %" in (status.text_content() or "")
    page.keyboard.press("Escape")
    expect(figure.locator(".lb-shown")).to_have_count(0)


@on_a_phone
@BOTH
def test_a_tap_shows_a_row(page: Page, name: str, selector: str) -> None:
    figure = open_figure(page, name, selector)
    boxes = [row.bounding_box() for row in figure.locator(ROWS).all()]
    assert all(box and box["height"] >= 23.5 for box in boxes)
    figure.locator(ROWS).nth(2).tap()
    expect(figure.locator(f"{NUMBER} >> nth=0")).to_be_visible()
    expect(figure.locator(STATUS)).to_contain_text("attends to")


def test_gold_hides_and_stays_hidden_in_the_next_frame(page: Page) -> None:
    figure = open_figure(page, "ibm1/", FRAMES)
    marks = figure.locator(".lb-frame:visible [id*='-gold_']").first
    gold = figure.get_by_role("button", name="gold", exact=True)
    expect(marks).to_be_visible()
    figure.locator(ROWS).first.focus()
    expect(figure.locator(STATUS)).to_contain_text("gold:")
    gold.click()
    expect(marks).to_be_hidden()
    figure.get_by_role("button", name="Step on").click()
    expect(marks).to_be_hidden()
    expect(gold).to_have_attribute("aria-pressed", "false")
    gold.click()
    expect(marks).to_be_visible()


def test_a_panel_can_be_alone(page: Page) -> None:
    page.goto("multihead/")
    figure = page.locator(f"{MAP}:has(.lb-switches)").last
    panels = figure.locator(".lb-rows [role=toolbar]")
    count = panels.count()
    width = figure.locator(ROWS).first.evaluate("e => e.offsetWidth")
    assert count > 2
    figure.get_by_role("button", name="2 of 4", exact=True).click()
    expect(panels).to_have_count(1)
    expect(panels).to_have_attribute("aria-label", "2 of 4")
    assert figure.locator(ROWS).first.evaluate("e => e.offsetWidth") > 1.5 * width
    figure.get_by_role("button", name="1 of 4", exact=True).click()
    expect(panels).to_have_attribute("aria-label", "1 of 4")
    words = figure.locator("svg:visible [id*='-ytick_'] text")
    expect(words.first).to_be_hidden()  # it has the script's, which are larger
    figure.get_by_role("button", name="all", exact=True).click()
    expect(panels).to_have_count(count)
    expect(words.first).to_be_visible()


def test_a_row_stays_when_the_frame_or_the_width_changes(page: Page) -> None:
    figure = open_figure(page, "attention/", FRAMES)
    row, status = figure.locator(ROWS).nth(1), figure.locator(STATUS)
    row.focus()
    last, before = weights(figure, 1), status.text_content()
    figure.locator("input[type=range]").evaluate(
        "slider => { slider.value = 0; slider.dispatchEvent(new Event('input')) }"
    )
    expect(figure.locator(".lb-frame:visible > p")).to_have_text("step 0")
    shown = tables(figure).locator("[data-frame]:not([hidden]) > p")
    expect(shown).to_have_text("step 0")
    expect(row).to_be_focused()
    assert status.text_content() == row.get_attribute("aria-label") != before
    assert numbers(figure) == percent(weights(figure, 1)) != percent(last)
    expect(figure.locator(".lb-rows")).to_have_count(1)
    page.set_viewport_size({"width": 700, "height": 900})
    right = "e => e.getBoundingClientRect().right"
    svg = figure.locator(".lb-frame:visible svg:visible").first
    expect(row).to_be_focused()
    assert row.evaluate(right) < svg.evaluate(right)
    expect(figure.locator(".lb-shown")).to_have_count(1)
    for _ in figure.locator(".lb-frame").all():  # each has numbers of its own
        figure.locator(ROWS).first.hover()
        assert numbers(figure) == percent(weights(figure, 0)) != []
        figure.get_by_role("button", name="Step on").click()
        expect(figure.locator(".lb-shown")).to_have_count(0)


@without_script
def test_without_scripts_the_chosen_frames_have_their_tables(page: Page) -> None:
    page.goto("attention/")
    figure = page.locator(FRAMES).first
    chosen = figure.locator(".lb-frame:visible > p").all_text_contents()
    assert len(chosen) == 3
    expect(figure.locator(".lb-bar, .lb-rows")).to_have_count(0)
    folded = tables(figure)
    expect(folded.locator("table").first).to_be_hidden()
    folded.locator("summary").click()
    assert folded.locator("[data-frame]:visible > p").all_text_contents() == chosen
    expect(folded.locator("table:visible")).to_have_count(3)

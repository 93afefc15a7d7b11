"""Maps in frames, in hand: with a mouse, with keys, a finger, and without a script."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest
from playwright.sync_api import Locator, Page, expect

from .axe import faults
from .conftest import SCHEMES

Open = Callable[..., Any]
FIGURE = "figure.lb-frames:has([data-live=map]) >> nth=0"
FILM = """(contains(@class, 'lb-frames') or contains(@class, 'lb-numbers'))
    and count(preceding::figure[contains(@class, 'lb-frames')]) < 2"""
STATUS, ROWS = "[role=status]", ".lb-rows button"
PHONE = {"viewport": {"width": 360, "height": 740}, "has_touch": True}


def film(page: Page) -> Locator:
    """The first figure of maps in frames, with its rows in place."""
    figure = page.locator(FIGURE)
    expect(figure.locator(ROWS).first).to_be_attached()
    return figure


def numbers(page: Page) -> Locator:
    return page.locator(f"{FIGURE} >> xpath=following-sibling::details[1]")


def weights(page: Page, label: str, row: int) -> list[float]:
    """A row of the frame of this label, from the table folded under the figure."""
    part = numbers(page).locator(f"[data-frame]:has(> p:text-is('{label}'))")
    cells = part.locator(f"tbody tr:nth-child({row + 1}) td").all_text_contents()
    return [float(text.replace("−", "-")) for text in cells]


def percent(row: list[float]) -> list[int]:
    return [round(100 * weight) for weight in row if weight >= 0.01]


def written(figure: Locator) -> list[int]:
    texts = figure.locator(".lb-frame:visible .lb-shown text").all_text_contents()
    return [int(text) for text in texts]


def sizes(figure: Locator) -> list[float]:
    """How large the words over the frame that is shown are written."""
    words = figure.locator(".lb-frame:visible [id*='-xtick_'] text")
    size = "texts => texts.map(text => parseFloat(getComputedStyle(text).fontSize))"
    found: list[float] = words.evaluate_all(size)
    return found


def test_a_row_under_the_pointer_shows_the_numbers_of_its_frame(read: Open) -> None:
    with read("attention/", reduced_motion="reduce") as page:
        figure = film(page)
        before = sizes(figure)
        figure.locator(ROWS).nth(1).hover()
        row = weights(page, "step 120", 1)
        assert written(figure) == percent(row)
        largest = max(range(len(row)), key=row.__getitem__)
        after = sizes(figure)
        assert after.index(max(after)) == largest and after[largest] > before[largest]
        expect(figure.locator(STATUS)).to_have_count(1)
        expect(figure.locator(STATUS)).to_contain_text(" attends to ")
        page.mouse.move(0, 0)
        expect(figure.locator(".lb-shown")).to_have_count(0)
        assert sizes(figure) == before


def test_the_slider_takes_the_map_to_the_next_frame(read: Open) -> None:
    with read("attention/", FILM, reduced_motion="reduce") as page:
        figure = film(page)
        figure.locator("input[type=range]").focus()
        page.keyboard.press("Home")
        expect(figure.locator(".lb-frame:visible > p")).to_have_text("step 0")
        expect(numbers(page).locator("[data-frame]:not([hidden]) > p")).to_have_text(
            "step 0"
        )
        figure.locator(ROWS).nth(1).hover()
        row = weights(page, "step 0", 1)
        assert row != weights(page, "step 120", 1)
        assert written(figure) == percent(row)
        expect(figure.locator(".lb-rows")).to_have_count(1)


def test_keys_walk_the_rows_and_a_row_stays_when_the_frame_changes(read: Open) -> None:
    with read("attention/", FILM, reduced_motion="reduce") as page:
        figure = film(page)
        rows, status = figure.locator(ROWS), figure.locator(STATUS)
        rows.first.focus()
        last = rows.count() - 1
        for key, at in (("End", last), ("ArrowUp", last - 1), ("Home", 0)):
            page.keyboard.press(key)
            expect(rows.nth(at)).to_be_focused()
            assert rows.nth(at).get_attribute("aria-label") == status.text_content()
        page.keyboard.press("ArrowDown")
        told = status.text_content()
        figure.locator("input[type=range]").evaluate(
            "slider => { slider.value = 0; slider.dispatchEvent(new Event('input')) }"
        )
        expect(rows.nth(1)).to_be_focused()
        assert status.text_content() == rows.nth(1).get_attribute("aria-label") != told
        assert written(figure) == percent(weights(page, "step 0", 1))
        page.keyboard.press("Escape")
        expect(figure.locator(".lb-shown")).to_have_count(0)


def test_a_finger_marks_a_row_and_steps_on(read: Open) -> None:
    with read("attention/", FILM, **PHONE) as page:
        figure = film(page)
        boxes = [row.bounding_box() for row in figure.locator(ROWS).all()]
        assert all(box and box["height"] >= 23.5 for box in boxes)
        for button in ("Step on", "Step on"):
            figure.locator(ROWS).nth(2).tap()
            expect(figure.locator(".lb-frame:visible .lb-shown")).to_have_count(1)
            expect(figure.locator(STATUS)).to_contain_text("attends to")
            figure.get_by_role("button", name=button).tap()
            expect(figure.locator(".lb-shown")).to_have_count(0)


def test_every_frame_can_be_held(read: Open) -> None:
    with read("attention/", FILM, reduced_motion="reduce") as page:
        figure = film(page)
        step = figure.get_by_role("button", name="Step on")
        for _ in figure.locator(".lb-frame").all():
            label = figure.locator(".lb-frame:visible > p").text_content() or ""
            figure.locator(ROWS).first.hover()
            row = weights(page, label, 0)
            assert row and written(figure) == percent(row)
            step.click()


def test_gold_that_is_hidden_stays_hidden_in_the_next_frame(read: Open) -> None:
    with read("ibm1/", FILM, reduced_motion="reduce") as page:
        figure = film(page)
        marks = figure.locator(".lb-frame:visible [id*='-gold_']").first
        gold = figure.get_by_role("button", name="gold", exact=True)
        expect(marks).to_be_visible()
        gold.click()
        figure.get_by_role("button", name="Step on").click()
        expect(marks).to_be_hidden()
        expect(gold).to_have_attribute("aria-pressed", "false")
        gold.click()
        expect(marks).to_be_visible()


def test_the_row_is_held_when_the_window_becomes_narrower(read: Open) -> None:
    with read("attention/", FILM, reduced_motion="reduce") as page:
        figure = film(page)
        row = figure.locator(ROWS).nth(2)
        row.focus()
        page.set_viewport_size({"width": 700, "height": 900})
        svg = figure.locator(".lb-frame:visible svg").first
        right = "e => e.getBoundingClientRect().right"
        expect(row).to_be_focused()
        assert row.evaluate(right) < svg.evaluate(right)
        expect(figure.locator(".lb-shown")).to_have_count(1)


@pytest.mark.parametrize("scheme", SCHEMES)
def test_axe_finds_nothing(read: Open, scheme: str) -> None:
    with read("attention/", FILM, color_scheme=scheme, reduced_motion="reduce") as page:
        figure = film(page)
        figure.get_by_role("button", name="Step on").click()
        numbers(page).locator("summary").click()
        figure.locator(ROWS).nth(3).focus()
        assert faults(page) == []


def test_without_a_script_the_chosen_ones_have_their_numbers(read: Open) -> None:
    with read("attention/", FILM, java_script_enabled=False) as page:
        figure = page.locator(FIGURE)
        chosen = figure.locator(".lb-frame:visible > p").all_text_contents()
        assert len(chosen) == 3
        expect(figure.locator(".lb-bar, .lb-rows")).to_have_count(0)
        folded = numbers(page)
        expect(folded.locator("table").first).to_be_hidden()
        folded.locator("summary").click()
        labels = folded.locator("[data-frame]:visible > p").all_text_contents()
        assert labels == chosen
        expect(folded.locator("table:visible")).to_have_count(3)


def test_paper_has_the_chosen_maps_without_what_moves(read: Open) -> None:
    with read("attention/", FILM) as page:
        figure = film(page)
        figure.locator(ROWS).nth(1).focus()
        page.emulate_media(media="print")
        expect(figure.locator(".lb-frame:visible")).to_have_count(3)
        for moving in (".lb-bar", ".lb-shown"):
            expect(figure.locator(moving)).to_be_hidden()
        expect(numbers(page)).to_be_hidden()

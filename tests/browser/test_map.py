"""The map in hand: with a mouse, with keys, with a finger, and without a script."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest
from playwright.sync_api import Locator, Page, expect

from .axe import faults
from .conftest import MAPS, SCHEMES, SETTLED

Open = Callable[..., Any]
STATUS, ROWS = "[role=status].lb-told", ".lb-rows button"
FIRST = 'figure[data-live="map"] >> nth=0'
TWO_FORMS = 'figure[data-live="map"]:has(.lb-narrow) >> nth=0'


def weights(page: Page, row: int) -> list[float]:
    """A row of the first map, from the table under it."""
    cells = page.locator(f"{FIRST} >> xpath=following-sibling::details").locator(
        f"tbody tr:nth-child({row + 1}) td"
    )
    return [float(text.replace("−", "-")) for text in cells.all_text_contents()]


def sizes(figure: Locator) -> list[float]:
    """How large the words over the first panel are written."""
    words = figure.locator("svg:visible [id*='-axes_1'] [id*='-xtick_'] text")
    size = "texts => texts.map(text => parseFloat(getComputedStyle(text).fontSize))"
    found: list[float] = words.evaluate_all(size)
    return found


def test_a_row_under_the_pointer_shows_its_numbers(read: Open) -> None:
    with read("bahdanau/", reduced_motion="reduce") as page:
        figure = page.locator(FIRST)
        before = sizes(figure)
        figure.locator(ROWS).nth(1).hover()
        row = weights(page, 1)
        shown = figure.locator("svg:visible .lb-shown text").all_text_contents()
        assert [int(text) for text in shown] == [
            round(100 * w) for w in row if w >= 0.01
        ]
        largest = max(range(len(row)), key=row.__getitem__)
        after = sizes(figure)
        assert after.index(max(after)) == largest and after[largest] > before[largest]
        expect(figure.locator(STATUS)).to_contain_text(" attends to ")
        page.mouse.move(0, 0)
        expect(figure.locator(".lb-shown")).to_have_count(0)
        assert sizes(figure) == before


def test_keys_walk_the_rows_and_the_words_are_told(read: Open) -> None:
    with read("bahdanau/", MAPS, reduced_motion="reduce") as page:
        figure = page.locator(FIRST)
        rows = figure.locator(ROWS)
        last = rows.count() - 1
        assert (
            rows.evaluate_all("rows => rows.filter(r => r.tabIndex === 0).length") == 1
        )
        rows.first.focus()
        for key, at in (
            ("ArrowDown", 1),
            ("End", last),
            ("ArrowUp", last - 1),
            ("Home", 0),
        ):
            page.keyboard.press(key)
            expect(rows.nth(at)).to_be_focused()
            told = figure.locator(STATUS).text_content()
            assert rows.nth(at).get_attribute("aria-label") == told
        row = weights(page, 0)
        assert f"{round(100 * max(row))} %" in (told or "") and "gold:" in (told or "")
        page.keyboard.press("Escape")
        expect(figure.locator(".lb-shown")).to_have_count(0)


def test_a_finger_marks_a_row(read: Open) -> None:
    phone = {"viewport": {"width": 360, "height": 740}, "has_touch": True}
    with read("bahdanau/", MAPS, **phone) as page:
        figure = page.locator(FIRST)
        rows = figure.locator(ROWS)
        assert all(
            box["height"] >= 23.5 for box in map(Locator.bounding_box, rows.all())
        )
        rows.nth(2).tap()
        expect(figure.locator("svg:visible .lb-shown")).to_have_count(1)
        expect(figure.locator(STATUS)).to_contain_text("attends to")


def test_gold_can_be_hidden(read: Open) -> None:
    with read("bahdanau/", MAPS) as page:
        figure = page.locator(FIRST)
        gold = figure.get_by_role("button", name="gold", exact=True)
        marks = figure.locator("svg:visible [id*='-gold_']").first
        expect(marks).to_be_visible()
        gold.click()
        expect(marks).to_be_hidden()
        expect(gold).to_have_attribute("aria-pressed", "false")


def test_a_panel_can_be_alone(read: Open) -> None:
    with read("multihead/", "@data-live='map'") as page:
        figure = page.locator('figure[data-live="map"]:has(.lb-switches)').last
        panels = figure.locator(".lb-rows [role=toolbar]")
        every = panels.count()
        width = figure.locator(ROWS).first.evaluate("e => e.offsetWidth")
        assert every > 2
        figure.get_by_role("button", name="2 of 4", exact=True).click()
        expect(panels).to_have_count(1)
        expect(panels).to_have_attribute("aria-label", "2 of 4")
        assert figure.locator(ROWS).first.evaluate("e => e.offsetWidth") > 1.5 * width
        figure.get_by_role("button", name="1 of 4", exact=True).click()
        expect(panels).to_have_attribute("aria-label", "1 of 4")
        words = figure.locator("svg:visible [id*='-ytick_'] text")
        expect(words.first).to_be_hidden()  # it has the script's, which are larger
        figure.get_by_role("button", name="all", exact=True).click()
        expect(panels).to_have_count(every)
        expect(words.first).to_be_visible()


@pytest.mark.parametrize("scheme", SCHEMES)
def test_axe_finds_nothing_in_any_state(read: Open, scheme: str) -> None:
    with read("luong/", MAPS, color_scheme=scheme, reduced_motion="reduce") as page:
        figure = page.locator(FIRST)
        figure.locator(ROWS).nth(3).focus()
        assert faults(page) == []
        figure.get_by_role("button", name="gold", exact=True).click()
        page.locator(".lb-switches >> nth=1 >> button >> nth=1").click()
        assert faults(page) == []


def test_without_a_script_the_map_and_its_numbers_stand(read: Open) -> None:
    with read("encoder/", MAPS, java_script_enabled=False) as page:
        figure = page.locator(TWO_FORMS)
        expect(figure.locator("svg.lb-wide")).to_be_visible()
        expect(figure.locator("svg.lb-narrow")).to_be_hidden()
        expect(figure.locator(".lb-bar")).to_have_count(0)
        numbers = figure.locator("xpath=following-sibling::details[1]")
        numbers.locator("summary").click()
        expect(numbers.locator("table").first).to_be_visible()


DRAWINGS = """figures => figures.map(figure => {
    const shown = [...figure.querySelectorAll("svg[role=img]")]
        .filter(drawing => drawing.checkVisibility());
    const room = figure.querySelector(".lb-scroll");
    return [shown.map(drawing => drawing.classList[0]).join(),
            room.scrollWidth <= room.clientWidth + 1];
})"""


def test_each_width_has_one_drawing_with_one_name(read: Open) -> None:
    with read("bahdanau/", viewport={"width": 360, "height": 900}) as page:
        for width, kind in ((360, "lb-narrow"), (820, "lb-wide")):
            page.set_viewport_size({"width": width, "height": 900})
            page.evaluate(SETTLED)
            figures = page.locator("figure.lb-figure:has(.lb-narrow)")
            assert figures.count() > 5
            assert {*map(tuple, figures.evaluate_all(DRAWINGS))} == {(kind, True)}


def test_paper_has_the_map_without_what_moves(read: Open) -> None:
    with read("encoder/", MAPS) as page:
        page.locator(TWO_FORMS).locator(ROWS).nth(1).focus()
        page.emulate_media(media="print")
        figure = page.locator(TWO_FORMS)
        expect(figure.locator("svg.lb-wide")).to_be_visible()
        for moving in (".lb-bar", ".lb-shown"):
            expect(figure.locator(moving)).to_be_hidden()
        expect(page.locator("details.lb-numbers").first).to_be_hidden()

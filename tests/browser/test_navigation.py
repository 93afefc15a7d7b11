"""Ways around the book: the menu of a phone, contents, letters, the way back."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest
from playwright.sync_api import expect

from .conftest import BEGIN
from .windows import Windows

Window = Callable[..., Any]
PHONE, DESKTOP = {"width": 390, "height": 844}, {"width": 1280, "height": 900}


@pytest.fixture
def window(windows: Windows) -> Callable[..., Any]:
    """A window of this size, of a reader who does not like motion."""

    def lend(size: dict[str, int], **options: bool) -> Any:
        return windows.lend(viewport=size, reduced_motion="reduce", **options)

    return lend


@pytest.mark.parametrize("chapter", ["ngram/", "transformer/", "bibliography/"])
def test_the_menu_opens_where_the_reader_is(read: Window, chapter: str) -> None:
    with read(chapter, BEGIN, viewport=PHONE, reduced_motion="reduce") as page:
        menu = page.locator("button.lb-menu")
        menu.click()
        current = page.locator(".md-sidebar--primary a[aria-current=page]")
        expect(current).to_be_focused()
        expect(current).to_be_in_viewport()
        assert menu.get_attribute("aria-expanded") == "true"
        page.keyboard.press("Escape")
        expect(menu).to_be_focused()
        assert menu.get_attribute("aria-expanded") == "false"
        expect(page.locator(".md-sidebar--primary")).to_be_hidden()


def test_without_scripts_the_menu_opens_too(read: Window, base: str) -> None:
    with read("bahdanau/", BEGIN, viewport=PHONE, java_script_enabled=False) as page:
        link = page.locator(".md-sidebar--primary a[href='../luong/']")
        expect(link).not_to_be_in_viewport()
        page.locator("label.lb-menu").click()
        link.click()
        expect(page).to_have_url(f"{base}luong/")
        expect(page.locator(".md-search__input")).to_be_hidden()  # it would do nothing


def test_without_scripts_the_keyboard_opens_the_menu(read: Window) -> None:
    with read("bahdanau/", BEGIN, viewport=PHONE, java_script_enabled=False) as page:
        page.keyboard.press("Tab")
        page.keyboard.press("Space")
        expect(page.locator("a[href='../luong/']").first).to_be_visible()


CONTENTS = ".md-sidebar--secondary .md-nav__link"


def test_the_contents_mark_the_section_that_was_chosen(
    window: Window, base: str
) -> None:
    with window(DESKTOP) as page:
        page.goto(f"{base}luong/")
        for number in (1, 5, 3):
            link = page.locator(f"{CONTENTS}[href^='#']").nth(number)
            link.click()
            name = link.get_attribute("href")
            active = page.locator(f"{CONTENTS}--active")
            expect(active).to_have_attribute("href", str(name))


def test_a_listing_leads_back_and_belongs_to_its_chapter(
    window: Window, base: str
) -> None:
    with window(DESKTOP) as page:
        page.goto(f"{base}source/attention/")
        current = page.locator(".md-sidebar--primary [aria-current]")
        assert current.evaluate("e => e.pathname") == "/attention/"
        expect(page.locator(".lb-back a[href='../../attention/']")).to_have_count(2)
        page.locator(".lb-back a").first.click()
        expect(page).to_have_url(f"{base}attention/")


def test_the_keys_are_told_and_work(read: Window, base: str) -> None:
    with read("ngram/", BEGIN, reduced_motion="reduce") as page:
        expect(page.locator(".lb-keys")).to_contain_text("/ search")
        assert "/" in str(page.get_attribute(".md-search__input", "placeholder"))
        page.keyboard.press("n")
        expect(page).to_have_url(f"{base}rules/")
        expect(page.locator("html.js")).to_have_count(1)  # its script has run
        page.keyboard.press("p")
        expect(page).to_have_url(f"{base}ngram/")


def test_the_letters_of_the_glossary_lead_to_its_parts(
    window: Window, base: str
) -> None:
    with window(PHONE) as page:
        page.goto(f"{base}glossary/")
        letters = page.locator(".lb-letters a")
        parts = page.locator(".lb-glossary h2").evaluate_all(
            "h => h.map(e => '#' + e.id)"
        )
        links = letters.evaluate_all("links => links.map(a => a.hash)")
        assert links == parts == sorted(parts) and len(parts) > 15
        terms = page.locator(".lb-glossary dt").evaluate_all(
            "terms => terms.map(e => [e.textContent.trim()[0].toUpperCase(), e.id,"
            " e.parentElement.previousElementSibling.id])"
        )
        assert [t for t in terms if f"letter-{t[0].lower()}" != t[2]] == []
        letters.last.click()
        expect(page.locator(".lb-glossary h2").last).to_be_in_viewport()


DOORS = ("ngram/", "bahdanau/", "live/")


@pytest.mark.parametrize("size", [PHONE, DESKTOP], ids=["phone", "desktop"])
def test_the_first_screen_says_where_to_begin(
    window: Window, base: str, size: dict[str, int]
) -> None:
    with window(size) as page:
        page.goto(base)
        expect(page.locator("h1")).to_be_in_viewport()
        doors = page.locator(".lb-doors a")
        assert doors.evaluate_all("a => a.map(e => e.pathname.slice(1))") == [*DOORS]
        for number in range(3):
            expect(doors.nth(number)).to_be_in_viewport(ratio=1)
        expect(page.locator(".lb-hero figure").first).to_be_in_viewport()


def test_the_axis_of_history_is_true_to_the_year(window: Window, base: str) -> None:
    """Each mark stands where its year is between those written over the axis."""
    with window(DESKTOP) as page:
        page.goto(base)
        years = page.evaluate(
            """() => [...document.querySelectorAll('.lb-scale span')].map(e => {
                const box = e.getBoundingClientRect();
                return [+e.textContent, (box.left + box.right) / 2]})"""
        )
        marks = page.evaluate(
            """() => [...document.querySelectorAll('.lb-track i')].map(e => {
                const box = e.getBoundingClientRect();
                const year = e.title.match(/[0-9]{4}/)[0];
                return [+year, (box.left + box.right) / 2]})"""
        )
        (first, left), (last, right) = years[0], years[-1]
        pace = (right - left) / (last - first)
        assert len(marks) > 20 and pace > 3
        for year, x in marks:
            assert abs(x - (left + pace * (year - first))) < 1, year

"""Navigate the book: the menu of a phone, contents, keys, letters, the front page."""

from __future__ import annotations

import pytest
from playwright.sync_api import Page, expect

from .checks import PHONE

CONTENTS = ".md-sidebar--secondary .md-nav__link"
MENU = ".md-sidebar--primary"
narrow = pytest.mark.browser_context_args(viewport=PHONE)


@narrow
def test_the_menu_opens_at_the_current_page(page: Page) -> None:
    page.goto("transformer/")
    menu = page.locator("button.lb-menu")
    menu.click()
    current = page.locator(f"{MENU} a[aria-current=page]")
    expect(current).to_be_focused()
    expect(current).to_be_in_viewport()
    expect(menu).to_have_attribute("aria-expanded", "true")
    page.keyboard.press("Escape")
    expect(menu).to_be_focused()
    expect(menu).to_have_attribute("aria-expanded", "false")
    expect(page.locator(MENU)).to_be_hidden()


@pytest.mark.browser_context_args(viewport=PHONE, java_script_enabled=False)
@pytest.mark.parametrize("by_key", [False, True])
def test_without_scripts_the_menu_opens_too(page: Page, by_key: bool) -> None:
    page.goto("bahdanau/")
    expect(page.locator(".md-search__input")).to_be_hidden()  # it would do nothing
    link = page.locator(f"{MENU} a[href='../luong/']")
    expect(link).not_to_be_in_viewport()
    if by_key:
        page.keyboard.press("Tab")
        page.keyboard.press("Space")
    else:
        page.locator("label.lb-menu").click()
    link.click()
    expect(page).to_have_url("luong/")


def test_contents_mark_the_section_chosen_and_keys_lead_on_and_back(page: Page) -> None:
    page.goto("ngram/")
    for number in (1, 3):
        link = page.locator(f"{CONTENTS}[href^='#']").nth(number)
        link.click()
        active = page.locator(f"{CONTENTS}--active")
        expect(active).to_have_attribute("href", str(link.get_attribute("href")))
    expect(page.locator(".lb-keys")).to_contain_text("/ search")
    assert "/" in str(page.get_attribute(".md-search__input", "placeholder"))
    page.keyboard.press("n")
    expect(page).to_have_url("rules/")
    expect(page.locator("html.js")).to_have_count(1)  # its script has run
    page.keyboard.press("p")
    expect(page).to_have_url("ngram/")


def test_a_source_page_leads_to_its_chapter_and_that_to_what_it_needs(
    page: Page,
) -> None:
    page.goto("source/attention/")
    current = page.locator(f"{MENU} [aria-current]")
    assert current.evaluate("e => e.pathname") == "/attention/"
    page.locator(".lb-back a[href='../../attention/']").first.click()
    expect(page).to_have_url("attention/")
    before = page.locator(".lb-before")
    expect(before).to_contain_text(" minutes")
    expect(before).to_contain_text("An evening: 3 of 5, next The Transformer")
    page.locator(".lb-before a[href='../bahdanau/']").click()
    expect(page).to_have_url("bahdanau/")


@narrow
def test_the_letters_of_the_glossary_lead_to_its_parts(page: Page) -> None:
    page.goto("glossary/")
    headings = page.locator(".lb-glossary h2")
    ids = headings.evaluate_all("all => all.map(e => '#' + e.id)")
    letters = page.locator(".lb-letters a")
    links = letters.evaluate_all("links => links.map(a => a.hash)")
    assert links == ids == sorted(ids) and len(ids) > 15
    terms = page.locator(".lb-glossary dt").evaluate_all(
        "terms => terms.map(e => [e.textContent.trim()[0].toLowerCase(),"
        " e.parentElement.previousElementSibling.id])"
    )
    assert [term for term in terms if f"letter-{term[0]}" != term[1]] == []
    letters.last.click()
    expect(headings.last).to_be_in_viewport()


@pytest.mark.parametrize("width, height, seen", [(390, 844, 2), (1280, 900, 5)])
def test_the_first_screen_says_for_whom_and_where_to_begin(
    page: Page, width: int, height: int, seen: int
) -> None:
    page.set_viewport_size({"width": width, "height": height})
    page.goto("")
    expect(page.locator("h1")).to_be_in_viewport()
    expect(page.locator(".lb-hero a[href='#prerequisites']")).to_be_in_viewport()
    doors = page.locator(".lb-doors li")
    paths = doors.locator("a").evaluate_all("links => links.map(a => a.pathname)")
    assert paths == ["/story/", "/encdec/", "/ngram/", "/ngram/", "/live/"]
    for door in doors.all()[:seen]:
        expect(door).to_be_in_viewport(ratio=1)
    menu = page.locator(f"{MENU} a[href='ngram/']")
    expect(menu).to_be_in_viewport() if width > 1220 else expect(menu).to_be_hidden()

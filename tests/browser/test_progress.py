"""Keep a reader's progress in the browser: read to the end, marked, forgotten."""

from __future__ import annotations

from playwright.sync_api import Page, expect

from .checks import PHONE, axe_violations, without_script

OURS = "Object.keys(localStorage).filter(key => key.startsWith('lookback.'))"
END = "scrollTo(0, document.body.scrollHeight)"


def test_a_chapter_read_to_its_end_is_marked_until_all_is_forgotten(page: Page) -> None:
    page.goto("rules/")
    expect(page.locator(".lb-progress button")).to_be_hidden()
    expect(page.locator(".lb-tick")).to_have_count(0)
    told = page.locator(".lb-progress [role=status]")
    for chapter in ("rules/", "bahdanau/", "bahdanau/"):  # twice, and counts once
        page.goto(chapter)
        page.evaluate(END)
        expect(told).to_contain_text("You have read")
    test = page.locator(".lb-quiz[data-kind=choice]").first
    for choice in test.get_by_role("radio").all():
        choice.check()
    page.goto("")
    marked = page.locator("a:has(.lb-tick)")
    paths = marked.evaluate_all("all => all.map(a => a.pathname)")
    assert {*paths} == {"/rules/", "/bahdanau/"}
    needs = page.locator(".lb-needs").get_by_role("link", name="Rules read")
    expect(needs).to_have_count(1)
    assert axe_violations(page, ".lb-progress") == []
    page.set_viewport_size(PHONE)
    page.locator("button.lb-menu").click()
    expect(page.locator(".md-sidebar--primary .lb-tick").first).to_be_visible()
    page.goto("bahdanau/")
    expect(test.get_by_role("status")).to_have_text("You have answered this before.")
    expect(told).to_have_text(
        "You have read 2 chapters to the end and answered 1 self-test. "
        "Only this browser knows."
    )
    page.get_by_role("button", name="Forget this").press("Enter")
    expect(told).to_have_text("Forgotten.")
    assert page.evaluate(OURS) == []
    page.goto("")
    expect(page.locator(".lb-tick")).to_have_count(0)
    page.goto("bahdanau/")
    expect(test.locator("[role=status]")).to_be_empty()


def test_a_page_that_a_reader_returns_to_shows_what_was_read_since(page: Page) -> None:
    """The browser shows it as it was left; and what is no list counts for nothing."""
    page.goto("")
    for kept, count in (("{}", 0), ('["rules/"]', 1), ("[", 0)):
        page.evaluate("kept => localStorage.setItem('lookback.read', kept)", kept)
        page.evaluate("dispatchEvent(new PageTransitionEvent('pageshow'))")
        told = "1 chapter" if count else ""
        expect(page.locator(".lb-progress [role=status]")).to_contain_text(told)
        expect(page.locator(".lb-needs .lb-tick")).to_have_count(count)


@without_script
def test_without_scripts_nothing_of_it_is_shown(page: Page) -> None:
    page.goto("rules/")
    expect(page.locator(".lb-before")).to_be_visible()
    expect(page.locator(".lb-progress")).to_have_count(0)

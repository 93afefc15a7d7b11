"""Keep a reader's progress in the browser: read to the end, marked, forgotten."""

from __future__ import annotations

from playwright.sync_api import Page, expect

from .checks import axe_violations, on_a_phone, without_script

OURS = "Object.keys(localStorage).filter(key => key.startsWith('lookback.'))"
END = "scrollTo(0, document.body.scrollHeight)"


def read(page: Page, chapter: str) -> None:
    """Open a chapter and scroll to its end."""
    page.goto(chapter)
    page.evaluate(END)
    expect(page.locator(".lb-progress [role=status]")).to_contain_text("You have read")


def test_a_chapter_counts_as_read_at_its_end_and_is_marked(page: Page) -> None:
    page.goto("rules/")
    expect(page.locator(".lb-progress button")).to_be_hidden()
    expect(page.locator(".lb-tick")).to_have_count(0)
    read(page, "rules/")
    read(page, "ngram/")
    read(page, "ngram/")  # counts once
    page.goto("")
    expect(page.locator(".lb-progress")).to_contain_text("2 chapters")
    marked = page.locator("a:has(.lb-tick)")
    assert {*marked.evaluate_all("all => all.map(a => a.pathname)")} == {
        "/rules/",
        "/ngram/",
    }
    link = page.locator(".lb-needs").get_by_role("link", name="N-grams read")
    expect(link).to_have_count(1)
    assert axe_violations(page, ".lb-progress") == []


def test_one_button_forgets_all_by_keyboard(page: Page) -> None:
    read(page, "rules/")
    page.goto("bahdanau/")
    test = page.locator(".lb-quiz[data-kind=choice]").first
    for choice in test.get_by_role("radio").all():
        choice.check()
    told = page.locator(".lb-progress [role=status]")
    page.reload()
    expect(test.get_by_role("status")).to_have_text("You have answered this before.")
    expect(told).to_have_text(
        "You have read 1 chapter to the end and answered 1 self-test. "
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
    """The browser shows it as it was left: no script of it runs again."""
    page.goto("")
    page.evaluate("localStorage.setItem('lookback.read', '[\"rules/\"]')")
    page.evaluate("dispatchEvent(new PageTransitionEvent('pageshow'))")
    expect(page.locator(".lb-progress")).to_contain_text("1 chapter")
    expect(page.locator(".lb-tick").first).to_be_attached()


def test_what_is_stored_and_no_list_is_taken_for_nothing(page: Page) -> None:
    page.goto("")
    for text in ("{", '"ngram/"', "7"):
        page.evaluate("text => localStorage.setItem('lookback.read', text)", text)
        page.reload()
        expect(page.locator(".lb-progress")).to_have_count(1)
        expect(page.locator(".lb-tick")).to_have_count(0)


@on_a_phone
def test_on_a_phone_the_menu_marks_what_was_read(page: Page) -> None:
    read(page, "rules/")
    page.locator("button.lb-menu").click()
    expect(page.locator(".md-sidebar--primary .lb-tick")).to_be_visible()


@without_script
def test_without_scripts_nothing_of_it_is_shown(page: Page) -> None:
    page.goto("rules/")
    expect(page.locator(".lb-before")).to_be_visible()
    expect(page.locator(".lb-progress")).to_have_count(0)

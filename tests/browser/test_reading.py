"""What a reader does: keys, search, copying, palettes, printing."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import Any

import pytest
from playwright.sync_api import Page, expect

from .conftest import BEGIN, MAPS
from .windows import Windows, hearing

FOCUS = """() => {
    const e = document.activeElement;
    // A choice that is drawn by its label shows its focus there.
    const drawn = e.matches("input.md-option") ? e.nextElementSibling : e;
    const box = drawn.getBoundingClientRect(), style = getComputedStyle(drawn);
    const ring = style.outlineStyle !== "none" && parseFloat(style.outlineWidth) > 0;
    return {
        name: `${e.tagName} ${e.className} ${e.textContent.trim().slice(0, 30)}`,
        body: e === document.body,
        text: e.textContent.trim(),
        ring: ring || style.boxShadow !== "none",
        seen: box.width > 0 && box.height > 0 && box.bottom > 0 && box.right > 0,
    };
}"""
# Parts of a listing are folded; what is copied is all of it.
WHOLE = """code => {
    code.setAttribute("data-md-copying", "");
    const text = code.innerText;
    code.removeAttribute("data-md-copying");
    return text;
}"""
SCHEME = "[document.body.dataset.mdColorMedia, document.body.dataset.mdColorScheme]"
PALETTE = "form[data-md-component=palette] label:not([hidden])"


@pytest.fixture
def page(windows: Windows) -> Iterator[Page]:
    """A window of a reader who has never been here and whose system is light."""
    with windows.lend(reduced_motion="reduce") as window:
        yield window


@pytest.fixture
def chapter(read: Callable[..., Any], chapters: list[str]) -> Iterator[Page]:
    """The beginning of a chapter in such a window."""
    with read(f"{chapters[0]}/", BEGIN, reduced_motion="reduce") as window:
        yield window


def focuses(page: Page, times: int) -> list[dict]:
    """What has the focus after each press of Tab, until it leaves the page."""
    found = []
    for _ in range(times):
        page.keyboard.press("Tab")
        focus = page.evaluate(FOCUS)
        if focus["body"]:
            break
        found.append(focus)
    return found


def unringed(found: list[dict]) -> list[str]:
    return [f["name"] for f in found if not (f["ring"] and f["seen"])]


def test_tab_skips_to_the_text_and_shows_where_it_is(
    page: Page, chapter: Page, base: str
) -> None:
    page.goto(base)
    for window in (page, chapter):
        found = focuses(window, 40)
        assert found[0]["text"] == "Skip to content"
        assert len(found) > 8
        assert unringed(found) == []


def test_the_keyboard_stops_at_what_scrolls_and_only_there(
    read: Callable[..., Any],
) -> None:
    """What is folded up is measured when it opens, all else when the width changes."""
    with read("bahdanau/", MAPS, reduced_motion="reduce") as page:
        box = page.locator("details.lb-numbers > .lb-html").first
        expect(box).to_be_hidden()
        expect(box).to_have_attribute("tabindex", "0")  # as it is without a script
        page.locator("details.lb-numbers > summary").first.click()
        expect(box).not_to_have_attribute("tabindex", "0")
        box.evaluate("box => box.firstElementChild.style.minWidth = '500px'")
        page.set_viewport_size({"width": 360, "height": 700})
        expect(box).to_have_attribute("tabindex", "0")


def test_the_skip_link_leads_to_the_text(chapter: Page) -> None:
    chapter.keyboard.press("Tab")
    chapter.keyboard.press("Enter")
    chapter.keyboard.press("Tab")
    assert chapter.evaluate("!!document.activeElement.closest('article')")


def test_a_focus_without_a_ring_is_seen(page: Page) -> None:
    page.set_content("<a href='#a'>a</a><a href='#b' style='outline: none'>b</a>")
    assert unringed(focuses(page, 4)) == ["A  b"]


def test_search_finds_a_word(page: Page, base: str) -> None:
    asked: list[str] = []
    results = page.locator(".md-search-result__item a")
    with hearing(page, request=lambda request: asked.append(request.url)):
        page.goto(base)
        page.keyboard.press("/")
        page.keyboard.type("perplexity")
        expect(results.first).to_be_visible()
    expect(results.filter(has_text="erplexity").first).to_be_visible()
    links = results.evaluate_all("links => links.map(link => link.pathname)")
    assert "/ngram/" in links
    assert not any("/source/" in link for link in links)
    assert [url for url in asked if not url.startswith((base, "blob:", "data:"))] == []


def test_code_is_copied_as_it_stands(chapter: Page) -> None:
    chapter.context.grant_permissions(["clipboard-read", "clipboard-write"])
    chapter.evaluate("navigator.clipboard.writeText('')")  # all windows have one
    block = chapter.locator("article .highlight:visible").first
    block.hover()
    block.locator("button[data-clipboard-target], button.md-code__button").first.click()
    chapter.wait_for_function(
        "() => navigator.clipboard.readText().then(text => text !== '')"
    )
    copied = chapter.evaluate("navigator.clipboard.readText()")
    assert copied.strip() == block.locator("code").evaluate(WHOLE).strip()


def test_the_palette_cycles_and_is_remembered(page: Page, base: str) -> None:
    page.goto(base)
    system = page.evaluate(SCHEME)
    seen = []
    for _ in range(3):
        before = page.evaluate(SCHEME)
        page.locator(PALETTE).click()
        page.wait_for_function(f"old => String({SCHEME}) !== String(old)", arg=before)
        seen.append(page.evaluate(SCHEME))
    assert [scheme for _, scheme in seen] == ["default", "slate", "default"]
    assert seen[-1] == system
    page.locator(PALETTE).click()
    page.locator(PALETTE).click()
    page.wait_for_function("() => document.body.dataset.mdColorScheme === 'slate'")
    page.reload()
    page.wait_for_function("() => document.body.dataset.mdColorScheme === 'slate'")
    page.goto(f"{base}glossary/")
    page.wait_for_function("() => document.body.dataset.mdColorScheme === 'slate'")


def test_the_system_changes_the_palette_of_an_open_page(page: Page, base: str) -> None:
    page.goto(base)
    for scheme, name in (("dark", "slate"), ("light", "default")):
        page.emulate_media(color_scheme=scheme)  # type: ignore[arg-type]
        page.wait_for_function(
            f"() => document.body.dataset.mdColorScheme === '{name}'"
        )


def test_print_is_the_text_alone(chapter: Page) -> None:
    chapter.emulate_media(media="print")
    shown = chapter.evaluate(
        """() => [".md-header", ".md-tabs", ".md-sidebar", ".md-footer", ".md-top",
                  ".lb-actions", ".md-code__nav", ".md-skip"].filter(name =>
            [...document.querySelectorAll(name)].some(e => e.checkVisibility()))"""
    )
    assert shown == []
    expect(chapter.locator("article h1")).to_be_visible()
    expect(chapter.locator("article .lb-output").first).to_be_visible()
    assert chapter.pdf().startswith(b"%PDF")


def test_print_opens_what_is_folded_and_folds_it_again(chapter: Page) -> None:
    folded = "document.querySelectorAll('article details:not([open])').length"
    before = chapter.evaluate(folded)
    assert before > 0
    chapter.evaluate("dispatchEvent(new Event('beforeprint'))")
    assert chapter.evaluate(folded) == 0
    chapter.evaluate("dispatchEvent(new Event('afterprint'))")
    assert chapter.evaluate(folded) == before


def test_without_scripts_a_chapter_is_whole(
    windows: Windows, base: str, chapters: list[str]
) -> None:
    with windows.lend(java_script_enabled=False) as page:
        page.goto(f"{base}{chapters[0]}/")
        for name in ("h1", "> .highlight code", ".lb-text", ".lb-figure svg", "math"):
            expect(page.locator(f"article {name}").first).to_be_visible()

"""Read a page: keyboard focus, search, copying, palettes, printing."""

from __future__ import annotations

from io import BytesIO

import pytest
from playwright.sync_api import Page, expect
from pypdf import PdfReader

from .checks import PHONE, without_script

CHAPTER = "ngram/"
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
SCHEME = "() => document.body.dataset.mdColorScheme"
PALETTE = "form[data-md-component=palette] label:not([hidden])"
CHROME = ".md-header, .md-tabs, .md-sidebar, .md-footer, .md-top, .md-skip"
BUTTONS = ".lb-actions, .md-code__nav"
UNPRINTED = ".lb-fold, .lb-numbers, .lb-stamp"
FOLDED = "article details:not([open])"
SOLUTIONS = ".exercise .solution"


def focused(page: Page, times: int) -> list[dict]:
    """Press Tab so many times; list what has the focus, until it leaves the page."""
    found = []
    for _ in range(times):
        page.keyboard.press("Tab")
        focus = page.evaluate(FOCUS)
        if focus["body"]:
            break
        found.append(focus)
    return found


def wait_for_scheme(page: Page, name: str) -> None:
    page.wait_for_function(f"name => ({SCHEME})() === name", arg=name)


@pytest.mark.parametrize("name", ["", CHAPTER])
def test_tab_starts_at_the_skip_link_to_the_text_and_shows_a_ring(
    page: Page, name: str
) -> None:
    page.goto(name)
    found = focused(page, 40)
    assert found[0]["text"] == "Skip to content"
    assert len(found) > 8
    assert [f["name"] for f in found if not (f["ring"] and f["seen"])] == []
    page.reload()
    for key in ("Tab", "Enter", "Tab"):
        page.keyboard.press(key)
    assert page.evaluate("!!document.activeElement.closest('article')")


def test_only_what_scrolls_is_a_tab_stop(page: Page) -> None:
    """Folded boxes are measured when they open, others when the width changes."""
    page.goto("bahdanau/")
    box = page.locator("details.lb-numbers > .lb-html").first
    expect(box).to_be_hidden()
    expect(box).to_have_attribute("tabindex", "0")  # as it is without a script
    page.locator("details.lb-numbers > summary").first.click()
    expect(box).not_to_have_attribute("tabindex", "0")
    box.evaluate("box => box.firstElementChild.style.minWidth = '500px'")
    page.set_viewport_size(PHONE)
    expect(box).to_have_attribute("tabindex", "0")


@pytest.mark.parametrize(
    ("block", "above"),
    [
        (".highlight:visible:not([data-copy])", ""),
        (".highlight[data-copy*='class Decoder']", "from lookback.lstm import GRUCell"),
    ],
)
def test_code_is_copied_with_its_imports(page: Page, block: str, above: str) -> None:
    """Copy a block as it stands, and one from the source with the imports it needs."""
    page.context.grant_permissions(["clipboard-read", "clipboard-write"])
    page.goto("bahdanau/")
    page.evaluate("navigator.clipboard.writeText('')")  # all contexts share one
    code = page.locator(f"article {block}").first
    code.hover()
    code.locator("button[data-clipboard-target], button.md-code__button").first.click()
    copied = page.wait_for_function("navigator.clipboard.readText()").json_value()
    shown = code.locator("code").inner_text().strip()
    assert copied.endswith(shown) and above in copied.removesuffix(shown)
    assert bool(copied.removesuffix(shown)) == bool(above)


def test_the_palette_cycles_and_is_remembered(page: Page) -> None:
    page.goto("")
    for scheme, name in (("dark", "slate"), ("light", "default")):
        page.emulate_media(color_scheme=scheme)  # the system's, while a page is open
        wait_for_scheme(page, name)
    schemes = []
    for _ in range(3):
        label = page.locator(PALETTE)
        title = label.get_attribute("title")
        label.click()
        expect(page.locator(PALETTE)).not_to_have_attribute("title", str(title))
        schemes.append(page.evaluate(SCHEME))
    assert schemes == ["default", "slate", "default"]  # light, dark, the system's
    page.locator(PALETTE).click()
    page.locator(PALETTE).click()
    wait_for_scheme(page, "slate")
    page.reload()
    wait_for_scheme(page, "slate")
    page.goto("glossary/")
    wait_for_scheme(page, "slate")


def test_print_is_the_text_alone(page: Page) -> None:
    page.goto(CHAPTER)
    page.emulate_media(media="print")
    around = page.locator(f"{CHROME}, {BUTTONS}, {UNPRINTED}")
    expect(around.first).to_be_attached()
    expect(around.locator("visible=true")).to_have_count(0)
    expect(page.locator("article h1")).to_be_visible()
    expect(page.locator("article .lb-output").first).to_be_visible()
    page.emulate_media(media="screen")
    before, solved = page.locator(FOLDED).count(), page.locator(SOLUTIONS).count()
    assert before > 0
    page.evaluate("dispatchEvent(new Event('beforeprint'))")
    expect(page.locator(FOLDED)).to_have_count(0)
    expect(page.locator("article > section:last-child .solution")).to_have_count(solved)
    page.evaluate("dispatchEvent(new Event('afterprint'))")
    expect(page.locator(FOLDED)).to_have_count(before)
    expect(page.locator(SOLUTIONS)).to_have_count(solved)


def test_attention_has_at_most_14_pages(page: Page) -> None:
    """A printed chapter is text, and not the code that drew its figures."""
    page.goto("attention/")
    printed = page.pdf(format="A4", prefer_css_page_size=True)
    assert 8 <= len(PdfReader(BytesIO(printed)).pages) <= 14


@without_script
def test_without_scripts_a_chapter_is_whole(page: Page) -> None:
    page.goto(CHAPTER)
    for name in ("h1", "> .highlight code", ".lb-text", ".lb-figure svg", "math"):
        expect(page.locator(f"article {name}:visible").first).to_be_visible()

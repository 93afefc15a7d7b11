"""What a page does without storage, without its scripts or files, and as a file."""

from __future__ import annotations

from pathlib import Path

import pytest
from playwright.sync_api import Locator, Page, Route, expect

from .checks import Faults, axe_violations, ready, serve, status

FULL = "Storage.prototype.setItem = () => { throw new DOMException('', 'Quota'); }"
DENIED = """for (const name of ["localStorage", "sessionStorage"])
    Object.defineProperty(window, name, {
        configurable: true,
        get() { throw new DOMException("denied", "SecurityError"); },
    });"""
NO_CLIPBOARD = "Object.defineProperty(navigator, 'clipboard', { value: undefined });"
START = "Translate a sentence of yours"
AGAIN = "Load the page again"


def notes(page: Page) -> Locator:
    """Locate what is said of scripts, under the title and where figures would live."""
    return page.locator(".lb-start > p:not([role])")


def press(page: Page, name: str) -> None:
    page.get_by_role("button", name=name).first.click()


@pytest.mark.parametrize("storage", [DENIED, FULL], ids=["denied", "full"])
def test_without_storage_nothing_of_a_page_dies(page: Page, storage: str) -> None:
    page.add_init_script(storage)
    page.goto("bahdanau/?q=perplexity")
    expect(page.locator(".md-search-result__item").first).to_be_visible()
    page.keyboard.press("Escape")
    expect(page.locator("button.md-code__button").first).to_be_attached()
    palette = page.locator("form[data-md-component=palette] label:not([hidden])")
    title = palette.get_attribute("title") or ""
    palette.click()
    expect(palette).not_to_have_attribute("title", title)
    page.get_by_role("button", name="Show all code").click()
    expect(page.locator("details.lb-fold").first).to_have_attribute("open", "")
    page.get_by_role("tab", name="JavaScript").first.click()
    page.evaluate("scrollTo(0, document.body.scrollHeight)")
    expect(page.locator(".lb-tick")).to_have_count(0)  # nothing is kept
    press(page, START)
    ready(page)


def test_without_a_clipboard_code_is_copied_and_an_address_is_shown(page: Page) -> None:
    page.add_init_script(NO_CLIPBOARD)
    page.goto("live/")
    ready(page)
    press(page, "Link to this sentence")
    expect(status(page).first).to_have_text(
        "The address of this sentence stands in the address bar."
    )
    page.goto("ngram/")
    code = page.locator("article .highlight:visible").first
    code.hover()
    with page.expect_event("console", lambda one: one.text.startswith("copied: ")):
        page.evaluate("""document.addEventListener("copy", ({ target }) =>
            console.log(`copied: ${target.value}`))""")
        code.locator("button.md-code__button").click()


def test_a_page_that_is_a_file_says_how_to_serve_it(page: Page, site: Path) -> None:
    page.goto((site / "bahdanau" / "index.html").as_uri())
    expect(notes(page).first).to_contain_text("Run `python -m http.server` in the")
    expect(notes(page)).to_have_count(1 + page.locator(".lb-live").count())
    assert axe_violations(page, ".lb-start") == []


@pytest.mark.parametrize(("part", "way"), [("live.js", "404"), ("dom.js", "lost")])
def test_a_script_that_does_not_load_is_named_and_loaded_again(
    page: Page, site: Path, part: str, way: str
) -> None:
    """dom.js is imported by live.js and others, and preloaded."""
    faults: Faults = {f"live/{part}": [way] * 99}
    with serve(site, faults) as base:
        page.goto(f"{base}bahdanau/")
        expect(notes(page).first).to_contain_text("live.js")
        expect(page.locator(".lb-live").first.locator("p").last).to_have_text(
            notes(page).first.inner_text()
        )
        faults["live/live.js"] = ["lost"]  # without a connection the page stays
        press(page, AGAIN)
        expect(page.get_by_role("button", name=f"Still not. {AGAIN}")).to_be_visible()
        faults.clear()
        press(page, AGAIN)
        press(page, START)
        ready(page)
        expect(notes(page)).to_have_count(0)


PART = ": it came in part, or is not the file of this page"
LOST = {
    "live/translator.js": "The script translator.js, or another that it imports, ",
    "live/luong.js": "The script models.js, or another that it imports, ",
    "live/live.css": "The style sheet live.css ",
    ".safetensors": "The weights of bahdanau ",
}


@pytest.mark.parametrize(
    ("part", "way"),
    [(part, "lost") for part in LOST if part.startswith("live")]
    + [(".safetensors", way) for way in ("404", "cut", "altered")],
)
def test_what_a_live_figure_lacks_is_named_and_asked_for_again(
    page: Page, site: Path, part: str, way: str
) -> None:
    """An altered file lies in the browser's cache: the next try goes past it."""
    with serve(site, {part: [way] * (2 if way == "404" else 1)}) as base:
        page.goto(f"{base}bahdanau/")
        press(page, START)
        said = status(page).first
        why = {"404": ": the server answers 404"}.get(way, PART)
        why = why if part == ".safetensors" else ""
        expect(said).to_contain_text(f"{LOST[part]}did not load{why}. The figure")
        press(page, START)
        ready(page)


def test_a_figure_that_fails_while_it_is_built_comes_back(page: Page) -> None:
    broken = "export const open = async () => { throw new Error('It broke'); };"
    script = "**/live/translator.js"
    page.route(script, lambda r: r.fulfill(body=broken, content_type="text/javascript"))
    page.goto("bahdanau/")
    press(page, START)
    expect(status(page).first).to_contain_text("It broke. The figure stays as it is.")
    expect(page.locator(".lb-live figure").first).to_be_visible()
    expect(page.get_by_role("button", name=START)).to_be_visible()


def test_the_model_that_was_chosen_last_is_shown(page: Page) -> None:
    """Ask for two models quickly: the first one comes after the second."""
    held: list[Route] = []
    page.goto("lstm/")
    press(page, "Read a sentence of yours")
    ready(page)
    cells = page.get_by_role("group", name="Cell", exact=True).get_by_role("button")
    first, second = cells.all()
    page.route("**/*.safetensors", lambda route: held.append(route))
    second.click()
    expect(status(page)).to_contain_text("Loading")
    first.click()
    expect(first).to_have_attribute("aria-pressed", "true")
    with page.expect_response("**/*.safetensors"):
        held[0].continue_()
    page.evaluate("() => new Promise(requestAnimationFrame)")
    expect(second).to_have_attribute("aria-pressed", "false")


@pytest.mark.parametrize("part", ["search_index.json", "assets/search.js"])
def test_a_search_that_does_not_load_says_what_to_do(
    page: Page, site: Path, part: str
) -> None:
    page = page.context.new_page()  # Material's own error is no failure here
    with serve(site, {part: ["404"]}) as base:
        page.goto(f"{base}ngram/?q=perplexity")
        said = page.locator(".md-search-result__meta")
        expect(said).to_have_text(
            "The search is loading. If this line stays, reload the page."
        )
        page.reload()
        expect(page.locator(".md-search-result__item").first).to_be_visible()
        expect(said).not_to_contain_text("loading")

"""A listing and its twin in JavaScript: two tabs, and without a script a link."""

from __future__ import annotations

import re
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from playwright.sync_api import Locator, Page, expect

from .axe import faults
from .conftest import DESKTOP, DOCS, ENTIRE, PHONE, SCHEMES, WIDE
from .windows import hearing

Visit = Callable[..., Any]
TWIN = re.compile(
    r"^Python · \[JavaScript\]\(source/docs/live/(\w+)\.md\)"
    r'\{ \.lb-twin data-live="twin"(?: data-part="(\w+)")? \}\n\n```(\{\.)?python',
    re.MULTILINE,
)
TWINS = {
    page.stem: found
    for page in sorted(DOCS.glob("*.md"))
    if (found := TWIN.findall(page.read_text(encoding="utf-8")))
}
SMALL = "luong"
MAIN = ("bahdanau", "decoding", "gpt", "ngram", "transformer")
"""Those whose scripts are shown here; of all, where all pages are looked at."""
PART = """@data-live='twin'
    or preceding-sibling::*[1]/descendant-or-self::*[@data-live='twin']"""
"""Of a page the lines over listings, and these listings."""
LISTING = '<div class="lb-listing"><code><span id="L1">no</span></code></div>'


def code_of(name: str) -> str:
    return (DOCS / "live" / f"{name}.js").read_text(encoding="utf-8")


def tab(page: Page, name: str, n: int = 0) -> Locator:
    return page.get_by_role("tab", name=name).nth(n)


def shown(page: Page) -> Locator:
    return page.get_by_role("tabpanel").locator("code:visible")


def test_every_twin_is_over_a_listing() -> None:
    texts = {page.stem: page.read_text(encoding="utf-8") for page in DOCS.glob("*.md")}
    all_ = {name: text.count('data-live="twin"') for name, text in texts.items()}
    assert {n: k for n, k in all_.items() if k} == {n: len(f) for n, f in TWINS.items()}
    assert {*MAIN} <= {*TWINS}


@pytest.mark.parametrize("name", TWINS if ENTIRE else MAIN)
def test_a_tab_shows_the_script(visit: Visit, name: str) -> None:
    with visit(f"{name}/", part=PART) as page:
        for n, (script, part, _) in enumerate(TWINS[name]):
            tab(page, "JavaScript", n).click()
            panel = page.get_by_role("tabpanel").filter(has_text="which a browser runs")
            code = panel.nth(n).locator("code")
            expect(code).not_to_be_empty()
            text, whole = code.inner_text(), code_of(script)
            if not part:
                assert text == whole
                continue
            assert text in whole and len(text) < len(whole)
            own = re.compile(rf"(?:(?:const|class|function\*?) |^ +|\*){part}\b", re.M)
            assert own.search(text) and re.search(r"[;}]\n$", text)
            lines = [one for one in text.splitlines() if not re.match(r" *(//|$)", one)]
            margin = len(lines[0]) - len(lines[0].lstrip())
            assert sum(one[margin] != " " for one in lines) <= 2  # it and its end
            link = panel.nth(n).get_by_role("link")
            line = whole[: whole.index(text)].count("\n") + 1
            expect(link).to_have_attribute("href", re.compile(f"/{script}/#L{line}$"))


def test_tabs_by_keyboard(visit: Visit) -> None:
    asked: list[str] = []
    with (
        visit(f"{SMALL}/", part=PART) as page,
        hearing(page, request=lambda request: asked.append(request.url)),
    ):
        python = shown(page).first.inner_text()
        tab(page, "Python").focus()
        page.keyboard.press("ArrowRight")
        expect(tab(page, "JavaScript")).to_be_focused()
        expect(tab(page, "JavaScript")).to_have_attribute("aria-selected", "true")
        expect(shown(page)).to_contain_text("class LuongTranslator")
        page.keyboard.press("Tab")
        expect(page.get_by_role("link", name="luong.js").first).to_be_focused()
        page.keyboard.press("Shift+Tab")
        expect(tab(page, "JavaScript")).to_be_focused()
        page.keyboard.press("ArrowLeft")
        expect(tab(page, "Python")).to_be_focused()
        for name, index in (("Python", "0"), ("JavaScript", "-1")):
            expect(tab(page, name)).to_have_attribute("tabindex", index)
        assert shown(page).first.inner_text() == python
        page.keyboard.press("End")
        expect(shown(page)).to_contain_text("class LuongTranslator")
        page.keyboard.press("Home")
        expect(tab(page, "Python")).to_have_attribute("aria-selected", "true")
    assert len([url for url in asked if "/source/" in url]) == 1


@pytest.mark.parametrize("fault", ["lost", "absent", "empty"])
def test_a_listing_that_does_not_come(visit: Visit, fault: str) -> None:
    def lose(route: Any) -> None:
        if fault == "lost":
            route.abort()
        else:
            body = "" if fault == "empty" else LISTING
            route.fulfill(status=404 if fault == "absent" else 200, body=body)

    with visit(f"{SMALL}/", part=PART, route=("**/source/**", lose)) as page:
        tab(page, "JavaScript").click()
        note = page.get_by_role("status").filter(has_text="It did not come")
        expect(note).to_be_visible()
        expect(page.get_by_role("link", name="luong.js").first).to_be_visible()
        expect(shown(page)).to_have_count(0)
        assert faults(page) == []
        page.unroute("**/source/**")
        tab(page, "JavaScript").click()
        expect(shown(page)).to_contain_text("class LuongTranslator")
        expect(note).to_have_count(0)


def test_without_a_script_there_is_a_link(read: Visit) -> None:
    with read(f"{SMALL}/", java_script_enabled=False) as page:
        line = page.get_by_text("Python · JavaScript")
        expect(line).to_be_visible()
        line.get_by_role("link").click()
        expect(page.locator(".lb-listing")).to_contain_text("class LuongTranslator")


@pytest.mark.parametrize("scheme", SCHEMES)
def test_a_tab_on_both_widths(visit: Visit, scheme: str) -> None:
    with visit(f"{SMALL}/", part=PART, color_scheme=scheme) as page:
        for width, height in (PHONE, DESKTOP):
            page.set_viewport_size({"width": width, "height": height})
            tab(page, "JavaScript").click()
            expect(shown(page)).to_contain_text("class LuongTranslator")
            for one in page.get_by_role("tab").all():
                box = one.bounding_box()
                assert box is not None and min(box["width"], box["height"]) >= 24
            assert page.evaluate(WIDE) == []
            assert faults(page) == []
            tab(page, "Python").click()


def test_twins_are_read_from_the_files_that_are_there() -> None:
    for found in TWINS.values():
        for script, part, _ in found:
            assert Path(DOCS / "live" / f"{script}.js").is_file()
            assert not part or re.search(rf"\b{part}\b", code_of(script))

"""Show a listing and its twin in JavaScript: two tabs, and without scripts a link."""

from __future__ import annotations

import re

import pytest
from playwright.sync_api import Locator, Page, expect

from .checks import ALL_PAGES, DOCS, without_script

TWIN = re.compile(
    r"^Python · \[JavaScript\]\(live/(\w+)\.js\)"
    r'\{ \.lb-twin data-live="twin"(?: data-part="(\w+)")? \}\n\n```(\{\.)?python',
    re.MULTILINE,
)
TWINS = {
    page.stem: found
    for page in sorted(DOCS.glob("*.md"))
    if (found := TWIN.findall(page.read_text(encoding="utf-8")))
}
SCRIPT = re.compile(r"/live/luong\.js$")


def tab(page: Page, name: str, n: int = 0) -> Locator:
    return page.get_by_role("tab", name=name).nth(n)


def shown(page: Page) -> Locator:
    return page.get_by_role("tabpanel").locator("code:visible")


def test_every_twin_is_over_a_listing() -> None:
    for path in DOCS.glob("*.md"):
        count = path.read_text(encoding="utf-8").count('data-live="twin"')
        assert count == len(TWINS.get(path.stem, [])), path.name


@pytest.mark.parametrize("name", TWINS if ALL_PAGES else ["decoding", "luong"])
def test_a_tab_shows_the_script(page: Page, name: str) -> None:
    page.goto(f"{name}/")
    for n, (script, part, _) in enumerate(TWINS[name]):
        tab(page, "JavaScript", n).click()
        panel = page.get_by_role("tabpanel").filter(has_text="which a browser runs")
        code = panel.nth(n).locator("code")
        expect(code).not_to_be_empty()
        whole = (DOCS / "live" / f"{script}.js").read_text(encoding="utf-8")
        text = code.inner_text()
        assert text in whole and (text == whole) == (not part)
        if not part:
            continue
        own = re.compile(rf"(?:(?:const|class|function\*?) |^ +|\*){part}\b", re.M)
        assert own.search(text) and re.search(r"[;}]\n$", text)
        lines = [one for one in text.splitlines() if not re.match(r" *(//|$)", one)]
        margin = len(lines[0]) - len(lines[0].lstrip())
        assert sum(one[margin] != " " for one in lines) <= 2  # it and its end


def test_tabs_by_keyboard_of_a_script_that_fails_at_first(page: Page) -> None:
    requests: list[str] = []
    page.on("request", lambda request: requests.append(request.url))
    page.goto("luong/")
    python = shown(page).first.inner_text()
    page.route(SCRIPT, lambda route: route.abort())
    tab(page, "Python").focus()
    page.keyboard.press("ArrowRight")
    message = page.get_by_role("status").filter(has_text="The script luong.js")
    expect(message).to_be_visible()
    expect(shown(page)).to_have_count(0)
    page.keyboard.press("ArrowLeft")
    page.unroute_all()
    page.keyboard.press("ArrowRight")
    expect(tab(page, "JavaScript")).to_be_focused()
    expect(tab(page, "JavaScript")).to_have_attribute("aria-selected", "true")
    expect(shown(page)).to_contain_text("class LuongTranslator")
    expect(message).to_have_count(0)
    page.keyboard.press("Tab")
    expect(page.get_by_role("link", name="luong.js").first).to_be_focused()
    page.keyboard.press("Shift+Tab")
    page.keyboard.press("Home")
    expect(tab(page, "Python")).to_be_focused()
    for name, index in (("Python", "0"), ("JavaScript", "-1")):
        expect(tab(page, name)).to_have_attribute("tabindex", index)
    assert shown(page).first.inner_text() == python
    page.keyboard.press("End")
    expect(shown(page)).to_contain_text("class LuongTranslator")
    # it, why it did not come, and again: then it is kept
    assert len([url for url in requests if SCRIPT.search(url)]) == 3


@without_script
def test_without_scripts_there_is_a_link(page: Page) -> None:
    page.goto("luong/")
    page.get_by_text("Python · JavaScript").get_by_role("link").click()
    expect(page.locator("body")).to_contain_text("class LuongTranslator")

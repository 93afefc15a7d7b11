"""Windows that are lent: whoever has one next finds nothing of who had it before."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import suppress
from typing import Any

import pytest
from playwright.sync_api import Browser, Page

from .conftest import BLANK
from .windows import Windows, hearing

STATE = """async () => ({
    storage: [localStorage.length, sessionStorage.length, document.cookie, window.name],
    size: [innerWidth, innerHeight, scrollX, scrollY],
    media: ["(prefers-color-scheme: dark)", "(prefers-reduced-motion)", "print",
            "(forced-colors: active)"].filter(one => matchMedia(one).matches),
    online: navigator.onLine,
    clipboard: (await navigator.permissions.query({name: "clipboard-read"})).state,
    focus: document.activeElement.tagName,
    pointed: document.querySelectorAll(":hover").length,
    fetched: [(await fetch("one.txt")).status, (await fetch("two.txt")).status],
    blocks: document.querySelectorAll("article > *").length,
    violations: window.violations,
})"""
STORE = """() => {
    localStorage.a = sessionStorage.a = window.name = document.cookie = "a=b; path=/";
    addEventListener("pagehide", () => { localStorage.b = sessionStorage.b = 1; });
}"""
HELD = """() => {
    window.held = {};
    for (const [name, what] of [["keydown", "shiftKey"], ["mousemove", "buttons"]])
        addEventListener(name, event => held[name] = event[what]);
}"""
PART = "self::h1"


@pytest.fixture
def pool(browser: Browser, base: str) -> Iterator[Windows]:
    """Windows of this test alone; no test has failed."""
    found = Windows(browser, base + BLANK, lambda: 0)
    yield found
    found.close()


def state(page: Page, base: str) -> Any:
    """What a page of the site can see of its window."""
    page.goto(f"{base}live/", wait_until="load")
    return page.evaluate(STATE)


def use(page: Page, base: str, asked: list[str]) -> None:
    """Do all that tests do to a window, and leave it so."""
    page.route("**/one.txt", lambda route: route.fulfill(status=418))
    page.context.route("**/two.txt", lambda route: route.fulfill(status=418))
    page.goto(f"{base}glossary/", wait_until="load")
    page.evaluate(STORE)
    page.context.grant_permissions(["clipboard-read"])
    page.emulate_media(media="print", forced_colors="active", color_scheme="dark")
    page.set_viewport_size({"width": 333, "height": 222})
    page.mouse.move(100, 100)
    page.mouse.down()
    page.keyboard.down("Shift")
    page.keyboard.press("Tab")
    page.mouse.wheel(0, 500)
    page.context.new_page().goto(f"{base}{BLANK}")
    with hearing(page, request=lambda request: asked.append(request.url)):
        page.context.set_offline(True)


def test_a_window_comes_back_as_new(pool: Windows, base: str) -> None:
    asked: list[str] = []
    for _ in range(2):  # in its first page the pointer is in the corner
        with pool.lend() as page:
            new = state(page, base)
    with pool.lend(has_touch=False, viewport={"width": 360, "height": 740}) as other:
        assert other != page
    with pool.lend(color_scheme="dark", reduced_motion="reduce") as again:
        assert again == page
        use(page, base, asked)
    del asked[:]
    with pool.lend() as again:
        assert again == page and again.context.pages == [page]
        assert state(page, base) == new
        page.evaluate(HELD)
        page.keyboard.press("a")
        page.mouse.move(9, 9)
        assert page.evaluate("window.held") == {"keydown": False, "mousemove": 0}
    assert asked == []


def test_a_window_with_a_part_shows_the_next_one_whole(
    read: Callable[..., Any], base: str
) -> None:
    for part, paragraphs in ((PART, False), ("", True), (PART, False)):
        with read("luong/", part) as page:
            assert bool(page.locator("article > p").count()) is paragraphs


def test_two_have_two(pool: Windows) -> None:
    with pool.lend() as one, pool.lend() as two:
        assert one != two


def test_a_window_whose_test_failed_is_closed(pool: Windows) -> None:
    with suppress(AssertionError), pool.lend() as page:
        raise AssertionError
    assert page.is_closed()
    pool.failures = iter(range(9)).__next__  # and one fails while the next has it
    with pool.lend() as page:
        pass
    assert page.is_closed()


def test_a_script_of_its_own_goes_with_the_window(pool: Windows, base: str) -> None:
    with pool.lend(before="window.own = 1;") as page:
        page.goto(base + BLANK)
        assert page.evaluate("window.own") == 1
    with pool.lend() as page:
        page.goto(base + BLANK)
        assert page.evaluate("window.own") is None

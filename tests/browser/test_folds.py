"""What is folded and previewed: by mouse, keys and finger, and without a script."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import ExitStack
from pathlib import Path

import pytest
from playwright.sync_api import Page, Route, expect

from .axe import faults
from .conftest import DESKTOP, PHONE, serving
from .windows import Windows, hearing

LIVE = Path(__file__).parents[2] / "docs" / "live"
BODY = """\
<button class="lb-switch" aria-pressed="false" hidden>Show all code</button>
<details class="lb-fold"><summary>How this was made</summary><pre>x</pre></details>
<details class="lb-predict"><summary>Show the answer</summary><p>42</p></details>
<div class="lb-equation" id="eq-6"><math><mi>a</mi></math></div>
<p style="margin: 9rem 0">By <a class="lb-ref" href="#eq-6">(6)</a>, as
<a class="lb-cite" href="works.html#w">B 1948</a> says,
<a class="lb-term" href="works.html#terms">terms</a> and
<a class="lb-ref" href="works.html#figure-1">figure 1</a>; but
<a class="lb-term" href="works.html#gone">one</a> is not there.</p>
"""
WORKS = """\
<ul><li id="w">B (1948). <cite>A title</cite>. <a href="it.html">Its place</a>.
<span class="lb-cited">Cited in: here</span></li></ul>
<dl><dt id="terms">Term</dt>
<dd>What it is, <a class="lb-cite" href="#w">B 1948</a>.</dd></dl>
<figure id="figure-1"><svg viewBox="0 0 9 9" role="img" aria-label="A line"><defs>
<clipPath id="f1-a"><path d="M0 0h9v9z"></path></clipPath></defs>
<path clip-path="url(#f1-a)" d="M0 0l9 9" style="stroke: #123456"></path>
<a href="it.html"><text>it</text></a></svg></figure>
"""


@pytest.fixture
def small(windows: Windows, tmp_path: Path) -> Iterator[Callable[..., Page]]:
    """Opens a small page with both scripts, in a window of this kind."""
    scripts = ""
    for name in ("folding", "preview"):
        code = (LIVE / f"{name}.js").read_text(encoding="utf-8")
        (tmp_path / f"{name}.js").write_text(code, encoding="utf-8")
        scripts += f'<script type="module" src="{name}.js"></script>'
    (tmp_path / "index.html").write_text(
        '<!doctype html><html lang="en"><meta charset="utf-8"><title>T</title>'
        "<style>[hidden] { display: none }"
        " .lb-preview { position: absolute; background: #fff }</style>"
        f'<link rel="icon" href="data:,"><body><main><article><h1>T</h1>{BODY}'
        f"</article></main>{scripts}",
        encoding="utf-8",
    )
    (tmp_path / "works.html").write_text(
        f'<!doctype html><html lang="en"><link rel="icon" href="data:,">{WORKS}',
        encoding="utf-8",
    )

    with serving(tmp_path) as address, ExitStack() as lent:

        def make(**options: object) -> Page:
            page = lent.enter_context(windows.lend(**options))
            page.goto(address, wait_until="load")
            return page

        yield make


def preview(page: Page):  # type: ignore[no-untyped-def]
    return page.locator(".lb-preview")


def test_the_switch_opens_all_code_and_is_remembered(small) -> None:
    page = small()
    switch, fold = page.get_by_role("button"), page.locator(".lb-fold")
    expect(switch).to_have_attribute("aria-pressed", "false")
    switch.press("Enter")
    expect(switch).to_have_attribute("aria-pressed", "true")
    expect(fold).to_have_attribute("open", "")
    expect(page.locator(".lb-predict")).not_to_have_attribute("open", "")
    page.reload()
    expect(fold).to_have_attribute("open", "")
    switch.click()
    expect(fold).not_to_have_attribute("open", "")
    page.reload()
    expect(fold).not_to_have_attribute("open", "")


def test_without_a_script_there_is_no_switch_and_folds_open(small) -> None:
    page = small(java_script_enabled=False)
    expect(page.locator(".lb-switch")).to_be_hidden()
    page.locator(".lb-fold summary").click()
    expect(page.locator(".lb-fold pre")).to_be_visible()
    page.locator(".lb-predict summary").press("Enter")
    expect(page.locator(".lb-predict p")).to_be_visible()
    page.locator(".lb-ref").first.click()
    assert page.url.endswith("#eq-6")


def test_a_pointer_brings_a_preview_that_it_may_enter(small) -> None:
    page = small()
    page.locator(".lb-ref").first.hover()
    expect(preview(page)).to_be_visible()
    assert preview(page).locator("math").count() == 1
    assert preview(page).locator("[id]").count() == 0
    preview(page).hover()
    page.locator("h1").hover()
    expect(preview(page)).to_be_hidden()


def test_the_keyboard_brings_it_and_escape_sends_it_away(small) -> None:
    page = small()
    page.locator(".lb-predict summary").focus()
    page.keyboard.press("Tab")
    page.keyboard.press("Tab")
    expect(preview(page)).to_have_text("B (1948). A title. Its place.")
    expect(page.locator(".lb-cite")).to_have_attribute("aria-describedby", "lb-preview")
    page.keyboard.press("Escape")
    expect(preview(page)).to_be_hidden()
    assert page.evaluate("document.activeElement.className") == "lb-cite"
    page.keyboard.press("Shift+Tab")
    expect(preview(page)).to_be_visible()
    page.keyboard.press("Enter")
    assert page.url.endswith("#eq-6")


def test_a_finger_previews_first_and_follows_then(small) -> None:
    width, height = PHONE
    page = small(has_touch=True, viewport={"width": width, "height": height})
    link = page.locator(".lb-cite")
    link.tap()
    expect(preview(page)).to_be_visible()
    assert "#" not in page.url
    box = preview(page).bounding_box()
    assert box["x"] >= 0 and box["x"] + box["width"] <= width
    page.locator("h1").tap()
    expect(preview(page)).to_be_hidden()
    link.tap()
    expect(preview(page)).to_be_visible()
    link.tap()
    page.wait_for_url("**/works.html#w")


def test_a_term_of_another_page_is_what_its_glossary_says(small) -> None:
    page = small()
    page.locator(".lb-term").first.hover()
    expect(preview(page)).to_have_text("What it is, B 1948.")
    inside = preview(page).locator("a")
    assert inside.evaluate("a => a.href").endswith("/works.html#w")
    inside.focus()  # it has no preview of its own, and takes away none
    page.keyboard.press("Shift")
    expect(preview(page)).to_have_text("What it is, B 1948.")


def test_a_drawing_of_another_page_keeps_its_parts_apart_from_ours(small) -> None:
    page = small()
    page.locator(".lb-ref").last.hover()
    shape = preview(page).locator("svg > path")
    expect(shape).to_have_attribute("clip-path", "url(#preview-f1-a)")
    expect(shape).to_have_attribute("style", "stroke: #123456")
    target = preview(page).locator("svg a").get_attribute("href")
    assert target and target.startswith("http") and target.endswith("/it.html")
    assert preview(page).locator("[id]").evaluate_all("all => all.map(e => e.id)") == [
        "preview-f1-a"
    ]


def test_another_page_is_asked_for_once(small) -> None:
    page = small()
    asked: list[str] = []
    with hearing(page, request=lambda request: asked.append(request.url)):
        for link in (".lb-cite >> nth=0", ".lb-term >> nth=0", ".lb-cite >> nth=0"):
            page.locator(link).hover()
            expect(preview(page)).to_be_visible()
            page.locator("h1").hover()
            expect(preview(page)).to_be_hidden()
    assert [url.rpartition("/")[2] for url in asked] == ["works.html"]


@pytest.mark.parametrize("lost", [False, True])
def test_a_finger_follows_a_link_that_has_no_preview(small, lost: bool) -> None:
    page = small(has_touch=True)
    if lost:  # the net, while the preview is fetched; the page itself comes
        page.route(
            "**/works.html",
            lambda route: (
                route.abort()
                if route.request.resource_type == "fetch"
                else route.continue_()
            ),
        )
    page.locator(".lb-cite" if lost else ".lb-term >> nth=1").tap()
    page.wait_for_url("**/works.html#w" if lost else "**/works.html#gone")


@pytest.mark.parametrize("way", ["tap", "Escape"])
def test_what_is_not_wanted_any_more_neither_comes_nor_leads_away(
    small, way: str
) -> None:
    page = small(has_touch=True)
    held: list[Route] = []
    page.route("**/works.html", lambda route: held.append(route))
    with page.expect_request("**/works.html"):
        page.locator(".lb-cite").tap()
    page.locator("h1").tap() if way == "tap" else page.keyboard.press("Escape")
    with page.expect_response("**/works.html"):
        held[0].fulfill(body="<p>no such work</p>", content_type="text/html")
    page.evaluate("() => new Promise(requestAnimationFrame)")
    expect(preview(page)).to_be_hidden()
    assert page.url.endswith("/")


def test_a_page_that_did_not_come_is_asked_for_again(small) -> None:
    page = small()
    page.route("**/works.html", lambda route: route.abort())
    with page.expect_event("requestfailed"):
        page.locator(".lb-cite").hover()
    page.locator("h1").hover()
    expect(preview(page)).to_be_hidden()
    page.unroute_all()
    page.locator(".lb-cite").hover()
    expect(preview(page)).to_be_visible()


def test_axe_finds_nothing_with_a_preview_open(small) -> None:
    page = small(viewport={"width": DESKTOP[0], "height": DESKTOP[1]})
    page.locator(".lb-predict summary").focus()
    for shown in ("a", "B (1948). A title. Its place.", "What it is, B 1948."):
        page.keyboard.press("Tab")
        expect(preview(page)).to_have_text(shown)
        assert faults(page) == []

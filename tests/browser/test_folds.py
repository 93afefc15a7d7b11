"""Fold and preview: by mouse, keyboard, touch, and without scripts."""

from __future__ import annotations

import shutil
from collections.abc import Iterator
from pathlib import Path

import pytest
from playwright.sync_api import Locator, Page, Route, expect

from .checks import DOCS, PHONE, axe_violations, on_a_phone, serve, without_script

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


HEAD = '<!doctype html><html lang="en"><title>T</title><link rel="icon" href="data:,">'
SCRIPTS = """\
<style>
[hidden] { display: none }
.lb-preview { position: absolute; background: #fff }
</style>
<script type="module" src="live/folding.js"></script>
<script type="module" src="live/preview.js"></script>
"""


@pytest.fixture
def page(page: Page, tmp_path: Path) -> Iterator[Page]:
    """Open a small page with both scripts; it links a second page."""
    shutil.copytree(DOCS / "live", tmp_path / "live")
    index = f"{HEAD}{SCRIPTS}<body><main><article><h1>T</h1>{BODY}</article></main>"
    (tmp_path / "index.html").write_text(index, encoding="utf-8")
    (tmp_path / "works.html").write_text(f"{HEAD}{WORKS}", encoding="utf-8")
    with serve(tmp_path) as address:
        page.goto(address)
        yield page


def preview(page: Page) -> Locator:
    return page.locator(".lb-preview")


def test_the_switch_unfolds_all_code_and_is_remembered(page: Page) -> None:
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


@without_script
def test_without_scripts_folds_open_and_links_lead(page: Page) -> None:
    expect(page.locator(".lb-switch")).to_be_hidden()
    page.locator(".lb-fold summary").click()
    expect(page.locator(".lb-fold pre")).to_be_visible()
    page.locator(".lb-predict summary").press("Enter")
    expect(page.locator(".lb-predict p")).to_be_visible()
    page.locator(".lb-ref").first.click()
    assert page.url.endswith("#eq-6")


def test_focus_opens_a_preview_and_escape_closes_it(page: Page) -> None:
    page.locator(".lb-predict summary").focus()
    for shown in ("a", "B (1948). A title. Its place."):
        page.keyboard.press("Tab")
        expect(preview(page)).to_have_text(shown)
        assert axe_violations(page) == []
    expect(page.locator(".lb-cite")).to_have_attribute("aria-describedby", "lb-preview")
    page.keyboard.press("Escape")
    expect(preview(page)).to_be_hidden()
    assert page.evaluate("document.activeElement.className") == "lb-cite"
    page.keyboard.press("Shift+Tab")
    expect(preview(page)).to_be_visible()
    page.keyboard.press("Enter")
    assert page.url.endswith("#eq-6")


@on_a_phone
def test_a_first_tap_previews_and_a_second_follows(page: Page) -> None:
    link = page.locator(".lb-cite")
    link.tap()
    expect(preview(page)).to_be_visible()
    assert "#" not in page.url
    box = preview(page).bounding_box()
    assert box and box["x"] >= 0 and box["x"] + box["width"] <= PHONE["width"]
    page.locator("h1").tap()
    expect(preview(page)).to_be_hidden()
    link.tap()
    expect(preview(page)).to_be_visible()
    link.tap()
    page.wait_for_url("**/works.html#w")


def test_a_preview_by_hovering_is_entered_and_another_page_fetched_once(
    page: Page,
) -> None:
    requests: list[str] = []
    page.on("request", lambda request: requests.append(request.url))
    for link, text in (
        (".lb-ref >> nth=0", "a"),
        (".lb-cite", "B (1948). A title. Its place."),
        (".lb-term >> nth=0", "What it is, B 1948."),
    ):
        page.locator(link).hover()
        expect(preview(page)).to_have_text(text)
        assert preview(page).locator("[id]").count() == 0
        preview(page).hover()
        expect(preview(page)).to_have_text(text)
        inside = preview(page).locator("a[href$='works.html#w']")
        if link.startswith(".lb-term"):  # it has no preview of its own, and takes none
            inside.focus()
            page.keyboard.press("Shift")
            expect(preview(page)).to_have_text(text)
        page.locator("h1").hover()
        expect(preview(page)).to_be_hidden()
    assert [url.rpartition("/")[2] for url in requests] == ["works.html"]


def test_a_previewed_svg_has_ids_of_its_own(page: Page) -> None:
    page.locator(".lb-ref").last.hover()
    shape = preview(page).locator("svg > path")
    expect(shape).to_have_attribute("clip-path", "url(#preview-f1-a)")
    expect(shape).to_have_attribute("style", "stroke: #123456")
    target = preview(page).locator("svg a").get_attribute("href")
    assert target and target.startswith("http") and target.endswith("/it.html")
    assert preview(page).locator("[id]").evaluate_all("all => all.map(e => e.id)") == [
        "preview-f1-a"
    ]


@on_a_phone
@pytest.mark.parametrize(
    ("link", "anchor"), [(".lb-cite", "w"), (".lb-term >> nth=1", "gone")]
)
def test_a_tap_follows_a_link_without_a_preview(
    page: Page, link: str, anchor: str
) -> None:
    """The net is lost while the preview is fetched, or the entry is not there."""

    def lost(route: Route) -> None:
        fetched = route.request.resource_type == "fetch" and anchor == "w"
        route.abort() if fetched else route.continue_()

    page.route("**/works.html", lost)
    page.locator(link).tap()
    page.wait_for_url(f"**/works.html#{anchor}")


@on_a_phone
@pytest.mark.parametrize("way", ["tap", "Escape"])
def test_a_preview_that_was_cancelled_neither_opens_nor_leads_away(
    page: Page, way: str
) -> None:
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


@pytest.mark.parametrize("status", [0, 500])
def test_a_page_that_failed_to_load_is_fetched_again(page: Page, status: int) -> None:
    page.route(
        "**/works.html",
        lambda route: route.fulfill(status=status) if status else route.abort(),
    )
    page.locator(".lb-cite").hover()
    why = f"the server answers {status}" if status else "there is no connection"
    expect(preview(page)).to_have_text(
        f"The preview did not load: {why}. The link leads there."
    )
    page.locator("h1").hover()
    expect(preview(page)).to_be_hidden()
    page.unroute_all()
    page.locator(".lb-cite").hover()
    expect(preview(page)).to_contain_text("B (1948)")

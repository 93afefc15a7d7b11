"""Open every page on a phone: hosts, errors, overflow; and see that figures show."""

from __future__ import annotations

from io import BytesIO
from pathlib import Path

import pytest
from matplotlib.image import imread
from playwright.sync_api import Page

from .checks import PAGES, SETTLE, on_a_phone, overflowing, source_pages

# Equations that come closer than 8 px to their number.
CRAMPED = """() => [...document.querySelectorAll(".lb-eqno")].filter(number => {
    const formula = number.previousElementSibling;
    const parts = [formula, ...formula.querySelectorAll("*")];
    const right = Math.max(...parts.map(part => part.getBoundingClientRect().right));
    return number.getBoundingClientRect().left - right <= 8;
}).map(number => number.parentElement.textContent)"""


def check(page: Page, base_url: str, name: str) -> None:
    """Open a page; check its hosts, errors and layout."""
    requests, errors = list[str](), list[str]()
    page.on("request", lambda request: requests.append(request.url))
    page.on("requestfailed", lambda request: errors.append(f"{request.url} failed"))
    page.on(
        "console",
        lambda message: errors.append(message.text) if message.type == "error" else 0,
    )
    page.goto(name)
    page.evaluate(SETTLE)
    own = (base_url, "data:", "blob:")
    assert [url for url in requests if not url.startswith(own)] == []
    assert errors == []
    assert overflowing(page) == []
    assert page.evaluate(CRAMPED) == []


def test_every_page_of_the_site_is_listed(site: Path) -> None:
    files = {path.relative_to(site).as_posix() for path in site.rglob("*.html")}
    addresses = {name.removesuffix("index.html") for name in files}
    assert addresses == {*PAGES, *source_pages(site)}


@on_a_phone
@pytest.mark.parametrize("name", PAGES, ids=lambda name: name or "/")
def test_page_fits_a_phone_without_errors_or_other_hosts(
    page: Page, base_url: str, name: str
) -> None:
    check(page, base_url, name)


@on_a_phone
def test_source_pages_fit_a_phone_without_errors_or_other_hosts(
    page: Page, base_url: str, site: Path
) -> None:
    assert source_pages(site)
    for name in source_pages(site):
        tab = page.context.new_page()  # leaving a page cancels its requests
        check(tab, base_url, name)
        tab.close()


@pytest.mark.parametrize("name", ["", "ngram/", "encoder/"])
def test_a_figure_is_drawn_in_both_palettes(page: Page, name: str) -> None:
    """Find ink on less than half of a map, a chart and a diagram, in both palettes."""
    page.goto(name)
    grounds = []
    for scheme in ("light", "dark"):
        page.emulate_media(color_scheme=scheme)
        svg = page.locator("article figure svg[role=img]:visible").first
        grey = imread(BytesIO(svg.screenshot()))[:, :, :3].mean(axis=2)
        grounds.append(grey[1, 1])
        ink = abs(grey - grey[1, 1]) > 0.3
        assert 0.005 < ink.mean() < 0.5
    assert grounds[0] > 0.9 and grounds[1] < 0.3

"""Check what all live pieces share: no script, no weights, phones, both palettes, axe.

What each of them does is tested in a file of its own.
"""

from __future__ import annotations

from collections.abc import Callable

import pytest
from playwright.sync_api import Locator, Page, Route, ViewportSize, expect

from .checks import (
    DESKTOP,
    PHONE,
    axe_violations,
    desk,
    on_a_phone,
    overflowing,
    ready,
    small_targets,
    start,
    status,
    without_script,
)

TRANSLATE = "Translate a sentence of yours"
STEP = "Go through it step by step"
PIECES = [
    ("live/", TRANSLATE),  # this one also starts by itself
    ("", TRANSLATE),
    ("bahdanau/", TRANSLATE),
    ("bahdanau/", STEP),
    ("luong/", TRANSLATE),
    ("luong/", STEP),
    ("transformer/", TRANSLATE),
    ("decoding/", "Search with a beam of yours"),
    ("ngram/", "Try words of yours"),
    ("gpt/", "Try words of yours"),
    ("lstm/", "Read a sentence of yours"),
    ("word2vec/", "Ask questions of yours"),
    ("glove/", "Ask questions of yours"),
]
"""A page with a live piece, and the button that starts it."""
WEIGHTS = "**/*.safetensors"
CONTROLS = ":is(button, input, select):visible"


def corrupt(route: Route) -> None:
    response = route.fetch()
    body = bytearray(response.body())
    body[-1:] = [one ^ 1 for one in body[-1:]]  # HEAD has none
    route.fulfill(response=response, body=bytes(body))


FAILURES: list[Callable[[Route], None]] = [
    lambda route: route.abort(),
    lambda route: route.fulfill(status=404, body="no"),
    corrupt,
]


@without_script
@pytest.mark.parametrize("name", dict(PIECES), ids=lambda name: name or "/")
def test_without_scripts_the_figures_are_there(page: Page, name: str) -> None:
    page.goto(name)
    assert page.locator(".lb-live").count()
    for piece in page.locator(".lb-live").all():
        expect(piece.locator("figure svg:visible").first).to_be_visible()


@pytest.mark.parametrize(("name", "button"), PIECES)
def test_without_its_weights_the_figure_stays(
    page: Page, name: str, button: str
) -> None:
    page.route(WEIGHTS, FAILURES[0])
    page.goto(name)
    for failure in FAILURES:
        page.route(WEIGHTS, failure)
        page.get_by_role("button", name=button).click()
        expect(status(page)).to_contain_text("The figure stays as it is")
        expect(page.locator(".lb-live figure svg:visible").first).to_be_visible()
        expect(desk(page)).to_have_count(0)
        status(page).evaluate("status => status.textContent = ''")
    page.unroute(WEIGHTS)
    page.get_by_role("button", name=button).click()
    ready(page)
    expect(page.locator(".lb-live:has(.lb-desk) figure")).to_be_hidden()
    expect(desk(page).locator(":focus")).to_have_count(1)


@on_a_phone
@pytest.mark.parametrize(("name", "button"), PIECES)
def test_a_piece_fits_a_phone_in_both_palettes(
    page: Page, name: str, button: str
) -> None:
    start(page, name, button)
    expect(desk(page).locator(".lb-look")).to_contain_text("What to look at: ")
    for row in desk(page).get_by_role("toolbar").get_by_role("button").all()[:1]:
        row.focus()
    assert overflowing(page) == []
    assert small_targets(desk(page).locator(CONTROLS)) == []
    for scheme in ("light", "dark"):
        page.emulate_media(color_scheme=scheme)
        assert axe_violations(page, ".lb-live[data-done]") == []


def step(figure: Locator) -> None:
    figure.get_by_role("button", name="Step on").click()


def hold_row(figure: Locator) -> None:
    figure.locator(".lb-rows button").nth(3).focus()


def step_and_hold_row(figure: Locator) -> None:
    step(figure)
    hold_row(figure)


FIGURES = {
    "map": ("luong/", 'figure[data-live="map"]', hold_row),
    "frames": ("ibm1/", "figure#em", step),
    "frames of maps": (
        "attention/",
        "figure.lb-frames:has(.lb-rows)",
        step_and_hold_row,
    ),
    "query": (
        "attention/",
        ".lb-query",
        lambda query: query.get_by_label("temperature").press("Home"),
    ),
    "listing": (
        "luong/",
        ".lb-twin, .lb-twin ~ [role=tabpanel]",
        lambda tabs: tabs.get_by_role("tab", name="JavaScript").click(),
    ),
}
"""Interactive figures: page, selector, and what a reader does to them."""


@pytest.mark.parametrize("figure", FIGURES)
@pytest.mark.parametrize("size", [PHONE, DESKTOP], ids=["phone", "desktop"])
def test_an_interactive_figure_fits_both_widths_in_both_palettes(
    page: Page, figure: str, size: ViewportSize
) -> None:
    name, selector, use = FIGURES[figure]
    page.set_viewport_size(size)
    page.goto(name)
    located = page.locator(selector).first
    use(located)
    assert overflowing(page) == []
    assert small_targets(located.locator(CONTROLS)) == []
    for scheme in ("light", "dark"):
        page.emulate_media(color_scheme=scheme)
        assert axe_violations(page, selector) == []

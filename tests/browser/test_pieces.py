"""Check what all live pieces share: no script, no weights, phones, both palettes, axe.

What each of them does is tested in a file of its own.
"""

from __future__ import annotations

from collections.abc import Callable

import pytest
from playwright.sync_api import Locator, Page, expect

from .checks import (
    ASK,
    DESKTOP,
    PHONE,
    PIECE,
    READ,
    STEP,
    TRANSLATE,
    TREE,
    TRY,
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

PIECES = [
    ("live/", TRANSLATE),  # this one also starts by itself
    ("", TRANSLATE),
    ("bahdanau/", TRANSLATE),
    ("bahdanau/", STEP),
    ("luong/", TRANSLATE),
    ("luong/", STEP),
    ("transformer/", TRANSLATE),
    ("decoding/", TREE),
    ("ngram/", TRY),
    ("gpt/", TRY),
    ("lstm/", READ),
    ("word2vec/", ASK),
    ("glove/", ASK),
]
"""A page with a live piece, and the button that starts it."""
CONTROLS = ":is(button, input, select):visible"


@without_script
@pytest.mark.parametrize("name", dict(PIECES), ids=lambda name: name or "/")
def test_without_scripts_the_figures_are_there(page: Page, name: str) -> None:
    page.goto(name)
    assert page.locator(".lb-live").count()
    for piece in page.locator(".lb-live").all():
        expect(piece.locator("figure svg:visible").first).to_be_visible()


@on_a_phone
@pytest.mark.parametrize(("name", "button"), PIECES)
def test_without_its_weights_the_figure_stays_and_with_them_a_piece_fits_a_phone(
    page: Page, name: str, button: str
) -> None:
    page.route("**/*.safetensors", lambda route: route.abort())
    page.goto(name)
    page.get_by_role("button", name=button).click()
    expect(status(page)).to_contain_text("The figure stays as it is")
    expect(page.locator(".lb-live figure svg:visible").first).to_be_visible()
    expect(desk(page)).to_have_count(0)
    page.unroute_all()
    page.get_by_role("button", name=button).click()
    ready(page)
    expect(page.locator(".lb-live:has(.lb-desk) figure")).to_be_hidden()
    expect(desk(page).locator(":focus")).to_have_count(1)
    expect(desk(page).locator(".lb-look")).to_contain_text("What to look at: ")
    for row in desk(page).get_by_role("toolbar").get_by_role("button").all()[:1]:
        row.focus()
    assert overflowing(page) == []
    assert small_targets(desk(page).locator(CONTROLS)) == []
    for scheme in ("light", "dark"):
        page.emulate_media(color_scheme=scheme)
        assert axe_violations(page, PIECE) == []


@pytest.mark.parametrize(
    ("name", "begin", "button", "weights"),
    [
        ("live/", TRANSLATE, "Load Luong's dot product", "luong"),
        ("word2vec/", ASK, "Tatoeba", "word2vec-tatoeba"),
    ],
)
def test_weights_that_are_lost_later_are_named(
    page: Page, name: str, begin: str, button: str, weights: str
) -> None:
    page.route(f"**/{weights}.*.safetensors", lambda route: route.abort())
    start(page, name, begin)
    page.get_by_role("button", name=button).click()
    expect(status(page)).to_contain_text(f"The weights of {weights} did not load")
    assert axe_violations(page, PIECE) == []


def step(figure: Locator) -> None:
    figure.get_by_role("button", name="Step on").click()


def hold_row(figure: Locator) -> None:
    figure.locator(".lb-rows button").nth(2).focus()


def step_and_hold_row(figure: Locator) -> None:
    step(figure)
    hold_row(figure)


FIGURES: dict[str, tuple[str, str, Callable[[Locator], None]]] = {
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
def test_an_interactive_figure_fits_both_widths_in_both_palettes(
    page: Page, figure: str
) -> None:
    name, selector, use = FIGURES[figure]
    page.goto(name)
    located = page.locator(selector).first
    for size in (PHONE, DESKTOP):
        page.set_viewport_size(size)
        use(located)
        assert overflowing(page) == []
        assert small_targets(located.locator(CONTROLS)) == []
        for scheme in ("light", "dark"):
            page.emulate_media(color_scheme=scheme)
            assert axe_violations(page, selector) == []

"""Check whole pages with axe, in both palettes at desktop and phone widths."""

from __future__ import annotations

from pathlib import Path

import pytest
from playwright.sync_api import Page, ViewportSize

from .checks import (
    ALL_PAGES,
    DESKTOP,
    PAGES,
    PHONE,
    SETTLE,
    axe_violations,
    source_pages,
)

AXE_PAGES = (
    "",
    "404.html",
    "attention/",
    "bibliography/",
    "decoder/",
    "decoding/",
    "glossary/",
    "labs/looking/",
    "labs/zipf/",
    "ngram/",
    "notation/",
    "stack_decoder/",
)
"""Pages that hold every kind of element; checked in all VIEWS, others in two."""
View = tuple[str, ViewportSize]
VIEWS = (("light", DESKTOP), ("dark", PHONE), ("light", PHONE), ("dark", DESKTOP))
AXE_CASES = [
    pytest.param(name, view, id=f"{name or '/'}-{view[0]}-{view[1]['width']}")
    for name in (PAGES if ALL_PAGES else AXE_PAGES)
    for view in (VIEWS if name in AXE_PAGES else VIEWS[:2])
]
SCHEMES = {"light": "default", "dark": "slate"}
"""The system's palette → the name that Material has for it."""


def check_with_axe(page: Page, name: str, view: View) -> None:
    """Open a page in this palette and size; check the palette, and all with axe."""
    scheme, size = view
    page.emulate_media(color_scheme=scheme)
    page.set_viewport_size(size)
    page.goto(name)
    page.evaluate(SETTLE)
    assert page.locator("body").get_attribute("data-md-color-scheme") == SCHEMES[scheme]
    assert axe_violations(page) == []


@pytest.mark.parametrize(("name", "view"), AXE_CASES)
def test_axe_finds_no_violation(page: Page, name: str, view: View) -> None:
    check_with_axe(page, name, view)


@pytest.mark.parametrize("view", VIEWS[:2])
def test_axe_finds_no_violation_on_source_pages(
    page: Page, site: Path, view: View
) -> None:
    for name in source_pages(site) if ALL_PAGES else source_pages(site)[:1]:
        check_with_axe(page, name, view)

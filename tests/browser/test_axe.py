"""Check whole pages with axe, in both palettes at desktop and phone widths."""

from __future__ import annotations

from pathlib import Path

import pytest
from playwright.sync_api import Page, ViewportSize, expect

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
SCHEMES = {"light": "default", "dark": "slate"}
"""The system's palette → the name that Material has for it."""


def check_with_axe(page: Page, name: str, *views: View) -> None:
    """Open a page; check its palette in each view, and all with axe."""
    page.goto(name)
    for scheme, size in views:
        page.emulate_media(color_scheme=scheme)
        page.set_viewport_size(size)
        page.evaluate(SETTLE)
        palette = page.locator(f"body[data-md-color-scheme={SCHEMES[scheme]}]")
        expect(palette).to_have_count(1)
        assert axe_violations(page) == [], (scheme, size)


@pytest.mark.parametrize(
    "name", PAGES if ALL_PAGES else AXE_PAGES, ids=lambda n: n or "/"
)
def test_axe_finds_no_violation(page: Page, name: str) -> None:
    check_with_axe(page, name, *(VIEWS if name in AXE_PAGES else VIEWS[:2]))


def test_axe_finds_no_violation_on_source_pages(page: Page, site: Path) -> None:
    for name in source_pages(site) if ALL_PAGES else source_pages(site)[:1]:
        check_with_axe(page, name, *VIEWS[:2])

"""Run pytest-playwright on an installed Chromium, against the site served locally."""

from __future__ import annotations

import os
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from playwright.sync_api import Page, expect

from lookback.paper import HOW, find_chromium

from .checks import DESKTOP, serve

FLAGS = [
    "--no-sandbox",
    "--disable-gpu",
    "--disable-quic",
    "--no-first-run",
    "--disable-background-networking",
    "--disable-component-update",
    "--disable-sync",
]

WAIT = 120_000  # milliseconds after which a test gives up, on a busy machine, too
expect.set_options(timeout=WAIT)


@pytest.fixture(scope="session")
def browser_type_launch_args(browser_type_launch_args: dict[str, Any]) -> dict:
    """Launch the installed Chromium; skip, or fail where a browser is required."""
    path = find_chromium()
    if path is None and os.environ.get("LOOKBACK_REQUIRE_BROWSER") == "1":
        pytest.fail(f"LOOKBACK_REQUIRE_BROWSER=1, and {HOW}")
    if path is None:
        pytest.skip(HOW)
    return browser_type_launch_args | {"executable_path": path, "args": FLAGS}


@pytest.fixture(scope="session")
def browser_context_args(browser_context_args: dict[str, Any]) -> dict:
    """Open pages on a desktop, for a reader who prefers reduced motion."""
    return browser_context_args | {"viewport": DESKTOP, "reduced_motion": "reduce"}


@pytest.fixture(scope="session")
def base_url(browser_type_launch_args: dict[str, Any], site: Path) -> Iterator[str]:
    """Serve the built site; Playwright resolves `page.goto("ngram/")` against it."""
    with serve(site) as address:
        yield address


@pytest.fixture
def page(page: Page) -> Iterator[Page]:
    """Open a page, and fail the test if a script of it raised an error."""
    errors: list[str] = []
    page.on("pageerror", lambda error: errors.append(str(error)))
    page.set_default_timeout(WAIT)
    yield page
    assert errors == []

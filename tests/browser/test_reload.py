"""Edit a page under `mkdocs serve`: the open browser reloads it."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

from playwright.sync_api import Page, expect

PAGE = "# T\n\nThe first words.\n\n```python\n6 * 7\n```\n"
Serve = Callable[[dict[str, str]], str]


def test_an_edit_reloads_the_open_page(
    page: Page, serve: Serve, tmp_path: Path
) -> None:
    page.goto(serve({"index.md": PAGE}))
    words = page.locator("p").filter(has_text="words")
    expect(words).to_have_text("The first words.")
    source = tmp_path / "docs" / "index.md"
    source.write_text(PAGE.replace("first", "second"))
    expect(words).to_have_text("The second words.")
    expect(page.locator(".lb-output")).to_have_text("42")

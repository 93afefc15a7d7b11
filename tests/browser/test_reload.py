"""Edit a page under `mkdocs serve`: the open browser reloads it."""

from __future__ import annotations

import os
import socket
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest
from playwright.sync_api import Page, expect

CONFIG = "site_name: T\ntheme: {name: material, font: false}\nplugins: [lookback]\n"
PAGE = "# T\n\nThe first words.\n\n```python\n6 * 7\n```\n"


@pytest.fixture
def served(tmp_path: Path) -> Iterator[str]:
    """Serve a small book as its author would; yield its address."""
    (tmp_path / "docs").mkdir()
    (tmp_path / "docs" / "index.md").write_text(PAGE)
    config = tmp_path / "mkdocs.yml"
    config.write_text(CONFIG)
    with socket.socket() as free:
        free.bind(("127.0.0.1", 0))
        address = f"127.0.0.1:{free.getsockname()[1]}"
    server = subprocess.Popen(
        [sys.executable, "-m", "mkdocs", "serve", "-f", str(config), "-a", address],
        stderr=subprocess.PIPE,
        text=True,
        encoding="utf-8",
        env=os.environ | {name: str(tmp_path) for name in ("TMPDIR", "TEMP", "TMP")},
    )
    assert server.stderr is not None
    lines = []
    for line in server.stderr:
        lines.append(line)
        if "Serving on" in line:
            break
    else:
        pytest.fail("".join(lines))
    yield f"http://{address}/"
    server.terminate()  # an interrupt is ignored where pytest runs in the background
    server.communicate()


def test_an_edit_reloads_the_open_page(page: Page, served: str, tmp_path: Path) -> None:
    page.goto(served)
    words = page.locator("p").filter(has_text="words")
    expect(words).to_have_text("The first words.")
    source = tmp_path / "docs" / "index.md"
    source.write_text(PAGE.replace("first", "second"))
    expect(words).to_have_text("The second words.")
    expect(page.locator(".lb-output")).to_have_text("42")

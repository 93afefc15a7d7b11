"""Serve a folder over HTTP, and check pages: axe, overflow, targets, live pieces."""

from __future__ import annotations

import functools
import http.server
import os
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import pytest
from axe_playwright_python.sync_playwright import Axe
from playwright.sync_api import Locator, Page, ViewportSize, expect

DOCS = Path(__file__).parents[2] / "docs"
DESKTOP: ViewportSize = {"width": 1280, "height": 900}
PHONE: ViewportSize = {"width": 360, "height": 740}

ALL_PAGES = os.environ.get("LOOKBACK_ALL_PAGES") == "1"
"""Check all pages with axe, as `.ci/run` does, and not only AXE_PAGES."""
PAGES = sorted(
    {"404.html"}
    | {
        f"{path.relative_to(DOCS).with_suffix('').as_posix()}/".removeprefix("index/")
        for path in (*DOCS.glob("*.md"), *DOCS.glob("labs/*.py"))
    }
)

on_a_phone = pytest.mark.browser_context_args(viewport=PHONE, has_touch=True)
without_script = pytest.mark.browser_context_args(java_script_enabled=False)
with_motion = pytest.mark.browser_context_args(reduced_motion="no-preference")

# The page as read: everything unfolded, fonts loaded, two frames painted.
SETTLE = """async () => {
    for (const details of document.querySelectorAll("details")) details.open = true;
    await document.fonts.ready;
    await new Promise(done => requestAnimationFrame(() => requestAnimationFrame(done)));
}"""
OVERFLOWING = """() => {
    const room = document.documentElement.clientWidth;
    const clipped = element => {
        for (let e = element.parentElement; e !== document.documentElement;
             e = e.parentElement)
            if (getComputedStyle(e).overflowX !== "visible"
                && e.getBoundingClientRect().right <= room + 1) return true;
        return false;
    };
    const outside = [...document.body.querySelectorAll("*")].filter(e => {
        const box = e.getBoundingClientRect();
        return box.width > 0 && box.left < room && box.right > room + 1 && !clipped(e);
    });
    const scrolls = document.documentElement.scrollWidth > room + 1;
    return outside.map(e => e.outerHTML.slice(0, 80)).concat(scrolls ? ["page"] : []);
}"""
SMALL_TARGETS = """parts => parts.filter(part => {
    const { width, height } = part.getBoundingClientRect();
    return Math.min(width, height) < 24;
}).map(part => part.outerHTML.slice(0, 90))"""


def source_pages(site: Path) -> list[str]:
    """List the addresses of the listings of the package's modules."""
    pages = sorted((site / "source").rglob("index.html"))
    return [f"{page.parent.relative_to(site).as_posix()}/" for page in pages]


Faults = dict[str, list[str]]
"""Part of an address → what its next answers are: "lost", "404", "cut", "altered"."""


class QuietHandler(http.server.SimpleHTTPRequestHandler):
    """Serve files without a log, and some answers with a fault."""

    def __init__(self, *args: Any, faults: Faults, **options: Any) -> None:
        self.faults = faults
        super().__init__(*args, **options)

    def log_message(self, *_: Any) -> None: ...

    def next_fault(self) -> str:
        left = (ways for part, ways in self.faults.items() if part in self.path)
        return next((ways.pop(0) for ways in left if ways), "")

    def do_HEAD(self) -> None:
        way = self.next_fault()
        if way.isdigit():
            self.send_error(int(way))
        elif way != "lost":
            super().do_HEAD()

    def do_GET(self) -> None:
        way = self.next_fault()
        if not way:
            super().do_GET()
        elif way.isdigit():
            self.send_error(int(way))
        elif way != "lost":
            path = Path(self.translate_path(self.path))
            body = path.read_bytes()
            self.send_response(200)
            self.send_header("Content-Type", self.guess_type(path))
            self.send_header("Content-Length", str(len(body)))
            self.send_header("Cache-Control", "max-age=3600")
            self.end_headers()
            altered = body[:-1] + bytes([body[-1] ^ 1])
            self.wfile.write(altered if way == "altered" else body[:-1])
        self.close_connection |= way in ("lost", "cut")


@contextmanager
def serve(folder: Path, faults: Faults | None = None) -> Iterator[str]:
    """Serve a folder on a free port of this machine; yield its address."""
    handler = functools.partial(
        QuietHandler, directory=str(folder), faults=faults or {}
    )
    with http.server.ThreadingHTTPServer(("127.0.0.1", 0), handler) as server:
        threading.Thread(target=server.serve_forever, daemon=True).start()
        yield f"http://127.0.0.1:{server.server_port}/"
        server.shutdown()


def axe_violations(page: Page, within: str | None = None) -> list[str]:
    """Run axe on the page, or within a selector; return a line for each violation."""
    # Material's tooltips repeat the name of what the pointer is on, outside landmarks.
    everything = {"exclude": [[".md-tooltip2"]]}
    found = Axe().run(page, {"include": [[within]]} if within else everything)
    return [
        f"{violation['id']}: {node['target']} {node['html'][:90]}"
        for violation in found.response["violations"]
        for node in violation["nodes"]
    ]


def overflowing(page: Page) -> list[str]:
    """List the elements that make the page scroll sideways."""
    found: list[str] = page.evaluate(OVERFLOWING)
    return found


def small_targets(controls: Locator) -> list[str]:
    """List the controls that are under 24 px, too small for a finger."""
    found: list[str] = controls.evaluate_all(SMALL_TARGETS)
    return found


def desk(page: Page) -> Locator:
    """Locate the controls that a live piece puts in place of its figure."""
    return page.locator(".lb-desk")


def status(page: Page) -> Locator:
    """Locate the live region of a live piece."""
    return page.locator(":is(.lb-start, .lb-desk) > [role=status]:visible")


TRANSLATE = "Translate a sentence of yours"
STEP, TREE = "Go through it step by step", "Search with a beam of yours"
TRY, READ = "Try words of yours", "Read a sentence of yours"
ASK = "Ask questions of yours"
"""Buttons that start the live pieces."""
PIECE = ".lb-live[data-done]"
"""A live piece that has shown its first result."""


def start(page: Page, name: str, button: str = TRANSLATE) -> None:
    """Open a page and start its live piece by this button; `live/` starts by itself."""
    page.goto(name)
    if name != "live/":
        page.get_by_role("button", name=button).click()
    ready(page)


def ready(page: Page) -> None:
    """Wait until a live piece has shown its first result."""
    page.locator(PIECE).wait_for()


def say(page: Page, text: str, label: str = "English sentence") -> Locator:
    """Type a text into the field of the first live piece, and press Enter."""
    field = desk(page).get_by_label(label).first
    field.fill(text)
    field.press("Enter")
    return field


def refuses_a_long_text(page: Page, label: str = "English sentence") -> None:
    """A text that is too long is not cut: the status says it."""
    text = "the queen sleeps " * 30
    expect(say(page, text, label)).to_have_value(text)
    expect(status(page)).to_have_text(
        "The text has 510 characters, and at most 500 are read: shorten it."
    )


def switches(page: Page) -> Locator:
    """Locate the words that can be hidden from attention."""
    group = page.get_by_role("group", name="Words that attention may reach")
    return group.get_by_role("button")

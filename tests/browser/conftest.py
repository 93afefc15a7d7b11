"""A browser that is there, the built site served to it, and every page of it seen."""

from __future__ import annotations

import functools
import http.server
import os
import shutil
import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import pytest
from axe_playwright_python.sync_playwright import Axe
from playwright.sync_api import Browser, Page, sync_playwright

NAMES = ("chromium", "chromium-browser", "google-chrome", "google-chrome-stable")
PLACES = (
    "/Applications/Google Chrome.app/Contents/MacOS/Google Chrome",
    "/Applications/Chromium.app/Contents/MacOS/Chromium",
    r"C:\Program Files\Google\Chrome\Application\chrome.exe",
    r"C:\Program Files (x86)\Google\Chrome\Application\chrome.exe",
    r"C:\Program Files (x86)\Microsoft\Edge\Application\msedge.exe",
)
HOW = (
    "the browser tests need Chromium: `apt install chromium`, `brew install --cask "
    "chromium`, or LOOKBACK_CHROMIUM=/path/to/chromium"
)
FLAGS = [
    "--no-sandbox",
    "--disable-gpu",
    "--disable-quic",
    "--no-first-run",
    "--disable-background-networking",
    "--disable-component-update",
    "--disable-sync",
]
DESKTOP, PHONE = (1280, 900), (360, 740)
SIGHTS = (("light", DESKTOP), ("dark", PHONE), ("dark", DESKTOP), ("light", PHONE))


def chromium() -> str | None:
    """The path of a Chromium; None where there is none."""
    if named := os.environ.get("LOOKBACK_CHROMIUM"):
        return named
    found = [path for name in (*NAMES, "chrome") if (path := shutil.which(name))]
    return next(iter([*found, *filter(os.path.exists, PLACES)]), None)


@pytest.fixture(scope="package")  # it ends with this room: it leaves no event loop
def browser() -> Iterator[Browser]:
    path = chromium()
    if path is None and os.environ.get("LOOKBACK_REQUIRE_BROWSER") == "1":
        pytest.fail(f"LOOKBACK_REQUIRE_BROWSER=1, and {HOW}")
    if path is None:
        pytest.skip(HOW)
    with sync_playwright() as playwright:
        launched = playwright.chromium.launch(executable_path=path, args=FLAGS)
        yield launched
        launched.close()


class _Quiet(http.server.SimpleHTTPRequestHandler):
    protocol_version = "HTTP/1.1"

    def log_message(self, *_: Any) -> None: ...


@contextmanager
def serving(folder: Path) -> Iterator[str]:
    """Serves a folder on a port of this machine that is free."""
    handler = functools.partial(_Quiet, directory=str(folder))
    with http.server.ThreadingHTTPServer(("127.0.0.1", 0), handler) as server:
        server.daemon_threads = True
        threading.Thread(target=server.serve_forever, daemon=True).start()
        yield f"http://127.0.0.1:{server.server_port}/"
        server.shutdown()


@pytest.fixture(scope="package")
def base(browser: Browser, site: Path) -> Iterator[str]:
    """The address of the real site."""
    with serving(site) as address:
        yield address


@dataclass
class Visit:
    """What a page did in the browser, in one palette and at one width."""

    page: str
    scheme: str
    width: int
    asked: set[str] = field(default_factory=set)
    errors: list[str] = field(default_factory=list)
    shown: str = ""
    wide: list[str] = field(default_factory=list)
    faults: list[str] = field(default_factory=list)

    def __str__(self) -> str:
        return f"{self.page or '/'} ({self.scheme}, {self.width} px)"


SETTLED = """async () => {
    for (const details of document.querySelectorAll("details")) details.open = true;
    await document.fonts.ready;
    await new Promise(done => requestAnimationFrame(() => requestAnimationFrame(done)));
}"""
WIDE = """() => {
    const room = document.documentElement.clientWidth;
    const held = element => {
        for (let e = element.parentElement; e !== document.documentElement;
             e = e.parentElement)
            if (getComputedStyle(e).overflowX !== "visible"
                && e.getBoundingClientRect().right <= room + 1) return true;
        return false;
    };
    const outside = [...document.body.querySelectorAll("*")].filter(e => {
        const box = e.getBoundingClientRect();
        return box.width > 0 && box.left < room && box.right > room + 1 && !held(e);
    });
    const scrolls = document.documentElement.scrollWidth > room + 1;
    return outside.map(e => e.outerHTML.slice(0, 80)).concat(scrolls ? ["page"] : []);
}"""


def look(page: Page, url: str, visit: Visit) -> Visit:
    """Open an address and note what a reader would trip over."""

    def error(text: str) -> None:
        visit.errors.append(text)

    heard: dict[str, Callable[[Any], None]] = {
        "request": lambda request: visit.asked.add(request.url),
        "console": lambda said: error(said.text) if said.type == "error" else None,
        "pageerror": lambda fault: error(str(fault)),
        "requestfailed": lambda request: error(f"{request.url} failed"),
    }
    for name, hear in heard.items():
        page.on(name, hear)  # type: ignore[call-overload]
    page.goto(url, wait_until="load")
    page.evaluate(SETTLED)
    visit.shown = page.get_attribute("body", "data-md-color-scheme") or ""
    visit.wide = page.evaluate(WIDE)
    found = Axe().run(page, options={"resultTypes": ["violations"]})
    visit.faults = [
        f"{fault['id']}: {node['target'][0]} {node['html'][:90]}"
        for fault in found.response["violations"]
        for node in fault["nodes"]
    ]
    for name, hear in heard.items():
        page.remove_listener(name, hear)
    return visit


@contextmanager
def opened(browser: Browser, scheme: str, size: tuple[int, int]) -> Iterator[Page]:
    """A page of a reader whose system has this palette and a window of this size."""
    context = browser.new_context(
        viewport={"width": size[0], "height": size[1]},
        color_scheme=scheme,  # type: ignore[arg-type]
        reduced_motion="reduce",
    )
    context.set_default_timeout(15_000)
    yield context.new_page()
    context.close()


def addresses(site: Path) -> list[str]:
    """Every page of a built site, as its readers ask for it."""
    files = (path.relative_to(site).as_posix() for path in site.rglob("*.html"))
    return sorted(name.removesuffix("index.html") for name in files)


@pytest.fixture(scope="package")
def visits(browser: Browser, base: str, site: Path) -> list[Visit]:
    """Every page of the site, in both palettes, on a desktop and on a phone.

    The listings of the source are long and all alike: each palette sees them once.
    """
    seen = []
    for number, (scheme, size) in enumerate(SIGHTS):
        with opened(browser, scheme, size) as page:
            for name in addresses(site):
                if number < 2 or not name.startswith("source/"):
                    visit = Visit(name, scheme, size[0])
                    seen.append(look(page, base + name, visit))
    return seen


@pytest.fixture
def see(browser: Browser, tmp_path: Path) -> Callable[..., Visit]:
    """Looks at a little page made of this HTML, to see a check fire."""

    def write_and_look(body: str, scheme: str = "light") -> Visit:
        (tmp_path / "index.html").write_text(
            '<!doctype html><html lang="en"><title>T</title>'
            f'<link rel="icon" href="data:,"><body><main>{body}',
            encoding="utf-8",
        )
        with (
            serving(tmp_path) as address,
            opened(browser, scheme, PHONE) as page,
        ):
            return look(page, address, Visit("", scheme, PHONE[0]))

    return write_and_look

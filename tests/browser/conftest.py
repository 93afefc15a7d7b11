"""A browser that is there, the built site served to it, and every page of it seen."""

from __future__ import annotations

import functools
import http.server
import os
import shutil
import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any

import pytest
from axe_playwright_python.base import AXE_SCRIPT
from lxml import html
from playwright.sync_api import Browser, Locator, Page, Route, expect, sync_playwright

from .axe import AXE, faults, faults_again, faults_at_first, faults_now
from .windows import PATIENCE, Windows, hearing

NAMES = (
    "chromium-headless-shell",  # the same engine without a window: half the work
    "chromium",
    "chromium-browser",
    "google-chrome",
    "google-chrome-stable",
)
PLACES = (
    "/Applications/Google Chrome.app/Contents/MacOS/Google Chrome",
    "/Applications/Chromium.app/Contents/MacOS/Chromium",
    r"C:\Program Files\Google\Chrome\Application\chrome.exe",
    r"C:\Program Files (x86)\Google\Chrome\Application\chrome.exe",
    r"C:\Program Files (x86)\Microsoft\Edge\Application\msedge.exe",
)
HOW = (
    "the browser tests need Chromium: `apt install chromium-headless-shell`, "
    "`brew install --cask chromium`, or LOOKBACK_CHROMIUM=/path/to/chromium"
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
DOCS = Path(__file__).parents[2] / "docs"

# A page that axe hears is loaded light on a desktop, and turns dark on a phone in the
# same window: to load it once more is a third of the work. Any other is loaded on a
# phone alone, where what is too wide shows first. The header, the menus and whatever
# else stands around all pages differ in the other two sights too: where all are heard
# (see ENTIRE), PATTERNS, pages of each kind, are loaded in either palette, and turn to
# the other width. Axe applies all its rules where a page is loaded, and after the turn
# those that depend on it.
SIGHTS = ((("light", DESKTOP), ("dark", PHONE)),)
ALL_SIGHTS = (
    (("light", DESKTOP), ("light", PHONE)),
    (("dark", PHONE), ("dark", DESKTOP)),
)
PATTERNS = ("", "404.html", "bibliography/", "labs/zipf/", "ngram/", "notation/")
MORE = ("attention/", "decoder/", "decoding/", "glossary/", "labs/looking/")
HEARD = (*PATTERNS, *MORE, "stack_decoder/")
"""Pages that hold every kind of element (a test sees to it): axe hears these, and all
of them where the environment says LOOKBACK_ALL_PAGES=1, as `.ci/run` does."""
ENTIRE = os.environ.get("LOOKBACK_ALL_PAGES") == "1"
SCHEMES = ("light", "dark") if ENTIRE else ("dark",)
"""The palettes in which axe hears a figure that scripts move."""
LISTINGS = "source/"
SHARES = 8  # of the listings: so many groups of them, and without ENTIRE the first


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
        expect.set_options(timeout=PATIENCE)
        yield launched
        launched.close()


class _Quiet(http.server.SimpleHTTPRequestHandler):
    protocol_version = "HTTP/1.1"

    def log_message(self, *_: Any) -> None: ...

    def handle(self) -> None:
        with suppress(ConnectionError):  # a page that is left asks for no more
            super().handle()

    def do_GET(self) -> None:
        if self.path == f"/{AXE}":
            self.send(AXE_SCRIPT.encode(), "text/javascript; charset=utf-8")
        else:
            super().do_GET()

    def send(self, body: bytes, kind: str) -> None:
        self.send_response(200)
        self.send_header("Content-Type", kind)
        self.send_header("Content-Length", str(len(body)))
        self.end_headers()
        self.wfile.write(body)


@contextmanager
def serving(
    folder: Path, handler: type[http.server.SimpleHTTPRequestHandler] = _Quiet
) -> Iterator[str]:
    """Serves a folder on a port of this machine that is free."""
    handle = functools.partial(handler, directory=str(folder))
    with http.server.ThreadingHTTPServer(("127.0.0.1", 0), handle) as server:
        server.daemon_threads = True
        threading.Thread(target=server.serve_forever, daemon=True).start()
        yield f"http://127.0.0.1:{server.server_port}/"
        server.shutdown()


BLANK, PART = "blank", "Lookback-Part"
HTML = "text/html; charset=utf-8"
EMPTY = b'<!doctype html><title>T</title><link rel="icon" href="data:,">'


class _Site(_Quiet):
    """Sends a page `short` to who asks for a part, and BLANK, which no folder has.

    Browsers keep all but the pages: to send them anew was half of a short one's work.
    """

    def do_GET(self) -> None:
        address = self.path.partition("?")[0].lstrip("/")
        page, _, part = self.headers.get(PART, " ").partition(" ")
        if address == BLANK:
            self.send(EMPTY, HTML)
        elif part and address == page:
            self.send(short(Path(self.directory) / page / "index.html", part), HTML)
        else:
            super().do_GET()

    def send_response(self, code: int, message: str | None = None) -> None:
        super().send_response(code, message)
        page = self.path.partition("?")[0].endswith(("/", BLANK, ".html"))
        kept = code == 200 and not page
        self.send_header("Cache-Control", "max-age=3600" if kept else "no-store")


@pytest.fixture(scope="package")
def base(browser: Browser, site: Path) -> Iterator[str]:
    """The address of the real site."""
    with serving(site, _Site) as address:
        yield address


@pytest.fixture(scope="package")
def windows(
    request: pytest.FixtureRequest, browser: Browser, base: str
) -> Iterator[Windows]:
    """Windows that are lent to one test after another."""
    found = Windows(browser, base + BLANK, lambda: request.session.testsfailed)
    yield found
    found.close()


LIVE = "contains(concat(' ', @class, ' '), ' lb-live ')"
MAPS = """(@data-live='map' or contains(@class, 'lb-numbers'))
    and count(preceding::*[@data-live='map']) < 4"""
"""The first of them, and their numbers, which are tables under them."""
BEGIN = "parent::article and count(preceding-sibling::*) < 30"
"""A page's first blocks: all that is around them is there."""


@functools.cache
def short(file: Path, part: str) -> bytes:
    """A page's HTML, of its text only the title and the blocks that hold this part.

    part    a condition in XPath
    """
    page = html.document_fromstring(
        file.read_bytes(), html.HTMLParser(encoding="utf-8")
    )
    (article,) = page.iter("article")
    for block in list(article):
        if block.tag != "h1" and not block.xpath(f"descendant-or-self::*[{part}]"):
            article.remove(block)
    return html.tostring(page, doctype="<!doctype html>", encoding="utf-8")


def asking(name: str, part: str) -> dict[str, str]:
    """The headers by which a window gets a page of the site `short`.

    Chapters are long, and a piece is not. Each page is seen whole, with all that is in
    it, by test_pages.
    """
    words = " ".join([name.partition("?")[0], *part.split()])
    return {PART: words} if part else {}


@pytest.fixture
def read(windows: Windows, base: str) -> Callable[..., Any]:
    """Opens a page of the site in a window of its own, whole or `short`."""

    @contextmanager
    def open_page(name: str, part: str = "", **options: Any) -> Iterator[Page]:
        with windows.lend(headers=asking(name, part), **options) as page:
            page.goto(base + name, wait_until="load")
            yield page

    return open_page


@pytest.fixture
def visit(windows: Windows, base: str) -> Callable[..., Any]:
    """Opens a page for its live pieces; no violation of its policy may be there."""

    @contextmanager
    def open_page(
        name: str = "live/",
        *,
        part: str = LIVE,
        route: tuple[str, Callable[[Route], None]] | None = None,
        **options: Any,
    ) -> Iterator[Page]:
        settings = {"reduced_motion": "reduce"} | options
        with windows.lend(headers=asking(name, part), **settings) as page:
            if route:
                page.route(*route)
            page.goto(base + name, wait_until="load")
            yield page
            assert page.evaluate("window.violations") == []

    return open_page


def status(page: Page) -> Locator:
    return page.locator(":is(.lb-start, .lb-desk) > [role=status]:visible")


def too_small(page: Page) -> list[str]:
    """What is too small for a finger."""
    script = """parts => parts.filter(part => {
        const { width, height } = part.getBoundingClientRect();
        return Math.min(width, height) < 24;
    }).map(part => part.outerHTML.slice(0, 90))"""
    parts = page.locator(".lb-desk :is(button, input, select):visible")
    found: list[str] = parts.evaluate_all(script)
    return found


def altered(route: Route) -> None:
    answer = route.fetch()
    body = bytearray(answer.body())
    body[-1] ^= 1
    route.fulfill(response=answer, body=bytes(body))


WITHOUT: dict[str, Callable[[Route], None]] = {
    "lost": lambda route: route.abort(),
    "altered": altered,
    "absent": lambda route: route.fulfill(status=404, body="no"),
}
"""How a file of weights may fail to come whole."""


def without_weights(page: Page, button: str, files: str = "**/*.safetensors") -> None:
    """Start a piece by its button while its weights fail, in one way after another."""
    for fault in WITHOUT.values():
        page.route(files, fault)
        page.get_by_role("button", name=button).click()
        expect(status(page)).to_contain_text("the figure stays as it is")
        expect(page.locator(".lb-live figure svg:visible").first).to_be_visible()
        expect(page.locator(".lb-desk")).to_have_count(0)
        page.unroute(files)
        status(page).evaluate("said => said.textContent = ''")


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
    close: list[str] = field(default_factory=list)
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

CLOSE = """() => [...document.querySelectorAll(".lb-eqno")].filter(number => {
    const formula = number.previousElementSibling;
    const parts = [formula, ...formula.querySelectorAll("*")];
    const right = Math.max(...parts.map(part => part.getBoundingClientRect().right));
    return number.getBoundingClientRect().left - right <= 8;
}).map(number => number.parentElement.textContent)"""


def look(page: Page, url: str | None, visit: Visit) -> Visit:
    """Open an address and note what a reader would trip over; axe is not asked.

    url  None: the page that is open is looked at once more
    """

    def error(text: str) -> None:
        visit.errors.append(text)

    with hearing(
        page,
        request=lambda request: visit.asked.add(request.url),
        console=lambda said: error(said.text) if said.type == "error" else None,
        pageerror=lambda fault: error(str(fault)),
        requestfailed=lambda request: error(f"{request.url} failed"),
    ):
        if url is not None:
            page.goto(url, wait_until="load")
        page.evaluate(SETTLED)
        visit.shown = scheme_of(page)
        visit.wide = page.evaluate(WIDE)
        visit.close = page.evaluate(CLOSE)
    return visit


def scheme_of(page: Page) -> str:
    return page.get_attribute("body", "data-md-color-scheme") or ""


def sight(scheme: str, size: tuple[int, int]) -> dict[str, Any]:
    """What a reader has whose system has this palette and a window of this size."""
    viewport = {"width": size[0], "height": size[1]}
    return {
        "viewport": viewport,
        "color_scheme": scheme,
        "reduced_motion": "reduce",
    }


def addresses(site: Path) -> list[str]:
    """Every page of a built site, as its readers ask for it."""
    files = (path.relative_to(site).as_posix() for path in site.rglob("*.html"))
    return sorted(name.removesuffix("index.html") for name in files)


def written() -> list[str]:
    """The addresses that the book will have, without those of the listings."""
    folders = [DOCS, DOCS / "labs"]
    pages = [p for f in folders for p in f.iterdir() if p.suffix in (".md", ".py")]
    names = (path.relative_to(DOCS).with_suffix("").as_posix() for path in pages)
    inside = sorted("" if name == "index" else f"{name}/" for name in names)
    return [*inside, "404.html"]


def listings(site: Path) -> list[str]:
    return [name for name in addresses(site) if name.startswith(LISTINGS)]


def sampled(site: Path) -> list[str]:
    """The two longest listings of each room: one template makes all of them.

    What differs is Python in colours, and the longest hold most of its words.
    """
    rooms: dict[str, list[str]] = {}
    for name in listings(site):
        rooms.setdefault(name.rstrip("/").rpartition("/")[0], []).append(name)

    def size(name: str) -> int:
        return (site / name / "index.html").stat().st_size

    return [n for room in rooms.values() for n in sorted(room, key=size)[-2:]]


Kind = tuple[str, ...]


def kinds(page: Path) -> set[Kind]:
    """What a page is made of: tag, classes, role and script of its elements.

    What is inside a drawing or a formula is left out, and the words of code.
    """
    root = html.document_fromstring(
        page.read_bytes(), html.HTMLParser(encoding="utf-8")
    )
    apart = "ancestor::svg or ancestor::math or ancestor::code"
    inside = root.xpath(f"//body//*[not({apart})]")
    return {
        (
            str(e.tag),
            " ".join(sorted({*(e.get("class") or "").split()})),
            *(e.get(name) or "" for name in ("role", "data-live")),
        )
        for e in inside
    }


@pytest.fixture
def unseen(site: Path) -> set[str]:
    """Pages that the site has and no group, or the other way around."""
    return {*written(), *PATTERNS, *listings(site)} ^ {*addresses(site)}


@pytest.fixture(scope="package")
def window(windows: Windows) -> Iterator[Page]:
    """A window that is open from the first page to the last."""
    with windows.lend(**sight("light", DESKTOP)) as page:
        yield page


GROUPS = [
    *written(),
    *(f"{LISTINGS}{share}" for share in range(SHARES if ENTIRE else 1)),
]


@pytest.fixture(scope="package", params=GROUPS, ids=lambda name: name or "/")
def seen(
    request: pytest.FixtureRequest, window: Page, base: str, site: Path
) -> list[Visit]:
    """A page in both palettes, on a desktop and on a phone; or some listings.

    One that axe does not hear is seen on a phone.
    """
    name, found = request.param, list[Visit]()
    names, heard = [name], ENTIRE or name in HEARD
    if name.startswith(LISTINGS):
        names = sampled(site)[int(name.removeprefix(LISTINGS)) :: SHARES]
        heard = True
    if not heard:
        return [loaded(window, base + name, name, ("light", PHONE))]
    for name in names:
        for sights in ALL_SIGHTS if ENTIRE and name in PATTERNS else SIGHTS:
            found += turning(window, base + name, name, *sights)
    return found


Sight = tuple[str, tuple[int, int]]


def loaded(window: Page, url: str, name: str, sight: Sight) -> Visit:
    window.goto("about:blank")  # the page before need not turn, nor be heard
    turn(window, *sight)
    return look(window, url, Visit(name, sight[0], sight[1][0]))


def turning(
    window: Page, url: str, name: str, before: Sight, after: Sight
) -> list[Visit]:
    """Load a page in one palette at one width; then its window turns into another.

    Axe hears it in both, and of the page little is left.
    """
    first = loaded(window, url, name, before)
    first.faults = faults_at_first(window)
    turn(window, *after)
    again = look(window, None, Visit(name, after[0], after[1][0]))
    again.faults = faults_now(window)
    turn(window, *before)
    first.faults += faults_again(window, first.shown)
    return [first, again]


def turn(window: Page, scheme: str, size: tuple[int, int]) -> None:
    """The reader's system changes its palette, the window its size."""
    window.emulate_media(color_scheme=scheme)  # type: ignore[arg-type]
    window.set_viewport_size({"width": size[0], "height": size[1]})


@pytest.fixture(scope="package")
def visits(windows: Windows, base: str) -> list[Visit]:
    """A chapter, and every lab: what they ask for."""

    def ask(page: Page, name: str) -> Visit:
        visit = Visit(name, "light", DESKTOP[0])
        with hearing(page, request=lambda request: visit.asked.add(request.url)):
            page.goto(base + name, wait_until="load")
            page.evaluate(SETTLED)
        return visit

    labs = [name for name in written() if name.startswith("labs/")]
    with windows.lend(**sight("light", DESKTOP)) as page:
        page.route("**/none", lambda route: route.abort())  # so nothing is kept
        return [ask(page, name) for name in ("ngram/", *labs)]


@contextmanager
def little(folder: Path, body: str) -> Iterator[str]:
    """The address of a page made of this HTML."""
    (folder / "index.html").write_text(
        '<!doctype html><html lang="en"><title>T</title>'
        f'<link rel="icon" href="data:,"><body><main>{body}',
        encoding="utf-8",
    )
    with serving(folder) as address:
        yield address


@pytest.fixture
def see(windows: Windows, tmp_path: Path) -> Callable[..., Visit]:
    """Looks at a little page, to see a check fire."""

    def write_and_look(body: str) -> Visit:
        with (
            little(tmp_path, body) as address,
            windows.lend(**sight("light", PHONE)) as page,
        ):
            visit = look(page, address, Visit("", "light", PHONE[0]))
            return replace(visit, faults=faults(page))

    return write_and_look


@pytest.fixture
def see_turning(windows: Windows, tmp_path: Path) -> Callable[..., list[Visit]]:
    """Looks at a little page as at those of the site."""

    def write_and_look(body: str) -> list[Visit]:
        with (
            little(tmp_path, body) as address,
            windows.lend(**sight("light", DESKTOP)) as page,
        ):
            return turning(page, address, "", *SIGHTS[0])

    return write_and_look

"""Windows of the browser, lent to one test after another, and clean for each.

A page in a window that is open costs half of one in a new window: its process is there,
and has compiled the scripts.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import Any

from playwright.sync_api import Browser, Page

PATIENCE = 60_000  # milliseconds; other processes test at the same time
VIOLATIONS = """
    window.violations = [];
    addEventListener("securitypolicyviolation",
        ({ violatedDirective, blockedURI, sample }) =>
            window.violations.push(`${violatedDirective}: ${blockedURI} ${sample}`));
"""
CLEAR = "() => { window.name = ''; localStorage.clear(); sessionStorage.clear(); }"
DESK = {"width": 1280, "height": 900}

Kind = tuple[tuple[str, bool], ...]
Hear = Callable[[Any], None]


@contextmanager
def hearing(page: Page, **heard: Hear) -> Iterator[None]:
    """What a page tells by these names is heard, and later no more."""
    for name, hear in heard.items():
        page.on(name, hear)  # type: ignore[call-overload]
    yield
    for name, hear in heard.items():
        page.remove_listener(name, hear)


class Windows:
    """Those that nobody has now.

    blank     an address of the site with an empty page
    failures  how many tests have failed; the window of one that fails is closed
    """

    def __init__(
        self, browser: Browser, blank: str, failures: Callable[[], int]
    ) -> None:
        self.browser, self.blank, self.failures = browser, blank, failures
        self.free: dict[Kind, list[Page]] = {}

    @contextmanager
    def lend(
        self,
        *,
        viewport: dict[str, int] = DESK,
        color_scheme: str = "light",
        reduced_motion: str = "no-preference",
        headers: dict[str, str] | None = None,
        permissions: tuple[str, ...] = (),
        before: str = "",
        **kind: bool,
    ) -> Iterator[Page]:
        """A window as new: nothing stored, nothing open, the pointer nowhere.

        Who listens to it does so by `hearing`.

        before  a script that runs before those of each page; such a window is new
        kind    what else `Browser.new_context` takes, which stays as it is
        """
        key = tuple(sorted(kind.items()))
        free = [] if before else self.free.setdefault(key, [])
        page = free.pop() if free else self.new(before, **kind)
        failures = self.failures()
        page.set_viewport_size(viewport)  # type: ignore[arg-type]
        page.emulate_media(
            media="null",
            color_scheme=color_scheme,  # type: ignore[arg-type]
            reduced_motion=reduced_motion,  # type: ignore[arg-type]
            forced_colors="null",
        )
        if headers:
            page.set_extra_http_headers(headers)
        if permissions:
            page.context.grant_permissions(permissions)
        try:
            yield page
        except BaseException:
            page.context.close()
            raise
        if before or self.failures() > failures:
            page.context.close()
        else:
            self.clean(page)
            free.append(page)

    def new(self, before: str, **kind: Any) -> Page:
        context = self.browser.new_context(**kind)
        context.set_default_timeout(PATIENCE)
        context.add_init_script(VIOLATIONS + before)
        return context.new_page()

    def clean(self, page: Page) -> None:
        """Take back what a test may do to a window, on an empty page of the site."""
        context = page.context
        for other in context.pages:
            if other != page:
                other.close()
        page.unroute_all()
        context.unroute_all()
        context.set_offline(False)
        context.clear_permissions()
        context.clear_cookies()
        page.set_extra_http_headers({})
        page.goto(self.blank)
        page.evaluate(CLEAR)
        page.mouse.up()
        for key in ("Shift", "Control", "Alt", "Meta"):
            page.keyboard.up(key)

    def close(self) -> None:
        for pages in self.free.values():
            for page in pages:
                page.context.close()

"""What a long build says while it works: pages done of all, which runs, since when."""

from __future__ import annotations

import sys
import time
from collections.abc import Callable


class Progress:
    """Counts pages; on a terminal one line that moves, elsewhere a line per page.

    total  pages to run
    say    gets a line when a page has ended; None shows nothing at all
    """

    def __init__(self, total: int, say: Callable[[str], None] | None) -> None:
        self.total, self.say = total, say
        self.done, self.running = 0, dict[str, float]()
        self.began = time.monotonic()
        self.live = say is not None and total > 0 and sys.stderr.isatty()
        self.shown = 0.0
        if say and total:
            say(f"Running the blocks of {total} page{'s' * (total != 1)}")

    def report(self, event: str, name: str) -> None:
        now = time.monotonic()
        if event == "start":
            self.running[name] = now
            return
        self.done += 1
        seconds = now - self.running.pop(name)
        self._clear()
        if self.say:
            self.say(f"{self.done} of {self.total} pages: {name} took {seconds:.1f} s")

    def tick(self) -> None:
        """Redraw the moving line, at most five times a second."""
        now = time.monotonic()
        if not self.live or now - self.shown < 0.2:
            return
        self.shown = now
        names = ", ".join(self.running)
        text = f"{self.done} of {self.total} pages, {now - self.began:.0f} s: {names}"
        sys.stderr.write(f"\r\033[K{text[:100]}")
        sys.stderr.flush()

    def _clear(self) -> None:
        if self.live:
            sys.stderr.write("\r\033[K")
            sys.stderr.flush()

    def close(self) -> None:
        self._clear()

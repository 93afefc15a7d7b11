"""Another browser: Firefox translates, too, and goes on with a text of GPT's.

Playwright drives its own builds of Firefox alone. An installed one listens to WebDriver
BiDi itself, in JSON through a socket, and needs no other program.
"""

from __future__ import annotations

import json
import os
import re
import shutil
import subprocess
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import pytest
from websockets.sync.client import ClientConnection, connect

from .conftest import serving

NAMES = ("firefox", "firefox-esr")
HOW = "the test of Firefox needs it: `apt install firefox-esr`"
LISTENS = re.compile(r"WebDriver BiDi listening on (ws://\S+)")
DONE = """new Promise((done) => {
    const told = () => document.querySelector(".lb-desk .lb-told").textContent;
    const look = () => document.querySelector("[data-done]")
        ? done(told()) : setTimeout(look, 50);
    look();
})"""

ROWS = "document.querySelectorAll('.lb-desk .lb-map [role=toolbar] button').length"


class Window:
    """A page of Firefox, and the errors of its console."""

    def __init__(self, socket: ClientConnection) -> None:
        self.socket, self.sent = socket, 0
        self.errors: list[str] = []
        self.call("session.new", capabilities={})
        self.call("session.subscribe", events=["log.entryAdded"])
        self.context = self.call("browsingContext.getTree")["contexts"][0]["context"]

    def call(self, method: str, **params: Any) -> dict[str, Any]:
        """What Firefox answers; what it tells until then is heard."""
        self.sent += 1
        message = {"id": self.sent, "method": method, "params": params}
        self.socket.send(json.dumps(message))
        while True:
            answer = json.loads(self.socket.recv(timeout=120))
            if answer.get("id") == self.sent:
                assert answer["type"] == "success", answer
                return dict(answer["result"])
            if answer.get("params", {}).get("level") == "error":
                self.errors.append(answer["params"]["text"])

    def open(self, url: str) -> None:
        where = {"context": self.context, "url": url, "wait": "complete"}
        self.call("browsingContext.navigate", **where)

    def evaluate(self, script: str) -> Any:
        """The value of an expression, or that of its promise."""
        found = self.call(
            "script.evaluate",
            expression=script,
            target={"context": self.context},
            awaitPromise=True,
        )
        assert found["type"] == "success", found
        return found["result"].get("value")


@contextmanager
def firefox(path: str, profile: Path) -> Iterator[Window]:
    words = ["--headless", "--no-remote", "--profile", str(profile)]
    process = subprocess.Popen(
        [path, *words, "--remote-debugging-port", "0"],
        stdout=subprocess.DEVNULL,
        stderr=subprocess.PIPE,
        text=True,
        env=os.environ | {"MOZ_CRASHREPORTER_DISABLE": "1"},
    )
    assert process.stderr is not None
    try:
        said = (LISTENS.search(line) for line in process.stderr)
        address = next(found[1] for found in said if found)
        with connect(f"{address}/session", max_size=None) as socket:
            yield Window(socket)
    finally:
        process.terminate()
        process.wait(timeout=60)
        process.stderr.close()


@pytest.fixture
def window(tmp_path: Path) -> Iterator[Window]:
    path = next(filter(None, map(shutil.which, NAMES)), None)
    if path is None and os.environ.get("LOOKBACK_REQUIRE_FIREFOX") == "1":
        pytest.fail(f"LOOKBACK_REQUIRE_FIREFOX=1, and {HOW}")
    if path is None:
        pytest.skip(HOW)
    with firefox(path, tmp_path) as found:
        yield found


def test_firefox_translates_and_goes_on_with_a_text(window: Window, site: Path) -> None:
    with serving(site) as base:
        window.open(f"{base}live/")
        window.evaluate("document.querySelector('.lb-live').scrollIntoView()")
        told = window.evaluate(DONE)
        assert re.search(r"RNNsearch, 2014: \w+", told)
        script = (
            "window.lookback.translate('bahdanau', ['the', 'queen', 'sleeps', '.'])"
        )
        words = window.evaluate(f"{script}.then((found) => found.words.join(' '))")
        assert words == "la reine dort ."
        window.open(f"{base}gpt/")
        window.evaluate("document.querySelector('.lb-start button').click()")
        assert window.evaluate(DONE).startswith("After the laws of the bank: ")
        assert window.evaluate(ROWS) == 6  # <s> and five words
        assert window.errors == []

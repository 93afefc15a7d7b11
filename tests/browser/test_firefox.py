"""Drive an installed Firefox: the live pieces translate and continue a text.

Playwright drives its own builds, which no package registry holds. Of Debian's Firefox
it asks for `emulation.setMediaFeaturesOverride` whenever it opens a page, and version
153 does not know that. Firefox listens to WebDriver BiDi itself: JSON in a WebSocket.
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

from lookback import pretrained
from lookback.trainer.translation import TranslationLearner

from .checks import serve

HOW = "the test of Firefox needs it: `apt install firefox-esr`"
LISTENING = re.compile(r"WebDriver BiDi listening on (ws://\S+)")
WAIT = """new Promise((resolve) => {
    const look = () => (%s) ? resolve(%s) : requestAnimationFrame(look);
    look();
})"""
STATUS = "document.querySelector('.lb-%s [role=status]').textContent"
FIRST_RESULT = WAIT % ("document.querySelector('[data-done]')", STATUS % "desk")
SAYS = WAIT % (f"!{STATUS % 'start'}.startsWith('Loading')", STATUS % "start")
FOUND = WAIT % ("document.querySelector('.md-search-result__item')", "true")
START = "document.querySelector('.lb-start button').click()"
ROWS = "document.querySelectorAll('.lb-desk .lb-map [role=toolbar] button').length"
QUESTION = ["where", "is", "the", "station", "?"]
OWN = f"""window.lookback.translate("bpe-transformer", {QUESTION})
    .then((found) => found.words.join(" "))"""


class BiDi:
    """Send commands to a tab of Firefox, and collect the errors of its console."""

    def __init__(self, socket: ClientConnection) -> None:
        self.socket, self.last_id = socket, 0
        self.errors: list[str] = []
        self.call("session.new", capabilities={})
        events = ["log.entryAdded", "browsingContext.load"]
        self.call("session.subscribe", events=events)
        self.context = self.call("browsingContext.getTree")["contexts"][0]["context"]

    def call(self, method: str, **params: Any) -> dict[str, Any]:
        """Send a command and return its result; note errors logged until then."""
        self.last_id += 1
        message = {"id": self.last_id, "method": method, "params": params}
        self.socket.send(json.dumps(message))
        while True:
            answer = json.loads(self.socket.recv(timeout=120))
            if answer.get("id") == self.last_id:
                assert answer["type"] == "success", answer
                return dict(answer["result"])
            if answer.get("params", {}).get("level") == "error":
                self.errors.append(answer["params"]["text"])

    def wait_for(self, event: str) -> None:
        """Receive messages until an event of this name."""
        while json.loads(self.socket.recv(timeout=120)).get("method") != event:
            pass

    def goto(self, url: str) -> None:
        where = {"context": self.context, "url": url, "wait": "complete"}
        self.call("browsingContext.navigate", **where)

    def evaluate(self, script: str) -> Any:
        """Return the value of an expression, or what its promise resolves to."""
        target = {"context": self.context}
        found = self.call(
            "script.evaluate", expression=script, target=target, awaitPromise=True
        )
        assert found["type"] == "success", found
        return found["result"].get("value")


@contextmanager
def firefox(profile: Path, *settings: str) -> Iterator[BiDi]:
    """Start Firefox with these settings of `about:config`; skip where there is none."""
    path = shutil.which("firefox") or shutil.which("firefox-esr")
    if path is None and os.environ.get("LOOKBACK_REQUIRE_FIREFOX") == "1":
        pytest.fail(f"LOOKBACK_REQUIRE_FIREFOX=1, and {HOW}")
    if path is None:
        pytest.skip(HOW)
    text = "".join(f"user_pref({setting});" for setting in settings)
    (profile / "user.js").write_text(text)
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
        lines = map(LISTENING.search, process.stderr)
        address = next(found[1] for found in lines if found)
        with connect(f"{address}/session", max_size=None) as socket:
            yield BiDi(socket)
    finally:
        process.terminate()
        process.wait(timeout=60)
        process.stderr.close()


@pytest.mark.parametrize(
    "setting", ['"dom.storage.enabled", false', '"network.cookie.cookieBehavior", 2']
)
def test_firefox_translates_continues_a_text_and_searches_without_storage(
    tmp_path: Path, site: Path, setting: str
) -> None:
    with serve(site) as base, firefox(tmp_path, setting) as tab:
        tab.goto(f"{base}live/")
        tab.evaluate("document.querySelector('.lb-live').scrollIntoView()")
        assert re.search(r"RNNsearch, 2014: \w+", tab.evaluate(FIRST_RESULT))
        expected = pretrained("bpe-transformer", kind=TranslationLearner)
        assert tab.evaluate(OWN) == " ".join(expected.translate(QUESTION))
        tab.goto(f"{base}gpt/?q=perplexity")
        assert tab.evaluate(FOUND)
        assert tab.evaluate("document.querySelectorAll('.md-code__button').length")
        tab.evaluate(START)
        text = tab.evaluate(FIRST_RESULT)
        assert text.startswith("After the laws of the bank: ")
        assert tab.evaluate(ROWS) == 6  # <s> and five words
        tab.evaluate("document.querySelector('.lb-reach button').click()")
        text = tab.evaluate(FIRST_RESULT)
        assert text.startswith("Hidden from attention: the. After the laws of the")
        assert tab.errors == []


@pytest.mark.parametrize(
    ("part", "answers", "presses", "name"),
    [
        ("live/models.js", 3, 2, "script models.js"),
        ("live/luong.js", 1, 1, "script models.js, or another that it imports,"),
    ],
)
def test_firefox_asks_again_for_what_did_not_load(
    tmp_path: Path, site: Path, part: str, answers: int, presses: int, name: str
) -> None:
    """Miss a script, or one that it imports: the button loads the page again."""
    with serve(site, {part: ["404"] * answers}) as base, firefox(tmp_path) as tab:
        tab.goto(f"{base}bahdanau/")
        for _ in range(presses):
            tab.evaluate(START)
            assert re.match(f"The {name}.* did not load", tab.evaluate(SAYS))
        tab.evaluate("scrollTo(0, 2000)")
        tab.evaluate(START)
        tab.wait_for("browsingContext.load")
        assert tab.evaluate("scrollY") == 2000
        tab.evaluate(START)
        assert tab.evaluate(FIRST_RESULT)

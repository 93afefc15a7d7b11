"""Serve a small book: at once, whatever has run."""

from __future__ import annotations

import re
import socket
from collections.abc import Callable
from pathlib import Path
from urllib.parse import urljoin
from urllib.request import urlopen

WAITS = """
# T

```python
import socket
with socket.create_connection(("127.0.0.1", {port})) as gate:
    words = gate.recv(9)
words
```
"""


def get(url: str) -> str:
    with urlopen(url, timeout=300) as answer:
        return str(answer.read().decode())


def wait_for(words: str, url: str) -> str:
    """Reload a page as a browser does, until it has these words."""
    for _ in range(5):
        page = get(url)
        if words in page:
            return page
        epoch, request = re.findall(r"livereload\((\d+), (\d+)\)", page)[0]
        get(urljoin(url, f"/livereload/{epoch}/{request}"))  # when it is built again
    raise AssertionError(f"{words} is not in {page}")


def test_pages_are_served_before_they_have_run_and_beside_one_that_fails(
    serve: Callable[[dict[str, str]], str],
) -> None:
    with socket.create_server(("127.0.0.1", 0)) as gate:
        port = gate.getsockname()[1]
        pages = {"t.md": WAITS.format(port=port), "bad.md": "{{ 1 / 0 }}"}
        pages["still.md"] = "# A page that runs nothing\n"
        root = serve({"index.md": "# I\n\nIt is {{ 1 + 1 }}.\n", **pages})
        waiting = get(f"{root}t/")
        assert "This page is running" in waiting and "of 3 pages have run" in waiting
        connection, _ = gate.accept()
        with connection:
            connection.sendall(b"opened")
        assert "This page is running" not in wait_for("b'opened'", f"{root}t/")
    page = wait_for("This page has failed", f"{root}bad/")
    assert "docs/bad.md:1: ZeroDivisionError" in page
    assert "It is 2." in wait_for("It is", root)


FAULTS = {
    "a value": ("a\n\nb {{ 1 +\n", 3, "is not a value"),
    "front matter": ("---\ntitle: [\n---\n# B\n", 3, "front matter"),
    "an encoding": ("# B\n\ncaf\udce9\n", 3, "it is not UTF-8"),
    "a link": ("# B\n\n[](#gone)\n", 3, "nothing numbered has the id"),
}


def test_a_fault_of_a_page_is_shown_there_and_the_others_go_on(
    serve: Callable[[dict[str, str]], str], tmp_path: Path
) -> None:
    """Begin with a faulty page; edit it from one fault to the next, and mend it."""
    first, *_ = FAULTS.values()
    root = serve({"index.md": "# I\n\nAnd [it](bad.md).\n", "bad.md": first[0]})
    assert "And" in get(root)
    for text, line, words in FAULTS.values():
        page = tmp_path / "docs" / "bad.md"
        page.write_bytes(text.encode(errors="surrogateescape"))
        shown = wait_for(words, f"{root}bad/")
        assert f"docs/bad.md:{line}: " in shown and "This page has failed" in shown
        assert "And" in get(root)
    (tmp_path / "docs" / "bad.md").write_text("# B\n\nIt is {{ 6 * 7 }}.\n")
    assert "This page has failed" not in wait_for("It is 42", f"{root}bad/")

"""Build small books from bad input: one message, with page and line."""

from __future__ import annotations

import logging
import subprocess
from collections.abc import Callable
from pathlib import Path

import pytest

Build = Callable[..., Path]

BAD = {
    "a block in a solution in an exercise": (
        """
        # T

        !!! exercise "E"

            Do.

            ??? solution "S"

                ```python
                assert False
                ```
        """,
        10,
        "block 1: AssertionError",
    ),
    "a value": ("# T\n\nIt is {{ 1 / 0 }}.\n", 3, "ZeroDivisionError"),
    "a block that takes too long": (
        "# T\n\n```python\nwhile True: pass\n```\n",
        3,
        "block 1: the page took longer than 1 s",
    ),
    "TeX": ("# T\n\nText and\n\n$$\n\\frac{1\n$$\n", 5, "is not TeX that we can set"),
    "a src": (
        '# T\n\n```{.python src="lookback.nowhere:f"}\n```\n',
        3,
        "ModuleNotFoundError: No module named 'lookback.nowhere'",
    ),
}


@pytest.mark.parametrize(("page", "line", "words"), BAD.values(), ids=BAD)
def test_bad_input_gets_one_message_with_page_and_line(
    book: Build,
    caplog: pytest.LogCaptureFixture,
    page: str,
    line: int,
    words: str,
) -> None:
    with pytest.raises(SystemExit) as ended:
        book(page, options=f"time_limit: {1 if 'longer' in words else 60}")
    assert ended.value.code not in (0, None)
    messages = [r.getMessage() for r in caplog.records if r.levelno >= logging.ERROR]
    (message,) = [text for text in messages if "docs/t.md" in text]
    assert message.startswith(f"docs/t.md:{line}: ")
    assert words in message


def test_a_build_without_strict_ends_with_a_status(
    tmp_path: Path, little: list[str]
) -> None:
    (tmp_path / "docs").mkdir()
    (tmp_path / "docs" / "t.md").write_text("# T\n\n```python\nassert False\n```\n")
    (tmp_path / "mkdocs.yml").write_text("site_name: T\nplugins: [lookback]\n")
    words = "build", "-f", tmp_path / "mkdocs.yml", "-d", tmp_path / "site"
    built = subprocess.run([*little, *words], capture_output=True, text=True)
    output = built.stdout + built.stderr
    assert built.returncode != 0
    assert output.count("docs/t.md:4: block 1: AssertionError") == 1
    assert output.count("Traceback") == 1  # the page's own, and no other


def test_without_execution_nothing_runs(book: Build) -> None:
    page = "# T\n\n```python\nassert False\n```\n\nIt is {{ 6 * 7 }}.\n"
    site = book(page, options="execute: false")
    assert "It is …" in (site / "t" / "index.html").read_text(encoding="utf-8")

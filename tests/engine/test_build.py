"""Build small books from bad input: one message, with page and line."""

from __future__ import annotations

import logging
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path

import pytest

Build = Callable[..., Path]

BAD = {
    "a block that fails": (
        """
        # T

        ```python
        x = 1
        assert x == 2
        ```
        """,
        5,
        "block 1: AssertionError",
    ),
    "a block in a tab": (
        """
        # T

        === "One"

            ```python
            1
            ```

        === "Two"

            ```python
            assert False
            ```
        """,
        12,
        "block 2: AssertionError",
    ),
    "a block in an admonition": (
        """
        # T

        !!! note "N"

            ```python
            assert False
            ```
        """,
        6,
        "block 1: AssertionError",
    ),
    "a block in a list": (
        """
        # T

        1. First

            ```python
            assert False
            ```
        """,
        6,
        "block 1: AssertionError",
    ),
    "a block in a folded solution in an exercise": (
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
    "a syntax error": ("# T\n\n```python\nx =\n```\n", 4, "block 1: SyntaxError"),
    "a warning": (
        "# T\n\n```python\nimport warnings\nwarnings.warn('old')\n```\n",
        5,
        "block 1: UserWarning: old",
    ),
    "a value in a sentence that fails": (
        "# T\n\nIt is {{ 1 / 0 }}.\n",
        3,
        "ZeroDivisionError",
    ),
    "a block that takes too long": (
        "# T\n\n```python\nwhile True: pass\n```\n",
        3,
        "block 1: the page took longer than 1 s",
    ),
    "a process that ends": (
        "# T\n\n```python\nimport os; os._exit(3)\n```\n",
        3,
        "block 1: the process that ran this page ended in this block with exit stat",
    ),
    "a process that crashes": (
        "# T\n\n```python\nimport os; os.abort()\n```\n",
        3,
        "block 1: the process that ran this page ",
    ),
    "SystemExit": (
        "# T\n\n```python\nraise SystemExit(0)\n```\n",
        4,
        "block 1: SystemExit: 0",
    ),
    "a figure without words": (
        "# T\n\n```python\nimport matplotlib.pyplot as plt\nplt.plot([1, 2]);\n```\n",
        3,
        "`#| alt: what the figure shows`",
    ),
    "a src that names nothing": (
        '# T\n\n```{.python src="lookback.engine.errors:Nothing"}\n```\n',
        3,
        "src: `lookback.engine.errors:Nothing` names nothing",
    ),
    "a src that names no module": (
        '# T\n\n```{.python src="lookback.nowhere"}\n```\n',
        3,
        "src: there is no module `lookback.nowhere`",
    ),
    "TeX that does not parse": (
        "# T\n\nText and\n\n$$\n\\frac{1\n$$\n",
        5,
        "is not TeX that we can set",
    ),
    "TeX in a sentence that does not parse": (
        "# T\n\nA line\nand $\\nope{x}$.\n",
        4,
        "is not TeX that we can set",
    ),
    "a key that is not in the bibliography": (
        "# T\n\nAs [@shannon1948; @nobody1900] says.\n",
        3,
        "`@nobody1900` is not in docs/references.bib",
    ),
    "a dead link": ("# T\n\nOne.\n\nSee [it](gone.md).\n", 5, "'gone.md'"),
    "a dead anchor": (
        "# T\n\nSee [it](bibliography.md#nobody).\n",
        3,
        "'#nobody'",
    ),
    "a dead anchor on the page itself": ("# T\n\n[up](#gone)\n", 3, "'#gone'"),
    "a fence that is never closed": ("# T\n\n```python\n1\n", 3, "never closed"),
    "a notest without a reason": (
        "# T\n\n```{.python notest}\nx\n```\n",
        3,
        "a comment that says why",
    ),
    "an unknown option": ("# T\n\n```python\n#| atl: x\n1\n```\n", 4, "is no option"),
    "a paper that is not in the bibliography": (
        "---\npapers: [nobody1900]\n---\n# T\n",
        1,
        "`nobody1900` is not in docs/references.bib",
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


# `mkdocs`, whose pages need neither torch nor matplotlib: to import them takes seconds.
LITTLE = """\
from lookback.engine.run import PRELOAD
from mkdocs.__main__ import cli

PRELOAD.clear()
cli()
"""


def test_a_build_without_strict_ends_with_a_status(tmp_path: Path) -> None:
    (tmp_path / "docs").mkdir()
    (tmp_path / "docs" / "t.md").write_text("# T\n\n```python\nassert False\n```\n")
    (tmp_path / "mkdocs.yml").write_text("site_name: T\nplugins: [lookback]\n")
    words = "build", "-f", tmp_path / "mkdocs.yml", "-d", tmp_path / "site"
    built = subprocess.run(
        [sys.executable, "-c", LITTLE, *words], capture_output=True, text=True
    )
    output = built.stdout + built.stderr
    assert built.returncode != 0
    assert output.count("docs/t.md:4: block 1: AssertionError") == 1
    assert output.count("Traceback") == 1  # the page's own, and no other

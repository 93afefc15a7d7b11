"""A page as a notebook."""

from pathlib import Path

import nbformat
import pytest

from lookback.engine.blocks import parse
from lookback.engine.book import to_json
from lookback.engine.cite import Bibliography, Entry
from lookback.engine.notebook import to_notebook
from lookback.engine.render import Setting
from lookback.engine.run import Run

WORK = Entry("a1948", ("A. B.",), ("B",), "1948", "T", "J.", "https://x.org")
PAGE = """---
title: T
---
# Title { #top }

So {{ x }} of $x_1$ ([@a1948]), see [notation](notation.md#h) and [web](https://w.org).
<!-- a note -->

```python
#| alt: hidden
x = 1
```

!!! exercise "Exercise 1: count"

    Count them.

    ??? solution "Solution"

        - One

            ```python
            if x:
                y = 2
            ```

        Done.

```{.python src="pkg.m:f"}
```

```{.python notest}
# needs a GPU
z
```
"""


@pytest.fixture
def cells(tmp_path: Path) -> list[tuple[str, str]]:
    (tmp_path / "pkg").mkdir()
    (tmp_path / "pkg" / "m.py").write_text("def f():\n    return 1\n")
    return read(tmp_path, "")


def read(tmp_path: Path, page_url: str) -> list[tuple[str, str]]:
    page = parse(PAGE, "docs/p.md")
    run = Run(page.name, [[{"text": "7"}], [], []])
    setting = Setting(tmp_path / "pkg", Bibliography("r.bib", {"a1948": WORK}))
    notebook = to_notebook(page, run, setting, page_url=page_url)
    nbformat.validate(nbformat.reads(to_json(notebook), as_version=4))
    return [(c["cell_type"], "".join(c["source"])) for c in notebook["cells"]]


def test_the_first_cell_installs_only_where_it_must(cells) -> None:
    assert cells[0][0] == "code"
    assert 'find_spec("lookback") is None' in cells[0][1]


def test_code_cells_hold_what_the_page_shows_at_the_margin(cells) -> None:
    code = [text for kind, text in cells[1:] if kind == "code"]
    assert code == ["x = 1", "if x:\n    y = 2"]


def test_sentences_hold_values_and_references(cells) -> None:
    assert cells[1][1] == (
        "# Title\n\nSo 7 of $x_1$ ([B 1948](https://x.org)), see notation and "
        "[web](https://w.org)."
    )


def test_boxes_are_laid_flat(cells) -> None:
    assert cells[3][1] == (
        "**Exercise 1: count**\n\nCount them.\n\n**Solution**\n\n- One"
    )
    assert cells[5][1].startswith("Done.")


def test_sources_and_unrun_code_are_text(cells) -> None:
    assert cells[5][1].endswith(
        "```python\n# pkg.m\ndef f():\n    return 1\n```\n\n"
        "```python\n# needs a GPU\nz\n```"
    )


def test_links_lead_to_the_site_where_there_is_one(cells, tmp_path: Path) -> None:
    found = read(tmp_path, "https://book.org/p/")
    assert "[notation](https://book.org/notation/#h)" in found[1][1]


def test_a_citation_over_two_lines_leaves_boxes_where_they_are(tmp_path: Path) -> None:
    text = "# T\n\nSo {{ x }} ([@a1948,\nsection 2]).\n\n[@a1948;\n@a1948]\n\n"
    text += '!!! exercise "One"\n\n    Do.\n\n    ??? solution "Two"\n\n        Done.\n'
    setting = Setting(tmp_path, Bibliography("r.bib", {"a1948": WORK}))
    run = Run("docs/p.md", [[{"text": "7"}]])
    cells = to_notebook(parse(text, "docs/p.md"), run, setting)["cells"]
    before, _, behind = "".join(cells[1]["source"]).partition("**One**")
    assert behind.split("\n") == ["", "", "Do.", "", "**Two**", "", "Done."]
    work = "[B 1948{}](https://x.org)"
    assert before.split("\n\n")[1] == "So 7 (\n" + work.format(", section 2") + ")."
    assert work.format("") + "; " + work.format("") in before


def test_a_question_stands_before_its_code_and_references_are_words(tmp_path) -> None:
    text = "$$a \\tag{3}$$\n\nBy [](#eq-3) it is.\n\n"
    text += "```python\n#| predict: Which?\nx = 1\n```\n"
    page = parse(text, "docs/p.md")
    notebook = to_notebook(
        page, Run(page.name, [[]]), Setting(tmp_path, Bibliography(""))
    )
    _, words, code = ("".join(cell["source"]) for cell in notebook["cells"])
    assert words.split("\n\n")[1:] == ["By (3) it is.", "**Predict.** Which?"]
    assert code == "x = 1"

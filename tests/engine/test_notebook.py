"""Convert pages to Jupyter notebooks."""

import importlib.util
import subprocess
import sys
from pathlib import Path
from typing import Any

import nbformat
import pytest

from lookback.engine.blocks import parse
from lookback.engine.book import Book
from lookback.engine.cite import Bibliography, Entry
from lookback.engine.notebook import (
    colab_url,
    imported,
    install,
    to_notebooks,
)
from lookback.engine.output import Output
from lookback.engine.render import PageContext
from lookback.engine.run import Run

WORK = Entry("a1948", ("A. B.",), ("B",), "1948", "T", "J.", "https://x.org")
PAGE = """---
title: T
---
# Title { #top }

So {{ x }} of $x_1$ ([@a1948,
section 2]), see [notation](notation.md#h), [above](#top) and
[web](https://w.org).<!-- a note -->

$$\\term{map.a}{a} \\tag{3}$$

By [](#eq-3) it is, as in [](#map) and in [`f[i](j)`](q.md#eq-7): $x^{.5}
[y](z)$.

<!-- caption: Of $n$. -->
| a | b |
|---|---|
| 1 | [](q.md#eq-7) |

```python
#| predict: Which, as in [](#eq-3)?
#| alt: hidden
#| id: map
#| caption: It is $x$, see [](#eq-3) and [](q.md#eq-7).
x = 1
```

Python · [JavaScript](live/a.js){ .lb-twin data-live="twin" }

```python
x
```

!!! exercise "Exercise 1: count"

    Count [@a1948;
    @a1948].

    ??? hint "Hint"

        Begin.

    ??? solution "Solution"

        - One

            ```python
            if x:
                y = 2
            ```

        Done.

!!! exercise "Exercise 2: think"

    ??? solution "Solution"
        Words.

!!! exercise "Exercise 3: code"

    ??? solution "Solution"

        ```python
        z = 3
        ```

```{.python src="pkg.m:f"}
```

```text
# needs a GPU
z
```
"""
FIRST = """\
# Title

So 7 of $x_1$ ({cite}, see {notation}, {above} and
[web](https://w.org).

$$ {{a}} \\tag{{3}}$$

By (3) it is, as in figure 1 and in {f}: $x^{{.5}}
[y](z)$.

**Table 1.** Of $n$.

| a | b |
|---|---|
| 1 | {seven} |

**Predict.** Which, as in (3)?"""
EXERCISE = """\
**Exercise 1: count**

Count {work}; {work}.

<details>
<summary>Hint</summary>

Begin.

</details>"""
SOLUTION = """\
<details>
<summary>Solution</summary>

- One

</details>"""
AFTER = SOLUTION.replace("Solution", "Solution, continued").replace("- One", "Done.")
THOUGHT = SOLUTION.replace("- One", "Words.")
LAST = """\
```text
# needs a GPU
z
```"""
WORDS = {
    "cite": "[B 1948, section 2](https://x.org))",
    "work": "[B 1948](https://x.org)",
    "notation": "notation",
    "above": "above",
    "f": "`f[i](j)`",
    "seven": "(7)",
}
LINKS = {
    "cite": "[B 1948, section 2](https://b.org/bibliography/#a1948))",
    "work": "[B 1948](https://b.org/bibliography/#a1948)",
    "notation": "[notation](https://b.org/notation/#h)",
    "above": "[above](https://b.org/p/#top)",
    "f": "[`f[i](j)`](https://b.org/q/#eq-7)",
    "seven": "[(7)](https://b.org/q/#eq-7)",
}


@pytest.fixture
def context(tmp_path: Path) -> PageContext:
    (tmp_path / "pkg").mkdir()
    (tmp_path / "pkg" / "m.py").write_text("def f(x: int) -> int:\n    return 1\n")
    book = Book(tmp_path, tmp_path / "docs", tmp_path / "pkg")
    book.bibliography = Bibliography("r.bib", {"a1948": WORK})
    book.pages["q.md"] = parse("$$b \\tag{7}$$\n", "docs/q.md")
    book.pages["p.md"] = parse(PAGE, "docs/p.md")
    outputs = [[Output("text", "7")], [Output("svg", "<svg>")], *[[]] * 5]
    book.runs["p.md"] = Run("docs/p.md", outputs)
    return PageContext(book, "p.md", lambda uri: f"../{uri.removesuffix('.md')}/")


def read(made: str) -> list[Any]:
    """Validate a notebook; its cells without the first, which installs."""
    notebook = nbformat.reads(made, as_version=4)
    nbformat.validate(notebook)
    return notebook.cells[1:]


def shown(cell: Any) -> str:
    """Name what of a cell is in sight."""
    assert ("cellView" in cell.metadata) == ("jupyter" in cell.metadata)
    return " ".join(cell.metadata.get("jupyter", {"whole": True}))


@pytest.mark.parametrize(
    ("page_url", "links"), [("", WORDS), ("https://b.org/p/", LINKS)]
)
def test_sentences_and_blocks_become_cells(
    context: PageContext, page_url: str, links: dict[str, str]
) -> None:
    """Values are words, things have numbers, boxes are flat, code is as it ran."""
    cells = read(to_notebooks(context, page_url=page_url)[0])
    caption = f"**Figure 1.** It is $x$, see (3) and {links['seven']}."
    folded = "outputs_hidden source_hidden"
    assert [(shown(cell), cell.source) for cell in cells] == [
        ("whole", FIRST.format(**links)),
        ("source_hidden", "x = 1"),
        ("whole", caption),
        ("whole", "x"),
        ("whole", EXERCISE.format(**links)),
        ("whole", ""),
        ("whole", SOLUTION),
        (folded, "if x:\n    y = 2"),
        ("whole", AFTER),
        ("whole", "**Exercise 2: think**"),
        ("whole", "*Your answer:*"),
        ("whole", THOUGHT),
        ("whole", "**Exercise 3: code**"),
        ("whole", ""),
        ("whole", "**Solution:** the folded cell below."),
        (folded, "z = 3"),
        ("whole", "from pkg.m import f\n\ndef f(x):\n    return 1"),
        ("whole", LAST),
    ]
    kinds = [cell.cell_type[0] for cell in cells]
    assert "".join(kinds) == "mcmcmcmcmmmmmcmccm"


def test_without_solutions_there_is_a_place_for_the_reader(
    context: PageContext,
) -> None:
    whole, handout = map(read, to_notebooks(context))
    left_out = [cell.source for cell in whole if cell not in handout]
    words = "**Solution:** the folded cell below."
    assert left_out == [SOLUTION, "if x:\n    y = 2", AFTER, THOUGHT, words, "z = 3"]
    assert handout == [cell for cell in whole if cell.source not in left_out]
    places = [cell for cell in handout if "answer" in cell.metadata.get("tags", ())]
    assert [cell.cell_type for cell in places] == ["code", "markdown", "code"]


def installed(cell: str, monkeypatch: pytest.MonkeyPatch) -> list[str]:
    """Run the first cell where the package is absent; what pip is asked for."""
    asked: list[list[str]] = []
    monkeypatch.setattr(importlib.util, "find_spec", lambda name: None)
    monkeypatch.setattr(subprocess, "run", lambda words, check: asked.append(words))
    exec(cell, {})
    (words,) = asked
    assert words[:4] == [sys.executable, "-m", "pip", "install"]
    return words[4:]


def test_the_first_cell_installs_from_the_address_that_is_set(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    cell = install("git+https://github.com/a/b", ["nltk"])
    package = "lookback-attention[data,figures] @ git+https://github.com/a/b"
    assert installed(cell, monkeypatch) == ["--quiet", package, "nltk"]
    with pytest.raises(ModuleNotFoundError, match="pip install"):
        installed(install(""), monkeypatch)
    monkeypatch.undo()
    exec(install(""), {})  # it is there: nothing to do


def test_the_first_cell_installs_what_else_the_page_imports() -> None:
    blocks = "import json, nltk.tree\nfrom sklearn import svm", "import torch.nn\n1"
    text = "".join(f"```python\n{block}\n```\n\n" for block in blocks)
    assert imported(parse(text, "p.md")) == ["nltk", "scikit-learn"]


def test_a_notebook_opens_in_colab() -> None:
    path = "ngram/ngram.ipynb"
    colab = f"https://colab.research.google.com/github/a/b/blob/gh-pages/{path}"
    assert colab_url(path, "https://github.com/a/b.git") == colab
    assert colab_url(path, "https://example.org/a/b") == ""

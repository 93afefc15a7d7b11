"""Convert pages to Jupyter notebooks."""

from pathlib import Path

import nbformat
import pytest

from lookback.engine.blocks import parse
from lookback.engine.book import Book
from lookback.engine.cite import Bibliography, Entry
from lookback.engine.notebook import colab_url, path_of, to_notebook
from lookback.engine.render import Setting
from lookback.engine.run import Run

WORK = Entry("a1948", ("A. B.",), ("B",), "1948", "T", "J.", "https://x.org")
PAGE = """---
title: T
---
# Title { #top }

So {{ x }} of $x_1$ ([@a1948,
section 2]), see [notation](notation.md#h) and [web](https://w.org).<!-- a note -->

$$a \\tag{3}$$

By [](#eq-3) it is.

```python
#| predict: Which?
#| alt: hidden
x = 1
```

!!! exercise "Exercise 1: count"

    Count [@a1948;
    @a1948].

    ??? solution "Solution"

        - One

            ```python
            if x:
                y = 2
            ```

        Done.

```{.python src="pkg.m:f"}
```

```text
# needs a GPU
z
```
"""
FIRST = """\
# Title

So 7 of $x_1$ ([B 1948, section 2](https://x.org)), see {notation} and [web](https://w.org).

$$a \\tag{{3}}$$

By (3) it is.

**Predict.** Which?"""
BOX = """\
**Exercise 1: count**

Count [B 1948](https://x.org); [B 1948](https://x.org).

**Solution**

- One"""
LAST = """\
```text
# needs a GPU
z
```"""


@pytest.mark.parametrize(
    ("page_url", "notation"),
    [
        ("", "notation"),
        ("https://book.org/p/", "[notation](https://book.org/notation/#h)"),
    ],
)
def test_sentences_and_blocks_become_cells(
    tmp_path: Path, page_url: str, notation: str
) -> None:
    """Values and citations are words, boxes are flat, code is as it ran."""
    (tmp_path / "pkg").mkdir()
    (tmp_path / "pkg" / "m.py").write_text("def f(x: int) -> int:\n    return 1\n")
    book = Book(tmp_path, tmp_path / "docs", tmp_path / "pkg")
    book.bibliography = Bibliography("r.bib", {"a1948": WORK})
    book.pages["p.md"] = parse(PAGE, "docs/p.md")
    book.runs["p.md"] = Run("docs/p.md", [[{"text": "7"}], [], []])
    made = to_notebook(Setting(book, "p.md"), page_url=page_url)
    notebook = nbformat.reads(made, as_version=4)
    nbformat.validate(notebook)
    (_, install), *cells = [(c.cell_type, c.source) for c in notebook.cells]
    assert 'find_spec("lookback") is None' in install
    assert cells == [
        ("markdown", FIRST.format(notation=notation)),
        ("code", "x = 1"),
        ("markdown", BOX),
        ("code", "if x:\n    y = 2"),
        ("markdown", "Done."),
        ("code", "from pkg.m import f\n\ndef f(x):\n    return 1"),
        ("markdown", LAST),
    ]


def test_pip_takes_the_package_from_the_repository_that_is_set(tmp_path: Path) -> None:
    book = Book(tmp_path, tmp_path, tmp_path)
    book.pages["p.md"] = parse("# T\n", "p.md")
    repository = "https://github.com/a/b"
    made = to_notebook(Setting(book, "p.md"), repository=repository)
    assert f"[figures] @ git+{repository}" in made


def test_a_notebook_stands_beside_its_page_and_opens_in_colab() -> None:
    assert path_of("labs/zipf.py", "labs/zipf/index.html") == "labs/zipf/zipf.ipynb"
    assert path_of("ngram.md", "ngram.html") == "ngram.ipynb"
    path = "ngram/ngram.ipynb"
    colab = f"https://colab.research.google.com/github/a/b/blob/gh-pages/{path}"
    assert colab_url(path, "https://github.com/a/b.git") == colab
    assert colab_url(path, "https://example.org/a/b") == ""

"""Test the built site: its notebooks, equal builds."""

from __future__ import annotations

import ast
import json
import re
import shutil
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path

import nbformat
from lxml import html

from lookback.engine.book import one_page
from lookback.engine.render import PageContext

Mkdocs = Callable[..., "subprocess.CompletedProcess[str]"]

DOCS = Path(__file__).parents[2] / "docs"
JUPYTER = """\
import sys, nbclient, nbformat
notebook = nbformat.read(sys.argv[1], as_version=4)
busy = {"startup_timeout": 300, "iopub_timeout": 300}
nbclient.NotebookClient(notebook, kernel_name="python3", **busy).execute()
nbformat.write(notebook, sys.argv[2])
"""
PAGE = """\
---
keywords: one, two
---

# T

```python
#| alt: A line.
from lookback.figures import curves

curves([0, 1], {"a": [1.0, 2.0], "b": [2.0, 1.0]}, xlabel="x", ylabel="y")
```

It has $x^2$ and {{ 1 + 1 }}.

```{.python src="lookback.checks:shapes"}
```
"""
CONFIG = """\
site_name: A book
nav: [t.md]
theme: {name: material, font: false}
plugins: [search, lookback]
markdown_extensions: [attr_list, pymdownx.details, pymdownx.superfences]
"""
PICTURES = {"text/html", "image/png", "image/svg+xml"}


def notebook(site: Path, name: str) -> Path:
    return site / name / f"{name.rpartition('/')[2]}.ipynb"


def read(page: Path) -> html.HtmlElement:
    parser = html.HTMLParser(encoding="utf-8")
    return html.document_fromstring(page.read_bytes(), parser=parser)


def classed(name: str) -> str:
    return f"//*[contains(concat(' ', @class, ' '), ' {name} ')]"


def chapter(name: str) -> PageContext:
    return PageContext(*one_page(DOCS / f"{name}.{'py' if '/' in name else 'md'}"))


def test_a_notebook_has_the_code_of_its_page(site: Path, chapter_name: str) -> None:
    """Compare the blocks; the tests of the pages run each of them."""
    cells = nbformat.read(notebook(site, chapter_name), as_version=4).cells
    context = chapter(chapter_name)
    running = [p for p in context.page.running if p.kind != "value"]
    blocks = [context.copy(piece).strip() for piece in running]
    code = (cell.source.strip() for cell in cells if cell.cell_type == "code")
    install, *own = filter(None, code)  # without places for answers
    assert "pip" in install
    assert own == blocks


def test_without_its_solutions_a_notebook_still_has_what_it_needs(
    site: Path, chapter_name: str
) -> None:
    """No cell after a solution uses a name that solutions alone define."""
    whole = nbformat.read(notebook(site, chapter_name), as_version=4).cells
    assert any(map(is_solution, whole))
    defined, solved = set[str](), set[str]()
    for cell in whole:
        if cell.cell_type == "code":
            stored, loaded = names(cell.source)
            if is_solution(cell):
                solved |= stored - defined
            else:
                assert not (loaded - stored) & solved, cell.source
                defined |= stored
                solved -= stored


def test_a_listed_method_hides_no_name_that_later_cells_use(chapter_name: str) -> None:
    """A notebook defines it as a function, which the page does not."""
    hidden = set[str]()
    for piece in chapter(chapter_name).page.running:
        if piece.kind == "source":
            listed = piece.options["names"].split(", ")
            hidden |= {name.rpartition(".")[2] for name in listed if "." in name}
        elif piece.kind == "code":
            stored, loaded = names(piece.code)
            assert not (loaded - stored) & hidden, piece.code
            hidden -= stored


def is_solution(cell: nbformat.NotebookNode) -> bool:
    return "solution" in cell.metadata.get("tags", [])


def names(code: str) -> tuple[set[str], set[str]]:
    """List the names that a cell defines, and those that it reads."""
    stored, loaded = set[str](), set[str]()
    for node in ast.walk(ast.parse(code)):
        match node:
            case ast.Name(id=name, ctx=ast.Load()):
                loaded.add(name)
            case ast.Name(id=name):
                stored.add(name)
            case ast.FunctionDef(name=name) | ast.ClassDef(name=name):
                stored.add(name)
            case ast.alias(name=name, asname=other):
                stored.add(other or name.partition(".")[0])
    return stored, loaded


def test_a_notebook_runs_in_jupyter(
    site: Path, notebook_name: str, tmp_path: Path
) -> None:
    done = tmp_path / "done.ipynb"
    ran = subprocess.run(
        [sys.executable, "-c", JUPYTER, str(notebook(site, notebook_name)), str(done)],
        cwd=tmp_path,
        capture_output=True,
        text=True,
        encoding="utf-8",
    )
    assert ran.returncode == 0, ran.stderr[-4000:]
    assert printed(done) == shown(site, notebook_name)


def shown(site: Path, name: str) -> list[str]:
    """Read what a page shows as printed text, in words.

    A kernel may send what one cell prints in parts, which the page sets one by one.
    """
    article = read(site / name / "index.html").xpath("//article")[0]
    texts = article.xpath(f".{classed('lb-text')}")
    return " ".join(e.text_content() for e in texts).split()


def printed(path: Path) -> list[str]:
    """Read what the cells of an executed notebook printed or returned, in words."""
    found = []
    for cell in json.loads(path.read_text(encoding="utf-8"))["cells"]:
        outputs = cell.get("outputs", [])
        streams = [o for o in outputs if o["output_type"] == "stream"]
        found.append("".join("".join(o["text"]) for o in streams))
        values = [o["data"] for o in outputs if o["output_type"] == "execute_result"]
        found += ["".join(v["text/plain"]) for v in values if not PICTURES & set(v)]
    return " ".join(found).split()


def test_a_notebook_says_what_the_page_says(site: Path, chapter_name: str) -> None:
    """No markup of the site is left; figures and tables have the page's numbers."""
    cells = nbformat.read(notebook(site, chapter_name), as_version=4).cells
    prose = "\n".join(c.source for c in cells if c.cell_type == "markdown")
    text = re.sub(r"```.*?```|`[^`]*`|\$[^$]*\$", "", prose, flags=re.DOTALL)
    for mark in ("{{", "[@", "!!!", "???", "===", "<!--", "#|", "{ #", "\ue000"):
        assert mark not in text
    assert all(not c.source.startswith("#|") for c in cells if c.cell_type == "code")
    article = read(site / chapter_name / "index.html").xpath("//article")[0]
    captions = ".//figcaption/strong[1] | .//caption/strong[1]"
    captions += f" | .{classed('lb-caption')}/strong[1]"
    numbers = [e.text_content() for e in article.xpath(captions)]
    assert sorted(re.findall(r"^\*\*((?:Figure|Table) \d+\.)\*\*", prose, re.M)) == (
        sorted(numbers)
    )


def test_without_settings_no_page_leads_to_a_repository(site: Path) -> None:
    for page in site.rglob("*.html"):
        shown = read(page).xpath(f"{classed('lb-actions')}//a")
        words = {link.text_content().strip() for link in shown}
        assert not {"Edit", "Colab"} & words, page
        around = re.sub(r"(?s)<article.*</article>", "", page.read_text("utf-8"))
        assert "github.com/" not in around, page


def test_two_builds_of_a_book_are_equal(mkdocs: Mkdocs, tmp_path: Path) -> None:
    """Hash seeds, dates and an empty cache leave no trace in the files."""
    (tmp_path / "docs/live").mkdir(parents=True)
    for script in ("folding", "csv"):  # what the page asks for
        (tmp_path / f"docs/live/{script}.js").touch()
    (tmp_path / "docs/t.md").write_text(PAGE)
    (tmp_path / "mkdocs.yml").write_text(CONFIG)
    trees = []
    for seed in ("1", "2"):
        site, variables = tmp_path / seed, {"SOURCE_DATE_EPOCH": "1700000000"}
        words = ("build", "-f", tmp_path / "mkdocs.yml", "-d", site)
        built = mkdocs(*words, PYTHONHASHSEED=seed, **variables)
        assert built.returncode == 0, built.stderr[-4000:]
        files = [path for path in site.rglob("*") if path.is_file()]
        trees.append({path.relative_to(site): path.read_bytes() for path in files})
        shutil.rmtree(tmp_path / ".lookback")
    assert trees[0].keys() == trees[1].keys()
    assert [name for name in trees[0] if trees[0][name] != trees[1][name]] == []

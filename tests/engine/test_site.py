"""The real site: its notebooks run by themselves, its links follow its settings."""

from __future__ import annotations

import json
import re
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path
from textwrap import dedent

import nbformat
import pytest
from lxml import html

import lookback
from lookback.engine import labs
from lookback.engine.blocks import parse
from lookback.engine.run import process_context

Mkdocs = Callable[..., "subprocess.CompletedProcess[str]"]

DOCS = Path(__file__).parents[2] / "docs"
SMALL = "rules"
JUPYTER = """\
import sys, nbclient, nbformat
notebook = nbformat.read(sys.argv[1], as_version=4)
nbclient.NotebookClient(notebook, timeout=300, kernel_name="python3").execute()
nbformat.write(notebook, sys.argv[2])
"""
# Cell after cell in one IPython, as a kernel does, in a process that has torch already:
# a kernel would import it anew, for half of the time.
SHELL = """\
import os, nbformat
from IPython.core.interactiveshell import InteractiveShell
from IPython.utils.capture import capture_output
from matplotlib.figure import Figure
from nbformat.v4 import new_output

os.chdir(os.path.dirname(done))
notebook, shell = nbformat.read(source, as_version=4), InteractiveShell.instance()
png = shell.display_formatter.formatters["image/png"]
png.for_type(Figure, lambda figure: "not drawn once more")
values, hook = [], shell.displayhook
hook.write_output_prompt = lambda: None
hook.write_format_data = lambda data, metadata=None: values.append(data)
for cell in notebook.cells:
    if cell.cell_type == "code":
        values.clear()
        with capture_output() as said:
            shell.run_cell(cell.source).raise_error()
        text = new_output("stream", name="stdout", text=said.stdout)
        cell.outputs = [text, *(new_output("execute_result", data=v) for v in values)]
nbformat.write(notebook, done)
"""
PICTURES = {"text/html", "image/png", "image/svg+xml"}
REPOSITORY, SITE = "https://github.com/someone/lookback", "https://someone.org/book/"


def notebooks(site: Path) -> list[str]:
    return sorted(path.relative_to(site).as_posix() for path in site.rglob("*.ipynb"))


def notebook(site: Path, name: str) -> Path:
    return site / name / f"{name.rpartition('/')[2]}.ipynb"


def read(page: Path) -> html.HtmlElement:
    parser = html.HTMLParser(encoding="utf-8")
    return html.document_fromstring(page.read_bytes(), parser=parser)


def classed(name: str) -> str:
    return f"//*[contains(concat(' ', @class, ' '), ' {name} ')]"


def actions(page: Path) -> dict[str, str]:
    """The buttons over a page's title: word → address."""
    links = read(page).xpath(f"{classed('lb-actions')}//a")
    return {link.text_content().strip(): link.get("href") for link in links}


def test_every_chapter_is_a_notebook_too(site: Path, chapters: list[str]) -> None:
    assert chapters
    assert {f"{name}/{name}.ipynb" for name in chapters} <= set(notebooks(site))


def test_a_notebook_has_the_code_of_its_page(site: Path, chapter_name: str) -> None:
    """The same blocks in the same order; the tests of the pages run each of them."""
    cells = nbformat.read(notebook(site, chapter_name), as_version=4).cells
    path = DOCS / f"{chapter_name}.{'py' if '/' in chapter_name else 'md'}"
    text = path.read_text(encoding="utf-8")
    page = (labs.read if path.suffix == ".py" else parse)(text, path.name)
    blocks = [dedent(p.code).strip() for p in page.pieces if p.kind == "code"]
    install, *own = (cell.source.strip() for cell in cells if cell.cell_type == "code")
    assert "pip" in install
    assert own == blocks


def test_a_notebook_runs_from_top_to_bottom(
    site: Path, notebook_name: str, tmp_path: Path
) -> None:
    """In a process of its own: what it shows is what the page shows."""
    source, done = notebook(site, notebook_name), tmp_path / "done.ipynb"
    nbformat.validate(nbformat.read(source, as_version=4))
    names = {"source": str(source), "done": str(done)}
    process = process_context().Process(target=exec, args=(SHELL, names))  # type: ignore[attr-defined]
    process.start()
    process.join()
    assert process.exitcode == 0
    assert printed(done) == shown(site, notebook_name)


def test_a_notebook_runs_in_jupyter(site: Path, tmp_path: Path) -> None:
    done = tmp_path / "done.ipynb"
    ran = subprocess.run(
        [sys.executable, "-c", JUPYTER, str(notebook(site, SMALL)), str(done)],
        cwd=tmp_path,
        capture_output=True,
        text=True,
        encoding="utf-8",
    )
    assert ran.returncode == 0, ran.stderr[-4000:]
    assert printed(done) == shown(site, SMALL)


def shown(site: Path, name: str) -> list[list[str]]:
    """What the page shows as text that its blocks printed, in words."""
    article = read(site / name / "index.html").xpath("//article")[0]
    return [words(e.text_content()) for e in article.xpath(f".{classed('lb-text')}")]


def printed(path: Path) -> list[list[str]]:
    """What the cells of a notebook that ran printed or had as their value, in words."""
    found = []
    for cell in json.loads(path.read_text(encoding="utf-8"))["cells"]:
        outputs = cell.get("outputs", [])
        streams = [o for o in outputs if o["output_type"] == "stream"]
        found.append("".join("".join(o["text"]) for o in streams))
        values = [o["data"] for o in outputs if o["output_type"] == "execute_result"]
        found += ["".join(v["text/plain"]) for v in values if not PICTURES & set(v)]
    return [words(text) for text in found if text]


def words(text: str) -> list[str]:
    return text.split()


def test_a_notebook_holds_what_the_page_says(site: Path, chapter_name: str) -> None:
    """Values stand in its sentences; nothing of the site's own markup is left."""
    cells = nbformat.read(notebook(site, chapter_name), as_version=4).cells
    prose = "\n".join(c.source for c in cells if c.cell_type == "markdown")
    prose = re.sub(r"```.*?```|`[^`]*`|\$[^$]*\$", "", prose, flags=re.DOTALL)
    for mark in ("{{", "[@", "!!!", "???", "===", "<!--", "#|", "{ #", "\ue000"):
        assert mark not in prose
    assert all(not c.source.startswith("#|") for c in cells if c.cell_type == "code")


def test_without_settings_no_page_leads_to_a_repository(site: Path) -> None:
    for page in site.rglob("*.html"):
        assert not {"Edit", "Colab"} & set(actions(page)), page
        around = re.sub(r"(?s)<article.*</article>", "", page.read_text("utf-8"))
        assert "github.com/" not in around, page


@pytest.fixture(scope="module")
def settled(mkdocs: Mkdocs, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The site as it is published: it knows its address and its repository."""
    folder = tmp_path_factory.mktemp("settled") / "site"
    settings = {"LOOKBACK_REPO_URL": REPOSITORY, "LOOKBACK_SITE_URL": SITE}
    built = mkdocs("build", "--strict", "--site-dir", folder, **settings)
    assert built.returncode == 0, built.stderr[-4000:]
    return folder


def is_idea(name: str) -> bool:
    """A page of results has no module of its name."""
    return Path(lookback.__file__).with_name(f"{name}.py").exists()


def test_with_settings_a_chapter_leads_to_its_source(
    settled: Path, chapters: list[str]
) -> None:
    for name in chapters:
        found = actions(settled / name / "index.html")
        source = {"Source": f"../source/{name}/"} if is_idea(name) else {}
        assert found == source | {
            "Notebook": f"{name}.ipynb",
            "Colab": "https://colab.research.google.com/github/someone/lookback/blob/"
            f"gh-pages/{name}/{name}.ipynb",
            "Edit": f"{REPOSITORY}/edit/main/docs/{name}.md",
        }


def test_with_settings_a_notebook_installs_from_the_repository(
    settled: Path, chapters: list[str]
) -> None:
    for name in chapters:
        path = settled / name / f"{name}.ipynb"
        cells = nbformat.read(path, as_version=4).cells
        assert f"git+{REPOSITORY}" in cells[0].source
        links = re.findall(r"\]\((?!https?://doi)([^)]+)\)", str(cells))
        assert links and all(link.startswith("https://") for link in links)


def test_the_map_of_the_site_has_its_address(settled: Path) -> None:
    pages = re.findall("<loc>(.*?)</loc>", (settled / "sitemap.xml").read_text())
    assert f"{SITE}notation/" in pages
    assert all(page.startswith(SITE) for page in pages)


def test_two_builds_are_the_same_but_for_what_settings_add(
    site: Path, settled: Path
) -> None:
    """The text of a page has the same words, and more; other files are the same bytes.

    Notebooks, the site's map and the page of what is not found are made of its address;
    two builds of a small book, notebooks and all, are compared whole.
    """
    files = {path.relative_to(site) for path in site.rglob("*")}
    assert files == {path.relative_to(settled) for path in settled.rglob("*")}
    for name in files - {Path("404.html")}:
        if name.suffix == ".html":
            more = iter(text_of(settled / name))
            missing = [word for word in text_of(site / name) if word not in more]
            assert not missing, f"{name}: {missing[0]!r}"
        elif name.suffix not in ("", ".ipynb") and not name.name.startswith("sitemap"):
            assert (settled / name).read_bytes() == (site / name).read_bytes(), name


def text_of(page: Path) -> list[bytes]:
    """The HTML of a page's own text, in words."""
    text = re.search(rb"(?s)<article.*</article>", page.read_bytes())
    assert text, page
    return text[0].split()

"""Test what the plugin adds to a small site, and what `mkdocs serve` gets from it."""

from __future__ import annotations

import os
import re
import shutil
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import nbformat
import pytest
from bs4 import BeautifulSoup
from mkdocs.commands.build import build
from mkdocs.config import load_config
from mkdocs.config.defaults import MkDocsConfig
from mkdocs.livereload import LiveReloadServer

import lookback
from lookback.engine.live import weights_of

ROOT = Path(__file__).parents[2]
THEME = ("assets/images", "assets/javascripts", "assets/stylesheets", "404", "sitemap")

CHAPTER = """\
---
papers: [shannon1948]
needs: [first]
---

# N-grams

See [the first](first.md).

```python
#| alt: A line.
from lookback.figures import Live, curves

line = curves([0, 1], {"a": [1.0, 2.0]}, xlabel="x", ylabel="y")
Live("next", systems={"recurrent": "RNN"}, sentence=["the"], still=line)
```

!!! exercise "Exercise 1 (easy): count"

    Count.

    ??? solution "Solution"

        ```python
        answer = 1
        ```

```{.python src="lookback.checks:shapes"}
```
"""
CONFIG = """\
site_name: A book
site_description: About
site_url: https://someone.org/
repo_url: https://github.com/someone/lookback
nav: [index.md, first.md, ngram.md, last.md]
theme: {name: material, font: false, custom_dir: own}
plugins: [material/search, lookback]
markdown_extensions: [admonition, attr_list, pymdownx.details, pymdownx.superfences]
"""
PATHS = """\
extra:
  books: some
  paths:
    all: {title: All, about: x}
    some: {title: Some, about: x, pages: [ngram, last], enough: {first: it begins}}
"""
OTHER = "---\npapers: [shannon1948]\n---\n# {}: more\n"
BIB = "@article{shannon1948, author={Shannon, C.}, title={T}, year=1948}\n"


@pytest.fixture(scope="module")
def built(tmp_path_factory: pytest.TempPathFactory) -> Iterator[MkDocsConfig]:
    """Build a small book whose chapter has everything."""
    root = tmp_path_factory.mktemp("book")
    for folder in ("docs/live", "own/partials", "tests"):
        (root / folder).mkdir(parents=True)
    others = {name: OTHER.format(name.title()) for name in ("first", "last", "fourth")}
    for name, text in {"index": "# I\n", "ngram": CHAPTER, **others}.items():
        (root / f"docs/{name}.md").write_text(text)
    for script in ("live", "folding", "preview", "csv"):
        (root / f"docs/live/{script}.js").touch()
    (root / "docs/references.bib").write_text(BIB)
    for name in ("main.html", "partials/actions.html", "partials/guard.html"):
        shutil.copy(ROOT / "overrides" / name, root / "own" / name)
    (root / "tests/test_ngram.py").touch()
    (root / "mkdocs.yml").write_text(CONFIG + PATHS)
    config = load_config(str(root / "mkdocs.yml"), site_dir=str(root / "site"))
    config.plugins.on_startup(command="build", dirty=False)
    build(config)
    yield config
    config.plugins.on_shutdown()


def test_the_front_page_links_the_books_that_a_site_has(built: MkDocsConfig) -> None:
    front = (Path(built.site_dir) / "index.html").read_text(encoding="utf-8")
    for kind in ("pdf", "epub"):
        assert f'href="books/lookback-some.{kind}"' in front


def test_a_chapter_has_all_its_files_and_its_page_links_them(
    built: MkDocsConfig,
) -> None:
    site = Path(built.site_dir)
    weights = weights_of("recurrent", Path(lookback.__file__).parent / "recipes")
    files = {path.relative_to(site).as_posix() for path in site.rglob("*.*")}
    assert {name for name in files if not name.startswith(THEME)} == {
        *("index.html", "first/index.html", "last/index.html", "fourth/index.html"),
        "search/search_index.json",
        "ngram/index.html",
        "ngram/ngram.ipynb",
        "ngram/ngram-exercises.ipynb",
        "ngram/ngram.py",
        "source/ngram/index.html",
        "source/checks/index.html",
        weights.address,
        "assets/diagram.css",
        "references.bib",
        *(f"live/{script}.js" for script in ("live", "folding", "preview", "csv")),
    }
    page = (site / "ngram/index.html").read_text(encoding="utf-8")
    assert weights.address in page
    soup = BeautifulSoup(page, "lxml")
    shown = {link.text.strip(): link["href"] for link in soup.select(".lb-actions a")}
    assert shown == {
        "Source": "../source/ngram/",
        "One file, needs only numpy and torch": "ngram.py",
        "Notebook": "ngram.ipynb",
        "without solutions": "ngram-exercises.ipynb",
        "Colab": "https://colab.research.google.com/github/someone/lookback/blob/"
        "gh-pages/ngram/ngram.ipynb",
        "Edit": "https://github.com/someone/lookback/edit/main/docs/ngram.md",
    }
    cells = nbformat.read(site / "ngram/ngram.ipynb", as_version=4).cells
    assert "git+https://github.com/someone/lookback" in cells[0].source
    assert "[the first](https://someone.org/first/)" in cells[1].source
    before = [" ".join(item.text.split()) for item in soup.select(".lb-before li")]
    links = [(link.text, link["href"]) for link in soup.select(".lb-before a")]
    assert before == [
        "1 minutes to read, 5 minutes with the code",
        "Read before: First",
        "Some: 1 of 2, next Last. Of First it is enough to know: it begins",
    ]
    assert links == [
        ("First", "../first/"),
        ("Last", "../last/"),
        ("First", "../first/"),
    ]
    rooms, stamp = soup.select(".lb-stamp")
    assert [code.text for code in rooms.select("code")] == ["tests/test_ngram.py"]
    assert "Python" in stamp.text


class Server(LiveReloadServer):
    """Note what is watched; serve nothing."""

    def __init__(self, root: Path) -> None:
        super().__init__(lambda: None, "127.0.0.1", 0, str(root))
        self.watched = list[Path]()

    def watch(self, path: str, func: None = None, *, recursive: bool = True) -> None:
        self.watched.append(Path(path))


def test_serve_watches_the_package_and_runs_the_page_that_is_looked_at_first(
    built: MkDocsConfig,
) -> None:
    plugin: Any = built.plugins["lookback"]
    root = Path(built.config_file_path).parent
    with Server(root) as server:
        asked = list[str]()
        server.set_app(lambda environ, start: asked.append(environ["PATH_INFO"]))
        served = plugin.on_serve(server, config=built, builder=build)
        signal = plugin.signal
        assert server.watched == [Path(lookback.__file__).parent, root / "own", signal]
        os.utime(signal, (0, 0))
        plugin.background.build()
        assert signal.stat().st_mtime > 0  # what the server watches
        for address in ("/ngram/", "/assets/diagram.css"):
            served.get_app()({"PATH_INFO": address}, lambda status, headers: None)
            assert plugin.background.looked_at == "docs/ngram.md"
        assert asked == ["/ngram/", "/assets/diagram.css"]


def test_the_files_that_settings_templates_and_styles_name_are_there() -> None:
    docs, templates = ROOT / "docs", [*ROOT.glob("overrides/**/*.html")]
    named = {"assets/diagram.css": Path(lookback.__file__).parent / "figures"}
    found = set[Path]()
    for text in (path.read_text("utf-8") for path in (ROOT / "mkdocs.yml", *templates)):
        for name in re.findall(r"\b(?:assets|live)/[\w/-]+\.\w+", text):
            if not name.startswith("assets/javascripts"):  # Material's own
                folder = named.get(name, docs / Path(name).parent)
                found.add(folder / Path(name).name)
    for sheet in docs.glob("**/*.css"):
        urls = re.findall(r'url\("(?!data:)([^")]+)"\)', sheet.read_text("utf-8"))
        found |= {sheet.parent / url for url in urls}
    assert [path for path in found if not path.is_file()] == []
    assert {"card.png", "print.css", "diagram.css", "STIXTwoMath.woff2"} <= {
        path.name for path in found
    }

"""In a build: one style sheet, an index for the search, policies, listings at home."""

import json
import re
from collections.abc import Callable
from html import unescape
from pathlib import Path

import pytest
from mkdocs.commands.build import build
from mkdocs.config import load_config
from mkdocs.exceptions import Abort

from lookback import checks

PAGE = """---
title: T
question: Why & how?
keywords: whole page
---

# Title

Prose that says enough of the page to be found.

## Section { #part data-keywords="a term" }

More prose.

```python
print("never found")
```

```{.python src="lookback.checks:shapes"}
```
"""
CONFIG = """\
site_name: A book
site_description: A book
nav: [t.md]
theme: {name: material, font: false}
extra_css: [assets/a.css, assets/b.css, assets/print.css]
plugins:
  - search: {fields: {keywords: {boost: 2000}}}
  - lookback
markdown_extensions: [attr_list, pymdownx.highlight, pymdownx.superfences]
"""

Make = Callable[..., Path]


@pytest.fixture
def make(tmp_path: Path) -> Make:
    """Builds a book of one page and three style sheets."""
    (tmp_path / "docs/assets").mkdir(parents=True)
    (tmp_path / "docs/live").mkdir()
    (tmp_path / "docs/live/folding.js").touch()  # the page has code that is folded
    for name in ("a.css", "b.css", "print.css"):
        (tmp_path / "docs/assets" / name).write_text(f".{name[0]} {{ top: 0 }}")

    def run(page: str = PAGE, command: str = "build") -> Path:
        (tmp_path / "docs/t.md").write_text(page)
        (tmp_path / "mkdocs.yml").write_text(CONFIG)
        config = load_config(
            str(tmp_path / "mkdocs.yml"), site_dir=str(tmp_path / "site")
        )
        config.plugins.on_startup(command=command, dirty=False)  # type: ignore[arg-type]
        if command == "serve":
            config.dev_addr = ("127.0.0.1", 0)  # type: ignore[assignment]
        try:
            build(config)
        finally:
            config.plugins.on_shutdown()
        return tmp_path / "site"

    return run


def test_style_sheets_are_joined_and_print_stays_apart(make: Make) -> None:
    site = make()
    page = (site / "t/index.html").read_text()
    (name,) = re.findall(r'href="\.\./assets/(lookback\.\w{10}\.css)"', page)
    assert (site / "assets" / name).read_text() == (
        "/* a.css */\n.a { top: 0 }\n\n/* b.css */\n.b { top: 0 }\n"
    )
    names = {path.name for path in (site / "assets").glob("*.css")}
    assert names == {name, "print.css"}


def test_the_index_holds_words_for_readers_and_keywords(make: Make) -> None:
    site = make()
    index = json.loads((site / "search/search_index.json").read_text())
    found = {entry["location"]: entry for entry in index["docs"]}
    assert set(found) == {"t/", "t/#part"}  # and no listing
    assert found["t/"]["keywords"] == ["whole page"]
    assert found["t/#part"]["keywords"] == ["a term"]
    assert "More prose" in found["t/#part"]["text"]
    assert "never found" not in json.dumps(index)
    assert "never found" in (site / "t/index.html").read_text()


def test_a_page_is_described_by_its_question_and_first_words(make: Make) -> None:
    page = (make() / "t/index.html").read_text()
    assert (
        '<meta name="description" content="Why &amp; how? Prose that says enough of the'
        ' page to be found.">'
    ) in page


def test_pages_have_a_policy_unless_they_are_served(make: Make) -> None:
    for path in make().rglob("*.html"):
        assert path.read_text().count("Content-Security-Policy") == 1, path
    for path in make(command="serve").rglob("*.html"):
        assert "Content-Security-Policy" not in path.read_text(), path


def test_a_listing_leads_back(make: Make) -> None:
    listing = next((make() / "source").rglob("index.html")).read_text()
    assert listing.count('<a href="../../t/">T</a>') == 2
    (code,) = re.findall(r'<div class="lb-listing">(.*?)</div>', listing, re.DOTALL)
    text = unescape(re.sub("<[^>]+>", "", code))
    assert text.strip() == Path(checks.__file__).read_text("utf-8").strip()


def test_keywords_of_a_heading_without_an_id_are_refused(
    make: Make, caplog: pytest.LogCaptureFixture
) -> None:
    page = PAGE + '\n<section><h2 data-keywords="lost">No id</h2></section>\n'
    with pytest.raises(Abort):
        make(page)
    assert "t/: a heading has data-keywords and no id" in caplog.text

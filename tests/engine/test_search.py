"""Test what Material's search indexes: words for readers, terms and keywords."""

import json
from pathlib import Path
from typing import Any

import pytest
from material.plugins.search.plugin import Parser
from mkdocs.commands.build import build
from mkdocs.config import load_config

from lookback.engine.search import complete, without_code
from lookback.engine.tex import to_mathml

PAGE = """---
keywords: whole page
---

# Title

Prose of a page with 2 * 3.

## Section { #part data-keywords="a term" }

```python
"never found"
```

More prose.
"""
CONFIG = """\
site_name: A book
nav: [t.md]
theme: {name: material, font: false}
plugins:
  - search: {fields: {keywords: {boost: 2000}}}
  - lookback
markdown_extensions: [attr_list, pymdownx.highlight, pymdownx.superfences]
"""


def indexed(page: str) -> str:
    """Index a page as Material does."""
    parser = Parser()
    parser.feed(without_code(f'<h1 id="t">T</h1> {page}'))
    return " ".join("".join(parser.data[0].text).split())


@pytest.mark.parametrize(
    "markup",
    [
        '<div class="highlight"><pre><code>x</code></pre></div>',
        '<svg viewBox="0"><text>x</text><path d="M0"/></svg>',
        '<details class="lb-fold"><summary>x</summary><p>x</p></details>',
        '<p class="lb-source"><a>x</a></p>',
        '<span class="lb-eqno">(x)</span>',
        '<dl>\n<dt id="a">x</dt><dd>x</dd></dl>',
    ],
)
def test_code_and_drawings_are_excluded(markup: str) -> None:
    page = f"<div>before {markup} after</div> <div>more</div>"
    assert indexed(page) == "before after more"


@pytest.mark.parametrize(
    ("tex", "words"),
    [
        (r"d_k", "d_k"),
        (r"\sqrt{d_{\text{model}}}", "√d_model"),
        (r"Q K^\top \leq 2", "QK^⊤ ≤ 2"),
        (r"\frac{a}{b}", "a/b"),
        (r"\sum_{i=1}^n x_i^2", "∑_i = 1^n x_i^2"),
    ],
)
def test_formulas_of_sentences_are_words(tex: str, words: str) -> None:
    assert indexed(f"As {to_mathml(tex)}.") == f"As {words}."
    assert indexed(f"As {to_mathml(tex, display=True)}.") == "As ."


def test_captions_and_lists_are_indexed() -> None:
    page = "<figure><svg><text>x</text></svg><figcaption>BLEU</figcaption></figure>"
    assert indexed(page + " <dl><dt>a</dt> <dd>b</dd></dl>") == "BLEU a b"


def test_terms_of_the_glossary_become_entries() -> None:
    page = '<dl><dt id="bleu">BLEU</dt>\n<dd>A <a href="x">score</a>.</dd></dl>'
    entries: list[dict[str, Any]] = [{"location": "g/", "title": "G", "text": ""}]
    complete(entries, {"g/": (page, {"search": {"boost": 1.3}})})
    term = {"location": "g/#bleu", "title": "BLEU", "text": "A score.", "boost": 1.3}
    assert entries[1:] == [term]


def test_keywords_without_an_entry_are_refused() -> None:
    for heading in ('<h2 data-keywords="a">', '<h2 id="gone" data-keywords="a">'):
        with pytest.raises(ValueError, match="p/: a heading has data-keywords and no"):
            complete([], {"p/": (heading, {})})


def test_built_index_has_keywords_and_no_code(tmp_path: Path) -> None:
    (tmp_path / "docs/live").mkdir(parents=True)
    (tmp_path / "docs/live/folding.js").touch()
    (tmp_path / "docs/t.md").write_text(PAGE)
    (tmp_path / "mkdocs.yml").write_text(CONFIG)
    config = load_config(str(tmp_path / "mkdocs.yml"), site_dir=str(tmp_path / "site"))
    config.plugins.on_startup(command="build", dirty=False)
    build(config)
    config.plugins.on_shutdown()
    index = json.loads((tmp_path / "site/search/search_index.json").read_text())
    found = {entry["location"]: entry for entry in index["docs"]}
    assert set(found) == {"t/", "t/#part"}
    assert found["t/"]["keywords"] == ["whole page"]
    assert found["t/#part"]["keywords"] == ["a term"]
    assert "2   3" in found["t/"]["text"]  # to lunr an asterisk is a wildcard
    assert "More prose" in found["t/#part"]["text"]
    assert "never found" not in json.dumps(index)
    page = (tmp_path / "site/t/index.html").read_text()
    assert "never found" in page and "data-search-exclude" not in page

"""Make a site of two chapters, a glossary and a bibliography, by hand."""

from __future__ import annotations

from pathlib import Path

import pytest

CONFIG = """\
site_name: A book
site_description: The history of two
site_url: !ENV [NOWHERE, ""]
nav: [index.md, First: [one.md], Then: [two.md, live.md], glossary.md, bibliography.md]
extra:
  paths:
    short: {title: A short one, pages: [two]}
    all: {title: All of it}
    play: {title: Play, pages: [live]}
"""
ONE = """\
<div class="lb-head"><span class="lb-part">First</span><button>Show</button></div>
<h1 id="one">One<a class="headerlink" href="#one">¶</a></h1>
<p>A <a class="lb-term" href="../glossary/#key">key</a> as in <a class="lb-cite"
href="../bibliography/#a1948">A 1948</a>, <a href="../two/#eq-1">(1)</a>, the
<a href="../two/">next</a>, <a href="../source/one/#L3">source</a>,
<a href="https://example.org/">outside</a>.</p>
<h2 id="sum">A sum</h2>
<div class="highlight"><pre><code>taught = 1</code></pre></div>
<div class="lb-output"><figure class="lb-figure" id="figure-1" data-live="map">
<svg viewBox="0 0 9 9" xmlns="http://www.w3.org/2000/svg" role="group"
 aria-label="A box">
<defs><clipPath id="c"><path id="p" d="M 0 0 L 9 9 L 0 9 z"/></clipPath></defs>
<g id="unused"><path clip-path="url(#c)" d="M 0 0 L 9 9"
style="stroke: var(--lb-muted); fill: var(--lb-c0)"/><use href="#p"/></g></svg>
<details class="lb-numbers"><summary>The numbers</summary>numbers behind</details>
</figure></div>
<details class="lb-fold"><summary>How this was made</summary>plotted = 1</details>
<div class="lb-question"><p>Predict.</p></div>
<details class="lb-predict"><summary>Show the answer</summary><p>predicted</p></details>
<div class="lb-quiz" id="test-1" data-kind="choice"><fieldset><legend>Which?</legend>
<label><input type="radio" name="test-1" value="4"> four</label></fieldset>
<p role="status"></p></div>
<details class="lb-predict"><summary>Show the answer</summary>folded key</details>
<div class="admonition exercise" id="exercise-1">
<p class="admonition-title">Exercise 1 (easy): count</p><p>Count.</p>
<details class="hint"><summary>Hint</summary><p>hinted</p></details>
<details class="solution"><summary>Solution</summary><p>solved <a
href="#figure-1">figure 1</a></p></details></div>
<details class="more"><summary>More measurements</summary><p>measured</p></details>
<aside class="lb-stamp">Commit 1</aside>
<section class="lb-unseen"><h2>Answers to the tests</h2><ol><li>Four.</li></ol>
</section>
"""
TWO = """\
<div class="lb-head"><span class="lb-part">Then</span></div><h1 id="two">Two</h1>
<p>A <a class="lb-term" href="../glossary/#key">key</a> again.</p>
<div class="lb-equation" id="eq-1"><math display="block"><mi>x</mi><mfrac
displaystyle="false"><mn>1</mn><mn>2</mn></mfrac></math></div>
"""
GLOSSARY = """\
<h1 id="glossary">Glossary</h1><p class="lb-letters">A B</p><div class="lb-glossary">
<h2 id="letter-k">K</h2><dl><dt id="key">key</dt><dd><a href="../two/#eq-1">A key</a> is
looked up.</dd><dt id="other">other</dt><dd>No page has it.</dd></dl></div>
"""
BIBLIOGRAPHY = """\
<h1 id="works">Works</h1><ul class="lb-bibliography"><li id="a1948">A (1948)</li></ul>
"""
PAGE = """\
<!doctype html><html><head><meta charset="utf-8">
<link rel="stylesheet" href="../assets/print.css"></head>
<body><article class="md-typeset">{article}</article></body></html>
"""


@pytest.fixture
def made(tmp_path: Path) -> Path:
    """Write mkdocs.yml and site/ of a book; return its folder."""
    pages = {"one": ONE, "two": TWO, "glossary": GLOSSARY, "bibliography": BIBLIOGRAPHY}
    for name, article in pages.items():
        folder = tmp_path / "site" / name
        folder.mkdir(parents=True)
        text = PAGE.format(article=article)
        (folder / "index.html").write_text(text, encoding="utf-8")
    (tmp_path / "site/assets").mkdir()
    light = ":root { --lb-muted: #5a5f66; --lb-c0: #1b66c9; }\n"
    dark = "@media screen { body { --lb-c0: #5b97f5; } }\n"
    styles = {"lookback": light + dark, "print": ":root { --lb-muted: #54595f; }\n"}
    for name, text in {**styles, "diagram": ":root { --lb-c1: #b84a00; }\n"}.items():
        (tmp_path / f"site/assets/{name}.css").write_text(text)
    (tmp_path / "mkdocs.yml").write_text(CONFIG)
    return tmp_path

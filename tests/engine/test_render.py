"""Parse and render small pages: what they become, refusals with page and line.

`pages.txt` holds pairs: `=== a name`, Markdown, `--- shows`, and its HTML, in which
code has no colours.
"""

import ast
import html
import re
from pathlib import Path

import markdown
import pytest
from bs4 import BeautifulSoup

from lookback.engine import render
from lookback.engine.blocks import Page, Piece, parse
from lookback.engine.book import Book
from lookback.engine.cite import Bibliography, Entry
from lookback.engine.errors import PageError
from lookback.engine.output import Output
from lookback.engine.raw_html import RawHtml, fence, span
from lookback.engine.render import PageContext, to_markdown
from lookback.engine.run import Run

PAIRS = [
    re.split(r"^--- shows$\n", pair.partition("\n")[2], flags=re.MULTILINE)
    for pair in re.split(
        r"^=== ",
        Path(__file__).with_name("pages.txt").read_text(encoding="utf-8"),
        flags=re.MULTILINE,
    )[1:]
]
EXTENSIONS = {
    "admonition": {},
    "attr_list": {},
    "def_list": {},
    "md_in_html": {},
    "pymdownx.details": {},
    "pymdownx.superfences": {},
    "tables": {},
}
WORK = Entry("a1948", ("A. B.",), ("B",), "1948", 'The "Title"', "J.", "https://x.org")
SVG = '<svg viewBox="0 0 1 1"></svg>'
LINKED = (
    '<svg x=""><a href="lookback:{}" aria-label="norm">'
    '<rect data-part="f1 f"/></a></svg>'
)
TWO = {"labels": ["a", "b"], "chosen": ["a"], "first": "b", "scroll": False}
QUIZ = {"right": "a, 1", "answers": {"a, 1": "", "a, <2": "It is <later>."}}
CHOICE = {**QUIZ, "typed": False, "cells": None}
SHOWN = {
    "figure": Output("svg", SVG, numbers="<table></table>"),
    "table": Output("html", "<table class='t'><tr></tr></table>"),
    "diagram": Output(
        "diagram", LINKED.format("other#eq-1") + LINKED.format("source:pkg.n:f")
    ),
    "dead": Output("diagram", LINKED.format("gone")),
    "frames": Output("frames", parts=(Output("svg", SVG),) * 2, settings=TWO),
    "choice": Output("quiz", settings=CHOICE),
    "typed": Output("quiz", settings={**CHOICE, "typed": True}),
    "cells": Output("quiz", settings={**CHOICE, "cells": [["a"], ["1", "<2"]]}),
}
"""What a call of that name shows on a page here; `show(text)` shows the text."""
MODULE = """\
import math
def f():
    return 1
class Root:
    def of(self, x: float) -> float:
        assert x >= 0, "<0>"
        return math.sqrt(x)
"""


def outputs(piece: Piece) -> list[Output]:
    if piece.kind == "value":
        return [Output("text", f"**{piece.code}**")]
    shown = []
    for node in ast.parse(piece.code).body:
        match node:
            case ast.Expr(ast.Call(ast.Name("show"), [text])):
                value = eval(compile(ast.Expression(text), "page", "eval"))
                shown.append(Output("text", f"{value}\n"))
            case ast.Expr(ast.Call(ast.Name(name))) if name in SHOWN:
                shown.append(SHOWN[name])
    return shown


@pytest.fixture
def book(tmp_path: Path) -> Book:
    """Return a book of two pages, one work and one module, whose listing is known."""
    package = tmp_path / "pkg"
    package.mkdir()
    for module in "mn":
        (package / f"{module}.py").write_text(MODULE)
    found = Book(tmp_path, tmp_path / "docs", package)
    found.bibliography = Bibliography("refs.bib", {"a1948": WORK})
    text = "# E\n\n$$a \\tag{1}$$\n\n## B { #b }\n"
    found.pages["other.md"] = parse(text, "docs/other.md")
    return found


def context(page: Page, book: Book) -> PageContext:
    book.pages["labs/p.md"] = page
    shown = [outputs(piece) for piece in page.running]
    book.runs["labs/p.md"] = Run(page.name, shown)
    urls = {"other.md": "../other/", "source/m.md": "../source/m/"}
    markers = {"timeline": "<ol></ol>"}
    return PageContext(
        book, "labs/p.md", lambda uri: urls.get(uri, ""), markers=markers
    )


def converted(page: Page, book: Book) -> str:
    return to_html(to_markdown(context(page, book)))


def to_html(text: str) -> str:
    return markdown.markdown(
        text,
        extensions=[*EXTENSIONS, RawHtml()],
        extension_configs=EXTENSIONS,
    )


@pytest.mark.parametrize(("text", "shown"), PAIRS)
def test_what_a_page_becomes(
    text: str, shown: str, book: Book, monkeypatch: pytest.MonkeyPatch
) -> None:
    def plain(code: str) -> str:
        return f"<pre>{html.escape(code, quote=False)}</pre>"

    monkeypatch.setattr(render, "_highlighted", plain)
    assert converted(parse(text, "docs/p.md"), book) == shown.strip("\n")


@pytest.mark.parametrize("text", [text for text, _ in PAIRS])
def test_pieces_are_slices_and_know_their_lines(text: str) -> None:
    page = parse(text, "docs/p.md")
    for piece in page.pieces:
        assert page.text.count("\n", 0, piece.start) + 1 == piece.line
        code = piece.options.get("names", piece.code)
        first = code.strip().partition("\n")[0]
        assert first in page.text[piece.start : piece.end]
        if piece.kind in ("code", "value"):
            line = page.text.split("\n")[piece.first - 1]
            assert line[piece.column :].startswith(first)


QUIET = [
    "> ```python\n> no\n> ```\n",
    "    ```python\n    no\n    ```\n",
    "<!--\n```python\nno\n```\n\n    ```python\n-->\n",
    "````text\n```python\nno\n```\n````\n",
    "`{{ no }}`\n",
]


@pytest.mark.parametrize("text", QUIET)
def test_what_is_quoted_does_not_run(text: str) -> None:
    assert parse(text, "docs/p.md").running == ()


TABS = [
    ('```python\nx = "\t" # a\tb\n```\n', 'x = "\t" # a\tb'),
    ("```python\nif x:\n\ty\n```\n", "if x:\n\ty"),
    ("- a\n\n\t```python\n\tif x:\n\t\ty\n\n\t```\n", "if x:\n\ty\n"),
    ("- a\n\n    ```python\n  \t\tx\n    ```\n", "\tx"),
    ("  - a\n\n      ```python\n\t\tx\n      ```\n", "  x"),
    ("```python\n#|\tid:\ta\nx\f = 1\n```\n", "x\f = 1"),
    ('```python\nx = "\x85\u2028"\n```\n', 'x = "\x85\u2028"'),
    ('a\tb {{ "a\tb" }}\n', '"a\tb"'),
    ('- a\n\n\t\tb {{ "a\tb" }}\n\n\t```make\n\t\tc\n\t```\n', "\tc"),
]


@pytest.mark.parametrize(("text", "code"), TABS)
def test_code_keeps_the_characters_of_the_file(text: str, code: str) -> None:
    page = parse(text, "docs/p.md")
    piece = page.pieces[-1]
    assert piece.code == code
    assert code.strip("\n").split("\n")[-1] in page.text[piece.start : piece.end]


VALUES = [
    "x|y __init__ 2*3*4 `a` [x](y) <b>x</b> &amp; \\\\*b $5 ~~s~~ [^1] {:.c} ==m== :x:",
    *("# h", "- x", "+2.5", "1. x", "7", "> q", '=== "T"', "!!! note", "---", "[TOC]"),
    *("<!-- x -->", "</code>", '"q"', "a\nb", "  a  b", "a\tb", "\ue0000\ue001"),
]
AROUND = """\
## H {{ v }} { #h }

{{ v }}. b

- {{ v }}

| a | b |
|---|---|
| {{ v }} | c |

*{{ v }}* <code>{{ v }}</code> [{{ v }}](other.md)
"""


@pytest.mark.parametrize("value", VALUES)
def test_a_value_is_text_to_markdown(book: Book, value: str) -> None:
    page = parse(AROUND, "docs/p.md")
    rendering = context(page, book)
    outputs = [[Output("text", value)]] * len(page.running)
    book.runs["labs/p.md"] = Run(page.name, outputs)
    html = BeautifulSoup(to_html(to_markdown(rendering)), "html.parser")
    assert html.h2.text == f"H {value}" and html.h2["id"] == "h"
    assert html.p.text == f"{value}. b" and html.li.text == value
    assert [cell.text for cell in html.select("td")] == [value, "c"]
    assert [html.select_one(tag).text for tag in ("em", "code", "a")] == [value] * 3


BLOCK = "```python\n{}\nx\n```\n"
DRAWN = "```python\n#| id: map\n#| alt: a\ndiagram()\n```\n"
REFUSED = [
    ("\n```{.python notest}\nx\n```\n", 2, "begins no block"),
    ('```py title="x"\n```\n', 1, '`py title="x"` begins no block'),
    ('```{.python src="a:b"}\nx\n```\n', 1, "leave it empty"),
    ('```{.python src="a"}\n```\n', 1, "begins no block"),
    ("# T\n\n```python\nx\n", 3, "never closed"),
    (
        "  ```python\n  x\n  ```\n",
        1,
        "indented by 2 columns belongs to no list, tab or box here: indent it by 0",
    ),
    ("1. one\n\n   ```python\n", 3, "indent it by 4 to stay in the one above, by 0 to"),
    ("- a\n\n  b\n\n  ```python\n", 5, "indent it by 4 to stay in the one above, by 0"),
    ("!!! note\n\n    - a\n\n      ```\n", 5, "it by 8 to stay in the one above, by 4"),
    ("- ```python\n", 1, "line of its own"),
    ("!!! note\n\n    ```python\n    x\n  y\n    ```\n", 5, "stands left of it"),
    ("---\ntitle: x\n", 1, "closing `---`"),
    ("a\n\n<!-- never\n", 3, "never closed"),
    (BLOCK.format("#| alt: a\n#| colour: red"), 3, "no option: a block knows alt"),
    (BLOCK.format("#| alt"), 2, "no option"),
    (BLOCK.format("#| fold: true"), 2, "no option"),
    (BLOCK.format("#| open: yes"), 2, "expected true or false"),
    (BLOCK.format("#| key: 1"), 2, "expected true or false"),
    (BLOCK.format("#| id: Figure 2"), 2, "lower-case"),
    (BLOCK.format("#| caption:"), 1, "has no value"),
    ("a\nb {{ 1 +\n", 2, "no closing"),
    ("a {{ 1 +* 2 }} b\n", 1, "is not a value: invalid syntax"),
    ("## Of $x$\n", 1, "needs a name"),
    ("```python\n#| alt: x\n#| id: eq-1\nd\n```\n\n$$a \\tag{1}$$\n", 7, "`eq-1`"),
    ("a\n\n<!-- key -->\n\nb $c$\n", 3, "belongs before"),
    ("<!-- key -->\n", 1, "belongs before"),
    ("\n$\\nosuch{x}$\n", 2, "not TeX"),
    ("\n$\\frac{a$\n", 2, "`\\frac{a` is not TeX"),
    ("$a \\tag{1}$\n", 1, "only a displayed formula"),
    (BLOCK.format("#| predict: of $\\nosuch{x}$"), 1, "not TeX"),
    ("One\ntwo\n[](#gone)", 3, "nothing numbered has the id `#gone`"),
    ("$$a$$\n\n[](#eq-n1)\n", 3, "has no number"),
    (BLOCK.format("#| predict: By [](#gone)?"), 1, "nothing numbered"),
    (BLOCK.format("#| predict: In [words](#gone)?"), 1, "nothing numbered"),
    ("a\n\n<!-- caption: By [@a1948] -->\n", 3, "`@a1948` cannot stand in a caption"),
    ("a\n\n<!-- caption: Of {{ 1 + -->\n", 3, "no closing"),
    ("<!-- caption: By [](#gone) -->\n", 1, "nothing numbered"),
    ("```python\n#| caption: C\nshow(1)\n```\n", 1, "a caption is for a figure or"),
    ("[@b1950]\n", 1, "`@b1950` is not in refs.bib"),
    ('\n\n```{.python src="pkg.m:g"}\n```\n', 3, "src: `pkg.m:g` names nothing"),
    ("<!-- lookback: tmeline -->\n", 1, "knows timeline"),
    ("```python\n#| alt: a\ndead()\n```\n", 1, "diagram: it links to gone: there is"),
    ("a\n$\\term{gone.f}{x}$\n", 2, "`\\term{gone.f}`: expected a figure's id"),
    ("$$\\term{eq-1.f}{x} \\tag{1}$$\n", 1, "expected a figure's id"),
    (DRAWN + "$\\term{map}{x}$\n", 6, "`\\term{map}`: expected a figure's id"),
    (DRAWN + "$\\term{map.f g}{x}$\n", 6, "the parts of `map` are f, f1"),
]


@pytest.mark.parametrize(("text", "line", "words"), REFUSED)
def test_a_fault_names_page_and_line(
    book: Book, text: str, line: int, words: str
) -> None:
    with pytest.raises(PageError) as refusal:
        converted(parse(text, "docs/p.md"), book)
    assert str(refusal.value).startswith(f"docs/p.md:{line}: ")
    assert words in str(refusal.value)


def test_a_term_of_a_formula_names_parts_of_a_figure(book: Book) -> None:
    text = "$$\\frac{\\term{map.f1}{x_j}}{\\term{map.f1 f}{y}} \\tag{1}$$\n"
    html = converted(parse(f"{DRAWN}\n{text}", "docs/p.md"), book)
    x = '<mrow data-term="map.f1"><msub><mi>x</mi><mi>j</mi></msub>'
    y = '<mrow data-term="map.f1 f"><mi>y</mi>'
    assert f"<mfrac>{x}</mrow>{y}</mrow></mfrac>" in html


def test_the_target_of_a_diagrams_box(book: Book) -> None:
    url = context(parse("# P\n", "docs/p.md"), book).diagram_link
    assert url("other") == "../other/"
    assert url("other#b") == "../other/#b"
    for target, message in {
        "odd": r"links to odd: there is no page odd\.md",
        "other#eq-3": r"other\.md holds no \\tag\{3\}",
        "other#c": r"other\.md holds no #c",
    }.items():
        with pytest.raises(ValueError, match=message):
            url(target)


BOXES = """# T
## A
### A 1

!!! exercise "Exercise 1: of `<math><mi>d</mi></math>`{=html}"

    Do.

??? exercise "Exercise 2"

    Do.

## B
"""


def contents(text: str) -> list[tuple[str, str, list[str]]]:
    """Return the sections of a page's contents, and what stands in each."""
    md = markdown.Markdown(extensions=[*EXTENSIONS, "toc", RawHtml()])
    md.convert(text)
    return [
        (one["name"], one["id"], [inside["name"] for inside in one["children"]])
        for one in md.toc_tokens[0]["children"]
    ]


def test_exercises_stand_in_the_contents() -> None:
    titles = ["1. of <math><mi>d</mi></math>", "Exercise 2"]
    a, b = ("A", "a", ["A 1"]), ("B", "b", [])
    assert contents(BOXES) == [a, ("Exercises", "exercise-1", titles), b]
    headed = BOXES.replace("### A 1", "## Exercises")
    own = ("Exercises", "exercises", titles)
    assert contents(headed) == [("A", "a", []), own, b]
    assert contents("# T\n## A") == [("A", "a", [])]


def test_raw_html_stands_as_it_is_written() -> None:
    """Markdown has no part in it, at any depth, and a span keeps its sentence."""
    html = "<pre>*a*\n\n```\n  <b>`c`</b></pre>"
    page = f"{fence(html)}\n\n- d\n\n{fence(html, 4)}\n\n`x` {span('<i>*`e</i>')} *f*"
    found = markdown.markdown(page, extensions=[*EXTENSIONS, RawHtml()])
    assert found.count(html) == 2
    assert "<p><code>x</code> <i>*`e</i> <em>f</em></p>" in found

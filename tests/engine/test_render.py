"""From a page and what it showed to Markdown, and back to HTML."""

import re
from pathlib import Path

import markdown
import pytest

from lookback.engine.blocks import parse
from lookback.engine.cite import Bibliography, Entry
from lookback.engine.errors import PageError
from lookback.engine.render import Setting, finish, to_markdown
from lookback.engine.run import Run

EXTENSIONS = [
    "admonition",
    "attr_list",
    "md_in_html",
    "pymdownx.details",
    "pymdownx.superfences",
    "pymdownx.tabbed",
]
WORK = Entry("a1948", ("A. B.",), ("B",), "1948", 'The "Title"', "J.", "https://x.org")
SVG = '<svg viewBox="0 0 1 1"></svg>'


@pytest.fixture
def setting(tmp_path: Path) -> Setting:
    package = tmp_path / "pkg"
    package.mkdir()
    (package / "m.py").write_text("def f():\n    return 1\n")
    return Setting(
        package,
        Bibliography("refs.bib", {"a1948": WORK}),
        "../bibliography.md",
        source_url=lambda source: f"../source/m/#L{source.first}",
        markers={"timeline": "<ol></ol>"},
    )


def html(text: str, setting: Setting, *outputs: list[dict[str, str]]) -> str:
    page = parse(text, "docs/p.md")
    rendered = to_markdown(page, Run(page.name, list(outputs)), setting)
    tabbed = {"pymdownx.tabbed": {"alternate_style": True}}
    converted = markdown.markdown(
        rendered.markdown, extensions=EXTENSIONS, extension_configs=tabbed
    )
    return finish(converted, rendered)


def test_output_follows_its_code_as_text(setting: Setting) -> None:
    page = html("```python\n#| alt: x\nf(1)\n```\n", setting, [{"text": "<a> & b\n"}])
    assert page.count("#|") == 0
    code, output = page.split('<div class="lb-output">')
    assert code.rstrip().endswith("</div>") and 'class="highlight"' in code
    assert output == '<pre class="lb-text" tabindex="0">&lt;a&gt; &amp; b</pre></div>'


def test_a_block_that_shows_nothing_has_no_output(setting: Setting) -> None:
    assert "lb-output" not in html("```python\nx = 1\n```\n", setting, [])


@pytest.mark.parametrize("box", ['!!! note "N"', '??? note "N"', '=== "N"', "1. N"])
def test_output_stays_in_its_box(setting: Setting, box: str) -> None:
    text = f"{box}\n\n    ```python\n    x\n    ```\n\nAfter.\n"
    page = html(text, setting, [{"text": "1\n"}])
    output, after = page.index("lb-output"), page.index("<p>After.</p>")
    end = max(
        page.rindex(tag, 0, after)
        for tag in ("</div>", "</ol>", "</details>")
        if tag in page[:after]
    )
    assert output < end < after
    assert "<p><div" not in page and "\ue000" not in page


def test_folded_code_stands_under_its_figure(setting: Setting) -> None:
    text = "```python\n#| alt: a line\n#| caption: C\n#| open: false\ndraw()\n```\n"
    page = html(text, setting, [{"svg": SVG}])
    figure, details = page.index("<figure"), page.index('<details class="lb-fold"')
    assert figure < details < page.index("draw")
    assert 'aria-label="a line"' in page and "<strong>Figure 1.</strong> C<" in page
    assert "<summary>How this was made</summary>" in page


def test_what_is_said_to_the_formatter_is_not_shown(setting: Setting) -> None:
    text = "```python\nx = [1,\n  2]  # fmt: skip\ny  # fmt: skips\n```\n"
    page = html(text, setting, [{"text": "1\n"}])
    shown = re.sub("<[^>]*>", "", page)
    assert "2]\n" in shown and "y  # fmt: skips" in shown


def test_html_and_text_keep_their_order(setting: Setting) -> None:
    outputs = [{"text": "a\n"}, {"html": "<table></table>"}]
    page = html("```python\nx\n```\n", setting, outputs)
    assert page.index("lb-text") < page.index(
        '<div class="lb-html" tabindex="0"><table>'
    )


def test_values_formulas_and_citations_in_a_sentence(setting: Setting) -> None:
    text = "So {{ x }} of $x$ ([@a1948, section 2])."
    assert html(text, setting, [{"text": "**7**"}]) == (
        "<p>So <strong>7</strong> of <math><mi>x</mi></math> "
        '(<a class="lb-cite" data-live="preview" href="../bibliography.md#a1948">'
        "B 1948, section 2</a>).</p>"
    )


def test_a_displayed_formula_loses_its_paragraph(setting: Setting) -> None:
    page = html("$$\nx \\tag{1}\n$$\n", setting)
    assert page.startswith('<div class="lb-equation"') and "<p>" not in page


def test_a_formula_that_opens_a_paragraph_stays_in_it(setting: Setting) -> None:
    page = html("$x$ is a number.\n", setting)
    assert page == "<p><math><mi>x</mi></math> is a number.</p>"


def test_a_formula_alone_stays_a_paragraph(setting: Setting) -> None:
    assert html("$x$\n", setting) == "<p><math><mi>x</mi></math></p>"


def test_the_real_source_is_shown_with_its_place(setting: Setting) -> None:
    page = html('```{.python src="pkg.m:f"}\n```\n', setting)
    assert '<a href="../source/m/#L1">pkg.m, lines 1–2</a></p>' in page
    assert "return" in page


def test_code_that_holds_fences_is_fenced_longer(setting: Setting) -> None:
    page = html('````python\nx = """\n```\n"""\n````\n', setting, [])
    assert page.count("<pre>") == 1


def test_markers_and_comments(setting: Setting) -> None:
    assert html("<!-- lookback: timeline -->\n", setting) == "<ol></ol>"
    assert html("a <!-- a note --> b\n", setting) == "<p>a  b</p>"


@pytest.mark.parametrize(
    ("text", "words"),
    [
        ("\n$\\nosuch{x}$\n", r"docs/p\.md:2: .*not TeX"),
        ("a\n[](#gone)\n", r"docs/p\.md:2: nothing numbered has the id"),
        ("[@b1950]\n", r"docs/p\.md:1: `@b1950` is not in refs\.bib"),
        ('\n\n```{.python src="pkg.m:g"}\n```\n', r"docs/p\.md:3: src: `pkg\.m:g`"),
        ("<!-- lookback: tmeline -->\n", r"docs/p\.md:1: .*knows timeline"),
    ],
)
def test_what_cannot_be_rendered_is_refused_with_its_line(
    setting: Setting, text: str, words: str
) -> None:
    with pytest.raises(PageError, match=words):
        html(text, setting)


def test_a_question_stands_before_its_answer_and_the_code(setting: Setting) -> None:
    text = "```python\n#| predict: Is $x$ 2?\n#| open: false\nf()\n```\n"
    page = html(text, setting, [{"text": "2\n"}])
    question, answer = page.index("Predict."), page.index("<summary>Show the answer")
    assert "Is <math><mi>x</mi></math> 2?" in page
    assert question < answer < page.index("lb-text") < page.index("How this was made")


def test_open_code_stands_between_question_and_answer(setting: Setting) -> None:
    text = "```python\n#| predict: Which?\nf(1)\n```\n"
    page = html(text, setting, [{"text": "2\n"}])
    assert page.index("Which?") < page.index("highlight") < page.index("lb-predict")


def test_figures_and_tables_have_numbers_ids_and_links(setting: Setting) -> None:
    text = (
        "```python\n#| alt: x\n#| id: map\n#| key: true\n#| caption: By (1).\nd()\n"
        "```\n\n```python\n#| caption: Sums.\nt\n```\n\n$$a \\tag{1}$$\n\n"
        "See [](#map), [](#table-1), [the *sums*](#table-1) and (1).\n"
    )
    table = "<table class='t'><tr></tr></table>"
    page = html(text, setting, [{"svg": SVG}], [{"html": table}])
    one = '<a class="lb-ref" href="#eq-1">(1)</a>'
    first = one.replace(" href", ' data-live="preview" href')
    assert '<div class="lb-output lb-key"><figure id="map"' in page
    assert f"<figcaption><strong>Figure 1.</strong> By {first}.</figcaption>" in page
    assert "<table class='t'><caption><strong>Table 1.</strong> Sums.</caption>" in page
    assert '<a class="lb-ref" href="#map">figure 1</a>' in page
    assert '<a class="lb-ref" href="#table-1">the <em>sums</em></a>' in page
    assert f" and {one}.</p>" in page


def test_the_key_equation_is_marked(setting: Setting) -> None:
    page = html("<!-- key -->\n\n$$a \\tag{2}$$\n", setting)
    assert '<div class="lb-equation lb-key" id="eq-2"' in page


def test_a_markdown_table_gets_its_caption(setting: Setting) -> None:
    page = html("<!-- caption: What $x$ is -->\n\na\n", setting)
    assert '<p class="lb-caption" id="table-1"><strong>Table 1.</strong> What ' in page


def test_a_sign_after_a_formula_stays_on_its_line(setting: Setting) -> None:
    tied = '<span class="lb-tie"><math><mi>x</mi></math>).</span>'
    assert html("So ($x$). $x$ too.", setting) == (
        f"<p>So ({tied} <math><mi>x</mi></math> too.</p>"
    )


@pytest.mark.parametrize(
    ("line", "wraps"),
    [
        ("word " * 20, True),
        ("word", False),
        ("English     " + "word " * 20, True),
        ("a      1      2      " * 6, False),
    ],
)
def test_long_sentences_wrap_and_columns_scroll(
    setting: Setting, line: str, wraps: bool
) -> None:
    page = html("```python\nx\n```\n", setting, [{"text": line + "\n"}])
    assert ('class="lb-text lb-wrap"' in page) == wraps

"""What the search may find: words for readers, by section, with their keywords."""

import re

import pytest

from lookback.engine.search import add_keywords, searchable


def words(page: str) -> str:
    return " ".join(re.sub(r"<[^>]+>", " ", searchable(page)[0]).split())


@pytest.mark.parametrize(
    "markup",
    [
        '<div class="highlight"><div><pre><code>x</code></pre></div>x</div>',
        '<div class="lb-output"><div><table><tr><td>x</td></tr></table></div></div>',
        "<pre>x</pre>",
        '<svg viewBox="0"><text>x</text><path d="M0"/></svg>',
        "<svg><text>x</text><svg><text>x</text></svg><text>x</text></svg>",
        "<math><mi>x</mi></math>",
        "<aside class='lb-stamp'><dl><dt>x</dt></dl></aside>",
        '<p class="wide lb-source">x</p>',
        '<p aria-hidden="true">x</p>',
        "<script>x</script><style>x</style>",
    ],
)
def test_what_is_not_written_for_readers_is_left_out(markup: str) -> None:
    assert words(f"<p>before {markup} after</p><p>more</p>") == "before after more"


def test_captions_are_found_although_their_figures_are_not() -> None:
    page = '<div class="lb-output"><figure><svg><text>x</text></svg>'
    page += "<figcaption>BLEU &amp; length</figcaption></figure>y</div>z"
    assert words(page) == "BLEU &amp; length z"


def test_prose_stays_as_it_is_written() -> None:
    page = '<h2 id="a">A<a class="headerlink">¶</a></h2><p>B&nbsp;<em>c</em><br>d</p>'
    assert searchable(page) == (page, {})


def test_a_term_of_the_glossary_is_a_section() -> None:
    page = '<dl><dt id="bleu">BLEU</dt><dd><p>A score.</p></dd><dt>no id</dt></dl>'
    assert searchable(page)[0] == (
        '<dl><h6 id="bleu">BLEU</h6><dd><p>A score.</p></dd><dt>no id</dt></dl>'
    )


def test_keywords_belong_to_the_heading_that_has_them() -> None:
    page = '<h2 id="a" data-keywords="one, two">A</h2><h3 id="b">B</h3>'
    page += '<p data-keywords="three">no heading</p>'
    assert searchable(page)[1] == {"a": "one, two"}


def test_keywords_are_written_into_the_entries() -> None:
    entries: list[dict[str, object]] = [
        {"location": "p/"},
        {"location": "p/#a"},
        {"location": "q/"},
    ]
    add_keywords(entries, {"p/": {"": "Q &amp; A, whole,", "a": "section"}})
    assert [entry.get("keywords") for entry in entries] == [
        ["Q & A", "whole"],
        ["section"],
        None,
    ]


def test_keywords_without_a_section_are_refused() -> None:
    with pytest.raises(ValueError, match=r"p/: .* no section in the index: #gone"):
        add_keywords([{"location": "p/"}], {"p/": {"gone": "a"}})


def test_no_asterisk_reaches_the_index() -> None:
    """To lunr it is a wildcard, and a query whose words meet it finds nothing."""
    assert searchable("<p><code>[layer] * N</code></p>")[0] == (
        "<p><code>[layer]   N</code></p>"
    )

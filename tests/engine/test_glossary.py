"""The glossary feeds tooltips, one per term and page."""

from lookback.engine.glossary import abbreviations, first_uses_only, read_glossary

PAGE = """# Glossary

n-gram
:   A run of *n* tokens, e.g. `of the`. It is more.

history / context
:   The words $h$ before [a word](ngram.md).
    They may be none.
"""


def test_terms_and_their_first_sentences() -> None:
    assert read_glossary(PAGE) == {
        "n-gram": "A run of n tokens, e.g. of the.",
        "history": "The words h before a word.",
        "context": "The words h before a word.",
    }


def test_a_tooltip_cites_nobody() -> None:
    page = "x\n:   Counted (see [@a2000, p. 3]) so ([@b2001]), as [@c2002] does."
    assert read_glossary(page) == {"x": "Counted (see) so, as does."}


def test_only_terms_that_a_page_uses_are_defined_in_their_forms() -> None:
    text = abbreviations({"n-gram": "A run.", "context": "Before."}, "N-grams here")
    assert text.split("\n") == ["", "", "*[N-grams]: A run.", ""]


def test_a_part_of_a_word_is_no_use_of_it() -> None:
    assert abbreviations({"type": "A word form."}, "prototype and type-set") == ""


def test_the_first_use_in_a_sentence_keeps_its_tooltip() -> None:
    a, b = '<abbr title="T.">a</abbr>', '<abbr title="U.">b</abbr>'
    page = f'<h2>{a}</h2><p><a href="#">{a}</a> {a} {a} {b}</p>'
    kept = f'<h2>a</h2><p><a href="#">a</a> {a} a {b}</p>'
    assert first_uses_only(page) == kept

"""The glossary's terms are links to it, one per term and page."""

from lookback.engine.glossary import Term, abbreviations, linked, read_glossary

PAGE = """# Glossary

n-gram { #n-gram }
:   A run of *n* tokens, e.g. `of the`. It is more.

history / context
:   The words $h$ before [a word](ngram.md).
    They may be none.
"""


def test_terms_and_their_first_sentences() -> None:
    assert read_glossary(PAGE) == {
        "n-gram": Term("A run of n tokens, e.g. of the.", "n-gram"),
        "history": Term("The words h before a word."),
        "context": Term("The words h before a word."),
    }


def test_a_definition_cites_nobody() -> None:
    page = "x\n:   Counted (see [@a2000, p. 3]) so ([@b2001]), as [@c2002] does."
    assert read_glossary(page) == {"x": Term("Counted (see) so, as does.")}


def test_only_terms_that_a_page_uses_are_defined_in_their_forms() -> None:
    terms = {"n-gram": Term("A run."), "context": Term("Before.")}
    text = abbreviations(terms, "N-grams here")
    assert text.split("\n") == ["", "", "*[N-grams]: A run.", ""]


def test_a_part_of_a_word_is_no_use_of_it() -> None:
    assert abbreviations({"type": Term("A word form.")}, "prototype and type-set") == ""


def test_the_first_use_in_a_sentence_links_to_its_entry() -> None:
    a, b = '<abbr title="T &amp; U.">a</abbr>', '<abbr title="V.">b</abbr>'
    page = f'<h2>{a}</h2><p><a href="#">{a}</a> {a} {a} {b}</p>'
    terms = {"a": Term("T & U.", "a-term"), "b": Term("V.")}
    one = '<a class="lb-term" href="../glossary/#a-term">a</a>'
    two = '<a class="lb-term" href="../glossary/">b</a>'
    kept = f'<h2>a</h2><p><a href="#">a</a> {one} a {two}</p>'
    assert linked(page, terms, "../glossary/") == kept

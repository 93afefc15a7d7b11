"""Read the glossary; link the first use of each term on a page to its entry."""

import pytest

from lookback.engine.glossary import link_terms, read_glossary

PAGE = """# Glossary

n-gram { #n-gram }
:   A run of *n* tokens, e.g. `of the`. It is more.

history / context { #history data-keywords="past" }

:   The words $h$ before [a word](ngram.md).
"""
TERMS = {"n-gram": "n-gram", "gram model": "model", "gram": "gram"}


def test_terms_and_the_ids_of_their_entries() -> None:
    terms = {"n-gram": "n-gram", "history": "history", "context": "history"}
    assert read_glossary(PAGE) == terms


def use(term: str, anchor: str) -> str:
    return f"[{term}](glossary.md#{anchor}){{ .lb-term }}"


@pytest.mark.parametrize(
    ("text", "shown"),
    [
        ("N-grams, n-gram", f"{use('N-grams', 'n-gram')}, n-gram"),
        ("a gram models it", f"a {use('gram models', 'model')} it"),
        ("**gram** and\n gram", f"**{use('gram', 'gram')}** and\n gram"),
        ("| gram |\n|---|\n| gram |", f"| gram |\n|---|\n| {use('gram', 'gram')} |"),
    ],
)
def test_the_first_use_is_a_link(text: str, shown: str) -> None:
    assert link_terms(text, TERMS, "glossary.md") == shown


@pytest.mark.parametrize(
    "text",
    [
        "program, gram-wise, diagrams",
        "# gram",
        '!!! note "gram"',
        "`gram` and ``a gram``",
        "[the\ngram](a.md) ![gram](b.png) [gram][c]",
        '<div title="gram">',
        "a { title='gram' }",
        "```python\ngram\n```",
        "One.\n\n    gram",
    ],
)
def test_where_no_term_is_linked(text: str) -> None:
    assert link_terms(text, TERMS, "glossary.md") == text


def test_a_page_without_terms_stays_as_it_is() -> None:
    assert link_terms("gram\n", {}, "glossary.md") == "gram\n"

"""Checks and long docstrings of a listing are one line each, and all of it is there."""

import html
import re

from lookback.engine.condense import Part, check_names, listing, parts

SOURCE = '''\
class A:
    """One line.

    And
    more.
    """

    def f(self, x):
        """Short."""
        shapes(x=(x, "T"))
        if x is None:
            raise ValueError("none")
        y = x

        ids(5, x=x)
        return y
'''
CHECKS = frozenset({"shapes", "ids"})


def words(markup: str) -> str:
    return html.unescape(re.sub(r"<[^>]+>", "", markup))


def test_what_is_folded() -> None:
    assert parts(SOURCE, CHECKS) == [
        Part(2, 6, "docstring", keep=True),
        Part(10, 12, "checks", keep=False),
    ]


def test_another_function_is_no_check_and_an_if_with_an_else_decides() -> None:
    source = (
        "def f(x):\n    show(x)\n    if x:\n        raise E\n    else:\n        g()\n"
    )
    assert parts(source, CHECKS) == []


def test_the_whole_source_is_in_the_listing() -> None:
    shown = listing(SOURCE, CHECKS, "listing-1")
    assert shown.startswith('<div class="highlight" id="listing-1"><pre>')
    bare = re.sub(r'<span class="lb-(margin|break)">\s*</span>', "", shown)
    assert words(bare) == SOURCE


def test_what_stays_in_sight() -> None:
    shown = listing(SOURCE, CHECKS)
    seen = re.sub(r'<span class="lb-rest">.*?\n.*?(?=</span>\n)', "", shown, flags=re.S)
    assert words(shown.split('<span class="lb-rest">')[0]).endswith('"""One line.')
    assert 'aria-label="Show docstring"' in seen and 'data-name="checks"' in seen
    assert '<span class="lb-margin">        </span><label' in shown


def test_a_source_without_either_is_shown_as_it_is() -> None:
    assert "lb-more" not in listing("def f():\n    return 1\n", CHECKS)


def test_the_names_of_checks_are_read_from_their_module() -> None:
    assert check_names("def a(): ...\ndef _b(): ...\nc = 1\n") == {"a"}

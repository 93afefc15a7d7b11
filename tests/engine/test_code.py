"""Code as a page shows it: an element only where there is a colour."""

from collections.abc import Iterator

import pytest
from pygments import highlight
from pygments.formatters import HtmlFormatter
from pygments.lexers import PythonLexer
from pygments.token import STANDARD_TYPES

from lookback.engine.code import leave_plain_tokens_alone


@pytest.fixture(autouse=True)
def own_table() -> Iterator[None]:
    """Pygments' table as it was, afterwards."""
    before = dict(STANDARD_TYPES)
    yield
    STANDARD_TYPES.update(before)


def shown(code: str) -> str:
    text: str = highlight(code, PythonLexer(), HtmlFormatter(nowrap=True))
    return text.rstrip("\n")


def test_names_operators_and_brackets_stand_alone() -> None:
    leave_plain_tokens_alone()
    assert shown("x = (y @ z)[1:]") == ('x = (y @ z)[<span class="mi">1</span>:]')


def test_what_has_a_colour_keeps_it() -> None:
    leave_plain_tokens_alone()
    found = shown('def f(x): return "a", len(x), True  # why')
    for kind in ("k", "nf", "s2", "nb", "kc", "c1"):
        assert f'<span class="{kind}">' in found
    assert '<span class="n">' not in found and '<span class="p">' not in found

"""Captions and questions as HTML."""

import pytest

from lookback.engine.words import inline


@pytest.mark.parametrize(
    ("text", "shown"),
    [
        ("a  <b>\n& c", "a &lt;b&gt; &amp; c"),
        ("`x < y` and `a*b*c`", "<code>x &lt; y</code> and <code>a*b*c</code>"),
        ("*le* or **la**", "<em>le</em> or <strong>la</strong>"),
        ("2 * 3 * 4", "2 * 3 * 4"),
        ("costs $5 and $6", "costs $5 and $6"),
        ("so $x$.", "so <math><mi>x</mi></math>."),
    ],
)
def test_words_with_marks(text: str, shown: str) -> None:
    assert inline(text) == shown


def test_what_is_no_tex_is_refused() -> None:
    with pytest.raises(ValueError, match="not TeX"):
        inline(r"of $\nosuch{x}$")

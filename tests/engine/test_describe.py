"""A page's description: its question, then what its text begins with."""

import pytest

from lookback.engine.describe import MOST, description

LONG = "It is a sentence of some length. "


@pytest.mark.parametrize(
    ("question", "page", "told"),
    [
        ("", "", ""),
        ("Why?", "", "Why?"),
        ("", f"<h1>T</h1><p>{LONG}</p>", LONG.strip()),
        ("Why so?", f"<p>{LONG}</p><p>Another one.</p>", f"Why so? {LONG[:-1]}"),
        ("Why so?", f"<p>Why so?</p><p>{LONG}</p>", f"Why so? {LONG[:-1]}"),
        ("", f"<p>Short.</p><p>{LONG}</p>", LONG.strip()),
        ("", f"<p>A sum <math>x</math> of all.</p><p>{LONG}</p>", LONG.strip()),
        ("", "<p><em>A &amp; B</em>\n are here, both.</p>", "A & B are here, both."),
        ("Why so?", "<p><b>Why so?</b> We shall see.</p>", "Why so? We shall see."),
    ],
)  # fmt: skip
def test_a_page_in_a_sentence_or_two(question: str, page: str, told: str) -> None:
    assert description(question, page) == told


def test_only_whole_sentences_that_fit_are_taken() -> None:
    told = description("", f"<p>{LONG * 20}</p>")
    assert (len(told) <= MOST and told.endswith(".")) or told == LONG.strip()


def test_a_sentence_too_long_is_cut_after_a_word() -> None:
    told = description("", f"<p>{'word ' * 100}</p>")
    assert len(told) <= MOST and told.endswith("word…")

"""Tokens: what a handful of sentences become."""

import pytest

from lookback.text.tokens import tokenize


@pytest.mark.parametrize(
    ("sentence", "tokens"),
    [
        ("The object is mutable.", "the object is mutable ."),
        ("It doesn’t matter (see PEP 8).", "it doesn't matter ( see pep 8 ) ."),
        ("A left-hand side, i.e. a name", "a left-hand side , i.e. a name"),
        ("Use sys.path or __init__ in 3.14!", "use sys.path or __init__ in 3.14 !"),
        ("A <code> is <unk>: 1 < 2", "a <code> is <unk> : 1 < 2"),
        ("“So-called” ‘quotes’", "“ so-called ” ‘ quotes '"),
        (" \n ", ""),
    ],
)
def test_tokenize(sentence, tokens):
    assert tokenize(sentence) == tuple(tokens.split())


@pytest.mark.parametrize("sentence", [None, 3, ["a"]])
def test_a_sentence_must_be_a_string(sentence):
    with pytest.raises(ValueError, match="must be a string, got"):
        tokenize(sentence)

"""The kinds of the grammar's nouns: some of them, and no other word among them."""

from collections import Counter

import pytest

from lookback.text.corpora import grammar
from lookback.text.grammar import noun_kinds
from lookback.text.grammar.noun_classes import KINDS, Kind


def test_some_words():
    found = noun_kinds("small")
    assert found["treaties"] == Kind("document", "many", "it", "m")
    assert found["queen"] == Kind("person", "one", "she", "f")
    assert found["mary"] == Kind("person", "name", "she", "f")
    assert found["france"] == Kind("country", "name", "it", "f")
    assert found["paris"].kind == "city"
    assert found["wine"] == Kind("drink", "one", "it", "m")
    assert found["door"].kind == "thing"
    assert found["school"].kind == "place"
    assert "watch" not in noun_kinds("full")  # one watches, too
    french = noun_kinds("full", "french")
    assert french["reine"] == found["queen"]
    assert french["maisons"] == Kind("place", "many", "it", "f")
    assert not {"montre", "bois"} & french.keys()


@pytest.mark.parametrize("language", ["english", "french"])
def test_the_corpus_uses_them_as_nouns_alone(language):
    found, seen = noun_kinds("full", language), Counter()
    side = {"english": "source", "french": "target"}[language]
    for pair in grammar(4000, size="full").train:
        for word, tag in zip(
            getattr(pair, side), getattr(pair.tags, side), strict=True
        ):
            if word in found:
                assert tag == ("PROPN" if found[word].form == "name" else "NOUN"), word
                seen[word] += 1
    assert len(seen) > 0.95 * len(found)
    assert {kind.kind for kind in found.values()} == set(KINDS.values())


def test_another_language_is_refused():
    with pytest.raises(
        ValueError, match=r"one of \('english', 'french'\), got 'german'"
    ):
        noun_kinds("small", "german")
    with pytest.raises(ValueError, match="a size is one of"):
        noun_kinds("huge")

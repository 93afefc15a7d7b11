"""Pronouns and their antecedents, in sentences made by hand, and what guesses find.

Mutants that these tests kill: nouns after the pronoun, the pronoun itself, or other
tags among the nouns; a pronoun with one noun, or another word, among the references;
one of two antecedents forgotten; the first noun for the nearest; a noun of another
number, or a person for *it*, among those that agree; no noun left where none agrees.
"""

import pytest

from lookback.text.corpora import Pair, Tags, grammar
from lookback.text.grammar.pronouns import (
    NOUNS,
    PERSONAL,
    Reference,
    agreeing,
    first,
    nearest,
    references,
    some,
)


def pair(
    words: str,
    tags: str,
    antecedents: tuple[tuple[int, int], ...] = (),
    sure: frozenset[tuple[int, int]] = frozenset(),
) -> Pair:
    source, target = tuple(words.split()), ("un", "deux", "trois")
    tagged = Tags(tuple(tags.split()), ())
    return Pair(source, target, sure, sure, tagged, (), antecedents)


MINE = pair(
    "dogs see cats and they run from cars",
    "NOUN VERB PROPN CCONJ PRON VERB ADP NOUN",
    ((4, 0),),
    frozenset({(0, 0), (4, 1), (4, 2)}),
)


def test_references_have_a_choice_in_front_of_them() -> None:
    (found,) = references([MINE])
    assert found == Reference(0, 4, "they", (0, 2), frozenset({0}))
    alone = pair("dogs see and they run", "NOUN VERB CCONJ PRON VERB", ((3, 0),))
    after = pair("they see dogs and cats", "PRON VERB NOUN CCONJ NOUN", ((0, 2),))
    which = pair("dogs and cats that run", "NOUN CCONJ NOUN PRON VERB", ((3, 2),))
    assert references([alone, after, which]) == []
    (found,) = references([alone, which], words=("that",))
    assert (found.row, found.right) == (1, frozenset({2}))


def test_both_heads_of_an_antecedent_are_right() -> None:
    both = pair("dogs , cats and they", "NOUN PUNCT NOUN CCONJ PRON", ((4, 0), (4, 2)))
    (found,) = references([both])
    assert found.right == {0, 2}


def test_guesses() -> None:
    pronouns = references([MINE])
    assert (first(pronouns), nearest(pronouns)) == (1, 0)
    turned = [pronouns[0]._replace(right=frozenset({2})), *pronouns * 3]
    assert (first(turned), nearest(turned)) == (0.75, 0.25)


@pytest.mark.parametrize(
    ("words", "pronoun", "nouns"),
    [
        ("dog cats women and they run", 4, (1, 2)),
        ("minister dog street and it runs", 4, (1, 2)),
        ("minister woman dogs and he runs", 4, (0,)),
        ("minister woman queen and she runs", 4, (1, 2)),
        ("minister woman dogs see her now", 4, (1,)),
        ("minister dogs women see them now", 4, (1, 2)),
        ("dog street and they run .", 3, (0, 1)),  # none agrees: all remain
    ],
)
def test_nouns_that_agree(words: str, pronoun: int, nouns: tuple[int, ...]) -> None:
    kinds = ["NOUN" if i < 3 else "X" for i in range(6)]
    if "street and" in words and "minister" not in words:
        kinds[2] = "X"
    one = pair(words, " ".join(kinds), ((pronoun, 0),))
    found = references([one])
    (agree,) = agreeing(found, [one])
    assert agree == found[0]._replace(nouns=nouns)


@pytest.mark.parametrize("share", [first, nearest, some])
def test_a_share_of_no_pronouns_is_refused(share) -> None:
    with pytest.raises(ValueError, match="there are no pronouns"):
        share([])


def test_references_of_the_grammar() -> None:
    pairs = grammar(pairs=1500, seed=3).train
    found = references(pairs)
    assert len(found) > 100
    for one in found:
        pair = pairs[one.row]
        assert pair.source[one.position] == one.word
        assert one.word in PERSONAL
        assert all(pair.tags.source[n] in NOUNS for n in one.nouns)
        assert len(one.nouns) > 1
        assert max(one.nouns) < one.position
        assert one.right == {n for p, n in pair.antecedents if p == one.position}
    assert 0 < first(found) < 1
    assert 0 < nearest(found) < 1

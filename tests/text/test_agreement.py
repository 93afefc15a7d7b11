"""Agreement: which verb belongs to which noun, and in which number."""

from typing import Any

import pytest

from lookback.text.corpora import Pair, Tags, grammar
from lookback.text.grammar.agreement import (
    Agreement,
    minimal_pairs,
    noun_numbers,
    other_number,
    subjects,
)
from lookback.text.grammar.english import third_person

THE, THAT, AND = ("DET", "the"), ("PRON", "that"), ("CCONJ", "and")


def leaves(tree: Any) -> list[tuple[str, str]]:
    if isinstance(tree[1], str):
        return [tree]
    return [leaf for part in tree[1:] for leaf in leaves(part)]


def pair(tree: Any) -> Pair:
    tags, words = zip(*leaves(tree), strict=True)
    return Pair(words, (), tags=Tags(tags, ()), tree=tree)


def phrase(*words: str) -> Any:
    """A noun phrase: the, adjectives, a noun."""
    *before, noun = words
    return ("NP", THE, *(("ADJ", word) for word in before), ("NOUN", noun))


def of(one: Any, other: Any) -> Any:
    return ("NP", one, ("PP", ("ADP", "of"), other))


def verb(*words: str, tag: str = "VERB") -> Any:
    return ("VP", *((tag, word) for word in words))


def such(noun: Any, relative: Any) -> Any:
    return ("NP", noun, ("SBAR", THAT, relative))


IS, ARE = verb("is", tag="AUX"), verb("are", tag="AUX")
KING, KINGS = phrase("king"), phrase("kings")
OWNER = ("NP", phrase("ministers"), ("PART", "'"))
SAYS = ("VP", ("VERB", "says"), ("SBAR", ("SCONJ", "that"),
                                 ("S", phrase("laws"), verb("exist"))))  # fmt: skip

# subject and predicate → the verb, its other number, distance, attractors
BY_HAND = [
    (phrase("old", "ministers"), verb("sleep"), [("sleep", "sleeps", 1, 0)]),
    # the noun of a phrase is not the nearest
    (of(phrase("ministers"), phrase("new", "bank")), verb("sleep"),
     [("sleep", "sleeps", 5, 1)]),
    (of(phrase("minister"), phrase("bank")), IS, [("is", "are", 4, 0)]),
    (of(phrase("minister"), of(phrase("laws"), phrase("banks"))), IS,
     [("is", "are", 7, 2)]),
    (of(phrase("laws"), ("NP", ("PROPN", "france"))), ARE, [("are", "is", 3, 1)]),
    # relative clauses of both kinds; of two nouns one cannot tell which it belongs to
    (such(phrase("laws"), verb("exist")), verb("fail"), [("exist", "exists", 2, 0)]),
    (such(phrase("laws"), verb("existed")), verb("fail"), []),
    (such(phrase("laws"), ("S", KING, verb("signs"))), verb("fail"),
     [("signs", "sign", 1, 0), ("fail", "fails", 5, 1)]),
    (such(of(phrase("bank"), phrase("law")), verb("exists")), verb("fails"),
     [("fails", "fail", 6, 0)]),
    # a clause inside has its own subject
    (KING, SAYS, [("says", "say", 1, 0), ("exist", "exists", 1, 0)]),
    # an adverb is passed over; of two predicates the first alone
    (KING, ("VP", ("ADV", "never"), ("VERB", "sleeps")), [("sleeps", "sleep", 2, 0)]),
    (KINGS, ("VP", verb("sleep"), AND, verb("work")), [("sleep", "sleeps", 1, 0)]),
    # what tells nothing is left out
    (("NP", ("PRON", "they")), verb("sleep"), []),
    (("NP", ("PROPN", "mary")), verb("sleeps"), []),
    (KING, verb("signed"), []),
    (KING, verb("will", "sleep"), []),
    (KINGS, verb("read"), []),
    (("NP", KING, AND, KING), verb("sleep"), []),
    # a determiner before the noun that has no number; none before what is owned
    (("NP", ("DET", "this"), ("NOUN", "law")), verb("exists"), []),
    (("NP", ("DET", "every"), ("ADJ", "new"), ("NOUN", "law")), verb("exists"), []),
    (("NP", ("NOUN", "laws")), verb("exist"), []),
    (phrase("bread"), verb("exists"), []),
    (("NP", OWNER, ("ADJ", "new"), ("NOUN", "law")), verb("exists"),
     [("exists", "exist", 1, 0)]),
]  # fmt: skip


@pytest.mark.parametrize(("subject", "predicate", "wanted"), BY_HAND)
def test_by_hand(subject: Any, predicate: Any, wanted: list[Any]) -> None:
    found = [one for one, _ in minimal_pairs([pair(("S", subject, predicate))])]
    assert [(a.right, a.wrong, a.distance, a.attractors) for a in found] == wanted


def test_minimal_pairs_differ_in_the_noun_alone() -> None:
    tree = ("S", of(phrase("new", "laws"), phrase("bank")), verb("exist"))
    words = ("the", "new", "laws", "of", "the", "bank")
    other = ("the", "new", "law", "of", "the", "bank")
    assert minimal_pairs([pair(tree)]) == [
        (Agreement(words, "exist", "exists", 4, 1),
         Agreement(other, "exists", "exist", 4, 0)),
    ]  # fmt: skip


def test_minimal_pairs_of_the_grammar() -> None:
    """A noun's number and its verb's are the same, in either number."""
    numbers, plural = noun_numbers(), {"are", "were", "have", "do"}
    both = minimal_pairs(grammar(pairs=800, seed=4).train)
    assert len(both) > 150
    for one, two in both:
        assert (one.right, one.wrong) == (two.wrong, two.right)
        assert one.distance == two.distance
        apart = [k for k in range(len(one.before)) if one.before[k] != two.before[k]]
        assert apart == [len(one.before) - one.distance]
        assert one.attractors or two.attractors or one.distance < 4
        for a in (one, two):
            many = a.right in plural or other_number()[a.right] == third_person(a.right)
            assert numbers[a.before[-a.distance]] == many
            assert a.attractors < a.distance


def test_each_verb_has_its_subject() -> None:
    sign = ("VP", ("AUX", "will"), ("VERB", "sign"), ("NP", ("PRON", "it")))
    assert subjects(pair(("S", of(phrase("bank"), phrase("country")), sign))) == [
        (1, 5)
    ]

"""Agreement: which verb belongs to which noun, and in which number."""

from typing import Any

import pytest

from lookback.text.corpora import Pair, Tags, grammar
from lookback.text.grammar.agreement import (
    Agreement,
    agreements,
    minimal_pairs,
    noun_numbers,
    other_number,
    subjects,
)
from lookback.text.grammar.english import third_person

THE = ("DET", "the")


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


def found(tree: Any) -> list[tuple[str, str, int, int]]:
    """(right, wrong, distance, attractors) of the tree's agreements."""
    return [
        (a.right, a.wrong, a.distance, a.attractors) for a in agreements([pair(tree)])
    ]


def verb(*words: str, tag: str = "VERB") -> Any:
    return ("VP", *((tag, word) for word in words))


def test_a_subject_and_its_verb() -> None:
    tree = ("S", phrase("old", "ministers"), verb("sleep"))
    assert agreements([pair(tree)]) == [
        Agreement(("the", "old", "ministers"), "sleep", "sleeps", 1, 0)
    ]


def test_the_noun_of_a_phrase_is_not_the_nearest() -> None:
    far = of(phrase("ministers"), phrase("new", "bank"))
    assert found(("S", far, verb("sleep"))) == [("sleep", "sleeps", 5, 1)]
    same = of(phrase("minister"), phrase("bank"))
    assert found(("S", same, verb("is", tag="AUX"))) == [("is", "are", 4, 0)]
    two = of(phrase("minister"), of(phrase("laws"), phrase("banks")))
    assert found(("S", two, verb("is", tag="AUX"))) == [("is", "are", 7, 2)]
    name = ("NP", ("PROPN", "france"))
    assert found(("S", of(phrase("laws"), name), verb("are"))) == [("are", "is", 3, 1)]


def test_a_genitive_belongs_to_what_is_owned() -> None:
    owner = ("NP", phrase("ministers"), ("PART", "'"))
    owned = ("NP", owner, ("ADJ", "new"), ("NOUN", "law"))
    assert found(("S", owned, verb("exists"))) == [("exists", "exist", 1, 0)]


def test_relative_clauses_of_both_kinds() -> None:
    that = ("PRON", "that")
    subject = ("NP", phrase("laws"), ("SBAR", that, verb("exist")))
    assert found(("S", subject, verb("fail"))) == [("exist", "exists", 2, 0)]
    past = ("NP", phrase("laws"), ("SBAR", that, verb("existed")))
    assert found(("S", past, verb("fail"))) == []  # had it been exist, it would tell
    inside = ("S", phrase("king"), verb("signs"))
    object_ = ("NP", phrase("laws"), ("SBAR", that, inside))
    assert found(("S", object_, verb("fail"))) == [
        ("signs", "sign", 1, 0),
        ("fail", "fails", 5, 1),
    ]


def test_a_relative_clause_that_could_belong_to_two_nouns_is_left_out() -> None:
    clause = ("SBAR", ("PRON", "that"), verb("exists"))
    subject = ("NP", of(phrase("bank"), phrase("law")), clause)
    assert found(("S", subject, verb("fails"))) == [("fails", "fail", 6, 0)]


def test_a_clause_inside_has_its_own_subject() -> None:
    clause = ("SBAR", ("SCONJ", "that"), ("S", phrase("laws"), verb("exist")))
    tree = ("S", phrase("king"), ("VP", ("VERB", "says"), clause))
    assert found(tree) == [("says", "say", 1, 0), ("exist", "exists", 1, 0)]
    joined = ("S", tree, ("CCONJ", "and"), ("S", phrase("laws"), verb("fail")))
    assert [right for right, *_ in found(joined)] == ["says", "exist", "fail"]


def test_an_adverb_before_the_verb_is_passed_over() -> None:
    tree = ("S", phrase("king"), ("VP", ("ADV", "never"), ("VERB", "sleeps")))
    assert found(tree) == [("sleeps", "sleep", 2, 0)]


def test_the_first_of_two_predicates_alone() -> None:
    shared = ("VP", verb("sleep"), ("CCONJ", "and"), verb("work"))
    assert found(("S", phrase("ministers"), shared)) == [("sleep", "sleeps", 1, 0)]


def test_minimal_pairs_differ_in_the_noun_alone() -> None:
    tree = ("S", of(phrase("new", "laws"), phrase("bank")), verb("exist"))
    assert minimal_pairs([pair(tree)]) == [
        (
            Agreement(
                ("the", "new", "laws", "of", "the", "bank"), "exist", "exists", 4, 1
            ),
            Agreement(
                ("the", "new", "law", "of", "the", "bank"), "exists", "exist", 4, 0
            ),
        )
    ]


@pytest.mark.parametrize(
    "words", ["this law", "these laws", "a law", "every new law", "the bread", "laws"]
)
def test_minimal_pairs_stay_english(words: str) -> None:
    *before, noun = words.split()
    tags = ["DET", *["ADJ"] * (len(before) - 1)][: len(before)]
    subject = ("NP", *zip(tags, before, strict=True), ("NOUN", noun))
    ends = "exist" if noun.endswith("s") else "exists"
    assert minimal_pairs([pair(("S", subject, verb(ends)))]) == []


def test_minimal_pairs_of_the_grammar_are_found_in_either_number() -> None:
    numbers = noun_numbers()
    both = minimal_pairs(grammar(pairs=800, seed=4).train)
    assert len(both) > 150
    for one, two in both:
        assert (one.right, one.wrong) == (two.wrong, two.right)
        assert one.distance == two.distance
        apart = [k for k in range(len(one.before)) if one.before[k] != two.before[k]]
        assert apart == [len(one.before) - one.distance]
        nouns = [numbers[a.before[apart[0]]] for a in (one, two)]
        assert sorted(nouns) == [0, 1]
        assert one.attractors or two.attractors or one.distance < 4


@pytest.mark.parametrize(
    "tree",
    [
        ("S", ("NP", ("PRON", "they")), verb("sleep")),
        ("S", ("NP", ("PROPN", "mary")), verb("sleeps")),
        ("S", phrase("king"), verb("signed")),
        ("S", phrase("king"), verb("will", "sleep")),
        ("S", phrase("ministers"), verb("read")),
        ("S", ("NP", phrase("king"), ("CCONJ", "and"), phrase("king")), verb("sleep")),
    ],
)
def test_what_tells_nothing_is_left_out(tree: Any) -> None:
    assert found(tree) == []


def test_forms_and_numbers_come_in_pairs() -> None:
    other, numbers = other_number(), noun_numbers()
    assert {other[other[word]] == word for word in other} == {True}
    assert other["was"] == "were"
    assert other["do"] == "does"
    assert "read" not in other
    assert {numbers["man"], numbers["law"], numbers["bread"]} == {0}
    assert {numbers["men"], numbers["laws"], numbers["women"]} == {1}


def test_what_the_grammar_says_is_what_it_wrote() -> None:
    """A noun's number and its verb's are the same, everywhere."""
    plural = {"are", "were", "have", "do"}
    asked = agreements(grammar(pairs=1500, seed=9).train)
    assert len(asked) > 700
    for a in asked:
        noun = a.before[-a.distance]
        many = a.right in plural or other_number()[a.right] == third_person(a.right)
        assert noun_numbers()[noun] == many
        assert a.right != a.wrong
    assert max(a.distance for a in asked) > 5
    assert any(a.attractors for a in asked)
    assert all(a.attractors < a.distance for a in asked)


def test_agreements_follow_the_sentences() -> None:
    pairs = grammar(pairs=60, seed=2).train
    each = [agreements([p]) for p in pairs]
    assert agreements(pairs) == [a for some in each for a in some]
    for p, some in zip(pairs, each, strict=True):
        places = [len(a.before) for a in some]
        for place, a in zip(places, some, strict=True):
            assert p.source[:place] == a.before
            assert p.source[place] == a.right


def test_each_verb_has_its_subject() -> None:
    words = ("the", "bank", "of", "the", "country", "will", "sign", "it")
    bank = (
        "NP",
        ("NP", ("DET", "the"), ("NOUN", "bank")),
        ("PP", ("ADP", "of"), ("NP", ("DET", "the"), ("NOUN", "country"))),
    )
    clause = ("S", bank, ("VP", ("AUX", "will"), ("VERB", "sign"),
                          ("NP", ("PRON", "it"))))  # fmt: skip
    assert subjects(Pair(words, ("x",), tree=clause)) == [(1, 5)]

"""Clauses along trees: answers, trees and choices, by hand."""

import pytest

from lookback.recursive import words
from lookback.studies.recursive_clauses import (
    CHOSEN,
    READERS,
    affirmed,
    agreement,
    along,
    balanced,
    branched,
    charted,
    filled,
    in_pairs,
    inputs,
    matched,
    merged,
    parsed,
    parser,
    sentences,
    validation,
)
from lookback.text.corpora import grammar
from lookback.workshop import results

FEW = (1500, 400)
MAN = ("NP", ("DET", "the"), ("NOUN", "man"))
SLEEPS = ("VP", ("VERB", "sleeps"))
NOT = ("VP", ("AUX", "did"), ("PART", "not"), ("VERB", "sleep"))
WHO = ("NP", MAN, ("SBAR", ("PRON", "who"), NOT))
AND = ("CCONJ", "and")
STOP = ("PUNCT", ".")


@pytest.mark.parametrize(
    ("clause", "answer"),
    [
        (("S", MAN, NOT), False),
        (("S", MAN, SLEEPS), True),
        (("S", WHO, SLEEPS), True),
        (("S", ("S", MAN, SLEEPS), AND, ("S", MAN, NOT)), True),
        (("S", ("S", MAN, NOT), AND, ("S", MAN, SLEEPS)), False),
        (("S", MAN, ("VP", NOT, AND, SLEEPS)), None),
    ],
)
def test_the_main_clause_decides(clause, answer):
    assert affirmed(("S", clause, STOP)) is answer


def test_trees_by_hand():
    assert in_pairs(("S", ("S", MAN, NOT), STOP)) == (((0, 1), (2, (3, 4))), 5)
    assert in_pairs(("S", ("S", ("NP", ("PRON", "he")), SLEEPS), STOP)) == ((0, 1), 2)
    assert branched("abc") == ("a", ("b", "c"))
    assert balanced("abcd") == (("a", "b"), ("c", "d"))
    assert filled(((0, 1), 2), [7, 8, 9]) == ((7, 8), 9)
    assert agreement([((0, 1), 2)], [(0, (1, 2))]) == 0
    assert agreement([((0, 1), (2, 3))], [((0, 1), (2, 3))]) == 100


def test_no_place_of_not_betrays_the_answer():
    pairs = grammar(3000, seed=5).train
    found = matched(pairs)
    place = {True: [], False: []}
    for c in found:
        place[c.affirmed].append(c.words.index("not"))
    assert sorted(place[True]) == sorted(place[False])
    assert len(found) > 10
    everything = {p.source: affirmed(p.tree) for p in pairs}
    assert all(everything[c.words] is c.affirmed for c in found)


def test_found_trees_are_those_of_the_parsers_over_the_same_words():
    greedy, some = parser(0, FEW, steps=2, n=8), sentences(FEW)["short"]
    gold = inputs("gold", some, FEW)
    found = along(parsed(greedy, FEW)["short"], some, FEW)
    assert found == greedy.parse([words(tree) for tree in gold])
    assert found != gold
    assert inputs("backwards", some, FEW) == [words(tree)[::-1] for tree in gold]
    last = merged(greedy, some[0], FEW)["merges"][-1]
    assert last[:2] == [0, len(some[0].words)]
    chart = charted(FEW)["short"]
    assert all(
        words(t) == [*range(len(c.words))] for t, c in zip(chart, some, strict=True)
    )
    assert agreement(chart, [c.tree for c in some]) > 80


def test_rates_are_chosen_on_sentences_that_are_not_the_tests():
    chosen, test = validation(FEW, 300), {c.words for c in sentences(FEW)["long"]}
    assert chosen
    assert not test & {c.words for c in chosen}
    for name in CHOSEN:
        row = results("recursive_clauses")[f"rates, {name}"]
        means = [sum(seeds) for seeds in row["right"]]
        assert READERS[name][-1] == row["rates"][means.index(max(means))]

"""Clauses along trees: labels, trees, readers, parsers, and what was recorded."""

from dataclasses import replace

import pytest

from lookback.recursive import spans, words
from lookback.studies import recursive_clauses as clauses
from lookback.studies.recursive import Setting
from lookback.studies.recursive_clauses import (
    PARSERS,
    READERS,
    STUDY,
    Data,
    affirmed,
    balanced,
    branched,
    filled,
    in_pairs,
    matched,
    sentences,
)
from lookback.text.corpora import grammar
from lookback.workshop import results

FEW = Data(1500, 400)
DET = ("DET", "the")
MAN = ("NP", DET, ("NOUN", "man"))
SLEEPS = ("VP", ("VERB", "sleeps"))
NOT = ("VP", ("AUX", "did"), ("PART", "not"), ("VERB", "sleep"))
STOP = ("PUNCT", ".")


def test_the_main_clause_decides():
    who = ("NP", MAN, ("SBAR", ("PRON", "who"), NOT))
    join = ("CCONJ", "and")
    for tree, answer in (
        (("S", ("S", MAN, NOT), STOP), False),
        (("S", ("S", MAN, SLEEPS), STOP), True),
        (("S", ("S", who, SLEEPS), STOP), True),
        (("S", ("S", ("S", MAN, SLEEPS), join, ("S", MAN, NOT)), STOP), True),
        (("S", ("S", ("S", MAN, NOT), join, ("S", MAN, SLEEPS)), STOP), False),
        (("S", ("S", MAN, ("VP", NOT, join, SLEEPS)), STOP), None),
    ):
        assert affirmed(tree) is answer
    assert in_pairs(("S", ("S", MAN, NOT), STOP)) == (((0, 1), (2, (3, 4))), 5)
    assert in_pairs(("S", ("S", ("NP", ("PRON", "he")), SLEEPS), STOP)) == ((0, 1), 2)


def test_trees_hold_their_words_in_order():
    for c in sentences(FEW)["train"]:
        assert words(c.tree) == [*range(len(c.words))]
        assert len(spans(c.tree)) == len(c.words) - 1
    assert branched("abc") == ("a", ("b", "c"))
    assert balanced("abcd") == (("a", "b"), ("c", "d"))
    assert filled(((0, 1), 2), [7, 8, 9]) == ((7, 8), 9)


def test_no_place_of_not_betrays_the_answer():
    pairs = grammar(3000, seed=5).train
    found = matched(pairs)
    place = {True: [], False: []}
    for c in found:
        place[c.affirmed].append(c.words.index("not"))
    assert sorted(place[True]) == sorted(place[False]) and len(found) > 10
    everything = {p.source: affirmed(p.tree) for p in pairs}
    assert all(everything[c.words] is c.affirmed for c in found)


def test_parsed_trees_are_the_parsers_and_gold_ones_are_not():
    parser = replace(PARSERS[0], data=FEW, steps=2, batch=4)
    reader = Setting("recursive", 8, 0.01, 2, 0, 4)
    case = clauses.Reading(reader, "gold", parser)
    gold, parsed = case.inputs("short", "gold"), case.inputs("short", "parsed")
    assert gold != parsed
    assert [words(t) for t in gold] == [words(t) for t in parsed]
    model = clauses.learned(parser)
    assert parsed == model.parse([words(t) for t in gold])
    row = clauses.measured(case)
    names = {"short", "long"}
    names |= {f"{part}, {kind}" for part in names for kind in ("parsed", "chart")}
    assert names <= row.keys()
    back = clauses.Reading(reader, "backwards", parser).inputs("short", "backwards")
    assert [ids[::-1] for ids in back] == [words(t) for t in gold]
    [first, *_] = clauses.measured(parser)["shown"]
    assert first["merges"][-1][:2] == [0, len(first["words"])]
    assert clauses.agreement([((0, 1), 2)], [(0, (1, 2))]) == 0
    assert clauses.agreement([((0, 1), (2, 3))], [((0, 1), (2, 3))]) == 100
    with pytest.raises(ValueError, match="trees"):
        clauses.Reading(reader, "family", parser)


def test_the_charts_trees_have_the_words_in_order_and_are_nearer_to_gold():
    found = clauses.charted(FEW)
    for part, trees in found.items():
        for tree, clause in zip(trees, sentences(FEW)[part], strict=True):
            assert words(tree) == [*range(len(clause.words))]
    row = clauses.measured(clauses.Chart(FEW))
    gold = [c.tree for c in sentences(FEW)["short"]]
    assert row["short"] == clauses.agreement(found["short"], gold) > 80
    case = clauses.Reading(Setting("recursive", 8, 0.01, 2, 0, 4), "gold", PARSERS[0])
    case = replace(case, parser=replace(PARSERS[0], data=FEW))
    assert case.inputs("short", "chart") == case.in_trees(
        found["short"], sentences(FEW)["short"]
    )


def test_rates_are_chosen_on_sentences_that_are_not_the_tests():
    long = {c.words for c in sentences(FEW)["long"]}
    chosen = clauses.validation(FEW, 300)
    assert chosen and not long & {c.words for c in chosen}
    assert min(len(c.words) for c in chosen) >= clauses.LONG[0]
    study = results("recursive_clauses")
    for name in ("TreeLSTM", *clauses.QUICK):
        row = study[f"rates, {name}"]
        means = [sum(seeds) for seeds in row["right"]]
        assert READERS[name][3] == row["rates"][means.index(max(means))]


def test_gold_trees_carry_far_and_parsed_ones_do_not():
    study = results("recursive_clauses")
    assert list(study.rows) == list(STUDY.cases)
    for name in READERS:
        assert len(study.seeds(name)) == 3

    def mean(name, key):
        return sum(row[key] for row in study.seeds(name)) / 3

    assert mean("recursive", "long") >= 92 and mean("TreeLSTM", "long") >= 92
    assert mean("GRU", "long") < 60 < mean("recursive", "long, parsed") < 75
    for name in ("recursive", "TreeLSTM"):
        gold, chart = mean(name, "long"), mean(name, "long, chart")
        assert chart < gold - 10 and mean(name, "short, chart") > 98
    assert study["chart"]["long"] > mean("parser", "long") + 15

"""Parsers: constructs, attachment and baselines, by hand."""

from collections import Counter

import numpy as np
import pytest

from lookback.measure import bracket_counts, bracket_f1
from lookback.pcfg import annotate_parents, binarise, restore
from lookback.studies import pcfg
from lookback.studies.pcfg import (
    KINDS,
    H,
    at_random,
    attached,
    attachments,
    constructs,
    joined,
    judged,
    of_tags,
    right,
    split_prepositions,
    unlabelled,
)
from lookback.text.corpora import grammar

WITH = ("PP", ("ADP", "with"), ("NP", ("NOUN", "forks")))
NOUN = (
    "S",
    ("NP", ("PRON", "she")),
    ("VP", ("VERB", "eats"), ("NP", ("NP", ("NOUN", "fish")), WITH)),
)
VERB = (
    "S",
    ("NP", ("PRON", "she")),
    ("VP", ("VERB", "eats"), ("NP", ("NOUN", "fish")), WITH),
)


def test_constructs_by_hand() -> None:
    found = constructs(NOUN)
    assert found == Counter(
        [
            ("simple noun phrase", 0, 1),
            ("simple noun phrase", 2, 3),
            ("simple noun phrase", 4, 5),
            ("PP in a noun phrase", 3, 5),
        ]
    )
    assert ("PP in a verb phrase", 3, 5) in constructs(VERB) and constructs(()) == {}
    clause = ("SBAR", ("PRON", "that"), ("VP", ("VERB", "fell")))
    one, both = ("NP", ("NOUN", "men")), ("CCONJ", "and")
    names = {name for name, _, _ in constructs(("NP", one, clause))}
    assert names == {"relative clause", "simple noun phrase"}
    assert ("clause after a verb", 1, 3) in constructs(("VP", ("VERB", "say"), clause))
    assert ("joined noun phrases", 0, 3) in constructs(("NP", one, both, one))
    assert ("joined clauses", 0, 3) in constructs(("S", ("S", one), both, ("S", one)))
    assert ("joined verb phrases", 0, 3) in constructs(
        ("VP", ("VP", ("VERB", "sing")), both, ("VP", ("VERB", "dance")))
    )


def test_attachment_by_hand() -> None:
    assert attachments(NOUN) == {(3, 5): ("with", "NP")}
    assert attached([NOUN, VERB, NOUN], [NOUN, NOUN, ()]) == {"with": [2, 1, 1, 1]}


def test_what_is_said_of_trees_by_hand() -> None:
    counts = pcfg.counted(pcfg.brackets, [NOUN, VERB], [VERB, ()])
    assert counts.tolist() == [[6, 7, 6], [0, 6, 0]]
    row = judged([NOUN, VERB], [VERB, ()], counts)
    assert row["F1"][0] == pytest.approx(100 * 12 / 19, abs=0.01)
    assert row["precision"] == 100 and row["recall"] == pytest.approx(46.15, abs=0.01)
    assert row["no tree"] == 1 and row["exact"] == 0
    assert row["constructs"]["PP in a noun phrase"][0] == 0
    assert row["constructs"]["simple noun phrase"][3] == 6


def test_prepositions_are_split_and_joined_again() -> None:
    split = split_prepositions(NOUN)
    assert split[2][2][2][:2] == ("PP~with", ("ADP~with", "with"))
    assert joined(split) == NOUN and joined(()) == ()
    tree = grammar(pairs=40).train[3].tree
    marked = binarise(annotate_parents(split_prepositions(tree)), H)
    assert joined(restore(marked)) == tree
    for kind in KINDS.values():
        assert joined(restore(kind(tree))) == tree


def test_spans_and_baselines_by_hand() -> None:
    assert unlabelled(NOUN) == Counter([("", 1, 5), ("", 2, 5), ("", 3, 5)])
    assert right(4) == Counter([("", 1, 4), ("", 2, 4)])
    other = Counter([("", 0, 2), ("", 0, 3), ("", 0, 4)])
    counts = bracket_counts([unlabelled(NOUN)] * 2, [right(5), other])
    assert counts.tolist() == [[3, 3, 3], [0, 3, 3]]
    assert bracket_f1(counts.sum(axis=0)) == 50
    found = at_random(6, np.random.default_rng(0))
    assert found.total() == 4 and all(0 < j - i < 6 for _, i, j in found)
    assert of_tags(VERB)[1] == ("NP", ("PRON", "PRON"))

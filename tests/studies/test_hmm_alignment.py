"""Alignments by jumps: gold jumps, shares and decoding by hand."""

from collections import Counter
from dataclasses import replace

from lookback.hmm_alignment import HMMAlignment
from lookback.studies.hmm_alignment import (
    backwards,
    by_posterior,
    gold_jumps,
    mistaken,
    shares,
    turned,
)
from lookback.text.pairs import Pair, Tags

SURE = frozenset({(0, 0), (2, 1), (1, 2)})
TAGS = Tags((), ("DET", "NOUN", "ADJ"))
GREEN = Pair(("the", "green", "house"), ("la", "maison", "verte"), SURE, SURE, TAGS)
HOUSE = Pair(("a", "house"), ("une", "maison"))


def test_gold_jumps_by_hand() -> None:
    assert gold_jumps([GREEN]) == {1: 1, 2: 1, -1: 1}
    two = SURE | {(0, 2)}  # verte has two links: it is no jump, and nothing moves
    assert gold_jumps([replace(GREEN, sure=two, possible=two)]) == {1: 1, 2: 1}


def test_shares_are_of_all_jumps() -> None:
    found = dict(map(tuple, shares(Counter({1: 6, -1: 2, 20: 2}))))
    assert found[1] == 0.6 and found[-1] == 0.2 and found[0] == 0
    assert len(found) == 17


def test_links_of_the_other_direction_are_turned() -> None:
    pairs = [GREEN, HOUSE, Pair(("the",), ("la",))]
    back = HMMAlignment().fit(turned(pairs))
    for pair, a in zip(pairs, backwards(back, pairs), strict=True):
        assert a == {(i, j) for j, i in back.align(pair.target, pair.source)}
    there = HMMAlignment().fit(pairs)
    best = there.posterior(HOUSE.source, HOUSE.target).argmax(axis=1)
    expected = {(int(i) - 1, j) for j, i in enumerate(best) if i}
    assert by_posterior(there, [HOUSE]) == [expected]
    assert mistaken({(0, 0), (0, 1)}, GREEN) == {(0, 1)}

"""Symmetrised alignments and phrase tables: shares and pieces by hand."""

from lookback.phrases import PhrasePair, PhraseTable, symmetrise
from lookback.studies.phrases import (
    aligned,
    both_ways,
    by_length,
    covered,
    joined,
    lexical,
    pieces,
    right,
    written,
)
from lookback.text.pairs import Pair

SURE = frozenset({(0, 0), (2, 1), (1, 2)})
GREEN = Pair(("the", "green", "house"), ("la", "maison", "verte"), SURE, SURE)
HOUSE = Pair(("a", "house"), ("une", "maison"))


def test_covered_and_pieces_by_hand() -> None:
    known = {("the",), ("green", "house"), ("the", "green"), ("a",)}
    assert covered([GREEN, HOUSE], known, 1) == 0.4  # the, a; twice house, green not
    assert covered([GREEN, HOUSE], known, 2) == 2 / 3
    assert pieces([GREEN], known, 1) == 1
    assert pieces([GREEN], known, 2) == 1.5  # the green | house
    assert pieces([GREEN, HOUSE], known, 3) == 1.25


def test_right_by_hand() -> None:
    assert right(GREEN, PhrasePair((1, 3), (1, 3)))
    assert not right(GREEN, PhrasePair((0, 2), (0, 3)))  # maison's link leaves it
    assert not right(HOUSE, PhrasePair((0, 1), (0, 1)))  # no link is inside


def test_lexical_weights_of_what_was_seen_once() -> None:
    twice = Pair(("the", "house"), ("la", "maison"), frozenset({(0, 0), (1, 1)}),
                 frozenset({(0, 0), (1, 1)}))  # fmt: skip
    # seen once with a source seen once: green, green house, the green house, the house
    sizes = [(1, 1), (2, 2), (3, 3), (2, 1)]
    rows = lexical([GREEN, twice], [set(SURE), {(0, 0), (1, 1)}], sizes, 1)
    assert [row["pairs"] for row in rows] == [1, 2, 1, 0]
    assert [row["right"][0][0] for row in rows] == [1, 1, 1, 0]
    # chez elle is linked to house alone, wrongly: w = 1/4 each, and no gold says so
    wrong = Pair(("her", "house"), ("chez", "elle"), frozenset({(0, 1), (1, 0)}),
                 frozenset({(0, 1), (1, 0)}))  # fmt: skip
    links = [set(SURE), {(0, 0), (1, 1)}, {(1, 0), (1, 1)}]
    (row,) = lexical([GREEN, twice, wrong], links, [(2, 2)], 3)
    # her house, 1/16, is right; so are green house and the house, with larger weights
    assert row["pairs"] == 3 and [part[0] for part in row["right"]] == [1, 1, 1]
    links[2] = {(1, 0), (1, 1), (2, 2)}
    now = Pair(("her", "house", "now"), ("chez", "elle", "tard"),
               frozenset({(0, 2)}), frozenset({(0, 2)}))  # fmt: skip
    (row,) = lexical([GREEN, twice, now], links, [(2, 2)], 3)
    assert [part[0] for part in row["right"]] == [0, 1, 1]  # her's link leaves it


def test_both_directions_are_turned_and_joined() -> None:
    pairs = [GREEN, HOUSE, Pair(("the",), ("la",)), HOUSE]
    both = aligned(both_ways(pairs), pairs)
    assert joined(both, "union") == [a | b for a, b in zip(*both, strict=True)]
    assert joined(both) == [symmetrise(a, b) for a, b in zip(*both, strict=True)]
    assert all(
        i < len(p.source) for p, a in zip(pairs, both[1], strict=True) for i, _ in a
    )
    assert written({(1, 0), (0, 2)}) == "0-2 1-0"


def test_a_table_by_length() -> None:
    table = PhraseTable.fit([(GREEN.source, GREEN.target)], [SURE])
    assert by_length(table) == [3, 1, 1, 0, 0, 0, 0]

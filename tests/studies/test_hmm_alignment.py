"""Alignments by jumps: gold jumps, shares and decoding by hand, and what is stored."""

from collections import Counter
from dataclasses import replace

import pytest

from lookback.hmm_alignment import HMMAlignment
from lookback.studies.hmm_alignment import (
    READ,
    SEEDS,
    Compared,
    backwards,
    by_posterior,
    compared,
    gold_jumps,
    links,
    mistaken,
    shares,
    turned,
)
from lookback.text.pairs import Pair, Tags
from lookback.workshop import results

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
    assert links(there, [HOUSE]) == [there.align(HOUSE.source, HOUSE.target)]
    best = there.posterior(HOUSE.source, HOUSE.target).argmax(axis=1)
    expected = {(int(i) - 1, j) for j, i in enumerate(best) if i}
    assert by_posterior(there, [HOUSE]) == [expected]
    assert mistaken({(0, 0), (0, 1)}, GREEN) == {(0, 1)}


def test_a_small_comparison() -> None:
    row = compared(Compared(250, iterations=(0, 1, 2, 3), empty=(0.2,), uniform=(0.2,)))
    assert row["pairs"] == 200 and row["empty"] == row["uniform"] == 0.2
    by_n = dict(zip(row["iterations"], row["validation"], strict=True))
    assert by_n[row["best"]] == min(by_n.values())
    at = row["iterations"].index(row["best"])
    assert row["systems"]["HMM"]["AER"] == row["test"][at]
    assert row["bits"] == sorted(row["bits"], reverse=True)
    assert row["apart"]["Model 1"][2] < 0
    assert set(row["jumps"]) == {"0", "1", "2"}


def test_what_is_stored_is_what_the_page_says() -> None:
    stored = results("hmm_alignment")
    row = stored["compared"]
    aer = {name: system["AER"] for name, system in row["systems"].items()}
    assert row["systems"]["HMM"]["high"] < 0.05 < 0.1 < aer["Model 1"]
    assert aer["jumps all alike"] > 0.1
    assert row["apart"]["no empty word"][1] < 0 < row["apart"]["no empty word"][2]
    for seed in SEEDS:
        learnt = stored[f"pairs read, seed {seed}"]
        assert learnt["pairs"] == [*READ]
        assert learnt["HMM"][-1] < 0.06 < learnt["Model 1"][-1]


@pytest.mark.parametrize("name", ["Model 1", "HMM"])
def test_maps_fit_their_sentences(name: str) -> None:
    for key in ("twice", "wrong"):
        shown = results("hmm_alignment")["compared"][key]
        rows = shown[name]
        assert len(rows) == len(shown["target"])
        assert {len(r) for r in rows} == {len(shown["source"]) + 1}

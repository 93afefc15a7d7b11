"""What Luong's translators are compared by: variants, a shift, the cost of a look.

Mutants that these tests were seen to kill, 19 of 19: no shift, one the other way, pairs
without links counted; each option of a variant, its D and its steps left as shipped;
two words turned round for three, shorter sentences; the largest array kept, or each
counted twice; another window, another loss; the slowest look, the first one timed.
"""

from typing import Any

import numpy as np
import pytest
from lookback.workshop.makers import Trained
from lookback.workshop.multiplying import (
    LOOKS,
    VARIANTS,
    Look,
    LuongMaker,
    behind,
    cost,
    shown,
    variant,
)
from lookback.workshop.recipes import RECIPES
from lookback.workshop.studies import results

from lookback.luong import LuongConfig
from lookback.text.corpora import Pair
from lookback.workshop import multiplying


def pair(source: str, target: str, *links: tuple[int, int]) -> Pair:
    sure = frozenset(links)
    return Pair(tuple(source.split()), tuple(target.split()), sure, sure)


def test_variants_differ_in_what_they_are_named_after_and_in_nothing_else() -> None:
    shipped = RECIPES["luong"]
    assert isinstance(shipped.model, LuongConfig)
    assert len(VARIANTS) == 13
    assert len({recipe.digest for recipe in VARIANTS.values()}) == 13
    for label, recipe in VARIANTS.items():
        config = recipe.model
        assert label.startswith(f"{config.score}, {config.scope}")
        assert ("fed" in label) is config.input_feeding
        assert ("one side" in label) is (config.directions == "right-to-left")
        assert ("LSTM" in label) is (config.cell == "lstm")
        assert (recipe.data, recipe.seed) == (shipped.data, shipped.seed)
        assert recipe.optimiser == shipped.optimiser
        assert recipe.budget == variant().budget
        assert (config.D, recipe.budget.steps) == (multiplying.D, multiplying.STEPS)


class Looks(LuongMaker):
    """Says where it looked without a model."""

    def looks(self, model: Any, vocabularies: Any, read: Any) -> list[Any]:
        # Predicting words 0, 1 and the end, it looks at words 1, 0 and 1 of 2.
        return [np.array([[0.1, 0.7, 0.2], [0.6, 0.3, 0.1], [0.2, 0.5, 0.3]])]


def test_the_word_read_is_one_behind_the_word_written() -> None:
    made = Trained(None, {})
    # The step that reads word 0 looked at 0, the one that reads word 1 looked at 1.
    read = [pair("a b", "x y", (0, 0), (1, 1)), Pair(("c",), ("z",))]
    assert behind(Looks(), made, read) == 0
    written = [pair("a b", "x y", (1, 0), (0, 1))]
    assert behind(Looks(), made, written) == 1


def test_the_sentence_that_is_shown_turns_three_words_round() -> None:
    words = " ".join("abcdefghi")
    straight = pair(words, words, *((k, k) for k in range(9)))
    two = pair(words, words, (0, 1), (1, 0), *((k, k) for k in range(2, 9)))
    three = pair(words, words, (4, 6), (5, 5), (6, 4), (0, 0))
    short = pair(words[:-2], words, (4, 6), (5, 5), (6, 4), (0, 0))
    assert len(short.source) == 8
    gap = pair(words, words, (4, 6), (6, 4))
    assert shown([straight, two, short, gap, three]) is three


def test_concat_keeps_a_vector_for_every_pair_of_places() -> None:
    sizes = {"n": 64, "S": 24, "T": 16, "B": 2}
    dot, concat = (cost(Look(score, **sizes), repeats=1) for score in ("dot", "concat"))
    vector = 4 * 64 * 24 * 16 * 2  # bytes of n floats for each of S · T · B pairs
    assert dot["bytes"] < vector / 4 < vector < concat["bytes"] < 3 * vector
    assert dot["both"] > 0
    assert dot["forward"] > 0
    again = cost(Look("dot", **sizes), repeats=1)
    assert (again["bytes"], again["value"]) == (dot["bytes"], dot["value"])


@pytest.mark.parametrize("score", ["dot", "general", "concat"])
def test_what_is_kept_and_what_comes_out_are_measured_again(score: str) -> None:
    label = f"{score}, n 64, S 40"
    kept, again = results("score_costs")[label], cost(LOOKS[label], repeats=1)
    assert again["bytes"] == kept["bytes"]
    assert again["value"] == pytest.approx(kept["value"], rel=1e-3)


def test_looks_vary_one_size_at_a_time() -> None:
    assert {(look.n, look.S) for look in LOOKS.values()} == {
        *((n, 40) for n in multiplying.SIZES),
        *((256, S) for S in multiplying.PLACES),
    }
    for label, look in LOOKS.items():
        assert label == f"{look.score}, n {look.n}, S {look.S}"

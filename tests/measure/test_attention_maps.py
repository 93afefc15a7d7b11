"""Statistics of attention maps, counted by hand on small ones.

Mutants that these tests kill: </s> counted as a source word, a jump from the wrong
side, jumps at </s> not left out, words of either language exchanged, ties in the order
of chance; offsets the wrong way round, or divided by the number of rows; entropy by the
logarithm of all positions.
"""

import math
from collections import Counter

import numpy as np
import pytest
import torch

from lookback.measure import (
    alignment_jumps,
    attended_words,
    head_error_rates,
    mean_by_offset,
    normalised_entropy,
    strongest_links,
    strongest_positions,
    swapped_neighbours,
)
from lookback.measure.attention_maps import most_frequent

PAIRS = [
    (("the", "red", "cat", "sleeps"), ("le", "chat", "rouge", "dort", ".")),
    (("a", "cat"), ("le", "chat")),
]
POSITIONS = [[0, 2, 1, 3, 4], [1, 1]]  # the full stop attends to </s>


def weights(positions: list[int], words: int) -> np.ndarray:
    """Rows for each target word and its </s>, with most weight at these positions."""
    rows = np.full((len(positions) + 1, words + 1), 0.01)
    rows[np.arange(len(positions)), positions] = 0.9
    return rows


def test_the_strongest_position_may_be_the_end() -> None:
    maps = [weights(p, len(s)) for p, (s, _) in zip(POSITIONS, PAIRS, strict=True)]
    assert [strongest_positions(m) for m in maps] == POSITIONS


def test_a_word_at_the_end_has_no_link() -> None:
    assert strongest_links(weights(POSITIONS[0], 4)) == {(0, 0), (2, 1), (1, 2), (3, 3)}
    assert strongest_links(weights([2, 2], 2)) == set()


def test_error_rates_of_each_head() -> None:
    gold = [frozenset({(0, 0), (1, 1)})]
    maps = np.zeros((2, 3, 3, 3))
    maps[0, 0, [0, 1], [0, 1]] = 1  # both right
    maps[0, 1, [0, 1], [0, 0]] = 1  # one of two
    maps[0, 2, [0, 1], [2, 2]] = 1  # both at </s>: no links
    maps[1, :, [0, 1], [1, 1]] = 1
    rates = head_error_rates([maps], gold, gold)
    assert rates.tolist() == [[0, 0.5, 1], [0.5] * 3]
    assert head_error_rates([maps, maps], gold * 2, gold * 2).tolist() == rates.tolist()


def test_means_by_offset_are_those_of_diagonals() -> None:
    three = np.zeros((1, 2, 3, 3))
    three[0, 0] = [[1, 2, 3], [4, 5, 6], [7, 8, 9]]
    means = mean_by_offset([three])
    assert means.shape == (1, 2, 5)
    assert means[0, 0].tolist() == [7, 6, 5, 4, 3]  # two back first, two on last
    assert means[0, 1].tolist() == [0] * 5
    one = np.full((1, 2, 1, 1), 8.0)  # has no neighbours: counts for offset 0 alone
    assert mean_by_offset([three, one])[0, 0].tolist() == [7, 6, 23 / 4, 4, 3]
    assert mean_by_offset([three], [1])[0, 0].tolist() == [4]


def test_entropy_is_a_share_of_the_largest() -> None:
    rows = [[1.0, 0, 0], [0.5, 0.5, 0], [1 / 3, 1 / 3, 1 / 3], [0.5, 0.5, 0]]
    shares = normalised_entropy(torch.tensor(rows), torch.tensor([1, 2, 3, 3]))
    assert math.isnan(shares[0])
    assert shares[1:].tolist() == pytest.approx([1, 1, math.log(2) / math.log(3)])
    whole = normalised_entropy(torch.tensor(rows, dtype=torch.float64))
    half = math.log(2) / math.log(3)
    assert whole.tolist() == pytest.approx([0, half, 1, half], abs=1e-12)
    heads = torch.tensor(rows)[1:].expand(2, 4, 3, 3)
    assert normalised_entropy(heads).shape == (2, 4, 3)


def test_attended_words_are_counted() -> None:
    assert attended_words(("le", "chat", ".", "chien"), PAIRS, POSITIONS) == {
        "le": Counter({"the": 1, "cat": 1}),
        "chat": Counter({"cat": 2}),
        ".": Counter({"</s>": 1}),
        "chien": Counter(),
    }


def test_jumps_from_word_to_word() -> None:
    # le → chat +2, chat → rouge -1, rouge → dort +2, dort → . ends at </s>; le → chat 0
    assert alignment_jumps(PAIRS, POSITIONS) == {2: 2, -1: 1, 0: 1}
    words = tuple("abcdefg")
    assert alignment_jumps([(words, words[:4])], [[6, 0, 1, 5]]) == {-6: 1, 1: 1, 4: 1}


def test_swapped_neighbours_are_named() -> None:
    assert swapped_neighbours(PAIRS, POSITIONS) == {"red cat → chat rouge": 1}


def test_the_most_frequent_come_first_and_ties_by_the_alphabet() -> None:
    pairs = [(("x", "y"), ("a", "b"))] * 2 + [(("p", "q"), ("c", "d"))] * 3
    pairs += [(("m", "n"), ("e", "f"))] * 2
    assert most_frequent(swapped_neighbours(pairs, [[1, 0]] * 7)) == [
        ("p q → c d", 3),
        ("m n → e f", 2),
        ("x y → a b", 2),
    ]


@pytest.mark.parametrize("positions", [POSITIONS[:1], [[0], [0, 0]]])
def test_positions_must_fit_the_words(positions: list[list[int]]) -> None:
    with pytest.raises(ValueError, match="zip"):
        attended_words(("le",), PAIRS, positions)

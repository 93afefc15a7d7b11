"""Statistics of attention maps, counted by hand on small ones."""

import math
from collections import Counter

import numpy as np
import pytest
import torch

from lookback.measure import (
    attended_words,
    normalised_entropy,
    strongest_links,
    strongest_positions,
)

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

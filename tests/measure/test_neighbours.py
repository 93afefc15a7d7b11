"""Neighbours of a kind: by hand, chance, and refusals.

Mutants killed: a word its own neighbour; chance with repetition; dot product for
cosine; words without a kind among the neighbours.
"""

import numpy as np
import pytest

from kit import generator
from lookback.measure import neighbour_agreement

WORDS = ["cat", "dog", "owl", "car", "key", "the"]
TURNS = [0, 10, 80, 75, 200, 5]  # degrees
KINDS = {"cat": "animal", "dog": "animal", "owl": "animal", "car": "thing",
         "key": "thing", "bird": "animal"}  # fmt: skip


def circle(lengths=1):
    turned = np.deg2rad(TURNS)
    return np.stack([np.cos(turned), np.sin(turned)], axis=1) * np.reshape(
        lengths, (-1, 1)
    )


@pytest.mark.parametrize("lengths", [1, [1, 5, 2, 9, 0.1, 7]])
def test_by_hand(lengths):
    # cat → dog, dog → cat, owl → car, car → owl, key → owl (120 degrees away)
    found = neighbour_agreement(KINDS, WORDS, circle(lengths), generator=generator())
    assert found.words == 5
    assert found.right.value == 2 / 5
    assert found.right.low < 2 / 5 < found.right.high
    assert found.chance == pytest.approx((3 * 2 + 2 * 1) / (5 * 4))


def test_too_few_words_are_refused():
    with pytest.raises(ValueError, match="two words with a kind or more, got 1"):
        neighbour_agreement({"cat": 1}, WORDS, circle(), generator=generator())
    with pytest.raises(ValueError, match="one for each of 5 words"):
        neighbour_agreement(KINDS, WORDS[1:], circle(), generator=generator())

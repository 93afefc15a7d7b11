"""Batches: by hand, and the laws that none is lost, mixed up or too large."""

from dataclasses import dataclass

import pytest
import torch
from hypothesis import given
from hypothesis import strategies as st

from kit import generator
from lookback.text.batches import batches, pad, pair_batches, sentence_batches
from lookback.text.vocabulary import Vocabulary


@dataclass
class Two:
    source: tuple[str, ...]
    target: tuple[str, ...]


PAIRS = [
    Two(("a", "b", "c"), ("x", "y")),
    Two(("a",), ("x",)),
    Two(("c",), ("z", "y", "x", "x")),
]
SOURCE = Vocabulary.build([pair.source for pair in PAIRS])  # a c b: 4 5 6
TARGET = Vocabulary.build([pair.target for pair in PAIRS])  # x y z: 4 5 6


def test_pad_by_hand():
    ids, mask = pad([[5, 6, 7], [8], []], value=9)
    assert ids.tolist() == [[5, 6, 7], [8, 9, 9], [9, 9, 9]]
    assert mask.tolist() == [[True] * 3, [True, False, False], [False] * 3]
    assert ids.dtype == torch.long and mask.dtype == torch.bool
    _, mask = pad([[0, 0], [0]], value=0)  # a token that looks like padding
    assert mask.tolist() == [[True, True], [True, False]]


def test_batches_by_hand():
    lengths = [4, 1, 3, 2, 3]  # in order: 1 (1), 2 (3), 3 (2), 3 (4), 4 (0)
    assert batches(lengths, tokens=6) == [[1, 3], [2, 4], [0]]
    assert batches(lengths, tokens=9) == [[1, 3, 2], [4, 0]]
    assert batches(lengths, tokens=4) == [[1, 3], [2], [4], [0]]
    assert batches(lengths, sentences=2) == [[1, 3], [2, 4], [0]]
    assert batches([], tokens=3) == []


def test_a_pair_counts_by_its_longer_side():
    # sorted by source, then target: place 1 (1, 1), place 2 (1, 5), place 0 (2, 1)
    assert batches([(2, 1), (1, 1), (1, 5)], tokens=10) == [[1, 2], [0]]
    assert batches([(2, 1), (1, 1), (1, 5)], tokens=15) == [[1, 2, 0]]


@given(
    st.lists(st.integers(1, 20)),
    st.sampled_from([{"tokens": 40}, {"sentences": 7}]),
    st.none() | st.integers(0, 9),
)
def test_each_sentence_stands_in_one_batch_and_none_is_too_large(lengths, limit, seed):
    made = batches(
        lengths, generator=None if seed is None else generator(seed), **limit
    )
    assert sorted(place for rows in made for place in rows) == [*range(len(lengths))]
    for rows in made:
        longest = max(lengths[place] for place in rows)
        assert len(rows) * longest <= limit.get("tokens", 10**9)
        assert len(rows) <= limit.get("sentences", 10**9)


def test_the_generator_decides_alone():
    lengths = [3, 3, 3, 3, 2, 2, 2, 1] * 5
    first = batches(lengths, tokens=12, generator=generator(3))
    assert first == batches(lengths, tokens=12, generator=generator(3))
    assert first != batches(lengths, tokens=12, generator=generator(4))
    assert first != batches(lengths, tokens=12)
    order = [lengths[rows[0]] for rows in first]
    assert order != sorted(order)  # batches do not come by length
    mates = {frozenset(rows) for rows in first}
    assert mates != set(map(frozenset, batches(lengths, tokens=12)))


def test_pair_batches_by_hand():
    first, second = pair_batches(PAIRS, SOURCE, TARGET, sentences=2)
    assert first.rows.tolist() == [1, 2]
    assert first.source.tolist() == [[4, 3], [5, 3]]
    assert first.source_mask.tolist() == [[True, True], [True, True]]
    assert first.target.tolist() == [[2, 4, 3, 0, 0, 0], [2, 6, 5, 4, 4, 3]]
    assert first.target_mask.tolist() == [[True] * 3 + [False] * 3, [True] * 6]
    assert first.tokens == 2 + 5 and len(first) == 2
    assert second.rows.tolist() == [0]
    assert second.source.tolist() == [[4, 6, 5, 3]]
    assert second.target.tolist() == [[2, 4, 5, 3]]


def test_sentence_batches_have_no_source():
    text = [["x"], ["y", "z"], ["unheard"]]
    first, second = sentence_batches(text, TARGET, sentences=2)
    assert first.target.tolist() == [[2, 4, 3], [2, 1, 3]]
    assert second.target.tolist() == [[2, 5, 6, 3]]
    assert first.source.shape == first.source_mask.shape == (2, 0)


def test_a_batch_moves_as_a_whole():
    (batch,) = sentence_batches([["x"]], TARGET, sentences=1)
    moved = batch.to("meta")
    assert {tensor.device.type for tensor in vars(moved).values()} == {"meta"}
    assert moved.source_mask.shape == batch.source_mask.shape


@pytest.mark.parametrize(
    ("call", "message"),
    [
        (lambda: batches([1, 2]), "one limit.*tokens=None and sentences=None"),
        (lambda: batches([1], tokens=3, sentences=3), "one limit.*tokens=3"),
        (lambda: batches([2, 8], tokens=7), "sentence 1 has 8 tokens, more than 7"),
        (lambda: pad([], 0), "at least one sentence"),
    ],
)
def test_refusals(call, message):
    with pytest.raises(ValueError, match=message):
        call()

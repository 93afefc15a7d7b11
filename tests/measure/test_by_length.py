"""BLEU by length: which sentences are in a bin, and its score, ratio and interval."""

import math

import pytest
import torch

from lookback.measure import bleu, bleu_by_length, bleu_interval

FOUND = [
    "the cat sits on the red mat .",
    "a dog runs .",
    "he did not see it , she said",
]
WANTED = [
    "the cat sat on the red mat .",
    "a dog runs fast .",
    "he did not see it , she said .",
]


def words(sentences):
    return [tuple(sentence.split()) for sentence in sentences]


def generator():
    return torch.Generator().manual_seed(0)


def test_by_length():
    found, wanted = words(FOUND), words(WANTED)
    bins = bleu_by_length(
        hypotheses=found, references=wanted, lengths=[10, 11, 35], edges=[10, 20, 30]
    )
    assert [(b.shortest, b.longest, b.sentences) for b in bins] == [
        (1, 10, 1),
        (11, 20, 1),
        (31, None, 1),
    ]
    for k, part in enumerate(bins):
        alone = bleu(hypotheses=[found[k]], references=[wanted[k]])
        assert part.bleu == alone


def test_bins_end_at_tens():
    lengths = [1, 10, 11, 20, 21, 30, 31, 40, 41, 50, 51, 60, 61, 70, 71, 400]
    bins = bleu_by_length(hypotheses=["a"] * 16, references=["a"] * 16, lengths=lengths)
    ends = [(1, 10), (11, 20), (21, 30), (31, 40), (41, 50), (51, 60), (61, 70)]
    assert [(b.shortest, b.longest) for b in bins] == [*ends, (71, None)]
    assert {b.sentences for b in bins} == {2}


def test_one_bin_is_the_corpus():
    found, wanted = words(FOUND), words(WANTED)
    (part,) = bleu_by_length(hypotheses=found, references=wanted, lengths=[61, 70, 65])
    assert (part.shortest, part.longest, part.sentences) == (61, 70, 3)
    assert part.bleu == bleu(hypotheses=found, references=wanted)


def test_a_bin_may_hold_one_length():
    bins = bleu_by_length(
        hypotheses=FOUND, references=WANTED, lengths=[1, 2, 3], edges=[1, 2]
    )
    assert [(b.shortest, b.longest) for b in bins] == [(1, 1), (2, 2), (3, None)]


def test_the_ratio_counts_words():
    bins = bleu_by_length(
        hypotheses=words(FOUND), references=words(WANTED), lengths=[3, 4, 12]
    )
    assert [b.ratio for b in bins] == [(8 + 4) / (8 + 5), 8 / 9]
    empty = bleu_by_length(hypotheses=[("a",)], references=[()], lengths=[1])
    assert math.isnan(empty[0].ratio)


def test_the_interval_is_that_of_the_bin_alone():
    found, wanted = words(FOUND) * 2, words(WANTED) * 2
    bins = bleu_by_length(
        hypotheses=found, references=wanted, lengths=[12, 3, 12, 3, 12, 3],
        generator=generator(), samples=10,
    )  # fmt: skip
    for rows, part in zip(([1, 3, 5], [0, 2, 4]), bins, strict=True):
        alone = bleu_interval(
            hypotheses=[found[k] for k in rows], references=[wanted[k] for k in rows],
            generator=generator(), samples=10,
        )  # fmt: skip
        assert part.interval == alone
        assert alone.value == part.bleu.score  # to the last digit


def test_without_a_generator_there_is_no_interval():
    (part,) = bleu_by_length(hypotheses=FOUND, references=WANTED, lengths=[1, 2, 3])
    assert part.interval is None


def test_the_generator_moves_on():
    chance = generator()
    bleu_by_length(
        hypotheses=FOUND, references=WANTED, lengths=[1, 2, 3], generator=chance
    )
    assert not torch.equal(chance.get_state(), generator().get_state())


@pytest.mark.parametrize("lengths", [[1, 2], [1, 2, 0]])
def test_every_sentence_has_a_length(lengths):
    with pytest.raises(ValueError, match="expected 3 lengths of 1 or more, got"):
        bleu_by_length(hypotheses=FOUND, references=WANTED, lengths=lengths)

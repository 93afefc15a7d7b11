"""Intervals: by hand, against theory and sacrebleu, the same for the same seed."""

import math

import numpy as np
import pytest
import sacrebleu
import torch
from sacrebleu.metrics import BLEU

from kit import generator
from lookback.measure import (
    alignment_error_rate,
    alignment_error_rate_interval,
    bleu,
    bleu_difference,
    bleu_interval,
    bootstrap,
    paired_bootstrap,
    wilson_interval,
)

SENTENCES = [
    ("the cat sits on the mat .", "the cat sat on the mat ."),
    ("a dog runs .", "a dog runs fast ."),
    ("he did not see it", "he did not see it ."),
    ("we are here now .", "we were there then ."),
] * 10
FOUND = [found.split() for found, _ in SENTENCES]
WANTED = [wanted.split() for _, wanted in SENTENCES]


def mean(sums):
    return float(sums[0] / sums[1])


def with_ones(values):
    return np.stack([values, np.ones(len(values))], axis=1)


def test_by_hand():
    # two sentences: a resample holds 0, 1 or 2 times the second, ¼, ½, ¼ of the time
    counts = np.array([[0.0, 1.0], [1.0, 1.0]])
    found = bootstrap(mean, counts, generator=generator(), samples=4000, level=0.4)
    assert (found.value, found.low, found.high) == (0.5, 0.5, 0.5)
    wide = bootstrap(mean, counts, generator=generator(), samples=4000, level=0.8)
    assert (wide.low, wide.high) == (0, 1)
    assert (wide.level, wide.samples) == (0.8, 4000)
    assert str(wide) == "0.5 [0, 1]"


def test_it_draws_with_repetition_as_many_as_there_are():
    seen = []

    def score(sums):
        seen.append(sums)
        return 0.0

    bootstrap(score, np.eye(7), generator=generator(), samples=50)
    assert len(seen) == 51  # the whole among them
    assert all(sums.sum() == 7 for sums in seen)
    assert sum(sums.max() > 1 for sums in seen) > 40


def test_against_theory_for_a_mean():
    values = torch.randn(400, generator=generator()).double().numpy()
    found = bootstrap(mean, with_ones(values), generator=generator(1), samples=4000)
    half = 1.96 * values.std() / math.sqrt(400)
    assert found.value == pytest.approx(values.mean())
    assert found.low == pytest.approx(values.mean() - half, abs=0.1 * half)
    assert found.high == pytest.approx(values.mean() + half, abs=0.1 * half)


def test_the_generator_decides_alone():
    counts = with_ones(np.arange(30.0))
    one = bootstrap(mean, counts, generator=generator(3))
    torch.manual_seed(9)
    assert one == bootstrap(mean, counts, generator=generator(3))
    assert one != bootstrap(mean, counts, generator=generator(4))


def test_bleu_interval_against_sacrebleu():
    found = bleu_interval(
        hypotheses=FOUND, references=WANTED, generator=generator(), samples=2000
    )
    metric = BLEU(tokenize="none", force=True)
    reference = metric.corpus_score(
        [" ".join(words) for words in FOUND],
        [[" ".join(words) for words in WANTED]],
        n_bootstrap=2000,
    )
    assert sacrebleu.__version__ in str(metric.get_signature())
    half = (found.high - found.low) / 2
    assert half == pytest.approx(reference._ci, rel=0.1)


def test_alignment_interval():
    sure = [{(0, 0), (1, 1)}] * 20
    links = [{(0, 0)}, {(0, 0), (1, 1)}] * 10
    found = alignment_error_rate_interval(links, sure, sure, generator=generator())
    assert found.value == alignment_error_rate(links, sure, sure)
    assert 0 < found.low < found.value < found.high < 0.4
    perfect = alignment_error_rate_interval(sure, sure, sure, generator=generator())
    assert (perfect.low, perfect.high) == (0, 0)


def test_a_paired_difference_is_narrower_than_two_intervals():
    other = [words[:-1] if n % 3 == 0 else words for n, words in enumerate(FOUND)]
    difference = bleu_difference(
        hypotheses=FOUND,
        others=other,
        references=WANTED,
        generator=generator(),
        samples=400,
    )
    there = bleu(hypotheses=FOUND, references=WANTED).score
    back = bleu(hypotheses=other, references=WANTED).score
    assert difference.value == pytest.approx(there - back)
    single = bleu_interval(
        hypotheses=FOUND, references=WANTED, generator=generator(), samples=400
    )
    assert difference.high - difference.low < single.high - single.low


def test_a_paired_difference_has_a_sign():
    worse, better = with_ones(np.zeros(9)), with_ones(np.ones(9))
    found = paired_bootstrap(mean, better, worse, generator=generator(), samples=9)
    assert (found.value, found.low, found.high) == (1, 1, 1)


def test_pairs_must_be_of_the_same_sentences():
    with pytest.raises(ValueError, match=r"\(3, 2\) and \(4, 2\)"):
        paired_bootstrap(mean, np.ones((3, 2)), np.ones((4, 2)), generator=generator())


def test_wilsons_interval_by_hand() -> None:
    low, high = wilson_interval(np.array([0.5, 1.0]), np.array([100.0, 10.0]))
    half = 1.96 * math.sqrt(0.25 / 100 + 1.96**2 / 40_000) / (1 + 1.96**2 / 100)
    assert (low[0], high[0]) == pytest.approx((0.5 - half, 0.5 + half))
    assert (low[1], high[1]) == pytest.approx((10 / (10 + 1.96**2), 1.0))

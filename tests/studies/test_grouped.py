"""What attention keeps: the kinds, the bytes that are counted, the floors."""

import pytest
import torch

from lookback.studies.grouped import (
    GROUPS,
    KINDS,
    SETS,
    Attention,
    Reading,
    Writing,
    attended,
    peak,
    read,
)


def test_kinds_compute_the_same():
    for causal in (False, True):
        some = [k for k in KINDS if ("causal" in k) == causal]
        outputs = [Attention(kind, 40, block=16).work(torch.float64)() for kind in some]
        for one in outputs:
            assert one.shape == (1, 1, 40, 64)
            torch.testing.assert_close(one, outputs[0], rtol=1e-12, atol=1e-12)


def test_the_peak_is_the_most_at_once():
    def work():
        for _ in range(3):
            torch.zeros(1000, 1000)  # 4 million bytes, and free again

    assert 4_000_000 <= peak(work) < 4_100_000
    assert peak(lambda: [torch.zeros(1000, 1000) for _ in range(3)]) >= 12_000_000


def test_blocks_hold_less_than_a_table():
    rows = {k: attended(k, 512, 64, 0) for k in ("plain", "blocks")}
    assert rows["plain"]["bytes"] > 2 * 512 * 512 * 4 > 3 * rows["blocks"]["bytes"]
    assert rows["plain"]["difference"] == 0 < rows["blocks"]["difference"] < 1e-12


@pytest.mark.parametrize("g", SETS)
def test_a_new_word_reads_all_that_is_kept(g):
    heads, weights = Reading(6, g).work()()
    assert heads.shape == (1, 8, 1, 64) and weights.shape == (1, 8, 1, 6)
    torch.testing.assert_close(weights.sum(dim=-1), torch.ones(1, 8, 1))
    kept = Reading(6, g).kept()
    means = kept.V.mean(dim=2).repeat_interleave(8 // g, dim=1)
    assert (heads[:, :, 0] - means).abs().amax(dim=-1).min() > 0.01  # no plain mean
    row = read(6, 0)
    assert row[f"seconds, g {g}"] > 0 and row[f"bytes, g {g}"] == 2 * g * 6 * 64 * 4


@pytest.mark.parametrize("g", GROUPS)
def test_with_a_cache_the_same_words_are_written(g):
    with torch.no_grad():
        model = Writing(6, g, True).model()
        words, last, kept = Writing(6, g, True).write(model)
        again, other, none = Writing(6, g, False).write(model)
    assert torch.equal(words, again) and words.shape == (1, 7)
    torch.testing.assert_close(last, other, rtol=1e-4, atol=1e-4)
    assert (kept, none) == (2 * 2 * g * 6 * 16 * 4, 0)
    assert model.config.g == g

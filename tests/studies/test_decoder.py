"""Target leakage: each translator has its fault, and no other."""

from dataclasses import replace

import pytest
import torch

from lookback.studies.decoder import LEAKS, LeakConfig, LeakLearner, recipe
from lookback.text.batches import pair_batches
from lookback.text.corpora import Pair
from lookback.text.vocabulary import Vocabulary

WORDS = {
    "source": Vocabulary.build([["a", "b", "c"]]),
    "target": Vocabulary.build([["x", "y", "z", "w"]]),
}
PAIRS = [Pair(("a", "b"), ("x", "y", "z")), Pair(("c",), ("w", "x"))]


def learner(leak):
    config = LeakConfig(N=2, d_model=8, h=2, d_ff=6, leak=leak)
    return LeakLearner(replace(recipe(leak, seed=0), model=config))


def network(leak):
    return learner(leak).untrained(WORDS).eval()


def batch():
    (found,) = pair_batches(PAIRS, WORDS["source"], WORDS["target"], sentences=2)
    return found


@pytest.mark.parametrize("leak", LEAKS)
def test_only_without_a_mask_the_future_is_seen(leak):
    model, found = network(leak), batch()
    read = found.target[:, :-1]
    other = read.clone()
    other[:, 2:] = 7
    one, two = (model(found.source, found.source_mask, t)[0] for t in (read, other))
    assert torch.equal(one[:, :2], two[:, :2]) == (leak != "mask")


def test_all_begin_with_the_same_numbers():
    one, *others = (network(leak).state_dict() for leak in LEAKS)
    for other in others:
        assert one.keys() == other.keys()
        assert all(torch.equal(one[name], other[name]) for name in one)


@pytest.mark.parametrize("leak", LEAKS)
def test_only_without_a_shift_the_answer_is_read(leak):
    """The loss is that of the logits of what was read, on words and their ends."""
    model, found = network(leak), batch()
    total, tokens = learner(leak).loss(model, found)
    read = found.target[:, 1:] if leak == "shift" else found.target[:, :-1]
    log_p = model(found.source, found.source_mask, read)[0].log_softmax(-1)
    expected = -sum(
        log_p[b, t, found.target[b, t + 1]]
        for b, length in enumerate(found.target_mask.sum(dim=1).tolist())
        for t in range(length - 1)
    )
    assert tokens == found.tokens == 7
    torch.testing.assert_close(total, expected)


def test_without_a_mask_one_word_after_the_other_is_what_was_written_alone():
    """When it writes there is no future to be seen: the fault does not show."""
    model, found = network("mask"), batch()
    first = torch.tensor([2, 2])
    logits, _ = model.step(first, model.start(found.source, found.source_mask))
    alone = model(found.source, found.source_mask, first[:, None])[0][:, 0]
    torch.testing.assert_close(logits, alone)

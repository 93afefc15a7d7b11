"""The norm of the gradient: what it is the norm of, and of which sentences.

They should fail for: a mean over words for a sum; padding that counts; batches of other
sizes than the name says.
"""

import pytest
import torch

from lookback.seq2seq import Seq2SeqConfig
from lookback.studies import seq2seq_clip
from lookback.studies.seq2seq_clip import BINS, MANY, STUDY, gradient, inside
from lookback.text.batches import pair_batches
from lookback.text.corpora import grammar
from lookback.text.vocabulary import Vocabulary
from lookback.workshop import results


class Small:
    """What `gradient` needs of a learner."""

    def __init__(self, pairs):
        self.sides = (
            Vocabulary.build([p.source for p in pairs]),
            Vocabulary.build([p.target for p in pairs]),
        )
        torch.manual_seed(0)
        config = Seq2SeqConfig(m=3, n=4, layers=2, reversed=True)
        sizes = [len(side) for side in self.sides]
        self.network = seq2seq_clip.Seq2SeqLearner.architecture(config, *sizes)


def test_the_gradient_of_a_batch_is_the_mean_of_its_sentences() -> None:
    pairs = grammar(pairs=40).train[:3]
    learner = Small(pairs)
    (batch,) = pair_batches(pairs, *learner.sides, sentences=3)
    together = gradient(learner, batch)
    each = [
        gradient(learner, b) for b in pair_batches(pairs, *learner.sides, sentences=1)
    ]
    assert torch.allclose(together, torch.stack(each).mean(dim=0), atol=1e-4)
    network = learner.network
    assert together.shape == (sum(p.numel() for p in network.parameters()),)


def test_sentences_are_as_long_as_their_bin_says() -> None:
    pairs = grammar(pairs=400).train
    for low, high in BINS:
        some = inside(pairs, low, high)
        assert len(some) <= MANY
        assert all(low <= len(pair.source) <= high for pair in some)


def test_all_sentences_of_a_bin_are_measured_in_batches_of_either_size() -> None:
    stored = results("seq2seq_clip")
    assert [*stored.rows] == [*STUDY.cases]
    for name, case in STUDY.cases.items():
        assert name.startswith(f"batches of {case.sentences},")
        assert name.endswith("untrained") is not case.trained
        for norms in stored[name]["norms"]:
            assert len(norms) == pytest.approx(MANY / case.sentences, abs=1)

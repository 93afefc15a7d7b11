"""How long the gradient is, by the length of the sentences and the size of the batch.

The gradient of -ln P, summed over words and divided by the number of sentences, as in
Sutskever et al. 2014, section 3.4, who clip it at 5; their batches have 128 sentences.
"""

from collections.abc import Sequence
from dataclasses import dataclass

import torch
from torch import Tensor
from torch.nn.functional import cross_entropy

from lookback.recipes.seq2seq import REVERSED, Seq2SeqLearner
from lookback.text.batches import Batch, pair_batches
from lookback.text.corpora import Pair, PairCorpus
from lookback.workshop import PAIRS, Row, Study, corpus, pretrained

BINS = ((3, 6), (7, 12), (13, 24), (25, 48), (49, 66))
MANY = 128  # sentences of each bin: one batch of the paper's size, or sixteen of eight


@dataclass(frozen=True)
class Clip:
    """Gradients of the shipped network, or of the same one before its first step."""

    sentences: int
    trained: bool


def gradient(learner: Seq2SeqLearner, batch: Batch) -> Tensor:
    """Of -ln P, summed over words, divided by sentences: one vector."""
    network = learner.network.eval()
    logits = network(batch.source, batch.source_mask, batch.target[:, :-1])
    real = batch.target_mask[:, 1:]
    total = cross_entropy(logits[real], batch.target[:, 1:][real], reduction="sum")
    parts = torch.autograd.grad(total / len(batch), list(network.parameters()))
    return torch.cat([part.flatten() for part in parts])


def translator(case: Clip) -> Seq2SeqLearner:
    if case.trained:
        return pretrained("seq2seq", kind=Seq2SeqLearner)
    learner = Seq2SeqLearner(REVERSED)
    learner.vocabularies = learner.words_of(corpus(REVERSED.data))
    learner.network = learner.untrained(learner.vocabularies)
    return learner


def inside(pairs: Sequence[Pair], low: int, high: int) -> list[Pair]:
    """The first MANY pairs of `low` to `high` source words."""
    return [p for p in pairs if low <= len(p.source) <= high][:MANY]


def measured(case: Clip) -> Row:
    """The norms of all batches of each bin."""
    learner, text = translator(case), corpus(PAIRS)
    assert isinstance(text, PairCorpus)
    row: Row = {"lengths": [list(bin) for bin in BINS], "norms": []}
    for low, high in BINS:
        some = inside(text.train, low, high)
        batches = pair_batches(some, *learner.sides, sentences=case.sentences)
        row["norms"].append(
            [round(float(gradient(learner, b).norm()), 3) for b in batches]
        )
    return row


STUDY = Study(
    about="the norm of the gradient by length of sentence and size of batch",
    cases={
        f"batches of {sentences}, {'trained' if trained else 'untrained'}": Clip(
            sentences, trained
        )
        for sentences in (8, MANY)
        for trained in (True, False)
    },
    measure=measured,
    check=None,  # it reads forty thousand pairs
)

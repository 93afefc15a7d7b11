"""What the mean ln P of a translation tells of it: BLEU above and below a threshold.

The threshold is that below which a tenth of the translations of validation lie. The
test is cut at the same number. Translations are greedy.
"""

from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

from lookback.measure import bleu
from lookback.text.corpora import Pair
from lookback.workshop import (
    Row,
    Study,
    TranslationLearner,
    Words,
    case,
    corpus,
    each,
    pretrained,
)

SHARE = 0.1
NAMES = (
    "encdec", "seq2seq", "bahdanau", "luong", "transformer",
    "bpe-transformer", "bpe-bahdanau",
)  # fmt: skip


def measured(name: str, most: int | None = None) -> Row:
    """The threshold of one model, and BLEU on either side of it.

    most  so many pairs of a split; None: all on which the model's metrics are measured

    below       the threshold, a mean of ln P
    validation  BLEU of all, of the translations above it, and of those below
    test        the same, and the share that is below
    """
    learner: TranslationLearner = pretrained(name, kind=TranslationLearner)
    text = corpus(learner.recipe.data)
    row, below = Row(), np.nan
    for split in ("validation", "test"):
        read = learner.measured_on(text, split)[:most]
        sources = [pair.source for pair in read]
        pieces = learner.pieces(sources)
        scores = np.array(learner.scores(sources, pieces))
        if split == "validation":
            below = float(np.quantile(scores, SHARE))
        written = [learner.joined(some) for some in pieces]
        row[split] = parts(written, read, scores < below)
    return {"below": below, **row}


def parts(
    written: Sequence[Words], read: Sequence[Pair], unsure: NDArray[np.bool_]
) -> Row:
    """BLEU of all translations and of either part, and the share that is unsure."""

    def score(kept: NDArray[np.bool_]) -> float:
        some = kept.nonzero()[0].tolist()
        wanted = [list(read[k].target) for k in some]
        return bleu(hypotheses=[written[k] for k in some], references=wanted).score

    every = np.full(len(read), True)
    scores = {"all": score(every), "sure": score(~unsure), "unsure": score(unsure)}
    return {**scores, "share": float(unsure.mean())}


STUDY = Study(
    about="BLEU of the translations of which a model is sure, and of the others",
    cases=each(measured, name={name: name for name in NAMES}),
    check=case(measured, name="bahdanau", most=60),
)

"""BLEU, as sacrebleu computes it: the signature that says how, and intervals."""

from collections.abc import Sequence
from dataclasses import dataclass
from types import ModuleType

import numpy as np
import torch
from numpy.typing import NDArray

from lookback.measure.bootstrap import Interval, bootstrap, paired_bootstrap

Sentence = str | Sequence[str]
ORDERS = 4


@dataclass(frozen=True)
class Bleu:
    """A score from 0 to 100, with the signature without which it says little.

    score      100 × brevity penalty × geometric mean of the precisions of 1- to 4-grams
    signature  sacrebleu's: references, case, tokenizer, smoothing, version
    """

    score: float
    signature: str

    def __str__(self) -> str:
        return f"BLEU {self.score:.1f} ({self.signature})"


def bleu(*, hypotheses: Sequence[Sentence], references: Sequence[Sentence]) -> Bleu:
    """BLEU of a corpus, one reference each.   Papineni et al. 2002; Post 2018.

    hypotheses  what a model wrote
    references  what a person wrote, in the same order

    A sentence is a list of words, which are scored as they are (tok:none), or a
    string, which sacrebleu splits into words (tok:13a); all of them one or the other.
    """
    found, wanted, tokenize = prepared(hypotheses, references)
    metric = sacrebleu().BLEU(tokenize=tokenize, force=True)
    score = metric.corpus_score(found, [wanted]).score
    return Bleu(float(score), str(metric.get_signature()))


def bleu_counts(
    *, hypotheses: Sequence[Sentence], references: Sequence[Sentence]
) -> NDArray[np.float64]:
    """Of each sentence, all that BLEU needs: (N, 10).

    Its columns: words written, words wanted, then n-grams that are right for n = 1 to
    4, then n-grams written. Their sums over sentences give the score of a corpus.
    """
    found, wanted, tokenize = prepared(hypotheses, references)
    metric = sacrebleu().BLEU(tokenize=tokenize, force=True, effective_order=True)
    scores = [
        metric.sentence_score(hypothesis, [reference])
        for hypothesis, reference in zip(found, wanted, strict=True)
    ]
    rows = [(s.sys_len, s.ref_len, *s.counts, *s.totals) for s in scores]
    return np.array(rows, dtype=np.float64).reshape(-1, 2 + 2 * ORDERS)


def score_of(counts: NDArray[np.float64]) -> float:
    """The BLEU of summed counts (10,), smoothed as `bleu` smooths."""
    written, wanted, *grams = (int(count) for count in counts)
    return float(
        sacrebleu()
        .BLEU.compute_bleu(
            grams[:ORDERS], grams[ORDERS:], written, wanted, smooth_method="exp"
        )
        .score
    )


def bleu_interval(
    *,
    hypotheses: Sequence[Sentence],
    references: Sequence[Sentence],
    generator: torch.Generator,
    samples: int = 1000,
    level: float = 0.95,
) -> Interval:
    """`bleu(…).score`, with the interval that resampling its sentences gives."""
    counts = bleu_counts(hypotheses=hypotheses, references=references)
    return bootstrap(
        score_of, counts, generator=generator, samples=samples, level=level
    )


def bleu_difference(
    *,
    hypotheses: Sequence[Sentence],
    others: Sequence[Sentence],
    references: Sequence[Sentence],
    generator: torch.Generator,
    samples: int = 1000,
    level: float = 0.95,
) -> Interval:
    """By how much the BLEU of `hypotheses` lies above that of `others`."""
    counts = bleu_counts(hypotheses=hypotheses, references=references)
    other = bleu_counts(hypotheses=others, references=references)
    return paired_bootstrap(
        score_of, counts, other, generator=generator, samples=samples, level=level
    )


def prepared(
    hypotheses: Sequence[Sentence], references: Sequence[Sentence]
) -> tuple[list[str], list[str], str]:
    """Both lists as strings, and the name of sacrebleu's tokenizer for them."""
    if isinstance(hypotheses, str) or isinstance(references, str):
        raise ValueError("BLEU compares lists of sentences, got one string")
    if len(hypotheses) != len(references) or not hypotheses:
        raise ValueError(
            "each hypothesis needs its reference, and there must be some, "
            f"got {len(hypotheses)} and {len(references)}"
        )
    kinds = {isinstance(sentence, str) for sentence in (*hypotheses, *references)}
    if len(kinds) == 2:
        raise ValueError(
            "sentences must be all strings or all lists of words, got both"
        )
    if kinds == {True}:
        return [str(s) for s in hypotheses], [str(s) for s in references], "13a"
    return [" ".join(s) for s in hypotheses], [" ".join(s) for s in references], "none"


def sacrebleu() -> ModuleType:
    """sacrebleu's metrics; an error that says how to install it where it is missing."""
    try:
        from sacrebleu import metrics
    except ModuleNotFoundError as error:
        raise ModuleNotFoundError(
            "BLEU needs sacrebleu, which is not installed: "
            "pip install 'lookback-attention[data]'",
            name=error.name,
        ) from error
    return metrics

"""What a wider beam brings, where it fails, and when to trust a translation."""

from collections.abc import Sequence
from functools import cache
from typing import Any, NamedTuple

import numpy as np
import torch
from numpy.typing import NDArray
from torch import Tensor

from lookback.decoding import (
    Hypothesis,
    beam_search,
    length_penalty,
)
from lookback.measure import bleu, bleu_by_length, bleu_difference
from lookback.text.corpora import Pair
from lookback.trainer import seeds
from lookback.trainer.checkpoint import pretrained
from lookback.trainer.data import corpus, pairs
from lookback.trainer.recipe import Recipe, recipe, smoke_recipe
from lookback.trainer.study import Experiment, Row, Study, grid
from lookback.trainer.translation import (
    EVALUATED,
    TranslationLearner,
    longest_translation,
    padded,
)

# --- by beam size and penalty --------------------------------------------------------

SIZES = (1, 2, 3, 5, 10, 20, 50, 100)
ALPHAS = (0.0, 0.2, 0.4, 0.6, 0.8, 1.0, 1.5, 2.0)
BEST = 1.0  # the α that is best on validation
FIVE = 5  # the beam size that others are compared with
EDGES = (10, 20, 40, 70)  # the longest source of each bin, in words


@cache
def hypotheses(
    recipe: Recipe[Any], split: str, size: int, alpha: float
) -> list[Hypothesis]:
    """What `encdec` finds for the first EVALUATED sources of a text."""
    learner, read = prepared(recipe, split)
    (source, target), best = learner.sides, dict[int, Hypothesis]()
    model: Any = learner.network
    for rows, ids, mask in padded([p.source for p in read], source):
        beams = beam_search(
            model, ids, mask, begin=target.start, end=target.end, size=size,
            longest=longest_translation(ids.size(1) - 1), penalty=length_penalty(alpha),
        )  # fmt: skip
        best |= {row: first for row, (first, *_) in zip(rows, beams, strict=True)}
    return [best[row] for row in range(len(read))]


def prepared(
    recipe: Recipe[Any], split: str
) -> tuple[TranslationLearner, Sequence[Pair]]:
    """The shipped model, and what it translates."""
    learner: TranslationLearner = pretrained("encdec", kind=TranslationLearner)
    learner.network.eval()
    return learner, pairs(corpus(recipe.data), split)[:EVALUATED]


def searched(
    recipe: Recipe[Any],
    size: int,
    alpha: float,
    other: int | None = None,
    split: str = "test",
) -> Row:
    """BLEU with a beam of that size, and words written for each one of the references.

    recipe  of the model: another one is another run; its text is what is translated
    other   also BLEU by length, and the difference from a beam of that size
    """
    learner, read = prepared(recipe, split)
    wanted = [list(pair.target) for pair in read]

    def written(size: int) -> list[list[str]]:
        best = hypotheses(recipe, split, size, alpha)
        return [learner.vocabularies["target"].words(h.ids) for h in best]

    ours = written(size)
    row: Row = {
        "BLEU": bleu(hypotheses=ours, references=wanted).score,
        "ratio": sum(map(len, ours)) / sum(map(len, wanted)),
    }
    if other is None:
        return row
    lengths = [len(pair.source) for pair in read]
    bins = bleu_by_length(
        hypotheses=ours, references=wanted, edges=EDGES, lengths=lengths
    )
    apart = bleu_difference(
        hypotheses=ours, others=written(other), references=wanted,
        samples=1000, generator=seeds.generator(0),
    )  # fmt: skip
    return {
        **row,
        "by length": [[b.shortest, b.longest, b.bleu.score] for b in bins],
        "difference": apart.value,
        "low": apart.low,
        "high": apart.high,
    }


# --- the likeliest of all ------------------------------------------------------------

BEAMS = (1, 2, 5, 20, 100)  # the likeliest that they find is where the search begins
BINS = ((1, 6), (7, 9), (10, 12), (13, 16), (17, 25), (26, 66))


class Found(NamedTuple):
    """The likeliest that a search has met; `sure` where nothing likelier can exist."""

    ids: tuple[int, ...]
    log_p: float
    sure: bool


@torch.no_grad()
def likeliest(
    model: Any, ids: Tensor, mask: Tensor, best: Found, limit: int, begin: int, end: int
) -> Found:
    """Depth-first search from a known translation `best`.   Stahlberg and Byrne 2019

    ln P can only fall. So a prefix that is less likely than the best sentence so far
    cannot lead to a better one, and is left.
    """
    Ways = list[tuple[float, tuple[int, ...], Any]]
    open_ways: Ways = [(0.0, (), model.start(ids, mask))]
    for _ in range(limit):
        while open_ways and open_ways[-1][0] <= best.log_p:
            open_ways.pop()
        if not open_ways:
            return best._replace(sure=True)
        log_p, words, state = open_ways.pop()
        token = torch.tensor([words[-1] if words else begin])
        logits, state = model.step(token, state)
        p = log_p + logits[0].log_softmax(dim=-1)
        if p[end] > best.log_p + 1e-4:
            best = Found(words, float(p[end]), sure=False)
        p[end] = -torch.inf
        better = (p > best.log_p).nonzero()[:, 0]
        for word in better[p[better].argsort()].tolist():  # the likeliest is next
            open_ways.append((float(p[word]), (*words, word), state))
    return best


def exact(
    recipe: Recipe[Any], low: int, high: int, sentences: int = 50, limit: int = 2000
) -> Row:
    """For how many sentences something is likelier than what a beam finds.

    recipe     of the shipped model: another one is another run
    sentences  how many of `low` to `high` words: the first of test
    limit      steps of the model after which a search gives up

    solved     the likeliest of all is known
    missed     by the beam of 5, and of 100: a likelier translation is known
    empty, reference   these are likelier than what the beam of 5 found
    """
    learner: TranslationLearner = pretrained("encdec", kind=TranslationLearner)
    source, target = learner.sides
    of_length = [
        pair
        for pair in pairs(corpus(recipe.data), "test")
        if low <= len(pair.source) <= high
    ]
    rows = []
    model: Any = learner.network.eval()
    ends = {"begin": target.start, "end": target.end}
    for pair in of_length[:sentences]:
        ids = torch.tensor([[*source.ids(pair.source), source.end]])
        mask, wanted = torch.ones_like(ids).bool(), tuple(target.ids(pair.target))
        options: Any = {**ends, "longest": longest_translation(ids.size(1) - 1)}
        firsts = {
            size: beam_search(model, ids, mask, **options, size=size)[0][0]
            for size in BEAMS
        }
        start = max(firsts.values(), key=lambda h: h.log_p)
        known = Found(start.ids, start.log_p, sure=False)
        best, five = likeliest(model, ids, mask, known, limit, **ends), firsts[FIVE]
        rows.append([
            best.sure,
            five.log_p < best.log_p - 1e-3,
            firsts[BEAMS[-1]].log_p < best.log_p - 1e-3,
            priced(model, ids, mask, (), **ends) > five.log_p,
            priced(model, ids, mask, wanted, **ends) > five.log_p + 1e-3,
        ])  # fmt: skip
    solved, *missed, empty, reference = np.sum(rows, axis=0).tolist()
    return {
        "sentences": len(rows),
        "solved": solved,
        "missed": missed,
        "empty": empty,
        "reference": reference,
    }


@torch.no_grad()
def priced(
    model: Any, ids: Tensor, mask: Tensor, words: tuple[int, ...], begin: int, end: int
) -> float:
    """ln P of a translation and of its end."""
    target = torch.tensor([[begin, *words, end]])
    log_p = model(ids, mask, target[:, :-1]).log_softmax(dim=-1)
    return float(log_p.gather(-1, target[:, 1:].unsqueeze(-1)).sum())


# --- when to trust a translation -----------------------------------------------------

SHARE = 0.1  # of the translations of validation, which lie below the threshold
NAMES = (
    "encdec", "seq2seq", "bahdanau", "luong", "transformer",
    "bpe-transformer", "bpe-bahdanau",
)  # fmt: skip


def unsure(name: str) -> Row:
    """The threshold of one model, a mean of ln P, and BLEU of test on its two sides."""
    learner: TranslationLearner = pretrained(name, kind=TranslationLearner)
    text = corpus(learner.recipe.data)
    _, scores, _ = greedy(learner, learner.measured_on(text, "validation"))
    below = float(np.quantile(scores, SHARE))
    read = learner.measured_on(text, "test")
    written, scores, wanted = greedy(learner, read)

    def score(kept: NDArray[np.bool_]) -> float:
        some = kept.nonzero()[0].tolist()
        return bleu(
            hypotheses=[written[k] for k in some], references=[wanted[k] for k in some]
        ).score

    return {
        "below": below,
        "all": score(scores > -np.inf),
        "sure": score(scores >= below),
        "unsure": score(scores < below),
        "share": float((scores < below).mean()),
    }


def greedy(
    learner: TranslationLearner, read: Sequence[Pair]
) -> tuple[list[list[str]], NDArray[np.float64], list[list[str]]]:
    """What is written, its mean ln P a piece, and what is wanted."""
    sources = [pair.source for pair in read]
    pieces = learner.pieces(sources)
    scores = np.array(learner.scores(sources, pieces))
    written = [list(learner.joined(some)) for some in pieces]
    return written, scores, [list(pair.target) for pair in read]


HERE = recipe("encdec")
FEW = smoke_recipe(HERE, 200)
STUDY = Study(
    "beam search by size and penalty, against exact search, and by its ln P",
    {
        "beams": Experiment(
            searched,
            [
                *grid(size=SIZES, alpha=(0.0, BEST), other=[FIVE]),
                {"size": 2, "alpha": 0.0, "other": 1},
            ],
            smoke={"recipe": FEW, "size": 2, "alpha": BEST, "other": 1},
            arguments=lambda **setting: {"recipe": HERE, **setting},
        ),
        "alphas": Experiment(
            searched,
            grid(size=[10], alpha=ALPHAS, split=["validation"]),
            arguments=lambda **setting: {"recipe": HERE, **setting},
        ),
        "exact": Experiment(
            exact,
            [{"low": low, "high": high} for low, high in BINS],
            smoke={"recipe": FEW, "low": 3, "high": 9, "sentences": 2, "limit": 50},
            arguments=lambda **setting: {"recipe": HERE, **setting},
        ),
        "unsure": Experiment(unsure, grid(name=NAMES)),
    },
)

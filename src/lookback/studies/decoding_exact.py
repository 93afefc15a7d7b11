"""The likeliest of all translations, and how often a beam finds it."""

from collections.abc import Sequence
from typing import Any, NamedTuple

import torch
from torch import Tensor

from lookback.decoding import beam_search
from lookback.text.corpora import Pair
from lookback.workshop import (
    Recipe,
    Row,
    Study,
    case,
    corpus,
    longest_translation,
    on_few,
    pairs,
    pretrained,
    recipe,
)
from lookback.workshop import TranslationLearner as Learner

SIZES = (1, 2, 5, 20, 100)


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


def measured(
    recipe: Recipe[Any], low: int, high: int, sentences: int = 50, limit: int = 2000
) -> Row:
    """What beams find, and what can be found.

    recipe     of the shipped model: another one is another case
    sentences  how many of `low` to `high` words: the first of test
    limit      steps of the model after which a search gives up
    """
    learner = pretrained("encdec", kind=Learner)
    source, target = learner.sides
    read = [
        pair
        for pair in pairs(corpus(recipe.data), "test")
        if low <= len(pair.source) <= high
    ][:sentences]
    rows = []
    for pair in read:
        ids = torch.tensor([[*source.ids(pair.source), source.end]])
        rows.append(_of(limit, learner, pair, ids, target.start, target.end))
    sure = [row for row in rows if row["sure"]]
    return {
        "sentences": len(rows),
        "solved": len(sure),
        "beams that found it": [_count(sure, "same", k) for k in range(len(SIZES))],
        "beams that missed it": [_count(rows, "missed", k) for k in range(len(SIZES))],
        "right": sum(row["right"] for row in sure),
        "empty": sum(row["empty"] for row in sure),
        "empty above beam 5": sum(row["empty above"] for row in rows),
        "reference above beam 5": sum(row["reference above"] for row in rows),
        "words": [sum(row["words"][k] for row in sure) for k in range(3)],
    }


def _count(rows: Sequence[Row], key: str, k: int) -> int:
    return sum(row[key][k] for row in rows)


def _of(
    limit: int, learner: Learner, pair: Pair, ids: Tensor, begin: int, end: int
) -> Row:
    """One sentence: the beams, the best of all, the reference, the empty sentence."""
    model: Any = learner.network.eval()
    mask = torch.ones_like(ids).bool()
    longest = longest_translation(ids.size(1) - 1)
    beams = [
        beam_search(model, ids, mask, begin=begin, end=end, longest=longest, size=size)
        for size in SIZES
    ]
    firsts = [found[0][0] for found in beams]
    start = max(firsts, key=lambda h: h.log_p)
    best = Found(start.ids, start.log_p, sure=False)
    best = likeliest(model, ids, mask, best, limit, begin, end)
    wanted = tuple(learner.vocabularies["target"].ids(pair.target))
    five = firsts[SIZES.index(5)]
    return {
        "sure": best.sure,
        "same": [h.log_p > best.log_p - 1e-3 for h in firsts],
        "missed": [h.log_p < best.log_p - 1e-3 for h in firsts],
        "right": best.ids == wanted,
        "empty": not best.ids,
        "empty above": priced(model, ids, mask, (), begin, end) > five.log_p,
        "reference above": priced(model, ids, mask, wanted, begin, end)
        > five.log_p + 1e-3,
        "words": [len(wanted), len(five.ids), len(best.ids)],
    }


@torch.no_grad()
def priced(
    model: Any, ids: Tensor, mask: Tensor, words: tuple[int, ...], begin: int, end: int
) -> float:
    """ln P of a translation and of its end."""
    target = torch.tensor([[begin, *words, end]])
    log_p = model(ids, mask, target[:, :-1]).log_softmax(dim=-1)
    return float(log_p.gather(-1, target[:, 1:].unsqueeze(-1)).sum())


HERE = recipe("encdec")
BINS = ((1, 6), (7, 9), (10, 12), (13, 16), (17, 25), (26, 66))
STUDY = Study(
    about="the likeliest of all translations, and how often a beam finds it",
    cases={
        f"{low} to {high} words": case(measured, recipe=HERE, low=low, high=high)
        for low, high in BINS
    },
    check=case(
        measured, recipe=on_few(HERE, 300), low=3, high=9, sentences=2, limit=100
    ),
)

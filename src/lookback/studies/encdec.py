"""Scoring pairs of phrases, an encoder–decoder's first use: which translation is right?

Each test pair of a few words gets wrong translations, made by rules. Three systems say
how likely each translation is; the study counts how often the right one is likelier.
"""

import math
from collections.abc import Callable, Sequence
from functools import cache
from random import Random

import numpy as np
import torch

from lookback.ibm1 import IBMModel1
from lookback.measure import bootstrap
from lookback.ngram import KneserNey, NgramModel
from lookback.recipes.encdec import RECIPES, EncoderDecoderLearner
from lookback.text.batches import pair_batches
from lookback.text.pairs import Pair, PairCorpus, Words
from lookback.workshop import (
    Recipe,
    Row,
    Study,
    case,
    corpus,
    follow,
    on_few,
    pretrained,
    seeds,
)

ROUNDS = 8  # of EM
TOKENS = 4000  # of a batch

Scorer = Callable[[Sequence[Pair]], list[float]]
Wrong = dict[str, Words]
Forms = dict[str, list[str]]


def measured(
    recipe: Recipe[EncoderDecoderLearner],
    shortest: int,
    longest: int,
    phrases: int = 500,
) -> Row:
    """Kind of wrong translation → system → how often right is likelier than wrong.

    recipe   what makes the encoder–decoder; the others count on the same pairs
    phrases  how many pairs of the test, of `shortest` to `longest` English words
    """
    text = corpus(recipe.data)
    assert isinstance(text, PairCorpus)
    fit = [p for p in text.test if shortest <= len(p.source) <= longest][:phrases]
    wrong = wrongs(fit, forms(text.train))
    scores = {
        "Model 1": scored(by_model_1(text), fit, wrong),
        "Model 1 and trigrams": scored(by_noisy_channel(text), fit, wrong),
        "encoder–decoder": scored(by_network(trained(recipe)), fit, wrong),
    }
    two, three = scores["Model 1 and trigrams"], scores["encoder–decoder"]
    scores["the last two, added"] = [
        added(*rows) for rows in zip(two, three, strict=True)
    ]
    kinds = list(dict.fromkeys(kind for row in wrong for kind in row))
    row: Row = {"phrases": len(fit)}
    for kind in (*kinds, "any of these"):
        row[kind] = {name: share(rows, kind) for name, rows in scores.items()}
    return row


def forms(pairs: Sequence[Pair]) -> Forms:
    """English word → all French words that are surely its translation somewhere."""
    met = dict.fromkeys((p.source[i], p.target[j]) for p in pairs for i, j in p.sure)
    forms = Forms()
    for e, f in sorted(met):
        forms.setdefault(e, []).append(f)
    return forms


def wrongs(pairs: Sequence[Pair], forms: Forms) -> list[Wrong]:
    """Of each pair, wrong translations by kind; a kind that it cannot have is left out.

    forms  English word → its translations: le, la, les … of the
    """
    random, by_length = Random(0), dict[int, list[Words]]()
    for pair in pairs:
        by_length.setdefault(len(pair.target), []).append(pair.target)
    rows = []
    for pair in pairs:
        right = pair.target
        others = [t for t in by_length[len(right)] if set(t) != set(right)]
        kinds = {
            "two neighbours exchanged": exchanged(right),
            "one word left out": [right[:j] + right[j + 1 :] for j in inner(right)],
            "one word in another form": reformed(pair, forms),
            "another sentence as long": others,
        }
        made = {k: [t for t in kinds[k] if t != right] for k in kinds}
        rows.append({k: random.choice(ts) for k, ts in made.items() if ts})
    return rows


def inner(target: Words) -> range:
    """The positions of all words but the final mark."""
    return range(len(target) - 1)


def exchanged(target: Words) -> list[Words]:
    """All that come about when two neighbours, of which none is the mark, change."""
    return [
        (*target[:j], target[j + 1], target[j], *target[j + 2 :])
        for j in inner(target[:-1])
    ]


def reformed(pair: Pair, forms: Forms) -> list[Words]:
    """All with one word exchanged for another that its English word becomes elsewhere.

    The final mark stays.
    """
    return [
        (*pair.target[:j], word, *pair.target[j + 1 :])
        for i, j in sorted(pair.sure)
        for word in forms.get(pair.source[i], ())
        if j in inner(pair.target)
    ]


def scored(scorer: Scorer, pairs: Sequence[Pair], wrong: Sequence[Wrong]) -> list[Row]:
    """Of each pair, kind → the score of its wrong translation; "": of the right one."""
    flat = [
        (row, kind, Pair(pair.source, target))
        for row, pair in enumerate(pairs)
        for kind, target in {"": pair.target, **wrong[row]}.items()
    ]
    rows: list[Row] = [{} for _ in pairs]
    scores = scorer([pair for _, _, pair in flat])
    for (row, kind, _), score in zip(flat, scores, strict=True):
        rows[row][kind] = score
    return rows


def added(one: Row, other: Row) -> Row:
    """Two systems as one: the sums of their scores, as features were added in 2014."""
    return {kind: one[kind] + other[kind] for kind in one}


def share(rows: Sequence[Row], kind: str) -> Row:
    """In which share the right one wins, a tie for a half; and a 95 % interval."""
    wins = []
    for row in rows:
        rivals = [row[k] for k in row if k and kind in (k, "any of these")]
        if rivals:
            wins.append(1.0 * (row[""] > max(rivals)) or 0.5 * (row[""] == max(rivals)))
    counts = np.stack([np.array(wins), np.ones(len(wins))], axis=1)
    generator = seeds.generator(0)
    interval = bootstrap(
        lambda sums: float(sums[0] / sums[1]), counts, generator=generator
    )
    ends = {"low": interval.low, "high": interval.high}
    return {"pairs": len(wins), "right": interval.value, **ends}


@cache
def counted(text: PairCorpus, *, backwards: bool) -> IBMModel1:
    """Model 1 of the training pairs, or of the same the other way round."""
    turned = ((p.target, p.source) if backwards else p for p in text.train)
    return IBMModel1().fit(turned, ROUNDS)


def by_model_1(text: PairCorpus, *, backwards: bool = False) -> Scorer:
    """ln P(target | source) of Model 1, but for the probability of the length.

    backwards  ln P(source | target)
    """
    t = cache(counted(text, backwards=backwards).translation_prob)

    def log_p(source: Words, target: Words) -> float:
        words = (None, *source)
        return math.fsum(ln(sum(t(f, e) for e in words) / len(words)) for f in target)

    def score(pairs: Sequence[Pair]) -> list[float]:
        sides = [
            (p.target, p.source) if backwards else (p.source, p.target) for p in pairs
        ]
        return [log_p(*both) for both in sides]

    return score


def by_noisy_channel(text: PairCorpus) -> Scorer:
    """ln P(source | target) + ln P(target): Model 1 backwards, and trigrams."""
    channel = by_model_1(text, backwards=True)
    french = NgramModel(3, KneserNey()).fit([pair.target for pair in text.train])

    def fluent(target: Words) -> float:
        return sum(ln(french.score(g[-1], g[:-1])) for g in french.ngrams([target]))

    def score(pairs: Sequence[Pair]) -> list[float]:
        both = zip(channel(pairs), pairs, strict=True)
        return [heard + fluent(pair.target) for heard, pair in both]

    return score


def by_network(learner: EncoderDecoderLearner) -> Scorer:
    """ln P(target | source) of an encoder–decoder."""

    @torch.no_grad()
    def score(pairs: Sequence[Pair]) -> list[float]:
        log_p = [0.0] * len(pairs)
        for b in pair_batches(pairs, *learner.sides, tokens=TOKENS):
            scores = learner.network.score(  # type: ignore[operator]
                b.source, b.source_mask, b.target, b.target_mask
            )
            for row, value in zip(b.rows.tolist(), scores.tolist(), strict=True):
                log_p[row] = value
        return log_p

    return score


def trained(recipe: Recipe[EncoderDecoderLearner]) -> EncoderDecoderLearner:
    """What the recipe makes: shipped with the package, or trained for the occasion."""
    if recipe == RECIPES["encdec"]:
        return pretrained("encdec", kind=EncoderDecoderLearner)
    return follow(recipe)


def ln(p: float) -> float:
    """The natural logarithm, which is -inf where p is 0."""
    return math.log(p) if p else -math.inf


STUDY = Study(
    about="which of two translations is right: by counts, and by an encoder–decoder",
    cases={
        f"{low} to {high} words": case(
            measured, recipe=RECIPES["encdec"], shortest=low, longest=high
        )
        for low, high in ((3, 8), (9, 16), (17, 32))
    },
    check=case(
        measured, recipe=on_few(RECIPES["encdec"], 1000, 3), shortest=3, longest=8,
        phrases=10,
    ),
)  # fmt: skip

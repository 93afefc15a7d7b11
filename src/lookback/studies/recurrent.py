"""What a memory is good for: agreement and gradients over distance."""

import copy
from collections import Counter
from collections.abc import Iterable, Sequence
from dataclasses import replace
from functools import cache
from typing import Any, TypeAlias

import numpy as np
import torch
from numpy.typing import NDArray

from lookback.measure import wilson_interval
from lookback.recipes.ngram import ngrams
from lookback.recipes.recurrent import RecurrentConfig, RecurrentLearner, on_text
from lookback.recurrent import RecurrentLM, jacobian_norms
from lookback.text.corpora import Lengths, grammar
from lookback.text.grammar.agreement import Agreement, minimal_pairs
from lookback.workshop import (
    TEXTS,
    Data,
    Learner,
    Recipe,
    Results,
    Row,
    Study,
    Vocabularies,
    Weights,
    case,
    corpus,
    english,
    follow,
    on,
    on_few,
    recipe,
)

Shares: TypeAlias = NDArray[np.float64]
GRAMMAR = TEXTS["grammar"]
PROBE = 60_000  # sentences in which minimal pairs are searched
FARTHEST = 7  # words from a noun to its verb; more count as so many
LAGS = 40  # steps over which gradients are followed


@cache
def probe(
    data: Data = GRAMMAR, pairs: int = PROBE, *, most: int = 150
) -> tuple[Agreement, ...]:
    """Minimal pairs from sentences of 12 to 20 words that are not in the training text.

    data   the training text: all their words are in its vocabulary
    pairs  how many sentences are searched
    most   how many minimal pairs are taken of each distance
    """
    train = english(corpus(data), "train")
    times, seen = Counter(word for s in train for word in s), {*train}
    known = {word for word, n in times.items() if n >= data.min_count}
    drawn = grammar(pairs, seed=1, lengths=Lengths(uniform=1, low=12, high=20))
    splits = (drawn.train, drawn.validation, drawn.test)
    new = [pair for split in splits for pair in split if pair.source not in seen]
    taken, probes = Counter[int](), list[Agreement]()
    for both in minimal_pairs(new):
        distance = min(both[0].distance, FARTHEST)
        words = {word for one in both for word in (*one.before, one.right)}
        if taken[distance] < most and words <= known:
            taken[distance] += 1
            probes.extend(both)
    return tuple(probes)


def accuracy(pairs: Sequence[Agreement], preferences: Sequence[float]) -> Row:
    """How many pairs there are, and how many were right, by distance.

    preferences  above 0 is right, 0 is half right
    "all" counts everything, "attracted" what has a noun of the other number between.
    """
    row: Row = {"distance": [*range(1, FARTHEST + 1)]}
    for name, least in (("all", 0), ("attracted", 1)):
        of, right = Counter[int](), Counter[int]()
        for one, preference in zip(pairs, preferences, strict=True):
            if one.attractors >= least:
                of[min(one.distance, FARTHEST)] += 1
                right[min(one.distance, FARTHEST)] += 1 + np.sign(preference)
        row[f"{name} asked"] = [of[d] for d in row["distance"]]
        row[f"{name} right"] = [float(right[d]) / 2 for d in row["distance"]]
    return row


def preferences(learner: Learner, pairs: Sequence[Agreement]) -> Weights:
    """ln P(right form) - ln P(wrong form), given the words before: above 0 is right."""
    right, wrong = (
        learner.log_probabilities([(*a.before, getattr(a, form)) for a in pairs])
        for form in ("right", "wrong")
    )
    return np.array(
        [r[-2] - w[-2] for r, w in zip(right, wrong, strict=True)]
    )  # the last is the end's


def fading(
    model: RecurrentLM, vocabularies: Vocabularies, sentences: Iterable[Sequence[str]]
) -> dict[str, list[float]]:
    """log10 ‖∂h_T/∂h_{T-k}‖ for k = 0 … LAGS, the mean over sentences; for c as well.

    Each sentence has at least LAGS words; its first LAGS + 1 tokens are read.
    """
    words, model = vocabularies["words"], copy.deepcopy(model).double().eval()
    names = ("h", "c") if isinstance(model.cell.begin(1), tuple) else ("h",)
    logs: dict[str, list[list[float]]] = {name: [] for name in names}
    for sentence in sentences:
        ids = [words.start, *words.ids(sentence[:LAGS])]
        x = model.C(torch.tensor(ids)).detach()  # (LAGS + 1, m)
        for part, name in enumerate(names):
            norms = jacobian_norms(model.cell, x, part=part).flip(0)
            logs[name].append(norms.log10().tolist())
    return {name: np.mean(rows, axis=0).tolist() for name, rows in logs.items()}


@cache
def long_sentences(data: Data, n: int = 12) -> tuple[tuple[str, ...], ...]:
    """The first n sentences of the text's test with LAGS words or more."""
    return tuple([s for s in english(corpus(data), "test") if len(s) >= LAGS][:n])


def measured(recipe: Recipe[Any], pairs: int = PROBE) -> Row:
    """Train a language model; agreement over distance, and gradients if it has any."""
    return answers(follow(recipe), probe(recipe.data, pairs))


def answers(learner: Learner, pairs: Sequence[Agreement]) -> Row:
    """What this model chooses of each pair, and its gradients if it has any."""
    row = accuracy(pairs, preferences(learner, pairs).tolist())
    if isinstance(learner, RecurrentLearner):
        words, first = learner.vocabularies, learner.untrained(learner.vocabularies)
        long = long_sentences(learner.recipe.data)
        for when, model in (("first", first), ("last", learner.network)):
            assert isinstance(model, RecurrentLM)
            for name, norms in fading(model, words, long).items():
                row[f"{when} {name}"] = norms
    return row


def gradients(study: Results, system: str, part: str, when: str) -> list[Shares]:
    """(mean, lowest, highest) over the seeds of ‖∂h_T/∂h_{T-k}‖, k = 0 … LAGS.

    study  the results of this study
    part   "h", or "c" of an LSTM;  when  "first", before training, or "last", after it
    """
    logs = np.array([row[f"{when} {part}"] for row in study.seeds(system)])
    mean, low, high = logs.mean(axis=0), logs.min(axis=0), logs.max(axis=0)
    return [10**mean, 10**low, 10**high]


def accuracies(study: Results, system: str, kind: str) -> tuple[Shares, Shares, Shares]:
    """(mean over seeds, lower, upper) share of right forms, for distances 1, 2, …

    study   the results of this study
    kind    "all" or "attracted"
    The interval is Wilson's for the mean, widened to hold every seed; NaN where no pair
    has that distance.
    """
    rows = study.seeds(system)
    pairs = np.array(rows[0][f"{kind} asked"], dtype=float)
    pairs[pairs == 0] = np.nan
    shares = np.array([row[f"{kind} right"] for row in rows]) / pairs  # (seeds, d)
    mean = shares.mean(axis=0)
    low, high = wilson_interval(mean, pairs)
    return (
        mean,
        np.minimum(low, shares.min(axis=0)),
        np.maximum(high, shares.max(axis=0)),
    )


SEEDS = (0, 1, 2)
TINY = replace(
    on_few(on_text("rnn", "grammar", 1), steps=10),
    model=RecurrentConfig("rnn", m=32, n=32),
)
STUDY = Study(
    about="agreement over distance: counts and windows",
    cases={
        "5-grams": case(measured, recipe=ngrams("grammar", 5)),
        **{
            f"NPLM, seed {seed}": case(
                measured, recipe=on("grammar", recipe("nplm-grammar"), seed)
            )
            for seed in SEEDS
        },
    },
    check=case(measured, recipe=TINY, pairs=600),
)

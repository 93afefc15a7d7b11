"""Studies of memory: agreement and gradients over distance, and the forget gate."""

import copy
from collections import Counter
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from functools import cache
from typing import TypeAlias

import numpy as np
import torch
from numpy.typing import NDArray
from torch import Tensor, nn
from torch.nn.functional import cross_entropy

from lookback.measure import wilson_interval
from lookback.ngram import KneserNey
from lookback.recurrent import (
    CELLS,
    LSTMCell,
    RecurrentConfig,
    RecurrentLM,
    remembered,
)
from lookback.text.corpora import Lengths, grammar

from . import seeds
from .agreement import Agreement, minimal_pairs, preferences
from .data import corpus, english
from .language_models import TEXTS, follow, on
from .makers import Trained, Vocabularies, maker_of
from .predicting import Predicts
from .recipes import RECIPES, Budget, NgramConfig, Recipe
from .remembering import SEEDS, SYSTEMS
from .studies import STUDIES, Results, Row, Study
from .windows import OURS

Shares: TypeAlias = NDArray[np.float64]
GRAMMAR = TEXTS["grammar"]
FARTHEST = 7  # words from a noun to its verb; more count as so many
LAGS = 40  # steps over which gradients are followed


@cache
def probe(pairs: int = 60_000, most: int = 150) -> tuple[Agreement, ...]:
    """Minimal pairs from sentences of 12 to 20 words that are not in the training text.

    pairs  how many sentences are searched
    most   how many minimal pairs are taken of each distance
    All their words are in the vocabulary of GRAMMAR.
    """
    train = english(corpus(GRAMMAR), "train")
    times, seen = Counter(word for s in train for word in s), {*train}
    known = {word for word, n in times.items() if n >= GRAMMAR.min_count}
    drawn = grammar(pairs, seed=1, lengths=Lengths(uniform=1, low=12, high=20))
    splits = (drawn.train, drawn.validation, drawn.test)
    new = [pair for split in splits for pair in split if pair.source not in seen]
    taken, kept = Counter[int](), list[Agreement]()
    for both in minimal_pairs(new):
        place = min(both[0].distance, FARTHEST)
        words = {word for one in both for word in (*one.before, one.right)}
        if taken[place] < most and words <= known:
            taken[place] += 1
            kept.extend(both)
    return tuple(kept)


def accuracy(asked: Sequence[Agreement], liked: Sequence[float]) -> Row:
    """How many were asked, and how many were right, by distance.

    liked  `preferences`: above 0 is right, 0 is half right
    "all" counts everything, "attracted" what has a noun of the other number between.
    """
    row: Row = {"distance": [*range(1, FARTHEST + 1)]}
    for name, least in (("all", 0), ("attracted", 1)):
        of, right = Counter[int](), Counter[int]()
        for one, preference in zip(asked, liked, strict=True):
            if one.attractors >= least:
                of[min(one.distance, FARTHEST)] += 1
                right[min(one.distance, FARTHEST)] += 1 + np.sign(preference)
        row[f"{name} asked"] = [of[d] for d in row["distance"]]
        row[f"{name} right"] = [float(right[d]) / 2 for d in row["distance"]]
    return row


def fading(
    model: RecurrentLM, vocabularies: Vocabularies, sentences: Iterable[Sequence[str]]
) -> dict[str, list[float]]:
    """log10 ‖∂h_T/∂h_{T-k}‖ for k = 0 … LAGS, the mean over sentences; for c as well.

    Each sentence has at least LAGS words; its first LAGS + 1 tokens are read.
    """
    words, model = vocabularies["words"], copy.deepcopy(model).double().eval()
    names = ("h", "c") if isinstance(model.cell, LSTMCell) else ("h",)
    found: dict[str, list[list[float]]] = {name: [] for name in names}
    for sentence in sentences:
        ids = [words.start, *words.ids(sentence[:LAGS])]
        x = model.C(torch.tensor(ids)).detach()  # (LAGS + 1, m)
        for part, name in enumerate(names):
            norms = remembered(model.cell, x, part=part).flip(0)
            found[name].append(norms.log10().tolist())
    return {
        name: [round(v, 4) for v in np.mean(rows, axis=0).tolist()]
        for name, rows in found.items()
    }


@cache
def long_sentences(n: int = 12) -> tuple[tuple[str, ...], ...]:
    """The first n sentences of the grammar's test with LAGS words or more."""
    return tuple([s for s in english(corpus(GRAMMAR), "test") if len(s) >= LAGS][:n])


def measured(recipe: Recipe) -> Row:
    """Train a language model; agreement over distance, and gradients if it has any."""
    made, _ = follow(recipe)
    maker = maker_of(recipe)
    assert isinstance(maker, Predicts)
    asked = probe()
    liked = preferences(maker, made.model, made.vocabularies, asked)
    row = accuracy(asked, liked.tolist())
    if isinstance(made.model, RecurrentLM):
        for when, model in (("first", _untrained(recipe, made)), ("last", made.model)):
            for name, norms in fading(
                model, made.vocabularies, long_sentences()
            ).items():
                row[f"{when} {name}"] = norms
    return row


def _untrained(recipe: Recipe, made: Trained) -> RecurrentLM:
    """The model as it was before the first step."""
    with seeds.seeded(recipe.seed):
        return RecurrentLM(recipe.model, made.model.V)


@dataclass(frozen=True)
class Recall:
    """A task: say at the end which of `kinds` signs came first, behind noise.

    cell         one of CELLS
    forget_bias  of an LSTM
    length       how many tokens there are, of which the first is asked for
    """

    cell: str
    forget_bias: float
    seed: int
    length: int = 40
    kinds: int = 8
    n: int = 32
    steps: int = 500
    rate: float = 1e-2
    batch: int = 32


def recall(task: Recall) -> Row:
    """Train on the task; every 50 steps the share of fresh sequences that is right."""
    chance, model = seeds.generator(task.seed), _of_task(task)
    optimiser = torch.optim.Adam(model.parameters(), task.rate)
    at, right = list[int](), list[float]()
    for step in range(task.steps + 1):
        if step % 50 == 0:
            ids = signs(task, 500, chance)
            with torch.no_grad():
                guessed = _last(model, ids).argmax(dim=1)
            at.append(step)
            right.append((guessed == ids[:, 0]).double().mean().item())
        ids = signs(task, task.batch, chance)
        loss = cross_entropy(_last(model, ids), ids[:, 0])
        optimiser.zero_grad()
        loss.backward()  # type: ignore[no-untyped-call]
        nn.utils.clip_grad_norm_(model.parameters(), 1.0)
        optimiser.step()
    return {"step": at, "right": [round(r, 4) for r in right]}


def signs(task: Recall, batch: int, chance: torch.Generator) -> Tensor:
    """(batch, length): one of `kinds` signs, then noise of `kinds` others."""
    shape, kinds = (batch, task.length), task.kinds
    ids = torch.randint(kinds, 2 * kinds, shape, generator=chance)
    ids[:, 0] -= kinds
    return ids


def _of_task(task: Recall) -> RecurrentLM:
    with seeds.seeded(task.seed):
        config = RecurrentConfig(task.cell, m=task.kinds, n=task.n)
        model = RecurrentLM(config, 2 * task.kinds)
        if CELLS[task.cell] is LSTMCell:
            model.cell = LSTMCell(config.m, config.n, forget_bias=task.forget_bias)
    return model


def _last(model: RecurrentLM, ids: Tensor) -> Tensor:
    """The scores at the end of each sequence (B, V)."""
    logits: Tensor = model(ids)[0]
    return logits[:, -1]


def gradients(found: Results, system: str, part: str, when: str) -> list[Shares]:
    """(mean, lowest, highest) over the seeds of ‖∂h_T/∂h_{T-k}‖, k = 0 … LAGS.

    found  the results of the study `memory`
    part   "h", or "c" of an LSTM;  when  "first", before training, or "last", behind it
    """
    logs = np.array([row[f"{when} {part}"] for row in _rows(found, system)])
    mean, low, high = logs.mean(axis=0), logs.min(axis=0), logs.max(axis=0)
    return [10**mean, 10**low, 10**high]


def recalled(found: Results, system: str) -> dict[int, float]:
    """Steps of training → the share that is right then, the mean over the seeds.

    found  the results of the study `forget_bias`
    """
    rows = _rows(found, system)
    shares = np.mean([row["right"] for row in rows], axis=0).tolist()
    return dict(zip(rows[0]["step"], shares, strict=True))


def _rows(found: Results, system: str) -> list[Row]:
    """The rows of all seeds of a system."""
    rows = [
        row for label, row in found.rows.items() if label.split(", seed")[0] == system
    ]
    if not rows:
        raise ValueError(f"the study {found.name} has no system {system!r}")
    return rows


def accuracies(found: Results, system: str, kind: str) -> tuple[Shares, Shares, Shares]:
    """(mean over seeds, lower, upper) share of right forms, for distances 1, 2, …

    found   the results of the study `memory`
    kind    "all" or "attracted"
    The interval is Wilson's for the mean, widened to hold every seed; NaN where nothing
    was asked.
    """
    rows = _rows(found, system)
    asked = np.array(rows[0][f"{kind} asked"], dtype=float)
    asked[asked == 0] = np.nan
    shares = np.array([row[f"{kind} right"] for row in rows]) / asked  # (seeds, d)
    mean = shares.mean(axis=0)
    low, high = wilson_interval(mean, asked)
    return (
        mean,
        np.minimum(low, shares.min(axis=0)),
        np.maximum(high, shares.max(axis=0)),
    )


FORGET_BIASES = (0.0, 1.0, 2.0, 3.0)
_TASKS = {
    **{f"LSTM, forget bias {bias:.0f}": ("lstm", bias) for bias in FORGET_BIASES},
    "GRU": ("gru", 0.0),
    "RNN": ("rnn", 0.0),
}
STUDIES["forget_bias"] = Study(
    about="a sign remembered over noise, by the first bias of the forget gate",
    cases={
        f"{system}, seed {seed}": Recall(cell, bias, seed)
        for system, (cell, bias) in _TASKS.items()
        for seed in SEEDS
    },
    measure=recall,
    check=None,  # 500 steps on another processor can end elsewhere
)


def _neural() -> dict[str, Recipe]:
    made = {system: RECIPES[name] for system, name in SYSTEMS.items()}
    return {
        f"{system}, seed {seed}": on("grammar", recipe, seed)
        for system, recipe in {"NPLM": OURS["grammar"], **made}.items()
        for seed in SEEDS
    }


STUDIES["memory"] = Study(
    about="agreement and gradients over distance, of models of the grammar's English",
    cases={
        "5-grams": Recipe(GRAMMAR, 0, NgramConfig(5, KneserNey()), None, Budget(1)),
        **_neural(),
    },
    measure=measured,
    check="5-grams",
)

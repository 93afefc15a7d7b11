"""What a memory is good for: agreement and gradients over distance, and spelling."""

import copy
from collections import Counter
from collections.abc import Iterable, Sequence
from dataclasses import replace
from functools import cache
from typing import Any, TypeAlias

import numpy as np
import torch
from numpy.typing import NDArray
from torch import Tensor
from torch.nn.functional import cross_entropy

from lookback.measure import wilson_interval
from lookback.recipes.ngram import ngrams
from lookback.recipes.recurrent import RecurrentConfig, RecurrentLearner, on_text
from lookback.recurrent import RecurrentLM, jacobian_norms
from lookback.text.corpora import Lengths, grammar
from lookback.text.grammar.agreement import Agreement, minimal_pairs
from lookback.trainer import seeds
from lookback.trainer.data import corpus, english
from lookback.trainer.language import TEXTS, on
from lookback.trainer.learner import Learner, Vocabularies, Weights, train_recipe
from lookback.trainer.recipe import Data, Recipe, recipe, smoke_recipe
from lookback.trainer.study import Experiment, Outcome, Row, Setting, Study, grid
from lookback.trainer.toys import train_toy

Shares: TypeAlias = NDArray[np.float64]
GRAMMAR = TEXTS["grammar"]
PROBE = 60_000  # sentences in which minimal pairs are searched
FARTHEST = 7  # words from a noun to its verb; more count as so many
LAGS = range(0, 41, 5)  # steps over which gradients are followed
RATES = (2e-3, 4e-3, 8e-3, 16e-3)
SEEDS = (0, 1, 2)
M, N, BATCH, LENGTH = 16, 64, 32, 20  # of the network of letters


# --- agreement and gradients over distance


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
    """log10 ‖∂h_T/∂h_{T-k}‖ for k of LAGS, the mean over sentences; for c as well.

    Each sentence has LAGS[-1] words or more; that many and <s> are read.
    """
    words, model = vocabularies["words"], copy.deepcopy(model).double().eval()
    names = ("h", "c") if isinstance(model.cell.begin(1), tuple) else ("h",)
    logs: dict[str, list[list[float]]] = {name: [] for name in names}
    for sentence in sentences:
        ids = [words.start, *words.ids(sentence[: LAGS[-1]])]
        x = model.C(torch.tensor(ids)).detach()  # (LAGS[-1] + 1, m)
        for part, name in enumerate(names):
            norms = jacobian_norms(model.cell, x, part=part).flip(0)
            logs[name].append(norms.log10()[[*LAGS]].tolist())
    return {name: np.mean(rows, axis=0).tolist() for name, rows in logs.items()}


@cache
def long_sentences(data: Data, n: int = 12) -> tuple[tuple[str, ...], ...]:
    """The first n sentences of the text's test with as many words as LAGS needs."""
    return tuple([s for s in english(corpus(data), "test") if len(s) >= LAGS[-1]][:n])


def measured(recipe: Recipe[Any], pairs: int = PROBE) -> Row:
    """Train a language model; agreement over distance.

    Of a recurrent network gradients, too, before training and after it, and the
    perplexity on validation text by which a learning rate is chosen.
    """
    learner = train_recipe(recipe)
    row = accuracy(
        probe(recipe.data, pairs),
        preferences(learner, probe(recipe.data, pairs)).tolist(),
    )
    if isinstance(learner, RecurrentLearner):
        words, long = learner.vocabularies, long_sentences(recipe.data)
        for when, model in (
            ("first", learner.untrained(words)),
            ("last", learner.network),
        ):
            assert isinstance(model, RecurrentLM)
            for name, norms in fading(model, words, long).items():
                row[f"{when} {name}"] = norms
        valid = english(corpus(recipe.data), "validation")
        row["validation perplexity"] = learner.perplexity(valid)
    return row


def at_rate(recipe: Recipe[Any], rate: float) -> Recipe[Any]:
    """The same with this learning rate."""
    assert recipe.optimiser is not None
    return replace(recipe, optimiser=replace(recipe.optimiser, rate=rate))


def best_rate(agreement: Outcome, system: str) -> float:
    """The rate whose mean perplexity on validation is lowest."""

    def mean(rate: float) -> float:
        of = agreement.values("validation perplexity", system=system, rate=rate)
        return float(of.mean())

    return min(RATES, key=mean)


def gradients(rows: Sequence[Row], part: str, when: str) -> tuple[Shares, ...]:
    """(mean, lowest, highest) over the seeds of ‖∂h_T/∂h_{T-k}‖, k of LAGS.

    rows  of the seeds
    part  "h", or "c" of an LSTM;  when  "first", before training, or "last", after it
    """
    logs = np.array([row[f"{when} {part}"] for row in rows])
    mean, low, high = logs.mean(axis=0), logs.min(axis=0), logs.max(axis=0)
    return 10**mean, 10**low, 10**high


def accuracies(rows: Sequence[Row], kind: str) -> tuple[Shares, Shares, Shares]:
    """(mean over seeds, lower, upper) share of right forms, for distances 1, 2, …

    rows  of the seeds;  kind  "all" or "attracted"
    The interval is Wilson's for the mean, widened to hold every seed; NaN where no pair
    has that distance.
    """
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


# --- letters that become words


@cache
def text(pairs: int) -> str:
    """The training sentences of the grammar's English, one on each line."""
    return "\n".join(" ".join(pair.source) for pair in grammar(pairs=pairs).train)


def spelt(
    memory: bool, seed: int, steps: int = 250, pairs: int = 3000, written: int = 4000
) -> Row:
    """Train on letters, and write: the share of words that are in the text.

    memory  False: U = 0, so that the network sees the last letter alone
    """
    letters, generator = sorted(set(text(pairs))), seeds.generator(seed)
    stream = torch.tensor([letters.index(letter) for letter in text(pairs)])

    def network() -> RecurrentLM:
        model = RecurrentLM(len(letters), M, N)
        if not memory:
            model.cell.U.requires_grad_(False).zero_()
        return model

    def loss(model: RecurrentLM, generator: torch.Generator) -> Tensor:
        ends = (len(stream) - LENGTH - 1, (BATCH, 1))
        starts = torch.randint(*ends, generator=generator)
        piece = stream[starts + torch.arange(LENGTH + 1)]
        scores, _ = model(piece[:, :-1])
        return cross_entropy(scores.flatten(0, 1), piece[:, 1:].flatten())

    model, _ = train_toy(
        network, loss, seed=seed, steps=steps, rate=0.01, clip=1.0, generator=generator
    )
    letter, state, ids = torch.tensor([[letters.index("\n")]]), None, list[int]()
    with torch.no_grad():
        for _ in range(written):
            scores, states = model(letter, state=state)
            p: Tensor = scores[0].softmax(dim=1)
            state, letter = states[-1], p.multinomial(1, generator=generator)
            ids.append(int(letter))
    said = "".join(letters[i] for i in ids).split()[:-1]
    known = set(text(pairs).split())
    return {"real": sum(w in known for w in said) / len(said)}


# --- the study


def system(system: str, seed: int = 0, rate: float | None = None) -> Setting:
    """The recipe of a setting."""
    if system == "RNN":
        assert rate is not None
        return {"recipe": at_rate(on_text("rnn", "grammar", seed), rate)}
    if system == "NPLM":
        return {"recipe": on("grammar", recipe("nplm-grammar"), seed)}
    return {"recipe": ngrams("grammar", 5)}


def small(recipe: Recipe[Any], cell: str) -> Setting:
    """A few steps of a small network of this cell: a smoke run."""
    model = RecurrentConfig(cell, m=16, n=16)
    return {"recipe": replace(smoke_recipe(recipe, steps=3), model=model), "pairs": 600}


STUDY = Study(
    "agreement and gradients over distance, and words spelt letter by letter",
    {
        "agreement": Experiment(
            measured,
            [
                {"system": "5-grams"},
                *grid(system=["NPLM"], seed=SEEDS),
                *grid(system=["RNN"], rate=RATES, seed=SEEDS),
            ],
            smoke=small(on_text("rnn", "grammar"), "rnn"),
            arguments=system,
        ),
        "letters": Experiment(
            spelt,
            grid(memory=(True, False), seed=range(5)),
            smoke={"memory": True, "seed": 0, "steps": 5, "pairs": 100, "written": 50},
        ),
    },
)

"""RNNsearch: what attention adds on digits, on long sentences, and how it comes about.

Digits are reversed by RNNsearch, and by the same network with one context vector.
Translators learn from no sentence of more than 18 words, and are asked for longer ones.
One network is watched during its training, for a laboratory.
"""

from collections.abc import Callable
from dataclasses import replace
from typing import Any

import torch
from torch import Tensor

from lookback.bahdanau import Decoder, RNNSearch, RNNSearchConfig, State
from lookback.recipes.bahdanau import RECIPES, RNNSearchLearner
from lookback.text.corpora import Pair, grammar
from lookback.trainer.data import AnyCorpus, corpus, pairs
from lookback.trainer.fit import Batches
from lookback.trainer.learner import train_recipe
from lookback.trainer.recipe import Budget, Recipe, recipe, smoke_recipe
from lookback.trainer.study import Experiment, Row, Setting, Study, grid
from lookback.trainer.toys import END, LONGEST, exact, taught
from lookback.trainer.translation import SHORT_PAIRS, alignment_error

from .translators import EACH, by_length

LENGTHS, SEEDS = (3, 4, 5, 6, 7, 8, 9, 10), (0, 1, 2)
CONFIG = RNNSearchConfig(m=8, n=32, k=32, l=32)
STEPS = {"encdec": 2000, "bahdanau": 1200}  # with short sentences
SENTENCE = "the important european financial government is controlled ."
SHOWN = (100, 200, 300, 400, 500, 600, 800, 1000, 1500)
"""The steps whose weights on SENTENCE are stored."""
WATCHED = 200  # pairs of validation, on which the error rate is followed


class OneVector(Decoder):
    """A decoder whose context is the same at every step: [→h_S ; ←h_1].

    It attends to one annotation, which is made of the last state of either direction.
    """

    def start(self, annotations: Tensor, mask: Tensor) -> State:
        rows, last = torch.arange(len(mask)), mask.sum(dim=1) - 1
        ahead = annotations[rows, last, : self.n]
        one = torch.cat([ahead, annotations[:, 0, self.n :]], dim=-1).unsqueeze(1)
        return super().start(one, torch.ones_like(mask[:, :1]))


def network(attends: bool) -> RNNSearch:
    model = RNNSearch(CONFIG, END + 1, END + 1)
    if not attends:
        model.decoder = OneVector(CONFIG, END + 1)
    return model


def digits(attends: bool, seed: int, steps: int = 600) -> Row:
    """What is reversed without error, for each of LENGTHS.

    attends  a new context for each step? Or the same vector for all of them
    """
    model, _ = taught(
        lambda: network(attends), seed, steps,
        lengths=(LENGTHS[0], LONGEST), falls=False,
    )  # fmt: skip
    return {
        "parameters": sum(p.numel() for p in model.parameters()),
        "exact": exact(model, LENGTHS),
    }


def translated(recipe: Recipe[Any], each: int = EACH) -> Row:
    """Train a translator: BLEU of new sentences, for each range of lengths.

    each  how many sentences of a range; 0: it is only trained
    """
    learner = train_recipe(recipe)
    return {"bleu": [part["bleu"] for part in by_length(learner, each)] if each else []}


def shortened(name: str, seed: int) -> Setting:
    """A translator's recipe, trained on no sentence of more than 18 words."""
    whole = recipe(name)
    budget = replace(whole.budget, steps=STEPS[name])
    return {"recipe": replace(whole, data=SHORT_PAIRS, seed=seed, budget=budget)}


class WatchedLearner(RNNSearchLearner):
    """Its loss is measured often, and so on a quarter of validation, of all lengths."""

    def batches(
        self, corpus: AnyCorpus, split: str, generator: torch.Generator
    ) -> Batches:
        batches = super().batches(corpus, split, generator)
        return batches[::4] if isinstance(batches, list) else batches


def watched(recipe: Recipe[WatchedLearner]) -> Row:
    """Train RNNsearch; at each evaluation its loss, alignment error and weights."""
    text, learner = corpus(recipe.data), WatchedLearner(recipe)
    gold, sentence = pairs(text, "validation")[:WATCHED], shown()
    row: Row = {"step": [], "loss": [], "watched AER": [], "weights": {}}
    learner.train_on(text, evaluated=note(learner, gold, sentence, row))
    return {**row, "source": [*sentence.source], "target": [*sentence.target]}


def note(
    learner: WatchedLearner, gold: tuple[Pair, ...], sentence: Pair, row: Row
) -> Callable[[float], None]:
    """What is called with the loss after each evaluation, and adds to the row."""

    def add(loss: float) -> None:
        step = learner.recipe.budget.evaluate_every * (len(row["step"]) + 1)
        both = [(pair.source, pair.target) for pair in (*gold, sentence)]
        *weights, last = learner.attention_weights(both)
        row["step"].append(step)
        row["loss"].append(loss)
        row["watched AER"].append(alignment_error(weights, gold))
        if step in SHOWN:
            row["weights"][str(step)] = last[:-1, :-1].tolist()

    return add


def shown() -> Pair:
    """The pair whose source is SENTENCE, from the first part of the test of PAIRS."""
    words, beginning = tuple(SENTENCE.split()), grammar(pairs=6500, size="small").test
    return next(pair for pair in beginning if pair.source == words)


WATCHED_RECIPE: Recipe[Any] = replace(
    RECIPES["bahdanau"],
    learner=WatchedLearner,
    budget=Budget(
        steps=SHOWN[-1],
        tokens=RECIPES["bahdanau"].budget.tokens,
        evaluate_every=100,
    ),
)
STUDY = Study(
    "digits with attention and with one vector; short sentences; a training watched",
    {
        "digits": Experiment(
            digits,
            grid(attends=(True, False), seed=SEEDS),
            smoke={"attends": True, "seed": 0, "steps": 5},
        ),
        "short": Experiment(
            translated,
            grid(name=STEPS, seed=SEEDS),
            smoke={
                "recipe": smoke_recipe(shortened("bahdanau", 0)["recipe"], 500, 3),
                "each": 0,
            },
            arguments=shortened,
        ),
        "watched": Experiment(
            watched,
            smoke={"recipe": smoke_recipe(WATCHED_RECIPE, 200, 3)},
            arguments=lambda: {"recipe": WATCHED_RECIPE},
        ),
    },
)

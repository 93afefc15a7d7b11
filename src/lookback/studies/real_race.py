"""The race: what each translator of the book makes of captions, by what it may cost.

A point is a training planned for its length: its rate has fallen to 0 at its end, and
its weights are those of the lowest loss on validation. A mark in the middle of a long
training would be another thing, for its rate is still high.
Where another study has the training, its case is the point.
"""

from collections.abc import Iterable, Sequence
from dataclasses import replace
from functools import cache
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np

from lookback.ibm1 import IBMModel1
from lookback.recipes.seq2seq import Seq2SeqLearner
from lookback.seq2seq import Seq2SeqConfig
from lookback.workshop import (
    Case,
    Optimiser,
    Recipe,
    Row,
    Study,
    TranslationLearner,
    case,
    corpus,
    follow,
    on_few,
    pairs,
    recipe,
    results,
)

from .real import BEAM, UNK, score, signature, translated
from .stack_decoder import (
    Clock,
    Phrases,
    first,
    interval,
    parameters,
    trained,
    written,
)

NAME = "real_race"
EVALUATIONS = 4  # of a shortened training
ITERATIONS = 5  # of EM, as many as for the phrases
SEEDS = range(3)

LSTM = replace(
    recipe("encdec-multi30k"),
    learner=Seq2SeqLearner,
    model=Seq2SeqConfig(m=128, n=160, layers=2, reversed=True, dropout=0.2),
    optimiser=Optimiser("adam", 8e-3, warmup=200, decay="linear", clip=1.0),
)
"""At the rate of its own chapter: after 600 steps it had a loss of 2.96 on validation,
and 3.38 at that of the other recurrent networks."""
DEEP = "deep LSTM, reversed"
NETWORKS: dict[str, Recipe[Any]] = {
    "encoder–decoder": recipe("encdec-multi30k"),
    DEEP: LSTM,
    "RNNsearch": recipe("bahdanau-multi30k"),
    "Luong, dot": recipe("luong-multi30k"),
    "Transformer": recipe("transformer-multi30k"),
}
SHORTER = (10, 3)  # the whole training is divided by these
TEXTS: dict[str, Phrases] = {
    "1000 pairs": Phrases(pairs=1000, tuning=100),
    "5000 pairs": Phrases(pairs=5000, tuning=100),
    "29000 pairs": Phrases(),
}
SCORES = {"real": f"beam {BEAM}", "stack_decoder": UNK, "real_longer": "lowest loss"}
"""Which score of a study's rows is meant, where they hold several."""


class Outcome(NamedTuple):
    """A point: a training, and the mean of its seeds.

    seconds  of one core, for all that is learned
    read     target words that were predicted in training, repetitions among them
    bleu     of each seed, on the thousand captions of the test of 2016
    """

    system: str
    training: str
    parameters: int
    read: int
    seconds: float
    bleu: tuple[float, ...]

    @property
    def point(self) -> "Point":
        return self.system, self.training

    @property
    def mean(self) -> float:
        return float(np.mean(self.bleu))


def planned(whole: Recipe[Any], share: int, seed: int = 0) -> Recipe[Any]:
    """The recipe with its steps divided by `share`, and its warm-up as it is.

    A warm-up that was divided as well was worse for the Transformer of 700 steps: a
    loss of 2.51 on validation, and 2.20 with the whole warm-up.
    """
    steps = whole.budget.steps // share
    budget = replace(whole.budget, steps=steps, evaluate_every=steps // EVALUATIONS)
    return replace(whole, seed=seed, budget=budget)


def network(recipe: Recipe[TranslationLearner]) -> Row:
    """Train a translator, and let it translate the test."""
    learner = follow(recipe)
    assert learner.log is not None
    found = translated(learner, pairs(corpus(recipe.data), "test"), BEAM)
    return {
        "parameters": learner.parameters,
        "seconds": learner.seconds,
        "steps": len(learner.log.entries),
        "target tokens": learner.log.tokens,
        "validation": [[e.step, e.score] for e in learner.log.evaluations],
        "test": score(found),
        "signature": signature(found),
    }


def word_by_word(how: Phrases) -> Row:
    """Model 1 puts its likeliest word for each; it has no order of its own."""
    text, clock = first(how.data, how.pairs), Clock()
    model = IBMModel1().fit(text.train, how.iterations)
    clock.lap("EM")

    @cache
    def likeliest(word: str) -> str:
        known = word in model.source_ids
        return model.translations(word)[0][0] if known else UNK

    test = pairs(text, "test")
    found = [[likeliest(word) for word in pair.source] for pair in test]
    return {
        "parameters": len(model.t),
        "seconds": sum(clock.seconds.values()),
        "target tokens": how.iterations * words_of(text.train),
        "test": interval(found, test),
    }


def phrases(how: Phrases, seed: int = 0) -> Row:
    """Align, extract, tune from other starting points, and translate the test.

    An unknown word becomes <unk>, as it does for the networks.
    """
    this = trained(how, seed)
    test = pairs(this.text, "test")
    return {
        "parameters": parameters(this),
        "target tokens": words_of(this.text.train),
        "seconds": sum(this.seconds.values()),
        "test": interval(written(this, test)[UNK], test),
    }


def words_of(train: Sequence[Any]) -> int:
    """How many target words these pairs have, an end for each sentence among them."""
    return sum(len(pair.target) + 1 for pair in train)


def cases() -> dict[str, Case]:
    """What no other study has measured."""
    found = {
        "Model 1": case(word_by_word, how=Phrases()),
        "phrases, untuned": case(phrases, how=Phrases(tuning=0)),
    }
    for text, how in TEXTS.items():
        for seed in SEEDS[1:]:
            found[f"phrases, {text}, seed {seed}"] = case(phrases, how=how, seed=seed)
    for seed in SEEDS:
        for system, whole in NETWORKS.items():
            for share in SHORTER:
                shorter = planned(whole, share, seed)
                found[f"{system}, 1/{share}, seed {seed}"] = case(
                    network, recipe=shorter
                )
    found[f"{DEEP}, whole"] = case(network, recipe=LSTM)
    return found


Point = tuple[str, str]
"""A system, and how long or on how much it was trained."""


def points() -> dict[Point, list[tuple[str, str]]]:
    """Where the seeds of each point are stored: a study, and the label of its case."""
    found: dict[Point, list[tuple[str, str]]] = {}
    found["Model 1", "29000 pairs"] = [(NAME, "Model 1")]
    found["phrases", "29000 pairs, untuned"] = [(NAME, "phrases, untuned")]
    for text in TEXTS:
        others = [(NAME, f"phrases, {text}, seed {seed}") for seed in SEEDS[1:]]
        found["phrases", text] = [("stack_decoder", text.split()[0]), *others]
    for system, whole in NETWORKS.items():
        for share in SHORTER:
            steps = f"{planned(whole, share).budget.steps} steps"
            some = [(NAME, f"{system}, 1/{share}, seed {seed}") for seed in SEEDS]
            found[system, steps] = some
        last = ("real", f"Multi30k, {system}")
        steps = f"{whole.budget.steps} steps"
        found[system, steps] = [(NAME, f"{DEEP}, whole") if system == DEEP else last]
    found["Transformer of sub-words", "9000 steps"] = [("real_longer", "pre-norm")]
    return found


def outcomes(
    where: Path | None = None, among: Iterable[Point] | None = None
) -> list[Outcome]:
    """What came of the points, in their order.

    where  the folder of the results; None: those that came with the package
    among  the points that are wanted; None: all
    Raises `ValueError` where one is not measured.
    """
    stored = points()
    return [
        outcome(
            point,
            [
                (study, results(study, where, cases=[label])[label])
                for study, label in stored[point]
            ],
        )
        for point in (stored if among is None else among)
    ]


def outcome(point: Point, rows: Sequence[tuple[str, Row]]) -> Outcome:
    """A point, read from the rows of its seeds; each study has a form of its own."""
    own = [row.get("trained", row) for _, row in rows]
    seconds = [
        row["seconds"] if "seconds" in row else sum(row["seconds by step"].values())
        for row in own
    ]
    bleu = [
        row["test"][SCORES[study]] if study in SCORES else row["test"]
        for study, row in rows
    ]
    return Outcome(
        *point,
        parameters=own[-1]["parameters"],
        read=own[-1].get("target tokens", own[-1].get("tokens")),
        seconds=float(np.mean(seconds)),
        bleu=tuple(one["BLEU"] for one in bleu),
    )


def lines(among: Iterable[Outcome]) -> tuple[list[float], dict[str, list[float]]]:
    """Seconds, and the BLEU of each system, for `figures.curves`."""
    ordered = sorted(among, key=lambda one: one.seconds)
    systems = dict.fromkeys(system for system, _ in points())
    return [one.seconds for one in ordered], {
        system: [one.mean if one.system == system else np.nan for one in ordered]
        for system in systems
    }


def best(within: float, among: Sequence[Outcome]) -> Outcome:
    """What has the highest mean BLEU of all that was learned in so many seconds."""
    return max((o for o in among if o.seconds <= within), key=lambda o: o.mean)


STUDY = Study(
    about="BLEU on captions of every translator, by the seconds of its training",
    cases=cases(),
    check=case(network, recipe=on_few(recipe("encdec"), 300, 4)),
)

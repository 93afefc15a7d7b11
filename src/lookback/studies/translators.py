"""The running table of translators: every system of the book on the same pairs.

What each scored is measured on sentences like those it was trained on, and on fresh
ones of every length.
"""

from collections.abc import Callable
from dataclasses import replace
from functools import cache
from typing import NamedTuple

import numpy as np

from lookback.measure import LengthBin, bleu_by_length
from lookback.text.corpora import Lengths, Pair, grammar
from lookback.trainer import seeds
from lookback.trainer.data import corpus, pairs
from lookback.trainer.learner import summary, train_recipe
from lookback.trainer.recipe import Recipe, check_choice, recipe, smoke_recipe
from lookback.trainer.running_table import (
    RunningTable,
    System,
    mean,
    plus_minus,
    spread,
)
from lookback.trainer.study import Row, Setting, Study, results
from lookback.trainer.translation import PAIRS, SHORT_PAIRS, TranslationLearner

NAME = "translators"

COUNTED = {"six rules": "rules", "phrases": "stack_decoder"}
"""Systems from before the networks, measured by the studies of their chapters."""
TEST = 1000  # pairs, those on which every translator is measured

BINS = tuple((low, low + 9) for low in range(1, 70, 10))
EACH = 100  # fresh sentences of every bin
SAMPLES = 300  # of the bootstrap


class Line(NamedTuple):
    """What a system scored: means over its seeds, and the deviation of its BLEU."""

    chapter: str
    system: str
    seeds: int
    parameters: int
    seconds: float
    bleu: float
    spread: float
    aer: float | None


class Length(NamedTuple):
    """BLEU of fresh sentences of `low` to `high` source words: one for each seed.

    `scores` holds them; `lows` and `highs` the ends of each one's 95 % interval.
    """

    low: int
    high: int
    scores: tuple[float, ...]
    lows: tuple[float, ...]
    highs: tuple[float, ...]


def made_by(chapter: str) -> Callable[[int], Setting]:
    """The recipe of a chapter's system, from a seed."""
    return lambda seed: {"recipe": replace(recipe(chapter), seed=seed)}


def in_order(seed: int) -> Setting:
    """The recipe of the deep LSTM that reads the source as it stands."""
    from lookback.recipes.seq2seq import IN_ORDER

    return {"recipe": replace(IN_ORDER, seed=seed)}


TABLE = RunningTable(
    NAME,
    "translator",
    [
        System("encdec", "encoder–decoder", made_by("encdec")),
        System("seq2seq", "deep LSTM, reversed", made_by("seq2seq")),
        System("seq2seq", "deep LSTM, in order", in_order),
        System("bahdanau", "RNNsearch", made_by("bahdanau")),
        System("luong", "Luong, dot", made_by("luong")),
        System("transformer", "Transformer", made_by("transformer")),
    ],
)


def lines(until: str | None = None, *, counted: bool = False) -> list[Line]:
    """The table as data: the networks of chapters up to `until`.

    counted  also the systems from before them, which come first
    """
    systems = [(s.chapter, s.name) for s in TABLE.until(until)]
    before = [(chapter, name) for name, chapter in COUNTED.items()] if counted else []
    return [_line(chapter, name) for chapter, name in [*before, *systems]]


def rows(system: str) -> list[Row]:
    """All that was measured of a system, a row for each seed; one of the counted."""
    check_choice("translator", system, [*COUNTED, *TABLE.systems])
    if system in COUNTED:
        return [_counted(COUNTED[system])]
    return TABLE.rows(system)


def lengths(system: str) -> list[Length]:
    """How a system's BLEU depends on the length of the source."""
    seeds = [row["lengths"] for row in rows(system)]
    return [
        Length(
            *BINS[position],
            *(
                tuple(seed[position][key] for seed in seeds)
                for key in ("bleu", "low", "high")
            ),
        )
        for position in range(len(BINS))
    ]


def _counted(chapter: str) -> Row:
    """The row of the grammar in the chapter's study; rules learn nothing."""
    if chapter != "rules":
        row: Row = results(chapter)["grammar"].row()
        return row
    row = results("rules")["grammar"].row()
    told = {"parameters": row["words"], "test BLEU": row["stages"][-1][0]}
    return {**told, "seconds": 0.0}


def _line(chapter: str, system: str) -> Line:
    each = rows(system)
    errors = [row["test AER"] for row in each if "test AER" in row]
    return Line(
        chapter, system, len(each), each[0]["parameters"],
        mean(each, "seconds"), mean(each, "test BLEU"), spread(each, "test BLEU"),
        float(np.mean(errors)) if errors else None,
    )  # fmt: skip


def table(until: str | None = None) -> tuple[list[str], list[list[str]]]:
    """Header and rows for `figures.Table`: all systems, the counted ones first.

    No AER where none has any.
    """
    header = ["system", "parameters", "training, s", "test BLEU", "AER"]
    shown = lines(until, counted=True)
    cells = []
    for line in shown:
        bleu = plus_minus(line.bleu, line.spread, line.seeds)
        error = "" if line.aer is None else f"{line.aer:.3f}"
        costs = [f"{line.parameters:,}", f"{line.seconds:.0f}"]
        cells.append([line.system, *costs, bleu, error])
    if all(line.aer is None for line in shown):
        return header[:-1], [row[:-1] for row in cells]
    return header, cells


def measured(recipe: Recipe[TranslationLearner], each: int = EACH) -> Row:
    """Train a translator, and measure all that there is to measure.

    each  how many fresh sentences of each length are translated; 0: none
    """
    learner = train_recipe(recipe)
    assert learner.log is not None
    return {
        "steps": len(learner.log.entries),
        "target tokens": learner.log.tokens,
        **summary(learner),
        **({"lengths": by_length(learner, each)} if each else {}),
    }


def by_length(learner: TranslationLearner, each: int = EACH) -> list[Row]:
    """BLEU of the fresh sentences, bin by bin, with a bootstrap interval."""
    bins = [some[:each] for some in fresh()]
    written = [learner.decode([pair.source for pair in some]) for some in bins]
    pairs = [pair for some in bins for pair in some]
    found = bleu_by_length(
        hypotheses=[sentence for some in written for sentence in some],
        references=[list(pair.target) for pair in pairs],
        lengths=[len(pair.source) for pair in pairs],
        edges=[longest for _, longest in BINS],
        generator=seeds.generator(0),
        samples=SAMPLES,
    )
    return [scored(one, "bleu") for one in found]


def scored(one: LengthBin, name: str) -> Row:
    """A row of the score of a bin and its interval, the score called `name`."""
    assert one.interval is not None
    return {
        "from": one.shortest,
        "to": one.longest,
        "sentences": one.sentences,
        name: one.bleu.score,
        "low": one.interval.low,
        "high": one.interval.high,
    }


@cache
def fresh() -> tuple[tuple[Pair, ...], ...]:
    """For each bin, pairs whose source no translator was trained on."""
    uniform = Lengths(uniform=1.0, low=3, high=70)
    made = grammar(pairs=2500, seed=1, size="small", lengths=uniform)
    splits = ("train", "validation", "test")
    met = {
        pair.source
        for data in (PAIRS, SHORT_PAIRS)
        for split in splits
        for pair in pairs(corpus(data), split)
    }
    new = [p for split in splits for p in made.split(split) if p.source not in met]
    bins = []
    for shortest, longest in BINS:
        inside = [p for p in new if shortest <= len(p.source) <= longest]
        if len(inside) < EACH:
            raise ValueError(f"only {len(inside)} of {shortest} to {longest} words")
        bins.append(tuple(inside[:EACH]))
    return tuple(bins)


STUDY = Study(
    "BLEU, alignment error and cost of every translator of the book",
    {
        "systems": TABLE.experiment(
            measured,
            smoke={"recipe": smoke_recipe(recipe("encdec"), 100, 2), "each": 0},
        )
    },
)

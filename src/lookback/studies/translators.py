"""The running table of translators: every system of the book on the same pairs.

What each scored is measured on sentences like those it was trained on, and on fresh
ones of every length.
"""

from collections.abc import Callable
from dataclasses import replace
from functools import cache
from typing import Any, NamedTuple

import numpy as np

from lookback.measure import LengthBin, bleu_by_length
from lookback.text.corpora import Lengths, Pair, grammar
from lookback.workshop import (
    PAIRS,
    SHORT_PAIRS,
    Cases,
    Recipe,
    Row,
    Study,
    TranslationLearner,
    corpus,
    follow,
    known,
    outline,
    pairs,
    recipe,
    results,
    seeds,
)

NAME = "translators"

SYSTEMS = {
    "encoder–decoder": "encdec",
    "deep LSTM, reversed": "seq2seq",
    "deep LSTM, in order": "seq2seq",
    "RNNsearch": "bahdanau",
    "Luong, dot": "luong",
    "Transformer": "transformer",
}
"""Each system and its chapter, in the order of history."""
COUNTED = {"six rules": "rules", "phrases": "stack_decoder"}
"""Systems from before the networks, measured by the studies of their chapters."""
SEEDS = (0, 1, 2)
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


def made_by(system: str, seed: int) -> Recipe[Any]:
    """The recipe of a system, imported where a table shows it and not before."""
    if system == "deep LSTM, in order":
        from lookback.recipes.seq2seq import IN_ORDER

        return replace(IN_ORDER, seed=seed)
    return replace(recipe(SYSTEMS[system]), seed=seed)


def lines(until: str | None = None, *, counted: bool = False) -> list[Line]:
    """The table as data: the networks of chapters up to `until`.

    counted  also the systems from before them, which come first
    """
    before = [_line(name) for name in COUNTED] if counted else []
    chapters = list(dict.fromkeys(SYSTEMS.values()))
    if until is not None:
        known("chapter with a translator", until, chapters)
        chapters = chapters[: chapters.index(until) + 1]
    some = [name for name, chapter in SYSTEMS.items() if chapter in chapters]
    return before + [_line(name) for name in some]


def rows(system: str) -> list[Row]:
    """All that was measured of a system, a row for each seed; one of the counted."""
    known("translator", system, COUNTED | SYSTEMS)
    if system in COUNTED:
        return [_counted(COUNTED[system])]
    labels = [f"{system}, seed {seed}" for seed in SEEDS]
    measured = results(NAME, cases=labels)
    return [measured[label] for label in labels]


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
    row = results(chapter, cases=["grammar"])["grammar"]
    if chapter != "rules":
        return row
    told = {"parameters": row["words"], "test BLEU": row["stages"][-1][0]}
    return {**told, "seconds": 0.0, "lengths": row["lengths"]}


def _line(system: str) -> Line:
    each = rows(system)
    tests = [row["test BLEU"] for row in each]
    errors = [row["test AER"] for row in each if "test AER" in row]
    return Line(
        (COUNTED | SYSTEMS)[system], system, len(each), each[0]["parameters"],
        float(np.mean([row["seconds"] for row in each])),
        float(np.mean(tests)),
        float(np.std(tests, ddof=1)) if len(tests) > 1 else 0.0,
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
        spread = f" ± {line.spread:.1f}" if line.seeds > 1 else ""
        error = "" if line.aer is None else f"{line.aer:.3f}"
        costs = [f"{line.parameters:,}", f"{line.seconds:.0f}"]
        cells.append([line.system, *costs, f"{line.bleu:.1f}{spread}", error])
    if all(line.aer is None for line in shown):
        return header[:-1], [row[:-1] for row in cells]
    return header, cells


def measured(recipe: Recipe[TranslationLearner]) -> Row:
    """Train a translator, and measure all that there is to measure."""
    learner = follow(recipe)
    assert learner.log is not None
    return {
        "steps": len(learner.log.entries),
        "target tokens": learner.log.tokens,
        **outline(learner, digits=4),
        "lengths": by_length(learner),
    }


def by_length(learner: TranslationLearner) -> list[Row]:
    """BLEU of the fresh sentences, bin by bin, with a bootstrap interval."""
    written = [learner.decode([pair.source for pair in some]) for some in fresh()]
    every = [pair for some in fresh() for pair in some]
    bins = bleu_by_length(
        hypotheses=[sentence for some in written for sentence in some],
        references=[list(pair.target) for pair in every],
        lengths=[len(pair.source) for pair in every],
        edges=[longest for _, longest in BINS],
        generator=seeds.generator(0),
        samples=SAMPLES,
    )
    return [scored(one, "bleu") for one in bins]


def scored(one: LengthBin, name: str) -> Row:
    """A row of the score of a bin and its interval, the score called `name`."""
    assert one.interval is not None
    return {
        "from": one.shortest,
        "to": one.longest,
        "sentences": one.sentences,
        name: round(one.bleu.score, 3),
        "low": round(one.interval.low, 3),
        "high": round(one.interval.high, 3),
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


def _case(system: str, seed: int) -> Callable[[], Recipe[Any]]:
    return lambda: made_by(system, seed)


STUDY = Study(
    about="BLEU, alignment error and cost of every translator of the book",
    cases=Cases(
        {f"{name}, seed {k}": _case(name, k) for name in SYSTEMS for k in SEEDS}
    ),
    measure=measured,
    check=None,
)

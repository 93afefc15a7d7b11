"""The running table of translators: each chapter enters its systems here.

What each scored is measured by the study `translators`: on sentences like those it
was trained on, and on fresh ones of every length.
"""

from collections.abc import Sequence
from dataclasses import dataclass, replace
from functools import cache
from typing import NamedTuple

import numpy as np

from lookback.measure import LengthBin, bleu_by_length
from lookback.text.corpora import Lengths, Pair, PairCorpus, grammar

from . import seeds
from .data import corpus
from .language_models import follow
from .log import Log
from .makers import Trained, maker_of
from .recipes import Data, Recipe, known
from .studies import STUDIES, Row, Study, results
from .translating import TranslationMaker

NAME = "translators"

CHAPTERS = ("encdec", "seq2seq", "bahdanau", "luong", "transformer")
"""Those that enter systems here, in the order of history."""

PAIRS = Data("grammar", (("pairs", 50_000), ("seed", 0), ("size", "small")))
"""What every translator learns from: most lengths log-normal, a tenth uniform."""

SHORT = Data(
    "grammar",
    (
        *PAIRS.options,
        ("lengths", Lengths(uniform=0.0, low=12, high=18, longest=18)),
    ),
)
"""The same without a sentence of more than 18 words."""

BINS = tuple((low, low + 9) for low in range(1, 70, 10))
EACH = 100  # fresh sentences of every bin
SAMPLES = 300  # of the bootstrap
POINTS = 40  # of the learning curve


@dataclass(frozen=True)
class Entry:
    """A line of the table, or one of its seeds.

    chapter  where the system is explained
    system   its name in the table
    recipe   what makes it
    """

    chapter: str
    system: str
    recipe: Recipe


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


ENTRIES: dict[str, Entry] = {}


def enter(chapter: str, system: str, recipe: Recipe, seeds: Sequence[int]) -> None:
    """Put a system into the table, trained by the recipe from each of these seeds."""
    known("chapter with a translator", chapter, CHAPTERS)
    if not seeds:
        raise ValueError(f"{system} needs a seed to be trained from, got none")
    for seed in seeds:
        label = f"{system}, seed {seed}"
        ENTRIES[label] = Entry(chapter, system, replace(recipe, seed=seed))


def lines(until: str | None = None) -> list[Line]:
    """The table as data: what was entered by chapters up to `until`."""
    chapters: tuple[str, ...] = CHAPTERS
    if until is not None:
        known("chapter with a translator", until, chapters)
        chapters = chapters[: chapters.index(until) + 1]
    found = sorted(
        {
            e.system: e.chapter for e in ENTRIES.values() if e.chapter in chapters
        }.items(),
        key=lambda pair: chapters.index(pair[1]),
    )
    return [_line(chapter, system) for system, chapter in found]


def rows(system: str) -> list[Row]:
    """All that was measured of a system, a row for each seed."""
    known("translator", system, {entry.system for entry in ENTRIES.values()})
    measured_rows = results(NAME)
    labels = [label for label, entry in ENTRIES.items() if entry.system == system]
    return [measured_rows[label] for label in labels]


def lengths(system: str) -> list[Length]:
    """How a system's BLEU depends on the length of the source."""
    seeds = [row["lengths"] for row in rows(system)]
    return [
        Length(
            *BINS[place],
            *(
                tuple(seed[place][key] for seed in seeds)
                for key in ("bleu", "low", "high")
            ),
        )
        for place in range(len(BINS))
    ]


def _line(chapter: str, system: str) -> Line:
    found = rows(system)
    tests = [row["test BLEU"] for row in found]
    errors = [row["test AER"] for row in found if "test AER" in row]
    return Line(
        chapter, system, len(found), found[0]["parameters"],
        float(np.mean([row["seconds"] for row in found])),
        float(np.mean(tests)),
        float(np.std(tests, ddof=1)) if len(tests) > 1 else 0.0,
        float(np.mean(errors)) if errors else None,
    )  # fmt: skip


def table(until: str | None = None) -> tuple[list[str], list[list[str]]]:
    """Header and rows for `figures.Table`; see `lines`."""
    header = ["system", "parameters", "training, s", "test BLEU", "AER"]
    told = []
    for line in lines(until):
        spread = f" ± {line.spread:.1f}" if line.seeds > 1 else ""
        error = "" if line.aer is None else f"{line.aer:.3f}"
        costs = [f"{line.parameters:,}", f"{line.seconds:.0f}"]
        told.append([line.system, *costs, f"{line.bleu:.1f}{spread}", error])
    return header, told


def measured(entry: Entry) -> Row:
    """Train a translator, and ask it everything."""
    made, seconds = follow(entry.recipe)
    maker = maker_of(entry.recipe)
    if not isinstance(maker, TranslationMaker):
        raise ValueError(f"{entry.recipe.model!r} makes no translator")
    text, words = corpus(entry.recipe.data), made.vocabularies
    return {
        "parameters": maker.parameters(made.model),
        "seconds": round(seconds, 2),
        "steps": len(made.log.entries) if made.log else 0,
        "target tokens": made.log.tokens if made.log else 0,
        **{
            key: round(v, 4)
            for key, v in maker.measure(made.model, words, text).items()
        },
        "lengths": by_length(maker, made),
        "curve": curve(made.log),
    }


def by_length(maker: TranslationMaker, made: Trained) -> list[Row]:
    """BLEU of the fresh sentences, bin by bin, with a bootstrap interval."""
    written = [
        maker.decode(made.model, made.vocabularies, [pair.source for pair in pairs])
        for pairs in fresh()
    ]
    pairs = [pair for bin in fresh() for pair in bin]
    bins = bleu_by_length(
        hypotheses=[sentence for bin in written for sentence in bin],
        references=[list(pair.target) for pair in pairs],
        lengths=[len(pair.source) for pair in pairs],
        edges=[longest for _, longest in BINS],
        generator=seeds.generator(0),
        samples=SAMPLES,
    )
    return [scored(bin, "bleu") for bin in bins]


def scored(bin: LengthBin, name: str) -> Row:
    """A row of the score of a bin and its interval, the score called `name`."""
    assert bin.interval is not None
    return {
        "from": bin.shortest,
        "to": bin.longest,
        "sentences": bin.sentences,
        name: round(bin.bleu.score, 3),
        "low": round(bin.interval.low, 3),
        "high": round(bin.interval.high, 3),
    }


@cache
def fresh() -> tuple[tuple[Pair, ...], ...]:
    """For each bin, pairs whose source no translator was trained on."""
    uniform = Lengths(uniform=1.0, low=3, high=70)
    made = grammar(pairs=2500, seed=1, size="small", lengths=uniform)
    met = {pair.source for data in (PAIRS, SHORT) for pair in _all(data)}
    new = [
        p for p in (*made.train, *made.validation, *made.test) if p.source not in met
    ]
    bins = []
    for shortest, longest in BINS:
        inside = [p for p in new if shortest <= len(p.source) <= longest]
        if len(inside) < EACH:
            raise ValueError(f"only {len(inside)} of {shortest} to {longest} words")
        bins.append(tuple(inside[:EACH]))
    return tuple(bins)


def _all(data: Data) -> tuple[Pair, ...]:
    text = corpus(data)
    assert isinstance(text, PairCorpus)
    return (*text.train, *text.validation, *text.test)


def curve(log: Log | None) -> list[list[float]]:
    """The learning curve: at most POINTS pairs of a step and the mean loss until it."""
    entries = log.entries if log else []
    size = max(1, -(-len(entries) // POINTS))
    parts = [entries[k : k + size] for k in range(0, len(entries), size)]
    means = [float(np.mean([entry.loss for entry in part])) for part in parts]
    steps = [part[-1].step for part in parts]
    return [[step, round(mean, 4)] for step, mean in zip(steps, means, strict=True)]


STUDIES[NAME] = Study(
    about="BLEU, alignment error and cost of every translator of the book",
    cases=ENTRIES,
    measure=measured,
    check=None,
)

"""Alignments by jumps: how good, what the jumps are, and where they mislead."""

from collections import Counter
from collections.abc import Sequence
from itertools import pairwise

import numpy as np

from lookback.hmm_alignment import HMMAlignment
from lookback.ibm1 import IBMModel1, Words
from lookback.text.corpora import grammar
from lookback.text.corpus import Pair
from lookback.trainer.study import Experiment, Row, Study, results

from .ibm1 import (
    Diagonal,
    Links,
    apart,
    described,
    drawn,
    error,
    posterior,
    scores,
)

ITERATIONS = (0, 1, 2, 3, 4, 5, 6, 8)
EMPTY, UNIFORM = (0.05, 0.2, 0.4), (0.02, 0.2)
SHOWN = (0, 1, 5)  # iterations whose jumps are drawn
WIDEST = 4  # jumps
EDGES = (3, 6, 10, 16, 24, 40, 71)  # words of the source, by which pairs are sorted
ENOUGH = 20  # pairs with a word twice, and without: so many of a length are compared


def links(model: HMMAlignment, pairs: Sequence[Pair]) -> Links:
    return model.align_all(pairs)


def turned(pairs: Sequence[Pair]) -> list[tuple[Words, Words]]:
    return [(pair.target, pair.source) for pair in pairs]


def gold_jumps(pairs: Sequence[Pair]) -> Counter[int]:
    """Widths between sure links, of target words that have one; as the model jumps."""
    widths = Counter[int]()
    for pair in pairs:
        goes: dict[int, list[int]] = {}
        for i, j in pair.sure:
            goes.setdefault(j, []).append(i + 1)
        before = 0
        for j in sorted(goes):
            if len(goes[j]) == 1:
                widths[goes[j][0] - before] += 1
                before = goes[j][0]
    return widths


def shares(widths: Counter[int] | dict[int, float]) -> list[list[float]]:
    """The share of each width up to WIDEST, of all of them."""
    total = sum(widths.values())
    narrow = range(-WIDEST, WIDEST + 1)
    return [[w, float(widths.get(w, 0) / total)] for w in narrow]


def bits(model: HMMAlignment | IBMModel1, pairs: Sequence[Pair]) -> float:
    """Of a target word, after the last iteration."""
    words = sum(len(pair.target) for pair in pairs)
    return -model.log_likelihood[-1] / words / float(np.log(2))


def compared(pairs: int) -> Row:
    """Settings and iterations by validation; then every system on test."""
    text = grammar(pairs=pairs)
    train, held, test = text.train, text.validation, text.test
    tried = {
        (p0, u): error(links(HMMAlignment(p0, u).fit(train), held), held)
        for p0 in EMPTY
        for u in UNIFORM
    }
    p0, u = min(tried, key=tried.__getitem__)
    fits = {n: HMMAlignment(p0, u).fit(train, n) for n in ITERATIONS}
    by_n = {n: error(links(model, held), held) for n, model in fits.items()}
    best = min(by_n, key=by_n.__getitem__)
    chosen = results("ibm1")["compared"].row()  # by validation, too
    model1 = IBMModel1().fit(train, chosen["best"])
    diagonal = Diagonal(chosen["tension"]).fit(train, chosen["best"])
    found = {
        "Model 1": drawn(model1, test),
        "Model 1, near the diagonal": drawn(diagonal, test),
        "jumps all alike": links(HMMAlignment(p0, 1.0).fit(train, best), test),
        "HMM": links(fits[best], test),
    }
    near = found["Model 1, near the diagonal"]
    return {
        "pairs": len(train),
        "test pairs": len(test),
        "empty": p0,
        "uniform": u,
        "best": best,
        "test": [error(links(model, test), test) for model in fits.values()],
        "bits": [bits(model, train) for model in fits.values()],
        "systems": {name: error(a, test) for name, a in found.items()},
        "near the diagonal, less the HMM": apart(near, found["HMM"], test),
        "jumps": {str(n): shares(fits[n].jumps) for n in SHOWN},
        "gold jumps": shares(gold_jumps(test)),
        "repeats": repeats(found["Model 1"], found["HMM"], test),
        **maps(model1, fits[best], found, test),
    }  # fmt: skip


def repeats(model1: Links, hmm: Links, pairs: Sequence[Pair]) -> list[Row]:
    """By length of the source: pairs with a source word twice, and pairs without.

    Of each the number, and the error rate of both systems with its interval.
    """
    rows = []
    for low, high in pairwise(EDGES):
        row: Row = {"from": low, "to": high - 1}
        for name, repeated in (("twice", True), ("once", False)):
            inside = [
                k
                for k, p in enumerate(pairs)
                if low <= len(p.source) < high
                and (len({*p.source}) < len(p.source)) == repeated
            ]
            row[name] = {"pairs": len(inside)}
            for system, every in (("Model 1", model1), ("HMM", hmm)):
                if len(inside) >= ENOUGH:
                    some = [every[k] for k in inside], [pairs[k] for k in inside]
                    found = scores(*some)
                    row[name][system] = [found[k] for k in ("AER", "low", "high")]
        if all(row[name]["pairs"] >= ENOUGH for name in ("twice", "once")):
            rows.append(row)
    return rows


def maps(
    model1: IBMModel1,
    model: HMMAlignment,
    found: dict[str, Links],
    test: Sequence[Pair],
) -> Row:
    """A sentence with a word twice; and the first in which the HMM has two errors."""
    twice = (p for p in test if len(p.source) < 13 and p.source.count("the") == 2)
    wrong = (
        p
        for p, a in zip(test, found["HMM"], strict=True)
        if len(p.source) < 13 and len(a - p.possible) > 1
    )
    shortest = min(test, key=lambda pair: len(pair.source))  # of a few pairs
    return {
        name: {
            **described(pair),
            "Model 1": posterior(model1, pair),
            "HMM": posterior(model, pair),
        }
        for name, some in (("twice", twice), ("wrong", wrong))
        for pair in (next(some, shortest),)
    }


STUDY = Study(
    "alignments by jumps on the grammar",
    {"compared": Experiment(compared, [{"pairs": 6250}], smoke={"pairs": 50})},
)

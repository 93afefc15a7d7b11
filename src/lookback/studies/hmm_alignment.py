"""Alignments by jumps: how good, what the jumps are, and what each part of it buys."""

from collections import Counter
from collections.abc import Sequence

import numpy as np

from lookback.hmm_alignment import HMMAlignment
from lookback.ibm1 import IBMModel1, Words
from lookback.text.corpora import grammar
from lookback.text.pairs import Pair
from lookback.workshop import Row, Study, case, grid, results

from .ibm1 import (
    Diagonal,
    Link,
    Links,
    apart,
    described,
    drawn,
    error,
    errors,
    posterior,
    repeats,
    scores,
)

ITERATIONS = (0, 1, 2, 3, 4, 5, 6, 8)
EMPTY, UNIFORM = (0.05, 0.2, 0.4), (0.02, 0.2)
SHOWN = (0, 1, 2, 5)  # iterations whose jumps are kept
WIDEST = 8  # jumps
READ = (50, 200, 800, 3200)  # pairs
SEEDS = (0, 1, 2)


def links(model: HMMAlignment, pairs: Sequence[Pair]) -> Links:
    return model.align_all(pairs)


def by_posterior(model: HMMAlignment, pairs: Sequence[Pair]) -> Links:
    """For each target word its likeliest source word, or the empty word's none."""
    found: Links = []
    for pair in pairs:
        best = model.posterior(pair.source, pair.target).argmax(axis=1)
        found.append({(int(i) - 1, j) for j, i in enumerate(best) if i})
    return found


def turned(pairs: Sequence[Pair]) -> list[tuple[Words, Words]]:
    return [(pair.target, pair.source) for pair in pairs]


def backwards(model: HMMAlignment, pairs: Sequence[Pair]) -> Links:
    """The links of a model of the other direction, as (source, target)."""
    return [{(i, j) for j, i in a} for a in model.align_all(turned(pairs))]


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
    chosen = results("ibm1")["compared"]  # by validation, too
    model1 = IBMModel1().fit(train, chosen["best"])
    diagonal = Diagonal(chosen["tension"]).fit(train, chosen["best"])
    back = HMMAlignment(p0, u).fit(turned(train), best)
    there, home = links(fits[best], test), backwards(back, test)
    found = {
        "Model 1": drawn(model1, test),
        "Model 1, near the diagonal": drawn(diagonal, test),
        "jumps all alike": links(HMMAlignment(p0, 1.0).fit(train, best), test),
        "no empty word": links(HMMAlignment(0.0, u).fit(train, best), test),
        "word by word": by_posterior(fits[best], test),
        "HMM": there,
        "French to English": home,
        "both directions agree": [a & b for a, b in zip(there, home, strict=True)],
    }
    return {
        "pairs": len(train),
        "test pairs": len(test),
        "tried": [[*setting, aer] for setting, aer in tried.items()],
        "empty": p0,
        "uniform": u,
        "iterations": list(by_n),
        "validation": list(by_n.values()),
        "test": [error(links(model, test), test) for model in fits.values()],
        "bits": [bits(model, train) for model in fits.values()],
        "bits of Model 1": bits(model1, train),
        "best": best,
        "systems": {name: scores(a, test) for name, a in found.items()},
        "apart": {
            name: apart(there, a, test) for name, a in found.items() if name != "HMM"
        },
        "jumps": {str(n): shares(fits[n].jumps) for n in SHOWN if n in fits},
        "gold jumps": shares(gold_jumps(test)),
        "errors": {
            name: dict(errors(found[name], test)) for name in ("Model 1", "HMM")
        },
        "repeats": {
            name: repeats(found[name], test) for name in ("Model 1", "HMM")
        },
        **maps(model1, fits[best], found, test),
    }  # fmt: skip


def maps(
    model1: IBMModel1,
    model: HMMAlignment,
    found: dict[str, Links],
    test: Sequence[Pair],
) -> Row:
    """A sentence with a word twice; and the first in which the HMM has two errors."""
    twice = next(p for p in test if len(p.source) < 13 and p.source.count("the") == 2)
    wrong = next(
        p
        for p, a in zip(test, found["HMM"], strict=True)
        if len(p.source) < 13 and len(mistaken(a, p)) > 1
    )
    return {
        name: {
            **described(pair),
            "Model 1": posterior(model1, pair),
            "HMM": posterior(model, pair),
            "links": sorted(map(list, model.align(pair.source, pair.target))),
        }
        for name, pair in (("twice", twice), ("wrong", wrong))
    }


def mistaken(links: set[Link], pair: Pair) -> set[Link]:
    """Links that are not possible."""
    return links - pair.possible


def learning(pairs: int, seed: int, read: Sequence[int] = READ) -> Row:
    """The test error rate after more and more pairs, in the order of a seed."""
    text = grammar(pairs=pairs)
    order = np.random.default_rng(seed).permutation(len(text.train))
    row: Row = {"pairs": [], "Model 1": [], "HMM": []}
    for many in read:
        some = [text.train[i] for i in order[:many]]
        row["pairs"].append(len(some))
        model1, hmm = IBMModel1().fit(some, 5), HMMAlignment().fit(some)
        row["Model 1"].append(error(drawn(model1, text.test), text.test))
        row["HMM"].append(error(links(hmm, text.test), text.test))
    return row


STUDY = Study(
    about="alignments by jumps on the grammar",
    cases={
        "compared": case(compared, pairs=6250),
        **grid("pairs read, seed {seed}", learning, pairs=[6250], seed=SEEDS),
    },
    check=case(learning, pairs=250, seed=0, read=(100, 200)),
)

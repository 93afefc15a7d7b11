"""Symmetrised alignments, and the phrase tables that are extracted from them."""

from collections import Counter
from collections.abc import Sequence

from lookback.hmm_alignment import HMMAlignment
from lookback.ibm1 import Words
from lookback.phrases import (
    PhraseTable,
    extract_phrases,
    flipped,
    grow_diag_final,
    symmetrise,
)
from lookback.text.corpora import grammar, multi30k
from lookback.text.corpus import Pair
from lookback.trainer.study import Experiment, Row, Study

from .hmm_alignment import turned
from .ibm1 import Link, Links, apart, described, scores

Span = tuple[int, int]

BEST = "grow-diag-final-and"
EMPTY, ITERATIONS = 0.05, 2
DIRECTIONS = ("English to French", "French to English")
HOW = ("intersection", "union", BEST)
LENGTHS, LONGEST = range(1, 8), 7  # words of a phrase
SHOWN = ("of the", "does not")  # phrases whose translations are listed
KEPT = 60  # test pairs: of those where BEST is not the union, the links are kept


def both_ways(train: Sequence[Pair]) -> tuple[HMMAlignment, HMMAlignment]:
    """Models of both directions, as validation chose them in `hmm_alignment`."""
    there = HMMAlignment(empty=EMPTY).fit(train, ITERATIONS)
    return there, HMMAlignment(empty=EMPTY).fit(turned(train), ITERATIONS)


def aligned(
    models: tuple[HMMAlignment, HMMAlignment], pairs: Sequence[Pair]
) -> tuple[Links, Links]:
    """The links of both directions, all as (source, target)."""
    there, back = models
    home = [flipped(a) for a in back.align_all(turned(pairs))]
    return there.align_all(pairs), home


def joined(both: tuple[Links, Links], how: str = BEST) -> Links:
    return [symmetrise(a, b, how) for a, b in zip(*both, strict=True)]


def symmetrised(pairs: int) -> Row:
    """All ways to join two directions, on pairs of the grammar."""
    text = grammar(pairs=pairs)
    train, test = text.train, text.test
    models = both_ways(train)
    both, read = aligned(models, test), aligned(models, train)
    directions = dict(
        zip(("English to French", "French to English"), both, strict=True)
    )
    found = directions | {how: joined(both, how) for how in HOW}
    of_train = dict(zip(directions, read, strict=True))
    of_train |= {how: joined(read, how) for how in HOW}
    kept = zip(test[:KEPT], *both, strict=False)
    return {
        "pairs": len(train),
        "test pairs": len(test),
        "systems": {name: scores(a, test) for name, a in found.items()},
        "apart": apart(found[BEST], found[DIRECTIONS[0]], test),
        "phrases": {name: phrases_of(train, a) for name, a in of_train.items()},
        "not the union": [
            [len(p.source), len(p.target), written(a), written(b)]
            for p, a, b in kept
            if symmetrise(a, b, BEST) != a | b
        ],
        "grown": grown(test, both),
    }


def phrases_of(pairs: Sequence[Pair], links: Links) -> list[int]:
    """Phrase pairs of up to seven words: different ones; all; how many are right."""
    every = good = 0
    for pair, a in zip(pairs, links, strict=True):
        found = extract_phrases(a, len(pair.source), len(pair.target), LONGEST)
        every += len(found)
        good += sum(right(pair, phrase) for phrase in found)
    return [len(PhraseTable.fit(pairs, links, at_most=None)), every, good]


def written(links: set[Link]) -> str:
    """As files of alignments have them: 0-0 1-2."""
    return " ".join(f"{i}-{j}" for i, j in sorted(links))


def grown(pairs: Sequence[Pair], both: tuple[Links, Links]) -> Row:
    """A short pair whose links come by all three steps, and are right in the end."""
    for pair, a, b in zip(pairs, *both, strict=True):
        steps = list(grow_diag_final(a, b))
        names = Counter(name for name, _ in steps)
        links = {link for _, link in steps}
        right = pair.sure <= links <= pair.possible
        if len(pair.source) < 13 and right and names["grow-diag"] > 1 < len(names):
            both_rows = {"there": sorted(map(list, a)), "back": sorted(map(list, b))}
            return {**described(pair), **both_rows, "wrong": len((a | b) - links)}
    return {}


def right(pair: Pair, phrase: tuple[Span, Span]) -> bool:
    """Is the phrase pair consistent with gold: no sure link leaves it?"""
    (i, end), (j, stop) = phrase
    sides = [(i <= a < end, j <= b < stop) for a, b in pair.sure]
    return all(a == b for a, b in sides) and any(
        i <= a < end and j <= b < stop for a, b in pair.possible
    )


def tables(corpus: str, pairs: int | None = None) -> Row:
    """A phrase table, how much of the test sentences it holds, and some options."""
    text = multi30k() if corpus == "multi30k" else grammar(pairs=pairs or 0)
    train, test = text.train, text.test
    links = joined(aligned(both_ways(train), train))
    table = PhraseTable.fit(train, links, at_most=None)
    phrases = set(table)
    return {
        "pairs": len(train),
        "phrase pairs": len(table),
        "of four words and more": sum(
            len(table.options(f)) for f in table if len(f) > 3
        ),
        "covered": [covered(test, phrases, n) for n in LENGTHS],
        "pieces": {str(n): pieces(test, phrases, n) for n in (3, LONGEST)},
        "options": {
            phrase: [" ".join(o.target) for o in table.options(phrase.split())[:4]]
            for phrase in (SHOWN if corpus == "grammar" else ())
        },
    }


def covered(test: Sequence[Pair], phrases: set[Words], n: int) -> float:
    """The share of all runs of n words of the test sources that are in the table."""
    runs = [p.source[i : i + n] for p in test for i in range(len(p.source) - n + 1)]
    return sum(run in phrases for run in runs) / len(runs)


def pieces(test: Sequence[Pair], phrases: set[Words], most: int) -> float:
    """Words a piece, each sentence being cut from the left into longest pieces."""
    words = cuts = 0
    for pair in test:
        at = 0
        while at < len(pair.source):
            ends = range(min(most, len(pair.source) - at), 0, -1)
            at += next((n for n in ends if pair.source[at : at + n] in phrases), 1)
            cuts += 1
        words += len(pair.source)
    return words / cuts


STUDY = Study(
    "symmetrised alignments and phrase tables",
    {
        "joined": Experiment(symmetrised, [{"pairs": 6250}], smoke={"pairs": 120}),
        "tables": Experiment(
            tables,
            [{"corpus": "grammar", "pairs": 6250}, {"corpus": "multi30k"}],
            smoke={"corpus": "grammar", "pairs": 120},
        ),
    },
)

"""Symmetrised alignments, and the phrase tables that are extracted from them."""

from collections import Counter
from collections.abc import Sequence

import numpy as np

from lookback.hmm_alignment import HMMAlignment
from lookback.ibm1 import Words
from lookback.measure import wilson_interval
from lookback.phrases import (
    HOW,
    PhrasePair,
    PhraseTable,
    extract_phrases,
    flipped,
    growth,
    lexical_weights,
    symmetrise,
    word_table,
)
from lookback.text.corpora import grammar, multi30k
from lookback.text.pairs import Pair
from lookback.workshop import Row, Study, case

from .hmm_alignment import shares, turned
from .ibm1 import Link, Links, apart, described, scores

BEST = "grow-diag-final-and"
EMPTY, ITERATIONS = 0.05, 2
LENGTHS = range(1, 8)
SHORT = 4  # words of a phrase that is compared with gold
GRAMMAR = ("the minister", "does not", "the european union", "of the", "not")
CAPTIONS = ("a man", "is wearing", "in front of", "t-shirt", "hard hat", "sitting on")
SIZES = ((3, 3), (4, 4), (3, 2))  # words of both sides whose lexical weights are judged
KEPT = 60  # test pairs whose links of both directions are kept


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
    found = {"English to French": both[0], "French to English": both[1]}
    found |= {how: joined(both, how) for how in HOW}
    tables = {how: joined(read, how) for how in HOW}
    sizes = {how: size(train, a) for how, a in tables.items()}
    best = tables[BEST]
    return {
        "pairs": len(train),
        "test pairs": len(test),
        "systems": {
            name: scores(a, test) | {"links": sum(map(len, a))}
            for name, a in found.items()
        },
        "apart": {
            name: apart(found[BEST], a, test)
            for name, a in found.items()
            if name != BEST
        },
        "phrases": sizes,
        "lexical": lexical(train, best),
        "kept": [
            [len(p.source), len(p.target), written(a), written(b)]
            for p, a, b in zip(test[:KEPT], *both, strict=False)
        ],
        "grown": grown(test, both),
    }  # fmt: skip


def size(pairs: Sequence[Pair], links: Links) -> int:
    """Different phrase pairs of up to seven words."""
    return len(PhraseTable.fit(pairs, links, at_most=None))


def written(links: set[Link]) -> str:
    """As files of alignments have them: 0-0 1-2."""
    return " ".join(f"{i}-{j}" for i, j in sorted(links))


def grown(pairs: Sequence[Pair], both: tuple[Links, Links]) -> Row:
    """A short pair whose links come by all three steps, and are right in the end."""
    for pair, a, b in zip(pairs, *both, strict=True):
        steps = list(growth(a, b))
        names = Counter(name for name, _ in steps)
        links = {link for _, link in steps}
        right = pair.sure <= links <= pair.possible
        if len(pair.source) < 13 and right and names["grow-diag"] > 1 < len(names):
            both_rows = {"there": sorted(map(list, a)), "back": sorted(map(list, b))}
            return {**described(pair), **both_rows, "wrong": len((a | b) - links)}
    return {}


def right(pair: Pair, phrase: PhrasePair) -> bool:
    """Is the phrase pair consistent with gold: no sure link leaves it?"""
    (i, end), (j, stop) = phrase
    sides = [(i <= a < end, j <= b < stop) for a, b in pair.sure]
    return all(a == b for a, b in sides) and any(
        i <= a < end and j <= b < stop for a, b in pair.possible
    )


def lexical(
    train: Sequence[Pair],
    links: Links,
    sizes: Sequence[tuple[int, int]] = SIZES,
    parts: int = 4,
) -> list[Row]:
    """Of pairs seen once whose φ(e | f) is 1, by size: how many are right, by lex.

    Pairs of one size are sorted by lex and cut into so many parts of similar size,
    since a product over more words is smaller.
    """
    count, by_f = Counter[tuple[Words, Words]](), Counter[Words]()
    once: dict[tuple[Words, Words], tuple[float, bool]] = {}
    w = word_table(train, links)
    for pair, a in zip(train, links, strict=True):
        weights = lexical_weights(pair.source, pair.target, a, w)
        S, T = len(pair.source), len(pair.target)
        for phrase in extract_phrases(a, S, T, SHORT):
            (i, end), (j, stop) = phrase
            f, e = pair.source[i:end], pair.target[j:stop]
            count[f, e] += 1
            by_f[f] += 1
            lex = float(np.prod(weights[j:stop]))
            once[f, e] = lex, right(pair, phrase)
    some = [k for k, n in count.items() if n == by_f[k[0]] == 1]
    rows: list[Row] = []
    for size in sizes:
        found = sorted(once[f, e] for f, e in some if (len(f), len(e)) == size)
        shares = []
        for part in np.array_split([ok for _, ok in found], parts):
            n = np.array([max(1, len(part))])
            share = np.array([part.sum()]) / n
            ends = (share, *wilson_interval(share, n.astype(float)))
            shares.append([float(x[0]) for x in ends])
        rows.append({"words": [*size], "pairs": len(found), "right": shares})
    return rows


def tables(corpus: str, shown: Sequence[str], pairs: int | None = None) -> Row:
    """Phrase tables by length, and how much of the test sentences they hold."""
    text = multi30k() if corpus == "multi30k" else grammar(pairs=pairs or 0)
    train, test = text.train, text.test
    models = both_ways(train)
    links = joined(aligned(models, train))
    table = PhraseTable.fit(train, links, at_most=None)
    phrases = set(table)
    return {
        "pairs": len(train),
        "source phrases": len(phrases),
        "phrase pairs": len(table),
        "by length": by_length(table),
        "covered": {str(n): covered(test, phrases, n) for n in LENGTHS},
        "pieces": {str(n): pieces(test, phrases, n) for n in LENGTHS},
        "jumps": shares(models[0].jumps),
        "options": {phrase: options(table, phrase) for phrase in shown},
    }


def by_length(table: PhraseTable) -> list[int]:
    """Phrase pairs by the words of their source phrase, from 1."""
    many = Counter[int]()
    for f in table:
        many[len(f)] += len(table.options(f))
    return [many[n] for n in LENGTHS]


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


def options(table: PhraseTable, phrase: str) -> list[list[object]]:
    """Its best options: words, and the four probabilities."""
    return [
        [" ".join(o.target), *map(float, np.exp(o.scores))]
        for o in table.options(phrase.split())[:4]
    ]


STUDY = Study(
    about="symmetrised alignments and phrase tables",
    cases={
        "symmetrised": case(symmetrised, pairs=6250),
        "grammar": case(tables, corpus="grammar", shown=GRAMMAR, pairs=6250),
        "Multi30k": case(tables, corpus="multi30k", shown=CAPTIONS),
    },
    check=case(tables, corpus="grammar", shown=("the minister",), pairs=250),
)

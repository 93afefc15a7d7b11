"""Phrases: what to translate as one piece, learned from aligned words.

The alignments of both directions are joined into one (`symmetrise`). A phrase pair is
consistent with it if at least one link is inside the pair and no link leaves it. The
phrase table holds the consistent pairs of all sentences. Och, Tillmann and Ney 1999;
Koehn, Och and Marcu 2003. f is a phrase of the source, e one of the target: any words
next to each other, whether or not a grammar calls them a phrase. The numbers of
equations are those of the chapter.
"""

import math
from array import array
from collections import Counter, defaultdict
from collections.abc import Collection, Iterable, Iterator, Sequence
from itertools import accumulate, pairwise
from typing import NamedTuple, Self

import numpy as np

from lookback.checks import one_of, whole
from lookback.ibm1 import Indices, Numbers, Pairs, Words, as_pairs
from lookback.ngram import as_words

__all__ = [
    "HOW",
    "SCORES",
    "Option",
    "PhrasePair",
    "PhraseTable",
    "extract_phrases",
    "flipped",
    "growth",
    "lexical_weights",
    "phrase_table",
    "symmetrise",
    "widened",
    "word_table",
]

Link = tuple[int, int]  # a source position and a target position, from 0
Span = tuple[int, int]  # the first position, and the one after the last
HOW = ("intersection", "union", "grow-diag", "grow-diag-final", "grow-diag-final-and")
SCORES = ("phi(f|e)", "lex(f|e)", "phi(e|f)", "lex(e|f)")
AROUND = ((-1, 0), (0, -1), (1, 0), (0, 1), (-1, -1), (-1, 1), (1, -1), (1, 1))


def flipped(links: Iterable[Link]) -> set[Link]:
    """The links of a model from target to source, as (source, target)."""
    return {(i, j) for j, i in links}


def growth(
    forward: Collection[Link],
    backward: Collection[Link],
    how: str = "grow-diag-final-and",
) -> Iterator[tuple[str, Link]]:
    """The links of `symmetrise` in the order in which they join, each with its step.

    intersection  both directions have it
    grow-diag     one direction has it; a link next to it, also diagonally, has joined;
                  and its source word or its target word has no link so far
    final         one direction has it, and its source word or its target word has no
                  link so far; with "final-and", both have none
    """
    one_of(HOW, how=how)
    _check_links(forward=forward, backward=backward)
    forward, backward = set(forward), set(backward)
    union = sorted(forward | backward, key=lambda link: link[::-1])
    linked: set[Link] = set()
    rows: set[int] = set()
    columns: set[int] = set()

    def join(i: int, j: int) -> Link:
        linked.add((i, j))
        rows.add(i)
        columns.add(j)
        return i, j

    def free(i: int, j: int) -> int:  # how many of the two words have no link so far
        return (i not in rows) + (j not in columns)

    first = "union" if how == "union" else "intersection"
    for link in union:
        if first == "union" or link in forward & backward:
            yield first, join(*link)
    more = how.startswith("grow")
    while more:
        more = False
        for i, j in union:
            for di, dj in AROUND if (i, j) in linked else ():
                near = i + di, j + dj
                if (near in forward or near in backward) and free(*near):
                    more = True
                    yield "grow-diag", join(*near)
    least = 2 if how.endswith("and") else 1
    for links in (forward, backward) if "final" in how else ():
        for link in union:
            if link in links and free(*link) >= least:
                yield "final", join(*link)


def symmetrise(
    forward: Collection[Link],
    backward: Collection[Link],
    how: str = "grow-diag-final-and",
) -> set[Link]:
    """One alignment from those of two directions.   Koehn et al. 2005.

    forward, backward  links (source, target) of both; see `flipped`
    how                one of HOW; `growth` says what they mean
    """
    return {link for _, link in growth(forward, backward, how)}


def _check_links(**sides: Collection[Link]) -> None:
    """Refuse what is no link: a pair of whole numbers ≥ 0."""
    for name, links in sides.items():
        for link in links:
            pair = isinstance(link, tuple) and len(link) == 2
            if not pair or any(type(n) is not int or n < 0 for n in link):
                raise ValueError(
                    f"{name} holds {link!r}: expected links (source, target), two "
                    "whole numbers ≥ 0"
                )


def _check_inside(links: Collection[Link], S: int, T: int, where: str = "") -> None:
    """Refuse links that are outside of a sentence of S and T words."""
    _check_links(**{f"the alignment{where}": links})
    for i, j in links:
        if i >= S or j >= T:
            raise ValueError(
                f"the alignment{where} has the link {(i, j)}: expected a source "
                f"position < {S} and a target position < {T}"
            )


class PhrasePair(NamedTuple):
    """A span of the source and a span of the target: (first, after the last) each."""

    source: Span
    target: Span


def extract_phrases(
    alignment: Collection[Link], S: int, T: int, max_length: int | None = None
) -> list[PhrasePair]:
    """All phrase pairs that are consistent with the alignment.   Och et al. 1999.

    That is: at least one link is inside, and no link goes from a word inside to a word
    outside. In this form: Koehn, Och and Marcu 2003.

    alignment   links (source, target) of a sentence of S and T words
    max_length  of either phrase, in words; None: no limit
    """
    whole(1, S=S, T=T)
    if max_length is not None:
        whole(1, max_length=max_length)
    _check_inside(alignment, S, T)
    most = max_length or max(S, T)
    targets: list[list[int]] = [[] for _ in range(S)]
    sources: list[list[int]] = [[] for _ in range(T)]
    for i, j in alignment:
        targets[i].append(j)
        sources[j].append(i)
    found = []
    for i in range(S):
        for end in range(i + 1, min(S, i + most) + 1):
            there = [j for k in range(i, end) for j in targets[k]]
            if not there:
                continue
            begin, stop = min(there), max(there) + 1
            if stop - begin > most:
                break
            back = [k for j in range(begin, stop) for k in sources[j]]
            if i <= min(back) and max(back) < end:  # (1)
                spans = widened(begin, stop, sources, most)
                found += [PhrasePair((i, end), span) for span in spans]
    return found


def widened(
    begin: int, stop: int, sources: Sequence[Sequence[int]], most: int
) -> list[Span]:
    """A target span, and wider ones that add words without a link at its ends."""
    begins, stops = [begin], [stop]
    while begins[-1] > 0 and not sources[begins[-1] - 1]:
        begins.append(begins[-1] - 1)
    while stops[-1] < len(sources) and not sources[stops[-1]]:
        stops.append(stops[-1] + 1)
    return [(b, s) for b in begins for s in stops if s - b <= most]


def word_table(
    pairs: Pairs, alignments: Iterable[Collection[Link]]
) -> dict[tuple[str, str | None], float]:
    """w(e | f) = count(f, e) / Σ_e' count(f, e'), of links.   Koehn et al. 2003, 4.4.

    A word e that has no link is counted as (e, None).
    """
    count: defaultdict[tuple[str, str | None], int] = defaultdict(int)
    total: defaultdict[str | None, int] = defaultdict(int)
    for (source, target), links in zip(as_pairs(pairs), alignments, strict=True):
        free = set(range(len(target))) - {j for _, j in links}
        found = [(target[j], source[i]) for i, j in links]
        for e, f in [*found, *((target[j], None) for j in free)]:
            count[e, f] += 1
            total[f] += 1
    return {(e, f): n / total[f] for (e, f), n in count.items()}  # (3)


def lexical_weights(
    source: Words,
    target: Words,
    links: Collection[Link],
    w: dict[tuple[str, str | None], float],
) -> list[float]:
    """The mean of w(e_j | f_i) over the links of each target word: factors of (4).

    Of a word without links it is w(e_j | None). The product is the lexical weight of
    the target phrase.   Koehn et al. 2003, 4.4.
    """
    by_word: list[list[float]] = [[] for _ in target]
    for i, j in links:
        by_word[j].append(w[target[j], source[i]])
    means = zip(target, by_word, strict=True)
    return [math.fsum(ws) / len(ws) if ws else w[e, None] for e, ws in means]


def phrase_table(
    pairs: Pairs, alignments: Sequence[Collection[Link]], max_length: int = 7
) -> dict[Words, dict[Words, tuple[float, ...]]]:
    """All f of aligned sentences, and for each e its four SCORES as probabilities.

    φ(e | f) = count(f, e) / Σ_e' count(f, e').   Koehn, Och and Marcu 2003.
    A pair that was seen with several alignments has its largest lexical weight.
    """
    pairs = as_pairs(pairs)
    w = word_table(pairs, alignments)
    w_back = word_table([(e, f) for f, e in pairs], map(flipped, alignments))
    c: Counter[tuple[Words, Words]] = Counter()
    c_f: Counter[Words] = Counter()
    c_e: Counter[Words] = Counter()
    lex: dict[tuple[Words, Words], tuple[float, float]] = {}
    for (f, e), links in zip(pairs, alignments, strict=True):
        on_e = lexical_weights(f, e, links, w)
        on_f = lexical_weights(e, f, flipped(links), w_back)
        for (i, end), (j, stop) in extract_phrases(links, len(f), len(e), max_length):
            pair = f[i:end], e[j:stop]
            c[pair] += 1
            c_f[pair[0]] += 1
            c_e[pair[1]] += 1
            lex_f, lex_e = math.prod(on_f[i:end]), math.prod(on_e[j:stop])  # (4)
            most = lex.get(pair, (0.0, 0.0))
            lex[pair] = max(lex_f, most[0]), max(lex_e, most[1])
    table: defaultdict[Words, dict[Words, tuple[float, ...]]] = defaultdict(dict)
    for (f, e), n in c.items():
        lex_f, lex_e = lex[f, e]
        table[f][e] = n / c_e[e], lex_f, n / c_f[f], lex_e  # (2)
    return dict(table)


class Option(NamedTuple):
    """A translation, and the logarithms of its four SCORES in their order."""

    target: tuple[str, ...]
    scores: tuple[float, ...]


class PhraseTable:
    """Phrase pairs and how good they are: φ and lexical weights, both ways.

    φ(e | f) = count(f, e) / Σ_e' count(f, e').   Koehn, Och and Marcu 2003.
    A pair that was seen with several alignments has its largest lexical weight.

    max_length  of a phrase, in words

    >>> pairs = [(["the", "house"], ["la", "maison"])]
    >>> table = PhraseTable.fit(pairs, [{(0, 0), (1, 1)}])
    >>> table.options(("the", "house"))
    (Option(target=('la', 'maison'), scores=(0.0, 0.0, 0.0, 0.0)),)
    """

    def __init__(
        self,
        rows: dict[Words, Span],
        targets: Sequence[Words],
        scores: Numbers,
        max_length: int,
    ) -> None:
        """Options rows[f][0] … rows[f][1] - 1 are those of f, the best first."""
        self._rows, self._targets, self._scores = rows, targets, scores
        self.max_length = max_length

    @classmethod
    def fit(
        cls,
        pairs: Pairs,
        alignments: Iterable[Collection[Link]],
        max_length: int = 7,
        at_most: int | None = 20,
        at_least: int = 1,
    ) -> Self:
        """Count the phrase pairs of aligned sentences.

        pairs       (source words, target words), or objects that hold them by name
        alignments  for each pair its links (source position, target position)
        at_most     so many options of each f are kept, by φ(e | f); None: all
        at_least    pairs that were seen less often are left out
        Raises ValueError for other numbers of alignments, links outside of a sentence,
        and alignments without any link.
        """
        whole(1, max_length=max_length, at_least=at_least)
        if at_most is not None:
            whole(1, at_most=at_most)
        text = as_pairs(pairs)
        points = [frozenset(links) for links in _of_pairs(text, alignments)]
        f_ids, e_ids, seen, lex = _occurrences(text, points, max_length)
        if not f_ids:
            raise ValueError("no pair has a phrase: expected alignments with links")
        f_of, e_of, scores, times = _scored(seen, lex, len(e_ids))
        best = np.lexsort((e_of, -scores[:, 3], -scores[:, 2], f_of))
        best = best[times[best] >= at_least]
        many = np.bincount(f_of[best], minlength=len(f_ids))
        rank = np.arange(len(best)) - np.repeat(np.cumsum(many) - many, many)
        best = best[rank < (at_most or len(best))]
        ends = np.cumsum(np.bincount(f_of[best], minlength=len(f_ids))).tolist()
        spans = zip(f_ids, pairwise([0, *ends]), strict=True)
        rows = {f: (begin, end) for f, (begin, end) in spans if begin < end}
        phrases = list(e_ids)
        targets = [phrases[n] for n in e_of[best].tolist()]
        return cls(rows, targets, scores[best], max_length)

    def __len__(self) -> int:
        """How many phrase pairs it holds."""
        return len(self._targets)

    def __iter__(self) -> Iterator[Words]:
        """The source phrases."""
        return iter(self._rows)

    def options(self, phrase: Sequence[str]) -> tuple[Option, ...]:
        """The translations of f, those of the largest φ(e | f) first; () if none."""
        begin, end = self._rows.get(as_words(phrase), (0, 0))
        found = zip(self._targets[begin:end], self._scores[begin:end], strict=True)
        return tuple(Option(e, tuple(scores.tolist())) for e, scores in found)


def _occurrences(
    text: Sequence[tuple[Words, Words]],
    alignments: Sequence[frozenset[Link]],
    max_length: int,
) -> tuple[dict[Words, int], dict[Words, int], Indices, Numbers]:
    """An id for each f and for each e; and for each occurrence of a phrase pair

    seen  (2, n)  the ids of its f and its e
    lex   (2, n)  its log lex(f | e) and log lex(e | f)
    """
    there = word_table(text, alignments)
    back = word_table([(e, f) for f, e in text], map(flipped, alignments))
    f_ids: dict[Words, int] = {}
    e_ids: dict[Words, int] = {}
    seen = array("q"), array("q")
    lex = array("d"), array("d")
    for (f, e), links in zip(text, alignments, strict=True):
        # No link of a phrase leaves it, so that a word has one weight in all phrases,
        # and differences of running sums are the weights of phrases.
        on_f = _running(lexical_weights(e, f, flipped(links), back))
        on_e = _running(lexical_weights(f, e, links, there))
        found = extract_phrases(links, len(f), len(e), max_length)
        for (i, end), (j, stop) in found:
            seen[0].append(f_ids.setdefault(f[i:end], len(f_ids)))
            seen[1].append(e_ids.setdefault(e[j:stop], len(e_ids)))
            lex[0].append(on_f[end] - on_f[i])
            lex[1].append(on_e[stop] - on_e[j])
    return f_ids, e_ids, np.array(seen, np.int64), np.array(lex)


def _scored(
    seen: Indices, lex: Numbers, E: int
) -> tuple[Indices, Indices, Numbers, Indices]:
    """The different phrase pairs: f (P,), e (P,), SCORES (P, 4), how often (P,)."""
    keys = seen[0] * E + seen[1]
    order = np.argsort(keys, kind="stable")
    keys, begin, count = np.unique(keys[order], return_index=True, return_counts=True)
    f, e = np.divmod(keys, E)
    phi = [np.log(count / np.bincount(side, count)[side]) for side in (e, f)]
    most = np.maximum.reduceat(lex[:, order], begin, axis=1).clip(max=0)
    return f, e, np.stack([phi[0], most[0], phi[1], most[1]], axis=1), count


def _of_pairs(
    pairs: Sequence[tuple[Words, Words]], alignments: Iterable[Collection[Link]]
) -> list[Collection[Link]]:
    """The links of each pair.

    Raises ValueError if they do not fit.
    """
    found = list(alignments)
    if len(found) != len(pairs):
        raise ValueError(f"{len(found)} alignments for {len(pairs)} pairs")
    for n, ((f, e), links) in enumerate(zip(pairs, found, strict=True)):
        _check_inside(links, len(f), len(e), f" of pair {n}")
    return found


def _running(weights: Iterable[float]) -> list[float]:
    """0, and the sums of the logarithms of the first, of the first two, …"""
    return [0.0, *accumulate(map(math.log, weights))]

"""Phrases: what to translate as one piece, learned from aligned words.

The alignments of both directions are joined into one (`symmetrise`). A phrase pair is
consistent with it if at least one link is inside the pair and no link leaves it. The
phrase table holds the consistent pairs of all sentences. Och, Tillmann and Ney 1999;
Koehn, Och and Marcu 2003. f is a phrase of the source, e one of the target: any words
next to each other, whether or not a grammar calls them a phrase. The numbers of
equations are those of the chapter.
"""

import math
from collections import Counter, defaultdict
from collections.abc import Collection, Iterable, Iterator, Sequence
from typing import NamedTuple, Self

from lookback.checks import one_of, whole
from lookback.fast.phrases import counted
from lookback.ibm1 import Numbers, Pairs, Words, as_pairs
from lookback.ngram import as_words

__all__ = [
    "HOW",
    "SCORES",
    "Option",
    "PhrasePair",
    "PhraseTable",
    "extract_phrases",
    "flipped",
    "grow_diag_final",
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


def grow_diag_final(
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
    how                one of HOW; `grow_diag_final` says what they mean
    """
    return {link for _, link in grow_diag_final(forward, backward, how)}


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
    Raises ValueError for a link outside of the sentence.
    """
    check_links(alignment, S, T)
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


def check_links(alignment: Collection[Link], S: int, T: int) -> None:
    """Refuse a link outside of a sentence: a negative one would count from its end."""
    for i, j in alignment:
        if not (0 <= i < S and 0 <= j < T):
            raise ValueError(
                f"the alignment has the link {(i, j)}: expected a source position < "
                f"{S} and a target position < {T}, from 0"
            )


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


def weighed(
    pairs: Pairs, alignments: Iterable[Collection[Link]], max_length: int
) -> Iterator[tuple[Words, Words, list[float], list[float], list[PhrasePair]]]:
    """Of each pair f and e, the factors of (4) for each f_i and e_j, its phrase pairs.

    No link leaves a phrase pair, so a word has the same factor in all that hold it.
    """
    pairs, alignments = as_pairs(pairs), list(alignments)
    for (f, e), links in zip(pairs, alignments, strict=True):
        check_links(links, len(f), len(e))
    w = word_table(pairs, alignments)
    w_back = word_table([(e, f) for f, e in pairs], map(flipped, alignments))
    for (f, e), links in zip(pairs, alignments, strict=True):
        on_f = lexical_weights(e, f, flipped(links), w_back)
        on_e = lexical_weights(f, e, links, w)
        yield f, e, on_f, on_e, extract_phrases(links, len(f), len(e), max_length)


def phrase_table(
    pairs: Pairs, alignments: Iterable[Collection[Link]], max_length: int = 7
) -> dict[Words, dict[Words, tuple[float, ...]]]:
    """All f of aligned sentences, and for each e its four SCORES as probabilities.

    φ(e | f) = count(f, e) / Σ_e' count(f, e').   Koehn, Och and Marcu 2003.
    A pair that was seen with several alignments has its largest lexical weight.
    """
    c: Counter[tuple[Words, Words]] = Counter()
    c_f: Counter[Words] = Counter()
    c_e: Counter[Words] = Counter()
    lex: dict[tuple[Words, Words], tuple[float, float]] = {}
    for f, e, on_f, on_e, found in weighed(pairs, alignments, max_length):
        for (i, end), (j, stop) in found:
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

    What `phrase_table` computes, as logarithms; of each f the best are kept.

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
        found = weighed(pairs, alignments, max_length)
        return cls(*counted(found, at_most, at_least), max_length)

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

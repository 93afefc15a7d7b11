"""One iteration of EM for IBM Model 1."""

from collections import defaultdict
from collections.abc import Mapping, Sequence

from .judge import Case, Exercise

Words = Sequence[str]
Pairs = Sequence[tuple[Sequence[str | None], Words]]
Key = tuple[str, str | None]
Table = Mapping[Key, float]


def em_step(pairs: Pairs, t: Table) -> dict[Key, float]:
    """The next t(f | e), from expected counts under this one.

    pairs  (source words e, target words f); a source begins with None, the empty word
    t      t[f, e] = P(f | e) for all words of a pair
    →  dict with the same keys
    """
    return normalised(expected(pairs, t), by=1)


def expected(pairs: Pairs, t: Table) -> dict[Key, float]:
    """c(f, e): how often f is expected to have come from e."""
    counts: dict[Key, float] = defaultdict(float)
    for source, target in pairs:
        for f in target:
            row = sum(t[f, e] for e in source)
            for e in source:
                counts[f, e] += t[f, e] / row
    return counts


def normalised(counts: dict[Key, float], by: int) -> dict[Key, float]:
    total: dict[str | None, float] = defaultdict(float)
    for key, n in counts.items():
        total[key[by]] += n
    return {key: n / total[key[by]] for key, n in counts.items()}


def likeliest_alone(pairs: Pairs, t: Table) -> dict[Key, float]:
    """only the likeliest source word is counted: each gets its share P(e | f)"""
    counts: dict[Key, float] = {
        (f, e): 0.0 for s, words in pairs for f in words for e in s
    }
    for source, target in pairs:
        for f in target:
            counts[f, max(source, key=lambda e: t[f, e])] += 1
    total: dict[str | None, float] = defaultdict(float)
    for (_, e), n in counts.items():
        total[e] += n
    return {(f, e): n / (total[e] or 1) for (f, e), n in counts.items()}


def no_empty_word(pairs: Pairs, t: Table) -> dict[Key, float]:
    """the empty word takes no part: None is a source word, too"""
    return {
        **dict.fromkeys(t, 0.0),
        **em_step([(s[1:], words) for s, words in pairs], t),
    }


def over_targets(pairs: Pairs, t: Table) -> dict[Key, float]:
    """t is divided by its sum over the target words: e is asked for, so sum over e"""
    counts: dict[Key, float] = defaultdict(float)
    for source, target in pairs:
        for e in source:
            row = sum(t[f, e] for f in target)
            for f in target:
                counts[f, e] += t[f, e] / row
    return normalised(counts, by=1)


def not_divided(pairs: Pairs, t: Table) -> dict[Key, float]:
    """expected counts are returned: divide them by their sum for each e"""
    return expected(pairs, t)


def divided_by_f(pairs: Pairs, t: Table) -> dict[Key, float]:
    """counts are divided by their sum for each f: t(f | e) sums to 1 for each e"""
    return normalised(expected(pairs, t), by=0)


def each_word_once(pairs: Pairs, t: Table) -> dict[Key, float]:
    """a word that occurs twice in a sentence is counted once"""
    return em_step([(s, [*dict.fromkeys(words)]) for s, words in pairs], t)


def cases() -> list[Case]:
    texts = (("the house", "la maison"), ("the flower", "la fleur"),
             ("a house of a house", "une maison de maison"))  # fmt: skip
    pairs = [([None, *e.split()], f.split()) for e, f in texts]
    keys = sorted({(f, e) for s, t in pairs for f in t for e in s}, key=str)
    flat = dict.fromkeys(keys, 1 / len({f for f, _ in keys}))
    two = {key: flat[key] for key in expected(pairs[:2], flat)}
    counts: dict[Key, float] = {key: 1.0 + n % 5 for n, key in enumerate(keys)}
    return [
        Case("two pairs", (pairs[:2], two)),
        Case("three pairs", (pairs, flat)),
        Case("another t", (pairs, normalised(counts, by=1))),
    ]


EXERCISE = Exercise(
    em_step,
    ("t",),
    cases,
    [likeliest_alone, no_empty_word, over_targets, not_divided, divided_by_f,
     each_word_once],
)  # fmt: skip

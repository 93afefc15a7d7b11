"""Kneser–Ney smoothing of a bigram."""

from collections import Counter
from collections.abc import Sequence
from itertools import pairwise

from .judge import Case, Exercise

Text = Sequence[Sequence[str]]


def kneser_ney(word: str, before: str, sentences: Text, d: float) -> float:
    """P(word | before) = max(c(before word) − d, 0) / c(before) + λ P_kn(word)

    λ = d · (how many different words follow `before`) / c(before)
    P_kn(word) = (how many different words precede `word`) / (how many bigrams differ)
    c(before) counts the bigrams that begin with it. Where it is 0: P_kn(word) alone.

    sentences  lists of words, each from <s> to </s>;  d  the discount, 0 < d < 1
    →  a float
    """
    c, kept, freed, p = parts(word, before, sentences, d)
    return kept + freed * p if c else p


def parts(
    word: str, before: str, sentences: Text, d: float
) -> tuple[int, float, float, float]:
    """c(before), what the count keeps, λ, and P_kn(word)."""
    counts = Counter(pair for words in sentences for pair in pairwise(words))
    c = sum(n for pair, n in counts.items() if pair[0] == before)
    types = sum(pair[0] == before for pair in counts)
    p = sum(pair[1] == word for pair in counts) / len(counts)
    kept = max(counts[before, word] - d, 0) / c if c else 0.0
    return c, kept, d * types / c if c else 1.0, p


def share(word: str, sentences: Text) -> float:
    written = [word for words in sentences for word in words[1:]]
    return written.count(word) / len(written)


def frequency(word: str, before: str, sentences: Text, d: float) -> float:
    """what is freed is shared by how often a word occurs: count what precedes it"""
    _, kept, freed, _ = parts(word, before, sentences, d)
    return kept + freed * share(word, sentences)


def nothing_given(word: str, before: str, sentences: Text, d: float) -> float:
    """the discount is taken and given to nobody: λ P_kn(word) is missing"""
    c, kept, _, p = parts(word, before, sentences, d)
    return kept if c else p


def freed_once(word: str, before: str, sentences: Text, d: float) -> float:
    """λ is d / c(before): each different word that follows `before` frees d"""
    c, kept, _, p = parts(word, before, sentences, d)
    return kept + d / c * p if c else p


def freed_each_time(word: str, before: str, sentences: Text, d: float) -> float:
    """λ is d: it counts each bigram, and should count each different word once"""
    c, kept, _, p = parts(word, before, sentences, d)
    return kept + d * p if c else p


def by_vocabulary(word: str, before: str, sentences: Text, d: float) -> float:
    """P_kn is divided by the number of words: divide by that of different bigrams"""
    c, kept, freed, p = parts(word, before, sentences, d)
    bigrams = {pair for words in sentences for pair in pairwise(words)}
    p *= len(bigrams) / len({after for _, after in bigrams})
    return kept + freed * p if c else p


def below_zero(word: str, before: str, sentences: Text, d: float) -> float:
    """a count of 0 gives up d, too: max(…, 0) is missing"""
    c, kept, freed, p = parts(word, before, sentences, d)
    return (kept or -d / c) + freed * p if c else p


def nothing_unseen(word: str, before: str, sentences: Text, d: float) -> float:
    """after a word that never occurred nothing is likely: P_kn(word) alone is left"""
    c, kept, freed, p = parts(word, before, sentences, d)
    return kept + freed * p if c else 0.0


def cases() -> list[Case]:
    lines = ("San Francisco", "San Francisco", "San Francisco", "new glasses",
             "reading glasses", "new new glasses")  # fmt: skip
    text = [["<s>", *line.split(), "</s>"] for line in lines]
    pairs = (("San", "<s>"), ("Francisco", "<s>"), ("glasses", "<s>"),
             ("Francisco", "San"), ("glasses", "my"), ("San", "</s>"))  # fmt: skip
    some = [Case(f"P({w} | {b})", (w, b, text, 2 / 3)) for w, b in pairs]
    return [*some, Case("d = 0.5", ("glasses", "new", text, 0.5))]


EXERCISE = Exercise(
    kneser_ney,
    ("the probability",),
    cases,
    [frequency, nothing_given, freed_once, freed_each_time, by_vocabulary, below_zero,
     nothing_unseen],
)  # fmt: skip

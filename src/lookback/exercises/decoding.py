"""Beam search."""

import math
from collections.abc import Callable, Mapping

from .judge import Case, Exercise

Words = tuple[str, ...]
Step = Callable[[Words], Mapping[str, float]]
END = "</s>"


def search_by_beam(step: Step, K: int, longest: int) -> list[str]:
    """The likeliest sentence that a beam of K finds.

    step(words)  the tuple of words so far → {next word: probability}; "</s>" ends
    K            each round extends all sentences of the beam, and keeps the K likeliest
                 of all extensions; of these, the ended ones leave the beam
    longest      rounds, at most; the search ends before, when the beam is empty
    →  the likeliest of all that ended, without "</s>", as a list of words
    """
    return search(step, K, longest)


def search(
    step: Step,
    K: int,
    longest: int,
    score: Callable[[float, float], float] = lambda so_far, p: so_far + math.log(p),
    whole: bool = True,
    rank: Callable[[float, int], float] = lambda score, n: score,
    first: bool = False,
) -> list[str]:
    beam: list[tuple[float, Words]] = [(0.0, ())]
    ended: list[tuple[float, Words]] = []
    for _ in range(longest):
        rounds = [[(score(s, p), (*w, x)) for x, p in step(w).items()] for s, w in beam]
        groups = [[one for some in rounds for one in some]] if whole else rounds
        kept = [one for group in groups for one in sorted(group, reverse=True)[:K]]
        ended += [one for one in kept if one[1][-1] == END]
        beam = [one for one in kept if one[1][-1] != END]
        if not beam or (first and ended):
            break
    best = max(ended, key=lambda one: rank(one[0], len(one[1])), default=(0.0, ("",)))
    return [*best[1][:-1]]


def greedy(step: Step, K: int, longest: int) -> list[str]:
    """one sentence is followed, its likeliest word each time: keep K"""
    return search(step, 1, longest)


def each_on_its_own(step: Step, K: int, longest: int) -> list[str]:
    """each sentence keeps its K likeliest extensions: K of all together are kept"""
    return search(step, K, longest, whole=False)


def summed(step: Step, K: int, longest: int) -> list[str]:
    """probabilities are added: multiply them, or add their logarithms"""
    return search(step, K, longest, score=lambda so_far, p: so_far + p)


def first_ended(step: Step, K: int, longest: int) -> list[str]:
    """the search stops at the first sentence that ends: a longer one may be likelier"""
    return search(step, K, longest, first=True)


def by_length(step: Step, K: int, longest: int) -> list[str]:
    """the logarithm is divided by the length: here the likeliest counts"""
    return search(step, K, longest, rank=lambda score, n: score / n)


def end_kept(step: Step, K: int, longest: int) -> list[str]:
    """the sentence still has its "</s>": leave it out"""
    return [*search(step, K, longest), END]


A: dict[Words, dict[str, float]] = {
    (): {"a": 0.5, "b": 0.4, END: 0.1},
    ("a",): {"a": 0.3, "b": 0.3, END: 0.4},
    ("b",): {"a": 0.9, "b": 0.05, END: 0.05},
    ("a", "a"): {END: 0.9, "a": 0.1},
    ("a", "b"): {END: 0.2, "a": 0.8},
    ("b", "a"): {END: 0.95, "b": 0.05},
}


def by_hand(words: Words) -> dict[str, float]:
    return A.get(words, {"a": 0.2, "b": 0.1, END: 0.7})


def by_round(words: Words) -> dict[str, float]:
    end = (0.1, 0.2, 0.5, 0.9)[min(len(words), 3)]
    return {"a": 1 - end, END: end}


def ended_early(words: Words) -> dict[str, float]:
    some = {(): {"b": 0.6, END: 0.4}, ("b",): {"a": 0.85, END: 0.15}}
    return some.get(words, {"a": 0.1, END: 0.9})


def by_formula(words: Words) -> dict[str, float]:
    n = sum((ord(word[0]) + 3) * (k + 2) for k, word in enumerate(words))
    weights = {w: 1 + (n * k + k * k) % 7 for k, w in enumerate(("a", "b", "c"), 2)}
    weights[END] = 1 + len(words) ** 2 * (n % 3)
    return {word: weight / sum(weights.values()) for word, weight in weights.items()}


def cases() -> list[Case]:
    hand = [Case(f"by hand, K = {K}", (by_hand, K, 5)) for K in (1, 2, 3)]
    more = [Case(f"four words, K = {K}", (by_formula, K, 6)) for K in (1, 2, 3, 4, 6)]
    rest = [Case("two rounds", (by_round, 2, 2)), Case("K ended", (ended_early, 2, 5))]
    return hand + more + rest


EXERCISE = Exercise(
    search_by_beam,
    ("the sentence",),
    cases,
    [greedy, each_on_its_own, summed, first_ended, by_length,
     end_kept],
)  # fmt: skip

"""Pronouns and their antecedents, which the grammar knows; what guesses would find."""

from collections.abc import Sequence
from statistics import fmean
from typing import NamedTuple

from lookback.text.pairs import Pair

PERSONAL = ("it", "he", "she", "they", "him", "her", "them")
NOUNS = ("NOUN", "PROPN")


class Reference(NamedTuple):
    """A pronoun that has more than one noun in front of it.

    row    which pair;  position  of the pronoun;  word  which it is
    nouns  positions of the nouns in front of it;  right  its antecedents among them
    """

    row: int
    position: int
    word: str
    nouns: tuple[int, ...]
    right: frozenset[int]


def references(
    pairs: Sequence[Pair], words: Sequence[str] = PERSONAL
) -> list[Reference]:
    """All such pronouns whose antecedent stands in front of them."""
    found = []
    for row, pair in enumerate(pairs):
        antecedents = dict[int, set[int]]()
        for pronoun, noun in pair.antecedents:
            antecedents.setdefault(pronoun, set()).add(noun)
        for position, right in sorted(antecedents.items()):
            tags = enumerate(pair.tags.source[:position])
            nouns = tuple(i for i, tag in tags if tag in NOUNS)
            word = pair.source[position]
            if word in words and len(nouns) > 1 and right <= {*nouns}:
                found.append(Reference(row, position, word, nouns, frozenset(right)))
    return found


def nearest(pronouns: Sequence[Reference]) -> float:
    """How often the last noun in front of a pronoun is the right one."""
    some(pronouns)
    return fmean(p.nouns[-1] in p.right for p in pronouns)


def first(pronouns: Sequence[Reference]) -> float:
    """How often the first noun of the sentence is the right one."""
    some(pronouns)
    return fmean(p.nouns[0] in p.right for p in pronouns)


def some(pronouns: Sequence[Reference]) -> None:
    """`ValueError` where there are none."""
    if not pronouns:
        raise ValueError("there are no pronouns: expected one at least")

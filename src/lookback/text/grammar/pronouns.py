"""Pronouns and their antecedents, which the grammar knows; what guesses would find."""

from collections.abc import Mapping, Sequence
from statistics import fmean
from typing import NamedTuple

from lookback.text.grammar.noun_classes import Kind, noun_kinds
from lookback.text.pairs import Pair

PERSONAL = ("it", "he", "she", "they", "him", "her", "them")
NOUNS = ("NOUN", "PROPN")
SUBJECT = {"him": "he", "her": "she", "them": "they"}


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


def agreeing(
    pronouns: Sequence[Reference], pairs: Sequence[Pair], size: str = "small"
) -> list[Reference]:
    """The same pronouns, each with only those nouns that agree with it.

    A plural noun agrees with *they*, a singular one with *it*, *he* or *she*, by what
    it means. Where none agrees, as with two singular nouns and *they*, all remain.
    """
    kinds, found = noun_kinds(size), []
    for one in pronouns:
        wanted = SUBJECT.get(one.word, one.word)
        words = pairs[one.row].source
        agree = tuple(n for n in one.nouns if _pronoun(words[n], kinds) == wanted)
        found.append(one._replace(nouns=agree or one.nouns))
    return found


def _pronoun(noun: str, kinds: Mapping[str, Kind]) -> str:
    """The pronoun for this form of a noun; "" where the form is ambiguous."""
    if noun not in kinds:
        return ""
    return "they" if kinds[noun].form == "many" else kinds[noun].pronoun


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

"""Agreement at a distance: does a model expect the verb in the number of its subject?

The question is that of Linzen, Dupoux and Goldberg 2016, put to our own grammar, whose
trees tell which noun a verb belongs to.
"""

from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from functools import cache
from itertools import accumulate
from operator import itemgetter
from typing import Any

from lookback.text.corpus import Pair
from lookback.text.grammar.lexicon import lexicon

AUXILIARIES = (("is", "are"), ("was", "were"), ("has", "have"), ("does", "do"),
               ("wants", "want"))  # fmt: skip
SINGULAR, PLURAL = 0, 1
NEUTRAL = {"the", "my", "your", "his", "her", "its", "our", "their", "'s", "'"}
# Which parts of a tree hold verbs of the whole's subject.
HOLDS_VERB = {"S": "VP", "NP": "SBAR", "SBAR": "VP", "VP": "VP"}


@dataclass(frozen=True)
class Agreement:
    """A noun and, some words on, the verb that has to agree with it.

    before        the words before the verb
    right, wrong  the verb as it stands there, and in the other number
    distance      how many words on from its noun the verb stands: 1 is the next
    attractors    how many nouns of the other number stand between
    """

    before: tuple[str, ...]
    right: str
    wrong: str
    distance: int
    attractors: int


def minimal_pairs(pairs: Iterable[Pair]) -> list[tuple[Agreement, Agreement]]:
    """Where a noun decides on the form of a verb: with the noun in either number.

    Only where the sentence stays English: after determiners like *the* or *my*. A model
    that ignores the noun is right in one of the two, and wrong in the other.

    Left out: pronouns, names and subjects joined by "and"; verbs whose form tells no
    number (will, signed), or could be the past (read); and verbs whose noun has another
    verb before, which would give its number away.
    """
    found, other = list[tuple[Agreement, Agreement]](), other_noun()
    for pair in pairs:
        for noun, verb in _deciding(pair):
            if pair.source[noun] not in other or not _neutral(pair, noun):
                continue
            swapped = list(pair.source)
            swapped[noun] = other[swapped[noun]]
            swapped[verb] = other_number()[swapped[verb]]
            both = (pair.source, tuple(swapped))
            one, two = (_agreement(pair, words, noun, verb) for words in both)
            found.append((one, two))
    return found


def subjects(pair: Pair) -> list[tuple[int, int]]:
    """(noun, verb): where each subject is in the source, and each of its finite verbs.

    Of several verbs in one the first: *will* of *will sign*. Pronouns count as well.
    """
    return sorted(_subjects(pair.tree, 0, None))


def _deciding(pair: Pair) -> Iterator[tuple[int, int]]:
    """(noun, verb): positions of nouns, and of the first verb that each decides on."""
    other, numbers, words = other_number(), noun_numbers(), pair.source
    seen = set[int]()
    for noun, verb in sorted(_subjects(pair.tree, 0, None), key=itemgetter(1)):
        alone, seen = noun not in seen, seen | {noun}
        if alone and words[verb] in other and words[noun] in numbers:
            yield noun, verb


def _agreement(pair: Pair, words: tuple[str, ...], noun: int, verb: int) -> Agreement:
    numbers = noun_numbers()
    between = [
        numbers.get(words[k], SINGULAR) != numbers[words[noun]]
        for k in range(noun + 1, verb)
        if words[k] in numbers or pair.tags.source[k] == "PROPN"
    ]
    right, attractors = words[verb], sum(between)
    wrong = other_number()[right]
    return Agreement(words[:verb], right, wrong, verb - noun, attractors)


def _neutral(pair: Pair, noun: int) -> bool:
    """Do the words before the noun fit it in either number?"""
    first = noun - 1
    while first >= 0 and pair.tags.source[first] == "ADJ":
        first -= 1
    return first >= 0 and pair.source[first] in NEUTRAL


@cache
def other_number() -> dict[str, str]:
    """Each present form, and "was", to that of the other number."""
    verbs, forms = lexicon("full").all_verbs, [*AUXILIARIES]
    forms += [(v.present[1][1], v.base[1]) for v in verbs if v.past[0] != v.base]
    return {a: b for one, many in forms for a, b in ((one, many), (many, one))}


@cache
def other_noun() -> dict[str, str]:
    """Each form of the nouns that have two, to the other."""
    nouns = [noun for noun in lexicon("full").nouns_of["common"] if not noun.mass]
    forms = [tuple(leaf[1] for leaf in noun.leaves) for noun in nouns]
    return {a: b for one, many in forms for a, b in ((one, many), (many, one))}


@cache
def noun_numbers() -> dict[str, int]:
    """Each form of the common nouns: SINGULAR or PLURAL."""
    return {
        leaf[1]: number
        for noun in lexicon("full").nouns_of["common"]
        for number, leaf in reversed([*enumerate(noun.leaves[: 1 + (not noun.mass)])])
    }


def _subjects(tree: Any, start: int, subject: int | None) -> Iterator[tuple[int, int]]:
    """(noun, verb): the places of each clause's subject and of its finite verbs.

    start    the place of the tree's first word
    subject  whose verb a VP of this tree holds
    """
    if _is_leaf(tree):
        return
    label, parts = tree[0], tree[1:]
    places = [*accumulate(map(_size, parts), initial=start)]
    labels = [part[0] for part in parts]
    if label == "VP" and "VP" not in labels and subject is not None:
        yield subject, places[min(map(labels.index, {"VERB", "AUX"} & {*labels}))]
    if label in ("S", "NP"):  # a clause has a subject, and so has a relative clause
        subject = _head(parts[0], start) if labels[0] == "NP" else None
    if label == "NP" and subject != places[1] - 1:
        subject = None  # the bank of the country that …: which of the two is it?
    for part, place in zip(parts, places, strict=False):
        goes_on = part[0] == HOLDS_VERB.get(label)
        yield from _subjects(part, place, subject if goes_on else None)


def _is_leaf(tree: Any) -> bool:
    return isinstance(tree[1], str)


def _size(tree: Any) -> int:
    """How many words it has."""
    return 1 if _is_leaf(tree) else sum(map(_size, tree[1:]))


def _head(phrase: Any, start: int) -> int | None:
    """The place of a noun phrase's noun; None of two phrases joined, and of no noun."""
    labels = [part[0] for part in phrase[1:]]
    if labels[-1] == "NOUN":
        return start + _size(phrase) - 1
    if labels[0] == "NP" and "CCONJ" not in labels:
        return _head(phrase[1], start)
    return None

"""Pronouns and the nouns they stand for: who finds them, and who heeds them."""

from collections.abc import Sequence
from typing import NamedTuple

import numpy as np
import torch
from torch import nn

from lookback.text.batches import pair_batches
from lookback.text.corpora import Pair

from .heads import Maps, Weights
from .makers import Vocabularies
from .translating import TOKENS, logits_of

PERSONAL = ("it", "he", "she", "they", "him", "her", "them")
NOUNS = ("NOUN", "PROPN")


class Reference(NamedTuple):
    """A pronoun that has more than one noun in front of it.

    row    which pair;  place  where the pronoun stands;  word  which it is
    nouns  the places of the nouns in front of it;  right  those that it stands for
    """

    row: int
    place: int
    word: str
    nouns: tuple[int, ...]
    right: frozenset[int]


def references(
    pairs: Sequence[Pair], words: Sequence[str] = PERSONAL
) -> list[Reference]:
    """All such pronouns whose antecedent stands in front of them."""
    found = []
    for row, pair in enumerate(pairs):
        meant = dict[int, set[int]]()
        for pronoun, noun in pair.antecedents:
            meant.setdefault(pronoun, set()).add(noun)
        for place, right in sorted(meant.items()):
            tags = enumerate(pair.tags.source[:place])
            nouns = tuple(i for i, tag in tags if tag in NOUNS)
            word = pair.source[place]
            if word in words and len(nouns) > 1 and right <= {*nouns}:
                found.append(Reference(row, place, word, nouns, frozenset(right)))
    return found


def resolved(found: Sequence[Maps], asked: Sequence[Reference]) -> Weights:
    """How often each head of the encoder looks from a pronoun at its noun: (N, h).

    Of all nouns in front of the pronoun the one with most weight counts.
    """
    return _share(
        [found[one.row].around[:, :, one.place, list(one.nouns)] for one in asked],
        asked,
    )


def resolved_across(
    found: Sequence[Maps], asked: Sequence[Reference], pairs: Sequence[Pair]
) -> Weights:
    """The same of the heads that look across, when the pronoun is written: (N, h).

    The row is that of the first French word that the pronoun is surely linked to;
    pronouns without one are left out.
    """
    looked, told = [], []
    for one in asked:
        written = [t for s, t in pairs[one.row].sure if s == one.place]
        if written:
            row = found[one.row].across[:, :, min(written)]
            looked.append(row[:, :, list(one.nouns)])
            told.append(one)
    return _share(looked, told)


def _share(looked: Sequence[Weights], asked: Sequence[Reference]) -> Weights:
    """How often most weight lies on the right one of the nouns: (N, h)."""
    if not asked:
        raise ValueError("there is no pronoun to ask for: expected one at least")
    right = [
        np.isin(np.array(one.nouns)[weights.argmax(axis=-1)], list(one.right))
        for weights, one in zip(looked, asked, strict=True)
    ]
    share: Weights = np.mean(right, axis=0)
    return share


def nearest(asked: Sequence[Reference]) -> float:
    """How often the last noun in front of a pronoun is the right one."""
    if not asked:
        raise ValueError("there is no pronoun to ask for: expected one at least")
    return float(np.mean([one.nouns[-1] in one.right for one in asked]))


def first(asked: Sequence[Reference]) -> float:
    """How often the first noun of the sentence is the right one."""
    if not asked:
        raise ValueError("there is no pronoun to ask for: expected one at least")
    return float(np.mean([one.nouns[0] in one.right for one in asked]))


def forms(
    model: nn.Module,
    vocabularies: Vocabularies,
    pairs: Sequence[Pair],
    asked: Sequence[Reference],
) -> float:
    """How often a translator finds the French form of a pronoun, all before it given.

    *it* becomes *il*, *elle*, *le* or *la*, by the gender of a noun that may be far.
    Asked for are all French words that a pronoun is surely linked to.
    """
    places: dict[int, set[int]] = {}
    for one in asked:
        written = {t for s, t in pairs[one.row].sure if s == one.place}
        places.setdefault(one.row, set()).update(written)
    some = [pairs[row] for row in places]
    right, roles = [], (vocabularies["source"], vocabularies["target"])
    model.eval()
    with torch.no_grad():
        for batch in pair_batches(some, *roles, tokens=TOKENS):
            target = batch.target[:, :-1]
            guess = logits_of(model(batch.source, batch.source_mask, target))
            hits = guess.argmax(dim=-1) == batch.target[:, 1:]
            for row, hit in zip(batch.rows.tolist(), hits.tolist(), strict=True):
                right += [hit[t] for t in places[[*places][row]]]
    return float(np.mean(right))

"""What single heads of a trained Transformer do: align, keep near, find a noun.

The study `roles` asks the heads of the shipped one. A head is chosen on validation;
what it does is told of the test.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import NamedTuple

import numpy as np
import torch
from numpy.typing import NDArray
from torch import nn

from lookback.measure import alignment_error_rate
from lookback.text.batches import pair_batches
from lookback.text.corpora import grammar
from lookback.text.corpora.pair import Pair
from lookback.transformer import Looks

from .checkpoints import pretrained
from .makers import Vocabularies
from .recipes import Recipe
from .studies import STUDIES, Row, Study
from .transforming import TRANSFORMER
from .translating import TOKENS, logits_of, most

Weights = NDArray[np.float64]

STEPS = (-2, -1, 0, 1, 2)
"""How far from itself a place looks."""
PERSONAL = ("it", "he", "she", "they", "him", "her", "them")
NOUNS = ("NOUN", "PROPN")


class Maps(NamedTuple):
    """Where N layers of h heads looked, for one pair; </s> is the last of either side.

    around  (N, h, S + 1, S + 1)  the source at itself
    back    (N, h, T + 1, T + 1)  the target at what was written, <s> first
    across  (N, h, T + 1, S + 1)  the target at the source
    """

    around: Weights
    back: Weights
    across: Weights


def maps(
    model: nn.Module, vocabularies: Vocabularies, pairs: Sequence[Pair]
) -> list[Maps]:
    """The weights of all heads on each pair, every word of the target as it stands."""
    found = dict[int, Maps]()
    roles = vocabularies["source"], vocabularies["target"]
    model.eval()
    with torch.no_grad():
        for batch in pair_batches(pairs, *roles, tokens=TOKENS):
            looks: Looks
            target = batch.target[:, :-1]
            _, looks = model(batch.source, batch.source_mask, target)
            kinds = (
                looks.encoder,
                [layer.back for layer in looks.decoder],
                [layer.across for layer in looks.decoder],
            )
            stacks = [torch.stack([*kind], dim=1).numpy() for kind in kinds]
            for row, around, back, across in zip(
                batch.rows.tolist(), *stacks, strict=True
            ):
                S, T = len(pairs[row].source) + 1, len(pairs[row].target) + 1
                found[row] = Maps(
                    around[..., :S, :S], back[..., :T, :T], across[..., :T, :S]
                )
    return [found[row] for row in range(len(pairs))]


def error(weights: Sequence[Weights], pairs: Sequence[Pair]) -> float:
    """The alignment error rate of weights (T + 1, S + 1), each word at its largest."""
    links = [most(looked) for looked in weights]
    sure, possible = [p.sure for p in pairs], [p.possible for p in pairs]
    return alignment_error_rate(links, sure, possible)


def errors(found: Sequence[Maps], pairs: Sequence[Pair]) -> Weights:
    """Of each head that looks across: (N, h)."""
    N, h = found[0].across.shape[:2]
    rates = [[error([m.across[n, k] for m in found], pairs) for k in range(h)]
             for n in range(N)]  # fmt: skip
    return np.array(rates)


def distances(weights: Sequence[Weights]) -> Weights:
    """The mean weight at places STEPS away, of maps (N, h, S, S): (N, h, 5).

    A place whose neighbour would lie outside the sentence does not count for it.
    """
    N, h = weights[0].shape[:2]
    total, count = np.zeros((N, h, len(STEPS))), np.zeros(len(STEPS))
    for looked in weights:
        for at, step in enumerate(STEPS):
            diagonal = np.diagonal(looked, step, axis1=-2, axis2=-1)
            total[:, :, at] += diagonal.sum(axis=-1)
            count[at] += diagonal.shape[-1]
    means: Weights = total / count
    return means


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


@dataclass(frozen=True)
class Asked:
    """The model of a recipe, on the first so many pairs of its corpus."""

    recipe: Recipe
    pairs: int


TRANSLATORS = {
    "encoder–decoder": "encdec",
    "RNNsearch": "bahdanau",
    "Luong, dot": "luong",
    "Transformer": "transformer",
}


def measured(asked: Asked) -> Row:
    """What each head does, on validation and test."""
    text = grammar(pairs=asked.pairs, seed=0, size="small")
    told: Row = {}
    for split in ("validation", "test"):
        pairs = [pair for pair in text.split(split) if pair.antecedents]
        model, words = _shipped("transformer")
        found = maps(model, words, pairs)
        told[split] = {
            "pairs": len(pairs),
            "AER": _rounded(errors(found, pairs)),
            "mean of a layer": [
                round(error([m.across[n].mean(axis=0) for m in found], pairs), 4)
                for n in range(len(found[0].across))
            ],
            "mean of all": round(
                error([m.across.mean(axis=(0, 1)) for m in found], pairs), 4
            ),
            "distances around": _rounded(distances([m.around for m in found])),
            "distances back": _rounded(distances([m.back for m in found])),
            "pronouns": _pronouns(found, pairs),
        }
    return told


def _pronouns(found: Sequence[Maps], pairs: Sequence[Pair]) -> Row:
    """For *it*, *they* and all: what heads find, what guesses do, and the forms."""
    told = {}
    for name, words in (("it", ("it",)), ("they", ("they",)), ("all", PERSONAL)):
        asked = references(pairs, words)
        told[name] = {
            "times": len(asked),
            "around": _rounded(resolved(found, asked)),
            "across": _rounded(resolved_across(found, asked, pairs)),
            "nearest noun": round(nearest(asked), 4),
            "first noun": round(first(asked), 4),
            "form": {
                system: round(forms(*_shipped(recipe), pairs, asked), 4)
                for system, recipe in TRANSLATORS.items()
            },
        }
    return told


def _shipped(name: str) -> tuple[nn.Module, Vocabularies]:
    found = pretrained(name)
    return found.model, found.vocabularies


def _rounded(weights: Weights) -> list[object]:
    rounded: list[object] = weights.round(4).tolist()
    return rounded


STUDIES["roles"] = Study(
    about="what each head of the shipped Transformer does",
    cases={"all": Asked(TRANSFORMER, 50_000), "quick": Asked(TRANSFORMER, 1500)},
    measure=measured,
    check="quick",
)

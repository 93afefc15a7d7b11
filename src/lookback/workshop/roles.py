"""What single heads of a trained Transformer do: align, keep near, find a noun.

The study `roles` asks the heads of the shipped one. A head is chosen on validation;
what it does is told of the test.
"""

from collections.abc import Sequence
from dataclasses import dataclass

from torch import nn

from lookback.text.corpora import Pair, grammar

from .antecedents import (
    PERSONAL,
    first,
    forms,
    nearest,
    references,
    resolved,
    resolved_across,
)
from .checkpoints import pretrained
from .heads import Maps, Weights, distances, error, errors, maps
from .makers import Vocabularies
from .recipes import Recipe
from .studies import STUDIES, Row, Study
from .transforming import TRANSFORMER


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

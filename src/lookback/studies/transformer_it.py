"""What *it* means, when only an adjective tells: minimal pairs for four translators.

*The dog did not see the street because it was intelligent.* and *… because it was
modern.* differ in one word, which decides whether *it* is the dog (*il*) or the street
(*elle*). The grammar writes *it* only where one noun alone can be meant: no translator
was trained on such a choice.
"""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from itertools import product
from typing import Any

import numpy as np
import torch

from lookback.text.batches import pad
from lookback.workshop import (
    Recipe,
    Row,
    Study,
    TranslationLearner,
    case,
    each,
    recipe,
)

from .transformer import TRANSLATORS, translator_of

ANIMALS = {"dog": "chien", "cat": "chat", "horse": "cheval", "owl": "hibou"}
PLACES = {"street": "rue", "house": "maison", "area": "zone"}
THINGS = {"car": "voiture", "key": "clé", "chair": "chaise"}
FOR_ANIMALS = ("intelligent", "young")
FOR_PLACES, FOR_THINGS = ("modern", "famous"), ("modern", "useful", "expensive")
FORMS = ("il", "elle")  # all animals are masculine, all the others feminine
ORDERS = ("animal first", "animal last")


@dataclass(frozen=True)
class Sentence:
    """A source, the target up to its pronoun, and which of FORMS comes next."""

    order: str
    nouns: tuple[str, str]
    adjective: str
    source: str
    prefix: str
    right: str


def sentences(number: bool = False) -> list[Sentence]:
    """All of them; with `number` the places are plural, so that *it* is the animal."""
    return [*_sentences(PLACES, FOR_PLACES, number),
            *_sentences(THINGS, FOR_THINGS, number)]  # fmt: skip


def _sentences(
    others: dict[str, str], adjectives: Sequence[str], number: bool
) -> Iterator[Sentence]:
    for order, animal, other in product(ORDERS, ANIMALS, others):
        for adjective in (*FOR_ANIMALS, *adjectives):
            means_animal = adjective in FOR_ANIMALS
            source, prefix = _both(order, animal, other, others[other], number)
            were = "they were" if number and not means_animal else "it was"
            form = FORMS[0] if means_animal else FORMS[1] + "s" * number
            yield Sentence(
                order, (animal, other), adjective,
                f"{source} because {were} {adjective} .", prefix, form,
            )  # fmt: skip


def _both(
    order: str, animal: str, other: str, french: str, number: bool
) -> tuple[str, str]:
    """The first clause in English; in French, up to the pronoun."""
    s, le, cat = "s" * number, "les" if number else "la", ANIMALS[animal]
    if order == ORDERS[0]:
        return (f"the {animal} did not see the {other}{s}",
                f"le {cat} n' a pas vu {le} {french}{s} parce qu'")  # fmt: skip
    was = "were" if number else "was"
    have = "n' ont pas été vues" if number else "n' a pas été vue"
    return (f"the {other}{s} {was} not seen by the {animal}",
            f"{le} {french}{s} {have} par le {cat} parce qu'")  # fmt: skip


def preferences(
    learner: TranslationLearner, asked: Sequence[Sentence], forms: Sequence[str]
) -> list[list[float]]:
    """The probability of each form as the next word, the prefix given."""
    source, target = learner.sides
    rows = [[*source.ids(one.source.split()), source.end] for one in asked]
    prefixes = [[target.start, *target.ids(one.prefix.split())] for one in asked]
    known = [target.ids([form])[0] for form in forms]
    alike: dict[tuple[int, int], list[int]] = {}  # those of the same lengths together
    for n, (row, prefix) in enumerate(zip(rows, prefixes, strict=True)):
        alike.setdefault((len(row), len(prefix)), []).append(n)
    found: dict[int, list[float]] = {}
    network = learner.network.eval()
    with torch.no_grad():
        for together in alike.values():
            ids, mask = pad([rows[n] for n in together], source.pad)
            output = network(ids, mask, torch.tensor([prefixes[n] for n in together]))
            logits = output[0] if isinstance(output, tuple) else output
            p = logits[:, -1].softmax(dim=-1)[:, known]
            for n, each in zip(together, p.tolist(), strict=True):
                found[n] = each
    return [found[n] for n in range(len(rows))]


def measured(shipped: Recipe[Any]) -> Row:
    """The choices of one of TRANSLATORS, whose recipe this is."""
    return choices(translator_of(shipped))


def choices(learner: TranslationLearner) -> Row:
    """How a translator's choice of *il* or *elle* follows the adjective.

    elle     the probability of *elle* among both forms: mean over the sentences in
             which *it* is the animal, and in which it is the other; for each order
    right    the share of all sentences in which the right form is likelier
    pairs    the share of minimal pairs in which both sentences are right
    number   the share right where the other noun is plural, and number decides
    """
    asked = sentences()
    p = np.array(preferences(learner, asked, FORMS))
    elle = p[:, 1] / p.sum(axis=1)
    row: Row = {"elle": {}, "either": float(p.sum(axis=1).mean())}
    for order in ORDERS:
        row["elle"][order] = [
            float(np.mean([e for e, one in zip(elle, asked, strict=True)
                           if one.order == order and one.right == form]))
            for form in FORMS
        ]  # fmt: skip
    right = [
        (e > 0.5) == (one.right == "elle") for e, one in zip(elle, asked, strict=True)
    ]
    row["sentences"], row["right"] = len(asked), float(np.mean(right))
    row["minimal pairs"], row["pairs"] = _pairs(asked, right)
    plural = sentences(number=True)
    best = np.array(preferences(learner, plural, ("il", "elles"))).argmax(axis=1)
    chosen = [("il", "elles")[k] for k in best]
    wanted = [one.right for one in plural]
    row["number"] = float(np.mean([*map(str.__eq__, wanted, chosen)]))
    return row


def _pairs(asked: Sequence[Sentence], right: Sequence[bool]) -> tuple[int, float]:
    """How many minimal pairs there are, and in which share both sentences are right."""
    found = [
        a_right and b_right
        for (a, a_right), (b, b_right) in product(zip(asked, right, strict=True),
                                                  repeat=2)
        if (a.order, a.nouns) == (b.order, b.nouns)
        and (a.right, b.right) == FORMS
    ]  # fmt: skip
    return len(found), float(np.mean(found))


STUDY = Study(
    about="il or elle for *it*, when an adjective decides: four translators",
    cases=each(
        measured,
        shipped={system: recipe(name) for system, name in TRANSLATORS.items()},
    ),
    check=case(measured, shipped=recipe("transformer")),
)

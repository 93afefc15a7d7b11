"""Four translators of captions, each trained again: who wins, by a paired bootstrap.

In a round all are trained from one seed and translate the same test set, so that two of
them can be compared on the same sentences.
"""

from dataclasses import replace
from typing import Any

from lookback.measure import bleu_difference
from lookback.workshop import (
    PAIRS,
    Recipe,
    Row,
    Study,
    case,
    corpus,
    device,
    each,
    follow,
    on_few,
    pairs,
    recipe,
    seeds,
)

from .real import BEAM, Translations, in_points, score, translated

SYSTEMS = {
    "encoder–decoder": "encdec-multi30k",
    "Luong, dot": "luong-multi30k",
    "RNNsearch": "bahdanau-multi30k",
    "Transformer": "transformer-multi30k",
}
DUELS = (
    ("RNNsearch", "encoder–decoder"),
    ("RNNsearch", "Luong, dot"),
    ("Transformer", "RNNsearch"),
)
SEEDS = (0, 1)


def measured(recipes: tuple[Recipe[Any], ...]) -> Row:
    """The score of each, and by how much the first of each two lies above the second.

    recipes  of the SYSTEMS, in their order, all with one seed
    It trains on the fastest device of the machine.
    """
    results = dict(zip(SYSTEMS, map(searched, recipes), strict=True))
    return {
        "BLEU": {name: score(result) for name, result in results.items()},
        "difference": {
            f"{one} − {other}": difference(results[one], results[other])
            for one, other in DUELS
        },
    }


def searched(recipe: Recipe[Any]) -> Translations:
    """What a translator writes for the test set with a beam, once it is trained."""
    learner = follow(recipe, device=device())
    return translated(learner, pairs(corpus(recipe.data), "test"), BEAM)


def difference(one: Translations, other: Translations) -> Row:
    """BLEU of the one less that of the other; 95 % of samples of the same sentences."""
    interval = bleu_difference(
        hypotheses=one.written,
        others=other.written,
        references=one.wanted,
        generator=seeds.generator(0),
    )
    return in_points(interval)


FEW = tuple(
    on_few(replace(recipe(name), data=PAIRS), 300, 2) for name in SYSTEMS.values()
)
STUDY = Study(
    about="four translators of captions from several seeds, compared in pairs",
    cases=each(
        measured,
        recipes={
            f"seed {seed}": tuple(
                replace(recipe(name), seed=seed) for name in SYSTEMS.values()
            )
            for seed in SEEDS
        },
    ),
    check=case(measured, recipes=FEW),
)

"""The Transformer with the batches, the words and the loss of RNNsearch.

In the table of all translators each network has a budget of its own, and only the
Transformer's labels are smoothed. Here it is given what RNNsearch was given.
"""

from dataclasses import replace
from typing import Any

from lookback.workshop import Recipe, Study, case, each, on_few, recipe

from .translators import measured


def equal(seed: int) -> Recipe[Any]:
    """The recipe of the Transformer with the budget and the loss of RNNsearch."""
    given: Recipe[Any] = recipe("transformer")
    return replace(
        given,
        seed=seed,
        model=replace(given.model, smoothing=0.0),
        budget=recipe("bahdanau").budget,
    )


STUDY = Study(
    about="the Transformer with the batches, words and loss of RNNsearch",
    cases=each(
        measured, recipe={f"Transformer, seed {seed}": equal(seed) for seed in range(3)}
    ),
    check=case(measured, recipe=on_few(equal(0), 500, 3), each=2),
)

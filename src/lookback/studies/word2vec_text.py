"""word2vec on real English, compared with the shipped model: CBOW, other seeds."""

from dataclasses import replace

from lookback.recipes.word2vec import RECIPES
from lookback.workshop import Study, case

from .word2vec import CHECK, measured

REAL = RECIPES["word2vec-tatoeba"]
CBOW_REAL = replace(REAL, model=replace(REAL.model, kind="cbow"))

STUDY = Study(
    about="word2vec on real English beside the shipped model: CBOW, other seeds",
    cases={
        "Tatoeba, CBOW": case(measured, recipe=CBOW_REAL, text="tatoeba"),
        **{
            f"Tatoeba, skip-gram, seed {k}": case(
                measured, recipe=replace(REAL, seed=k), text="tatoeba"
            )
            for k in (1, 2)  # seed 0 is the model that ships
        },
    },
    check=CHECK,
)

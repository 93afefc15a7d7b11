"""word2vec on real English, compared with the shipped model: CBOW, seeds, more text."""

from dataclasses import replace

from lookback.recipes.word2vec import RECIPES
from lookback.workshop import Study

from .word2vec import QUICK, Case, measure

REAL = RECIPES["word2vec-tatoeba"]
CBOW_REAL = replace(REAL, model=replace(REAL.model, kind="cbow"))
MORE = replace(REAL, budget=replace(REAL.budget, tokens=8192))

STUDY = Study(
    about="word2vec on real English, compared with the shipped model: CBOW, more text",
    cases={
        "Tatoeba, CBOW": Case(CBOW_REAL, "tatoeba"),
        "mixed, skip-gram": Case(MORE, "mixed"),
        **{
            f"Tatoeba, skip-gram, seed {k}": Case(replace(REAL, seed=k), "tatoeba")
            for k in (1, 2)  # seed 0 is the model that ships
        },
        "quick": Case(QUICK, "english", asks=False),
    },
    measure=measure,
    check="quick",
)

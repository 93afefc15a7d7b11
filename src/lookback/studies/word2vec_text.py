"""word2vec on real English, compared with the shipped model: CBOW, other seeds."""

from dataclasses import replace

from lookback.recipes.word2vec import RECIPES
from lookback.workshop import Study, case, each

from .word2vec import QUICK, Case, measure

REAL = RECIPES["word2vec-tatoeba"]
CBOW_REAL = replace(REAL, model=replace(REAL.model, kind="cbow"))

STUDY = Study(
    about="word2vec on real English beside the shipped model: CBOW, other seeds",
    cases=each(
        measure,
        case={
            "Tatoeba, CBOW": Case(CBOW_REAL, "tatoeba"),
            **{
                f"Tatoeba, skip-gram, seed {k}": Case(replace(REAL, seed=k), "tatoeba")
                for k in (1, 2)  # seed 0 is the model that ships
            },
        },
    ),
    check=case(measure, case=Case(QUICK, "english", asks=False)),
)

"""How RNNsearch, the translator of Bahdanau et al. 2014, is trained."""

from lookback.bahdanau import RNNSearch, RNNSearchConfig
from lookback.trainer.recipe import Budget, Data, Optimiser, Recipe
from lookback.trainer.translation import CAPTIONS, PAIRS, AttentionLearner


class RNNSearchLearner(AttentionLearner):
    """Learns from pairs of sentences alone: nobody tells it where to attend."""

    architecture = RNNSearch


RECIPES: dict[str, Recipe[RNNSearchLearner]] = {
    "bahdanau": Recipe(
        RNNSearchLearner,
        data=PAIRS,
        seed=0,
        model=RNNSearchConfig(m=48, n=128, k=128, l=64),
        optimiser=Optimiser("adam", 4e-3, warmup=100, decay="linear", clip=1.0),
        budget=Budget(steps=4500, tokens=450, evaluate_every=500),
    ),
    "bahdanau-tatoeba": Recipe(
        RNNSearchLearner,
        data=Data("tatoeba", min_count=5),
        seed=0,
        model=RNNSearchConfig(m=112, n=224, k=112, l=96, dropout=0.1),
        optimiser=Optimiser("adam", 2.5e-3, warmup=300, decay="linear", clip=1.0),
        budget=Budget(steps=7000, tokens=900, evaluate_every=500),
    ),
    "bahdanau-multi30k": Recipe(
        RNNSearchLearner,
        data=CAPTIONS,
        seed=0,
        model=RNNSearchConfig(m=128, n=192, k=128, l=112, dropout=0.2),
        optimiser=Optimiser("adam", 2.5e-3, warmup=200, decay="linear", clip=1.0),
        budget=Budget(steps=6000, tokens=500, evaluate_every=500),
    ),
}

"""How the translator of Luong et al. 2015 is trained."""

from lookback.luong import LuongConfig, LuongTranslator
from lookback.trainer.recipe import Budget, Optimiser, Recipe
from lookback.trainer.translation import CAPTIONS, PAIRS, AttentionLearner


class LuongLearner(AttentionLearner):
    """Trains the translator with global attention, by any of its scores."""

    architecture = LuongTranslator


RECIPES: dict[str, Recipe[LuongLearner]] = {
    "luong": Recipe(
        LuongLearner,
        data=PAIRS,
        seed=0,
        model=LuongConfig(
            m=48, n=160, input_feeding=False, directions="both", cell="gru"
        ),
        optimiser=Optimiser("adam", 4e-3, warmup=100, decay="linear", clip=1.0),
        budget=Budget(steps=6000, tokens=450, evaluate_every=500),
    ),
    "luong-multi30k": Recipe(
        LuongLearner,
        data=CAPTIONS,
        seed=0,
        model=LuongConfig(
            m=128,
            n=224,
            input_feeding=False,
            directions="both",
            cell="gru",
            dropout=0.2,
        ),
        optimiser=Optimiser("adam", 2.5e-3, warmup=200, decay="linear", clip=1.0),
        budget=Budget(steps=6000, tokens=500, evaluate_every=500),
    ),
}

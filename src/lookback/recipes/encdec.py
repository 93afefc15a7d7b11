"""How the encoder–decoder of Cho et al. 2014 is trained."""

from lookback.encdec import EncoderDecoderConfig, RNNEncoderDecoder
from lookback.trainer.recipe import Budget, Optimiser, Recipe
from lookback.trainer.translation import CAPTIONS, PAIRS, TranslationLearner


class EncoderDecoderLearner(TranslationLearner):
    """The source becomes one vector."""

    architecture = RNNEncoderDecoder


RECIPES: dict[str, Recipe[EncoderDecoderLearner]] = {
    "encdec": Recipe(
        EncoderDecoderLearner,
        data=PAIRS,
        seed=0,
        model=EncoderDecoderConfig(m=64, n=160, l=64),
        optimiser=Optimiser("adam", 4e-3, warmup=100, decay="linear", clip=1.0),
        budget=Budget(steps=8000, tokens=450, evaluate_every=1000),
    ),
    "encdec-multi30k": Recipe(
        EncoderDecoderLearner,
        data=CAPTIONS,
        seed=0,
        model=EncoderDecoderConfig(m=128, n=256, l=112, dropout=0.2),
        optimiser=Optimiser("adam", 2.5e-3, warmup=200, decay="linear", clip=1.0),
        budget=Budget(steps=6000, tokens=500, evaluate_every=500),
    ),
}

"""The makers of translators that put the source into one vector, and their recipes."""

from torch import nn

from lookback.encdec import EncoderDecoderConfig, RNNEncoderDecoder

from .makers import MAKERS, Vocabularies
from .recipes import RECIPES, Budget, Optimiser, Recipe
from .translating import TranslationMaker
from .translators import PAIRS, enter


class EncoderDecoderMaker(TranslationMaker):
    """An encoder–decoder learns with teacher forcing."""

    def module(
        self, config: EncoderDecoderConfig, vocabularies: Vocabularies
    ) -> nn.Module:
        source, target = vocabularies["source"], vocabularies["target"]
        return RNNEncoderDecoder(config, len(source), len(target))


MAKERS[EncoderDecoderConfig] = EncoderDecoderMaker()
ENCDEC = Recipe(
    data=PAIRS,
    seed=0,
    model=EncoderDecoderConfig(m=64, n=160, l=64),
    optimiser=Optimiser("adam", 4e-3, warmup=100, decay="linear", clip=1.0),
    budget=Budget(steps=8000, tokens=450, evaluate_every=1000),
)
RECIPES["encdec"] = ENCDEC
enter("encdec", "encoder–decoder", ENCDEC, seeds=(0,))

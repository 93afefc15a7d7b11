"""The makers of translators that put the source into one vector, and their recipes."""

from dataclasses import replace

from torch import nn

from lookback.encdec import EncoderDecoderConfig, RNNEncoderDecoder
from lookback.seq2seq import Seq2Seq, Seq2SeqConfig

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


class Seq2SeqMaker(TranslationMaker):
    """Two deep LSTMs learn with teacher forcing; the recipe says which way is read."""

    def module(self, config: Seq2SeqConfig, vocabularies: Vocabularies) -> nn.Module:
        source, target = vocabularies["source"], vocabularies["target"]
        return Seq2Seq(config, len(source), len(target))


MAKERS[EncoderDecoderConfig] = EncoderDecoderMaker()
MAKERS[Seq2SeqConfig] = Seq2SeqMaker()
ENCDEC = Recipe(
    data=PAIRS,
    seed=0,
    model=EncoderDecoderConfig(m=64, n=160, l=64),
    optimiser=Optimiser("adam", 4e-3, warmup=100, decay="linear", clip=1.0),
    budget=Budget(steps=8000, tokens=450, evaluate_every=1000),
)
RECIPES["encdec"] = ENCDEC
enter("encdec", "encoder–decoder", ENCDEC, seeds=(0, 1, 2))

REVERSED = Recipe(
    data=PAIRS,
    seed=0,
    model=Seq2SeqConfig(m=56, n=112, layers=2, reversed=True),
    optimiser=Optimiser("adam", 8e-3, warmup=100, decay="linear", clip=1.0),
    budget=Budget(steps=4000, tokens=450, evaluate_every=500),
)
IN_ORDER = replace(REVERSED, model=replace(REVERSED.model, reversed=False))
RECIPES["seq2seq"] = REVERSED
enter("seq2seq", "deep LSTM, reversed", REVERSED, seeds=(0, 1, 2))
enter("seq2seq", "deep LSTM, in order", IN_ORDER, seeds=(0, 1, 2))

"""The makers of translators that look at their source, and their recipes."""

from typing import Any

from torch import nn

from lookback.bahdanau import RNNSearch, RNNSearchConfig

from .makers import MAKERS, Vocabularies
from .recipes import RECIPES, Budget, Optimiser, Recipe
from .translating import AttentionMaker
from .translators import PAIRS, enter


class RNNSearchMaker(AttentionMaker):
    """RNNsearch learns with teacher forcing; nobody tells it where to look."""

    def module(self, config: Any, vocabularies: Vocabularies) -> nn.Module:
        source, target = vocabularies["source"], vocabularies["target"]
        return RNNSearch(config, len(source), len(target))


MAKERS[RNNSearchConfig] = RNNSearchMaker()
RNNSEARCH = Recipe(
    data=PAIRS,
    seed=0,
    model=RNNSearchConfig(m=48, n=128, k=128, l=64),
    optimiser=Optimiser("adam", 4e-3, warmup=100, decay="linear", clip=1.0),
    budget=Budget(steps=4500, tokens=450, evaluate_every=500),
)
RECIPES["bahdanau"] = RNNSEARCH
enter("bahdanau", "RNNsearch", RNNSEARCH, seeds=(0, 1, 2))

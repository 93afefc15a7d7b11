"""The maker of neural models that look at a window, and their recipes."""

from typing import Any

from torch import Tensor, nn
from torch.nn.parallel import DistributedDataParallel

from lookback.ngram import KneserNey
from lookback.nplm import NPLM, NPLMConfig, contexts

from .language_models import TEXTS, enter, on
from .makers import MAKERS, Vocabularies
from .predicting import LanguageMaker
from .recipes import RECIPES, Budget, NgramConfig, Optimiser, Parameters, Recipe

BIASES = ("b", "d")


class NPLMMaker(LanguageMaker):
    """Each word from the n - 1 words before it."""

    def module(self, config: NPLMConfig, vocabularies: Vocabularies) -> NPLM:
        return NPLM(config, len(vocabularies["words"]))

    def groups(self, module: nn.Module) -> Parameters:
        """Weights decay, as in the paper; biases do not."""
        weights, biases = list[Tensor](), list[Tensor]()
        for name, tensor in module.named_parameters():
            (biases if name in BIASES else weights).append(tensor)
        groups: list[dict[str, Any]] = [{"params": weights}]
        return [*groups, {"params": biases, "weight_decay": 0.0}]

    def logits(self, module: nn.Module, ids: Tensor) -> Tensor:
        spread = isinstance(module, DistributedDataParallel)
        inside = module.module if spread else module
        assert isinstance(inside, NPLM)
        scores: Tensor = module(contexts(ids, inside.config.n))
        return scores


MAKERS[NPLMConfig] = NPLMMaker()


def recipe(
    text: str, m: int, h: int, direct: bool, steps: int, tokens: int, decay: float
) -> Recipe:
    """A recipe on one of TEXTS; the rate was chosen on the Python reference."""
    return Recipe(
        data=TEXTS[text],
        seed=0,
        model=NPLMConfig(n=5, m=m, h=h, direct=direct),
        optimiser=Optimiser("adamw", 0.01, (("weight_decay", decay),), decay="linear"),
        budget=Budget(steps, tokens, evaluate_every=steps // 5),
    )


# The decay is the less the more text there is; large vocabularies do without W, whose
# multiplications are most of the cost.
OURS = {
    "python_reference": recipe("python_reference", 50, 60, True, 500, 900, 0.8),
    "grammar": recipe("grammar", 30, 60, True, 1000, 900, 0.1),
    "multi30k": recipe("multi30k", 60, 100, False, 900, 1000, 0.1),
    "wikitext2": recipe("wikitext2", 60, 60, False, 400, 1500, 0.03),
}
SEEDS = {"python_reference": 3, "grammar": 3, "multi30k": 1, "wikitext2": 1}
RECIPES["nplm"] = OURS["python_reference"]
RECIPES["nplm-grammar"] = OURS["grammar"]

for _text, _recipe in OURS.items():
    _trigrams = Recipe(TEXTS[_text], 0, NgramConfig(3, KneserNey()), None, Budget(1))
    for _seed in range(SEEDS[_text]):
        _ours = on(_text, _recipe, _seed)
        enter("nplm", "NPLM", _text, _ours)
        enter("nplm", "NPLM and trigrams, mixed", _text, _ours, _trigrams)

"""How the neural model of Bengio et al. 2003 is trained."""

from typing import Any

from torch import Tensor, nn

from lookback.nplm import NPLM, NPLMConfig, contexts
from lookback.trainer.language import TEXTS, LanguageLearner
from lookback.trainer.learner import Vocabularies
from lookback.trainer.recipe import Budget, Optimiser, Parameters, Recipe

BIASES = ("b", "d")


class NPLMLearner(LanguageLearner):
    """Each word from the n - 1 words before it."""

    def build(self, vocabularies: Vocabularies) -> NPLM:
        return NPLM(self.recipe.model, len(vocabularies["words"]))

    def groups(self, network: nn.Module) -> Parameters:
        """Weights decay, as in the paper; biases do not."""
        weights, biases = list[Tensor](), list[Tensor]()
        for name, tensor in network.named_parameters():
            (biases if name in BIASES else weights).append(tensor)
        groups: list[dict[str, Any]] = [{"params": weights}]
        return [*groups, {"params": biases, "weight_decay": 0.0}]

    def logits(self, network: nn.Module, ids: Tensor) -> Tensor:
        n: int = network.config.n  # type: ignore[union-attr, assignment]
        scores: Tensor = network(contexts(ids, n))
        return scores


def _recipe(
    text: str, m: int, h: int, direct: bool, steps: int, tokens: int, decay: float
) -> Recipe[NPLMLearner]:
    """A recipe on one of TEXTS; the rate was chosen on the Python reference."""
    return Recipe(
        NPLMLearner,
        data=TEXTS[text],
        seed=0,
        model=NPLMConfig(n=5, m=m, h=h, direct=direct),
        optimiser=Optimiser("adamw", 0.01, (("weight_decay", decay),), decay="linear"),
        budget=Budget(steps, tokens, evaluate_every=steps // 5),
    )


# The decay is the less the more text there is; large vocabularies do without W, whose
# multiplications are most of the cost.
BY_TEXT = {
    "python_reference": _recipe("python_reference", 50, 60, True, 500, 900, 0.8),
    "grammar": _recipe("grammar", 30, 60, True, 1000, 900, 0.1),
    "multi30k": _recipe("multi30k", 60, 100, False, 900, 1000, 0.1),
    "wikitext2": _recipe("wikitext2", 60, 60, False, 400, 1500, 0.03),
}
SEEDS = {"python_reference": 3, "grammar": 3, "multi30k": 1, "wikitext2": 1}
RECIPES = {"nplm": BY_TEXT["python_reference"], "nplm-grammar": BY_TEXT["grammar"]}

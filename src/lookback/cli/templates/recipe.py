"""How LastWord is trained."""

from torch import Tensor, nn

from lookback.cli.templates.last_word import LastWord
from lookback.trainer.language import TEXTS, LanguageLearner
from lookback.trainer.learner import Vocabularies
from lookback.trainer.recipe import Budget, Optimiser, Recipe


class LastWordLearner(LanguageLearner):
    """Reads whole sentences; padding follows them, and so reaches no word."""

    def build(self, vocabularies: Vocabularies) -> nn.Module:
        return LastWord(len(vocabularies["words"]))

    def logits(self, network: nn.Module, ids: Tensor) -> Tensor:
        logits: Tensor = network(ids)
        return logits


RECIPES = {
    "last_word": Recipe(
        LastWordLearner,
        data=TEXTS["grammar"],
        seed=0,
        model=None,
        optimiser=Optimiser("adam", 0.05),
        budget=Budget(steps=100, tokens=500, evaluate_every=50),
    )
}

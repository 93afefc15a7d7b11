"""How a GPT is trained: as the other language models, on the same texts."""

from collections.abc import Mapping, Sequence
from typing import Any

import torch
from torch import Tensor, nn

from lookback.gpt import GPT, GPTConfig
from lookback.trainer.attending import HeadsLearner, HidingLearner
from lookback.trainer.language import TEXTS, LanguageLearner
from lookback.trainer.learner import Vocabularies, Words
from lookback.trainer.recipe import Budget, Optimiser, Recipe


class GPTLearner(HidingLearner, HeadsLearner, LanguageLearner):
    """Reads whole sentences; padding follows them, and so reaches no word.

    `build` may make any module that is called as a `GPT` is.
    """

    def build(self, vocabularies: Vocabularies) -> nn.Module:
        return GPT(self.recipe.model, len(vocabularies["words"]))

    def logits(self, network: nn.Module, ids: Tensor) -> Tensor:
        more = {"mask": self.mask(ids)} if self._hidden else {}
        logits: Tensor = network(ids, **more)[0]
        return logits

    def mask(self, ids: Tensor) -> Tensor:
        """The mask (B, T) of ids that begin with <s>: False on hidden words."""
        known = self.vocabularies["words"]
        read = [known.words(row[1:]) for row in ids.tolist()]
        return self.visible(read, torch.ones_like(ids, dtype=torch.bool), first=1)

    def absent(self, one: str | int, words: Words) -> None:
        """A word that the model knows may come later in the text."""
        known = self.vocabularies["words"]
        if not (one in known if isinstance(one, str) else one >= 0):
            super().absent(one, words)

    def attentions(self) -> Mapping[str, Sequence[nn.Module]]:
        blocks: Any = self.network.blocks
        return {"self": [block.attention for block in blocks]}


# Positions for the longest sentence of each text and for <s>.
CONFIGS = {
    "grammar": GPTConfig(N=2, d_model=64, h=4, d_ff=256, max_positions=80, init=0.05),
    "python_reference": GPTConfig(
        N=2, d_model=96, h=4, d_ff=384, max_positions=240, init=0.05, dropout=0.3
    ),
    "multi30k": GPTConfig(
        N=2, d_model=128, h=4, d_ff=512, max_positions=48, init=0.05, dropout=0.1
    ),
    "wikitext2": GPTConfig(
        N=2, d_model=128, h=4, d_ff=512, max_positions=704, init=0.05
    ),
}
RATES = {
    "grammar": 4e-3, "python_reference": 4e-3, "multi30k": 3e-3, "wikitext2": 3e-3
}  # fmt: skip
BUDGETS = {
    "grammar": Budget(steps=2500, tokens=500, evaluate_every=500),
    "python_reference": Budget(steps=1200, tokens=500, evaluate_every=200),
    "multi30k": Budget(steps=1500, tokens=1000, evaluate_every=500),
    "wikitext2": Budget(steps=1500, tokens=1000, evaluate_every=750),
}


def on_text(
    text: str, seed: int = 0, learner: type[GPTLearner] = GPTLearner
) -> Recipe[GPTLearner]:
    """The recipe for one of TEXTS; `learner` builds the network."""
    budget = BUDGETS[text]
    return Recipe(
        learner,
        data=TEXTS[text],
        seed=seed,
        model=CONFIGS[text],
        optimiser=Optimiser(
            "adamw",
            RATES[text],
            (("betas", (0.9, 0.95)),),
            warmup=budget.steps // 20,
            decay="linear",
            clip=1.0,
        ),
        budget=budget,
    )


RECIPES = {"gpt": on_text("grammar")}

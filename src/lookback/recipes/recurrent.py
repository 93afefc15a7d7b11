"""How recurrent language models are trained."""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, ClassVar

from torch import Tensor, nn

from lookback.checks import one_of, share, whole
from lookback.recurrent import Cell, RecurrentLM, RNNCell
from lookback.trainer.language import TEXTS, LanguageLearner
from lookback.trainer.learner import Vocabularies
from lookback.trainer.recipe import Budget, Optimiser, Recipe


@dataclass(frozen=True)
class RecurrentConfig:
    """The sizes of a recurrent language model.

    cell     its name: "rnn"; the recipes of lstm know others
    m        of a word's vector
    n        of the state
    dropout  as of `RecurrentLM`
    """

    cell: str
    m: int
    n: int
    dropout: float = 0.0

    def __post_init__(self) -> None:
        whole(m=self.m, n=self.n)
        share(dropout=self.dropout)


class RecurrentLearner(LanguageLearner):
    """Reads whole sentences; padding follows them, and so reaches no word."""

    cells: ClassVar[Mapping[str, type[Cell[Any]]]] = {"rnn": RNNCell}

    def build(self, vocabularies: Vocabularies) -> nn.Module:
        c = self.recipe.model
        one_of(self.cells, cell=c.cell)
        V = len(vocabularies["words"])
        return RecurrentLM(V, c.m, c.n, self.cells[c.cell], c.dropout)

    def logits(self, network: nn.Module, ids: Tensor) -> Tensor:
        logits: Tensor = network(ids)[0]
        return logits


# Sizes with which the cells have about as many parameters as each other: m, and n.
SIZES = {
    "grammar": (64, {"rnn": 160, "lstm": 96, "gru": 112}),
    "python_reference": (96, {"rnn": 128, "lstm": 96, "gru": 104}),
    "multi30k": (128, {"rnn": 208, "lstm": 160, "gru": 176}),
    "wikitext2": (128, {"gru": 128}),
}
RATES = {"rnn": 2e-3, "lstm": 4e-3, "gru": 4e-3}
DROPOUT = {"grammar": 0.0, "python_reference": 0.5, "multi30k": 0.2, "wikitext2": 0.0}
BUDGETS = {
    "grammar": Budget(steps=2500, tokens=500, evaluate_every=500),
    "python_reference": Budget(steps=1200, tokens=500, evaluate_every=200),
    "multi30k": Budget(steps=1500, tokens=1000, evaluate_every=500),
    "wikitext2": Budget(steps=1500, tokens=1000, evaluate_every=750),
}


def on_text(
    cell: str,
    text: str,
    seed: int = 0,
    learner: type[RecurrentLearner] = RecurrentLearner,
) -> Recipe[RecurrentLearner]:
    """The recipe of a cell for one of TEXTS; `learner` knows the cell."""
    m, n = SIZES[text]
    rate = RATES[cell] * (1.5 if text == "python_reference" else 1)
    return Recipe(
        learner,
        data=TEXTS[text],
        seed=seed,
        model=RecurrentConfig(cell, m, n[cell], DROPOUT[text]),
        optimiser=Optimiser("adam", rate, decay="linear", clip=1.0),
        budget=BUDGETS[text],
    )


RECIPES = {"recurrent": on_text("rnn", "grammar")}

"""The maker of recurrent language models, and their recipes."""

from torch import Tensor, nn

from lookback.recurrent import RecurrentConfig, RecurrentLM

from .language_models import TEXTS, enter
from .makers import MAKERS, Vocabularies
from .predicting import LanguageMaker
from .recipes import RECIPES, Budget, Optimiser, Recipe

SEEDS = (0, 1, 2)


class RecurrentMaker(LanguageMaker):
    """Reads whole sentences; padding stands behind them, and so reaches no word."""

    def module(self, config: RecurrentConfig, vocabularies: Vocabularies) -> nn.Module:
        return RecurrentLM(config, len(vocabularies["words"]))

    def logits(self, module: nn.Module, ids: Tensor) -> Tensor:
        logits: Tensor = module(ids)[0]
        return logits


MAKERS[RecurrentConfig] = RecurrentMaker()

SYSTEMS = {"RNN": "rnn", "LSTM": "lstm", "GRU": "gru"}
# Sizes with which the three have about as many parameters as each other: m, and n.
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


def _recipe(cell: str, text: str, seed: int = 0) -> Recipe:
    m, n = SIZES[text]
    rate = RATES[cell] * (1.5 if text == "python_reference" else 1)
    return Recipe(
        data=TEXTS[text],
        seed=seed,
        model=RecurrentConfig(cell, m, n[cell], DROPOUT[text]),
        optimiser=Optimiser("adam", rate, decay="linear", clip=1.0),
        budget=BUDGETS[text],
    )


for _system, _cell in SYSTEMS.items():
    RECIPES[_cell] = _recipe(_cell, "grammar")
    for _text in ("grammar", "python_reference"):
        for _seed in SEEDS:
            enter("recurrent", _system, _text, _recipe(_cell, _text, _seed))
    for _text in ("multi30k", "wikitext2"):  # minutes each, so one seed; one system
        if _cell in SIZES[_text][1]:
            enter("recurrent", _system, _text, _recipe(_cell, _text))

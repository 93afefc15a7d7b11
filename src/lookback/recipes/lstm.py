"""How language models with gates are trained: as those without."""

from lookback.lstm import CELLS
from lookback.trainer.recipe import Recipe

from . import recurrent


class GatedLearner(recurrent.RecurrentLearner):
    """The learner of `recurrent`, for an LSTM or a GRU."""

    cells = CELLS


def on_text(cell: str, text: str, seed: int = 0) -> Recipe[recurrent.RecurrentLearner]:
    """The recipe of a cell for one of TEXTS."""
    return recurrent.on_text(cell, text, seed, GatedLearner)


RECIPES = {"lstm": on_text("lstm", "grammar"), "lstm-gru": on_text("gru", "grammar")}

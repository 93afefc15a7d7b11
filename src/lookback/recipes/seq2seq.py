"""How the deep LSTMs of Sutskever et al. 2014 are trained."""

from dataclasses import replace

from lookback.seq2seq import Seq2Seq, Seq2SeqConfig
from lookback.trainer.recipe import Budget, Optimiser, Recipe
from lookback.trainer.translation import PAIRS, TranslationLearner


class Seq2SeqLearner(TranslationLearner):
    """Two deep LSTMs; the recipe says in which direction the source is read."""

    architecture = Seq2Seq


REVERSED = Recipe(
    Seq2SeqLearner,
    data=PAIRS,
    seed=0,
    model=Seq2SeqConfig(m=56, n=112, layers=2, reversed=True),
    optimiser=Optimiser("adam", 8e-3, warmup=100, decay="linear", clip=1.0),
    budget=Budget(steps=4000, tokens=450, evaluate_every=500),
)
IN_ORDER = replace(REVERSED, model=replace(REVERSED.model, reversed=False))
RECIPES = {"seq2seq": REVERSED}

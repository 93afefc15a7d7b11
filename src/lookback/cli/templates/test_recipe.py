"""LastWord learns, and comes back from its tensors."""

from dataclasses import replace

from lookback.cli.templates.recipe import RECIPES
from lookback.trainer.recipe import Budget, Data

from .conftest import learns


def test_it_learns_and_comes_back_from_its_tensors() -> None:
    budget = Budget(40, 12, evaluate_every=20)
    learns(replace(RECIPES["last_word"], data=Data("t"), budget=budget))

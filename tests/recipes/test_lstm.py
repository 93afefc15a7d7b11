"""Language models with gates: trained as the one without is."""

import pytest

from lookback.lstm import CELLS
from lookback.recipes import recurrent
from lookback.recipes.lstm import RECIPES, GatedLearner, on_text
from lookback.recipes.recurrent import SIZES, RecurrentConfig
from lookback.trainer.recipe import Budget, Data, Optimiser, Recipe

from .conftest import learns


@pytest.mark.parametrize("cell", ["lstm", "gru"])
def test_it_learns_and_comes_back_from_its_tensors(cell: str) -> None:
    recipe = Recipe(
        GatedLearner,
        Data("t"),
        0,
        RecurrentConfig(cell, m=3, n=4),
        Optimiser("adam", 0.05, clip=1.0),
        Budget(40, 12, evaluate_every=20),
    )
    again = learns(recipe)
    assert type(again.network.cell) is CELLS[cell]


def test_the_three_systems_have_about_as_many_parameters() -> None:
    types = {"grammar": 460, "python_reference": 1617, "multi30k": 5971}
    for text, V in types.items():
        sizes = []
        for cell, gates in (("rnn", 1), ("lstm", 4), ("gru", 3)):
            m, n = SIZES[text][0], SIZES[text][1][cell]
            sizes.append(V * m + gates * n * (m + n + 1) + V * (n + 1))
        assert max(sizes) < 1.25 * min(sizes)


def test_the_three_cells_are_trained_alike() -> None:
    assert [r.model.cell for r in RECIPES.values()] == ["lstm", "gru"]
    (plain,) = recurrent.RECIPES.values()
    for one in RECIPES.values():
        assert one == on_text(one.model.cell, "grammar")
        assert (one.data, one.budget) == (plain.data, plain.budget)
        assert on_text(one.model.cell, "grammar", seed=2).seed == 2

"""Language models with gates: trained as the one without is."""

from lookback.recipes import recurrent
from lookback.recipes.lstm import RECIPES, on_text
from lookback.recipes.recurrent import SIZES


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

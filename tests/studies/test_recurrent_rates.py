"""Agreement at four learning rates: what is trained, and which rate is chosen."""

import pytest

from lookback.recipes.lstm import on_text
from lookback.studies.recurrent_rates import (
    RATES,
    STUDY,
    SYSTEMS,
    best_rate,
    case,
)
from lookback.workshop import Results, results


def test_only_the_rate_differs_from_the_recipe_of_the_book() -> None:
    assert len(STUDY.cases) == 3 * 4 * 3
    for label, recipe in STUDY.cases.items():
        system, rate = label.split(", ")[0].split(" at ")
        ours = on_text(SYSTEMS[system], "grammar", recipe.seed)
        assert label.endswith(f"seed {recipe.seed}")
        assert recipe.optimiser.rate == float(rate)
        assert (recipe.data, recipe.model, recipe.budget) == (
            ours.data,
            ours.model,
            ours.budget,
        )
        assert recipe.optimiser.clip == ours.optimiser.clip == 1


def test_the_best_rate_is_chosen_on_validation() -> None:
    rows = {
        f"RNN at {rate:g}, seed {seed}": {"validation perplexity": perplexity + seed}
        for rate, perplexity in zip(RATES, (3.0, 1.0, 2.0, 2.0), strict=True)
        for seed in range(2)
    }
    assert best_rate(Results("recurrent_rates", rows, {}), "RNN") == RATES[1]
    with pytest.raises(ValueError, match="no case"):
        best_rate(Results("recurrent_rates", rows, {}), "GRU")


def test_what_the_chapters_say_of_the_study() -> None:
    """Sentences of docs/recurrent.md and docs/lstm.md without a number of their own."""
    found = results("recurrent_rates")
    best = {
        name: [
            row["all right"] for row in found.seeds(case(name, best_rate(found, name)))
        ]
        for name in SYSTEMS
    }
    assert max(max(row[4:6]) for row in best["RNN"]) < 0.54 * 300
    for gated in ("LSTM", "GRU"):
        for distance in (2, 3):  # three and four words
            worst = min(row[distance] for row in best[gated])
            assert worst > max(row[distance] for row in best["RNN"])

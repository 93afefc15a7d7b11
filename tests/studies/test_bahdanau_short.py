"""Translators of short sentences: recipes that differ in data, steps and seed alone."""

from dataclasses import replace

from lookback.studies import translators
from lookback.studies.bahdanau_short import (
    ATTENTION,
    FIXED,
    SEEDS,
    STUDY,
    shortened,
)
from lookback.workshop import PAIRS, SHORT_PAIRS, recipe, results

NAMES = {FIXED: "encdec", ATTENTION: "bahdanau"}


def test_short_recipes_differ_in_data_steps_and_seed() -> None:
    for label, case in STUDY.cases.items():
        system, seed = label.split(", seed ")
        whole = recipe(NAMES[system])
        assert (case.data, case.seed) == (SHORT_PAIRS, int(seed))
        assert case == shortened(NAMES[system], case.budget.steps, case.seed)
        budget = replace(case.budget, steps=whole.budget.steps)
        assert replace(case, data=PAIRS, seed=whole.seed, budget=budget) == whole
        assert case.budget.steps < whole.budget.steps
    assert len(STUDY.cases) == len(NAMES) * len(SEEDS) == 6


def test_they_are_measured_as_all_translators_are() -> None:
    """So that each has BLEU for the long sentences that none of them was trained on."""
    assert STUDY.measure is translators.measured
    found = results("bahdanau_short")
    for system in NAMES:
        rows = found.seeds(system)
        assert len(rows) == len(SEEDS)
        ends = [(one["from"], one["to"]) for one in rows[0]["lengths"]]
        assert ends == list(translators.BINS)
    error = [row["test AER"] for row in found.seeds(ATTENTION)]
    assert len(error) == len(SEEDS)
    assert "test AER" not in found.seeds(FIXED)[0]

"""The three scores over learning rate and steps: what the cases have in common.

Mutants that these tests kill: a rate that does not reach the optimiser; another size of
the queries; the longer runs as short as the others; a case measured under two names.
"""

from lookback.studies.attention import SCORES, SEEDS, SIZES, STEPS
from lookback.studies.attention_rates import LONGER, RATES, STUDY, at_rate, case

CASES = {label: recipe for label, recipe in STUDY.cases.items() if label != "quick"}


def test_a_case_has_the_rate_and_the_steps_of_its_label():
    for label, recipe in CASES.items():
        rate, steps = recipe.optimiser.rate, recipe.budget.steps
        assert label.startswith(f"{recipe.model.score}, rate {rate:g}, {steps} steps")
        assert label.endswith(f"seed {recipe.seed}")


def test_every_score_has_the_same_rates_and_seeds():
    for score in SCORES:
        shorter = {
            (recipe.optimiser.rate, recipe.seed)
            for recipe in CASES.values()
            if recipe.model.score == score and recipe.budget.steps == STEPS
        }
        assert shorter == {(rate, seed) for rate in RATES for seed in SEEDS}


def test_only_score_rate_steps_and_seed_differ():
    assert {recipe.model.d_k for recipe in CASES.values()} == {SIZES[-1]}
    assert {recipe.budget.steps for recipe in CASES.values()} == {STEPS, LONGER * STEPS}
    assert {recipe.budget.tokens for recipe in CASES.values()} == {500}
    assert {recipe.data for recipe in CASES.values()} == {at_rate("dot", 1, 0, 1).data}
    assert len(CASES) == len({recipe.digest for recipe in CASES.values()})


def test_a_case_names_what_its_mean_is_taken_of():
    assert case("dot", 3e-2, 480) == "dot, rate 0.03, 480 steps"

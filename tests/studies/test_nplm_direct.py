"""Direct connections by steps and decay: the cases, and what is measured.

Mutants that these tests kill: a case with the other network, steps or decay; the test's
perplexity for that of validation.
"""

import pytest

from lookback.studies import nplm_direct
from lookback.studies.nplm_direct import PYTHON, STUDY, Case, case, measure
from lookback.workshop import results

from .test_nplm import CORPUS, SMALL, toy  # noqa: F401


def test_the_cases_differ_from_the_recipe_in_what_they_say() -> None:
    for direct, steps, decay in ((True, 500, 0.8), (False, 1500, 0.4)):
        recipe = case(direct, steps, decay, 2).recipe
        assert recipe.model.direct is direct
        assert (recipe.model.n, recipe.model.m) == (PYTHON.model.n, PYTHON.model.m)
        assert dict(recipe.optimiser.options) == {"weight_decay": decay}
        assert (recipe.budget.steps, recipe.seed, recipe.data) == (
            steps,
            2,
            PYTHON.data,
        )


@pytest.mark.usefixtures("toy")
def test_both_parts_are_measured(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(nplm_direct, "corpus", lambda data: CORPUS)
    found = measure(Case(SMALL))
    assert found == measure(Case(SMALL))
    assert found["best step"] in (0, 10, 20, 30)
    assert found["validation"] != found["test"]


def test_the_stored_rows_are_those_of_the_cases() -> None:
    stored = results("nplm_direct")
    assert [*stored.rows] == [*STUDY.cases]
    sizes = {row["parameters"] for row in stored.rows.values()}
    assert len(sizes) == 2

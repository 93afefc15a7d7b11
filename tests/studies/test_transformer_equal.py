"""The Transformer with the budget of RNNsearch: what changes, and what was stored."""

from dataclasses import replace

import pytest

from lookback.studies import translators
from lookback.studies.transformer_equal import STUDY, equal
from lookback.workshop import recipe, results


def test_only_budget_seed_and_loss_differ() -> None:
    own, given = recipe("transformer"), equal(2)
    assert given.seed == 2 and given.model.smoothing == 0 < own.model.smoothing
    assert given.budget == recipe("bahdanau").budget != own.budget
    back = replace(given, seed=own.seed, model=own.model, budget=own.budget)
    assert back == own


def test_it_read_what_rnnsearch_read() -> None:
    stored = results("transformer_equal")
    assert set(stored.rows) == set(STUDY.cases)
    rival = translators.rows("RNNsearch")
    for row, other in zip(stored.seeds("Transformer"), rival, strict=True):
        assert row["steps"] == other["steps"]
        assert row["target tokens"] == pytest.approx(other["target tokens"], rel=1e-3)

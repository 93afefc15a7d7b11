"""The Transformer that learns from few captions: settings, and what is kept."""

from lookback.measure.bleu import score_of
from lookback.studies.stack_decoder import UNK, counts_of
from lookback.studies.stack_decoder_networks import STUDY, network
from lookback.workshop import results


def test_the_settings_are_those_of_the_captions_but_for_what_is_said():
    case = network(1000, 500)
    assert (case.pairs, case.recipe.budget.steps) == (1000, 500)
    assert case.recipe.budget.evaluate_every == 100
    assert (case.recipe.model.dropout, case.recipe.data.min_count) == (0.3, 2)


def test_what_is_stored_is_the_best_step_and_its_counts():
    study = results("stack_decoder_networks")
    assert list(study.rows) == list(STUDY.cases)
    row = study["1000"]
    best = max(row["validation"], key=lambda tried: tried[2])
    assert row["pairs"] == 1000 and row["steps"] == best[0]
    for way, score in row["test"].items():
        counts = counts_of(row["counts"][way])
        assert counts.shape[0] == 1000
        assert abs(score_of(counts.sum(axis=0)) - score["BLEU"]) < 0.01
    assert row["test"]["replaced"]["BLEU"] > row["test"][UNK]["BLEU"]

"""The Transformer that learns from few captions: what is kept of the best step."""

from lookback.measure.bleu import score_of
from lookback.studies.stack_decoder import UNK, counts_of
from lookback.workshop import results


def test_what_is_stored_is_the_best_step_and_its_counts() -> None:
    row = results("stack_decoder_networks")["1000"]
    best = max(row["validation"], key=lambda tried: tried[2])
    assert row["pairs"] == 1000 and row["steps"] == best[0]
    for way, score in row["test"].items():
        counts = counts_of(row["counts"][way])
        assert counts.shape[0] == 1000
        assert abs(score_of(counts.sum(axis=0)) - score["BLEU"]) < 0.01
    assert row["test"]["replaced"]["BLEU"] > row["test"][UNK]["BLEU"]

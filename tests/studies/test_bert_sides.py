"""BERT and GPT after the same words: their recipes, and what both are asked."""

from dataclasses import replace

import pytest

from lookback.recipes.bert import BERTLearner
from lookback.recipes.gpt import GPTLearner
from lookback.studies.bert_masking import words_read
from lookback.studies.bert_sides import STUDY, filled, gpt_right
from lookback.workshop import pretrained, recipe, results


def test_both_read_the_same_words_in_as_many_updates() -> None:
    of = {label: case.arguments["pretraining"] for label, case in STUDY.cases.items()}
    bert, gpt = of["BERT, seed 0"], of["GPT, seed 0"]
    assert gpt == recipe("gpt") and bert.budget == gpt.budget and bert.data == gpt.data
    assert bert.optimiser and gpt.optimiser
    assert bert.optimiser == replace(gpt.optimiser, rate=bert.optimiser.rate)
    shipped = recipe("bert")
    assert replace(bert, budget=shipped.budget, optimiser=shipped.optimiser) == shipped
    longer = of["GPT, longer, seed 0"]
    assert longer.budget == shipped.budget
    assert shipped.optimiser
    assert longer.optimiser == replace(shipped.optimiser, rate=gpt.optimiser.rate)
    assert replace(longer, budget=gpt.budget, optimiser=gpt.optimiser) == gpt
    assert words_read(longer) == words_read(shipped) > 2 * words_read(gpt)


def test_both_are_asked_for_the_same_words() -> None:
    bert = filled(pretrained("bert", kind=BERTLearner))
    gpt = filled(pretrained("gpt", kind=GPTLearner))
    masking = results("bert_masking")["80/10/10, seed 0"]["restored"]["[MASK]"]
    for found, stored in (
        (bert, masking),
        (gpt, results("bert_sides")["GPT, seed 0"]["gaps"]),
    ):
        assert found["words"] == stored["words"]
        assert found["perplexity"] == pytest.approx(stored["perplexity"], abs=0.01)
        assert abs(found["right"] - stored["right"]) <= 2


def test_gpt_is_fine_tuned_as_in_its_own_study() -> None:
    before = pretrained("gpt", kind=GPTLearner)
    found = gpt_right(before, 100, 1)
    stored = results("gpt_labels")["pre-trained, 100 labels, seed 1"]["right"]
    assert found == pytest.approx(stored, abs=15)

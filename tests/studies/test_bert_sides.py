"""BERT and GPT after the same words: what both are asked."""

import pytest

from lookback.recipes.bert import BERTLearner
from lookback.recipes.gpt import GPTLearner
from lookback.studies.bert_sides import filled
from lookback.workshop import pretrained, results


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

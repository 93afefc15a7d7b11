"""What is read of hidden words: the same words are asked for, whatever is read."""

import pytest
import torch

from lookback.recipes.bert import BERTLearner
from lookback.studies import bert_masking
from lookback.studies.bert_masking import READ, restored, words_read
from lookback.workshop import pretrained, recipe


def test_a_seventh_of_the_words_that_are_read_is_predicted() -> None:
    shipped = words_read(recipe("bert"))
    predicted = pretrained("bert").metadata["tokens"]
    assert predicted / shipped == pytest.approx(0.15, abs=0.02)


def test_the_same_words_are_asked_for_whatever_is_read(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    """A network that says what it reads knows a word that it reads, and no other."""
    learner = pretrained("bert", kind=BERTLearner)

    class Echo(torch.nn.Module):
        def forward(self, ids, mask):  # type: ignore[no-untyped-def]
            one_hot = torch.nn.functional.one_hot(
                ids, len(learner.vocabularies["words"])
            )
            return 50.0 * one_hot, None, None

    monkeypatch.setattr(bert_masking, "SENTENCES", 60)
    learner.network = Echo()  # type: ignore[assignment]
    found = {name: restored(learner, kinds) for name, kinds in READ.items()}
    assert len({row["words"] for row in found.values()}) == 1
    assert found["the word itself"]["right"] == found["the word itself"]["words"]
    assert found["the word itself"]["perplexity"] == pytest.approx(1)
    assert found["[MASK]"]["right"] == 0
    assert found["a random word"]["right"] < 0.05 * found["a random word"]["words"]

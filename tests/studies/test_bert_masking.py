"""What is read of hidden words: the same words are asked for, whatever is read."""

from dataclasses import replace

import pytest
import torch

from lookback.bert import TokenClassifier
from lookback.recipes.bert import BERTLearner, on_grammar
from lookback.studies import bert_masking
from lookback.studies.bert_masking import (
    DRAWS,
    READ,
    Masking,
    learned,
    measured,
    restored,
    right,
    words_read,
)
from lookback.workshop import Budget, pretrained, recipe, results


def test_the_shipped_model_is_not_trained_again() -> None:
    assert learned(recipe("bert")).name == "bert"


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


def test_a_row_tells_the_cost_and_the_right_answers(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    """Fine-tuned as in the study of labels: its own answers come out again."""
    monkeypatch.setattr(bert_masking, "DRAWS", (1,))
    monkeypatch.setattr(bert_masking, "SENTENCES", 20)
    row = measured(Masking(recipe("bert"), labels=(100,)))
    label = "pre-trained, 100 labels, seed 1"
    assert row["right"] == [[results("bert_labels")[label]["right"]]]
    short = replace(on_grammar(), budget=Budget(2, 1000, evaluate_every=2))
    row = measured(Masking(short, labels=()))
    assert row["right"] == [] and 100 < row["words predicted"] < 500


def test_each_draw_begins_from_the_same_pre_training(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    learner, begun = pretrained("bert", kind=BERTLearner), []

    def spoil(classifier: TokenClassifier, words: object, case: object) -> None:
        first = next(classifier.bert.parameters()).detach()
        begun.append(first.clone())
        first.zero_()

    monkeypatch.setattr(bert_masking, "fine_tune", spoil)
    monkeypatch.setattr(bert_masking, "tested", lambda *given: {"right": 7})
    assert [right(learner, 100, draw) for draw in (0, 1)] == [7, 7]
    assert begun[0].equal(begun[1]) and begun[0].any()


def test_what_the_chapter_says() -> None:
    found = results("bert_masking")
    for label, row in found.rows.items():
        assert len(row["right"]) == len(row["labels"])
        assert all(len(three) == len(DRAWS) for three in row["right"]), label

"""What all learners of language models share, on a network whose answers are known."""

import math
from dataclasses import replace

import numpy as np
import pytest
import torch
from torch import Tensor, nn

from kit import LETTERS as CORPUS
from lookback.trainer.data import corpora_names, options
from lookback.trainer.fit import once
from lookback.trainer.language import TEXTS, LanguageLearner, on
from lookback.trainer.learner import Vocabularies, train_recipe
from lookback.trainer.recipe import Budget, Data, Optimiser, Recipe

TRAIN = CORPUS.train


class Bigrams(nn.Module):
    """A row of scores for each previous word."""

    def __init__(self, V: int) -> None:
        super().__init__()
        self.table = nn.Embedding(V, V)
        nn.init.zeros_(self.table.weight)

    def forward(self, ids: Tensor) -> Tensor:
        scores: Tensor = self.table(ids)
        return scores


class BigramLearner(LanguageLearner):
    def build(self, vocabularies: Vocabularies) -> nn.Module:
        return Bigrams(len(vocabularies["words"]))

    def logits(self, network: nn.Module, ids: Tensor) -> Tensor:
        scores: Tensor = network(ids)
        return scores


RECIPE = Recipe(
    BigramLearner,
    Data("t"),
    0,
    "bigrams",
    Optimiser("adam", 0.3),
    Budget(60, 12, evaluate_every=20),
)


@pytest.fixture
def untrained() -> BigramLearner:
    """It gives every word the same probability."""
    learner = BigramLearner(RECIPE)
    learner.vocabularies = learner.words_of(CORPUS)
    learner.network = learner.untrained(learner.vocabularies)
    return learner


def test_each_word_and_the_end_are_scored_in_the_order_of_the_sentences(
    untrained: BigramLearner,
) -> None:
    words = untrained.vocabularies["words"]
    with torch.no_grad():
        a, b = words.ids(["a", "b"])
        untrained.network.table.weight[a, b] = math.log(3)
    found = untrained.log_probabilities([["a", "b", "a"], ["b"], ["zz"]])
    V = len(words)  # all scores 0 but one: 1 of V, or 3 of V + 2
    plain, high, other = 1 / V, 3 / (V + 2), 1 / (V + 2)
    expected = [[plain, high, plain, other], [plain, plain], [plain, plain]]
    for row, p in zip(found, expected, strict=True):
        np.testing.assert_allclose(np.exp(row), p, rtol=1e-6)


def test_a_batch_is_scored_as_its_sentences_one_by_one(
    untrained: BigramLearner,
) -> None:
    weight = untrained.network.table.weight
    nn.init.normal_(weight, generator=torch.Generator().manual_seed(0))
    together = untrained.log_probabilities(TRAIN)
    for sentence, row in zip(TRAIN, together, strict=True):
        (alone,) = untrained.log_probabilities([sentence])
        assert row.shape == (len(sentence) + 1,)
        np.testing.assert_allclose(row, alone, rtol=1e-6)


def test_its_perplexity_is_that_of_its_probabilities(untrained: BigramLearner) -> None:
    V = len(untrained.vocabularies["words"])
    metrics = untrained.evaluate(CORPUS)
    assert metrics == pytest.approx({"validation perplexity": V, "test perplexity": V})
    weight = untrained.network.table.weight
    nn.init.normal_(weight, generator=torch.Generator().manual_seed(1))
    metrics = untrained.evaluate(CORPUS)
    for split in ("validation", "test"):
        found = untrained.perplexity(CORPUS.split(split))
        assert found == pytest.approx(metrics[f"{split} perplexity"])
        assert found != pytest.approx(V)
    rows = np.concatenate(untrained.log_probabilities(CORPUS.validation))
    product = math.exp(-sum(rows) / 5)  # of 3 words and 2 ends
    assert metrics["validation perplexity"] == pytest.approx(product)


def test_train_is_shuffled_at_each_epoch_and_the_rest_stays(
    untrained: BigramLearner,
) -> None:
    generator = torch.Generator().manual_seed(0)
    train, test = (
        untrained.batches(CORPUS, split, generator) for split in ("train", "test")
    )
    orders = [[batch.rows.tolist() for batch in once(train)] for _ in range(6)]
    for order in orders:
        assert sorted(row for rows in order for row in rows) == [0, 1, 2, 3, 4]
    assert any(order != orders[0] for order in orders)
    assert all(batch.target_mask.numel() <= 12 for batch in once(train))
    for _ in range(2):
        assert [batch.rows.tolist() for batch in once(test)] == [[0]]


def test_training_on_bigrams_comes_to_the_bigram_counts(
    untrained: BigramLearner,
) -> None:
    long = replace(
        RECIPE,
        optimiser=Optimiser("adam", 0.3, decay="linear"),
        budget=Budget(400, 50, evaluate_every=400),
    )
    learner, counts = train_recipe(long, CORPUS), dict[str, dict[str, int]]()
    for sentence in TRAIN:
        for one, next_ in zip(("<s>", *sentence), (*sentence, "</s>"), strict=True):
            row = counts.setdefault(one, {})
            row[next_] = row.get(next_, 0) + 1
    for sentence in (["a", "b"], ["c", "a"]):
        (row,) = learner.log_probabilities([sentence])
        for p, one, next_ in zip(
            np.exp(row), ("<s>", *sentence), (*sentence, "</s>"), strict=True
        ):
            expected = counts[one].get(next_, 0) / sum(counts[one].values())
            assert p == pytest.approx(expected, abs=0.03)


def test_sentences_are_continued_as_given_and_never_by_a_special_token(
    untrained: BigramLearner,
) -> None:
    def drawn(seed: int) -> list[list[str]]:
        generator = torch.Generator().manual_seed(seed)
        return untrained.generate(60, start=["b", "a"], generator=generator)

    sentences = drawn(3)
    assert sentences[0][:2] == ["b", "a"]
    assert len(sentences) > 2
    assert all(sentences)
    assert not {"<pad>", "<s>", "</s>"} & {w for s in sentences for w in s}
    assert drawn(3) == sentences != drawn(4)


def test_words_are_drawn_by_their_probabilities(untrained: BigramLearner) -> None:
    a, b = untrained.vocabularies["words"].ids(["a", "b"])
    with torch.no_grad():
        weight = untrained.network.table.weight
        weight[:, a] = 50.0  # after anything an a
        weight[a] = 0.0
        weight[a, b] = 50.0  # and after an a a b
    generator = torch.Generator().manual_seed(0)
    written = untrained.generate(6, generator=generator)
    assert written == [["a", "b", "a", "b", "a", "b"]]


def test_the_same_recipe_for_another_text_and_seed() -> None:
    other = on("multi30k", RECIPE, seed=2)
    assert (other.data, other.seed) == (TEXTS["multi30k"], 2)
    assert replace(other, data=RECIPE.data, seed=0) == RECIPE
    with pytest.raises(ValueError, match="no text 'multi30': did you mean 'multi30k'"):
        on("multi30", RECIPE)


def test_the_texts_are_corpora_that_there_are() -> None:
    for name, data in TEXTS.items():
        assert data.corpus == name in corpora_names()
        assert {option for option, _ in data.options} <= set(options(name))

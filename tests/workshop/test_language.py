"""What every maker of language models shares, on a module whose answers are known."""

import math
from pathlib import Path

import numpy as np
import pytest
import torch
from lookback.workshop.counting import NgramMaker
from lookback.workshop.makers import Bench
from lookback.workshop.predicting import LanguageMaker
from lookback.workshop.ranks import Ranks
from lookback.workshop.recipes import (
    Budget,
    Data,
    NgramConfig,
    Optimiser,
    Recipe,
)
from torch import Tensor, nn

from lookback.ngram import KneserNey, MaximumLikelihood
from lookback.text.corpora import Corpus

TRAIN = tuple(tuple(s.split()) for s in ("a b a", "b", "a b", "c a b", "b a b a b"))
CORPUS = Corpus("t", "1", 1, TRAIN, (("a", "b"), ("c",)), (("zz", "a"),), (), {})
ASKED = Recipe(
    Data("t"), 0, "bigrams", Optimiser("adam", 0.3), Budget(60, 12, evaluate_every=20)
)


class Bigrams(nn.Module):
    """A row of scores for each word before."""

    def __init__(self, V: int) -> None:
        super().__init__()
        self.table = nn.Embedding(V, V)
        nn.init.zeros_(self.table.weight)

    def forward(self, ids: Tensor) -> Tensor:
        scores: Tensor = self.table(ids)
        return scores


class BigramMaker(LanguageMaker):
    def module(self, config: object, vocabularies: object) -> nn.Module:
        return Bigrams(len(vocabularies["words"]))  # type: ignore[index]

    def logits(self, module: nn.Module, ids: Tensor) -> Tensor:
        scores: Tensor = module(ids)
        return scores


@pytest.fixture
def untrained() -> tuple[BigramMaker, dict, Bigrams]:
    maker = BigramMaker()
    words = dict(maker.vocabularies(ASKED, CORPUS))
    return maker, words, maker.module(None, words)


def test_each_word_and_the_end_are_priced_in_the_order_of_the_sentences(
    untrained,
) -> None:
    maker, words, module = untrained
    with torch.no_grad():
        a, b = words["words"].ids(["a", "b"])
        module.table.weight[a, b] = math.log(3)
    found = maker.log_probabilities(module, words, [["a", "b", "a"], ["b"], ["zz"]])
    V = len(words["words"])  # all scores 0 but one: 1 of V, or 3 of V + 2
    plain, high, other = 1 / V, 3 / (V + 2), 1 / (V + 2)
    expected = [[plain, high, plain, other], [plain, plain], [plain, plain]]
    for row, p in zip(found, expected, strict=True):
        np.testing.assert_allclose(np.exp(row), p, rtol=1e-6)


def test_a_batch_prices_as_the_sentences_one_by_one(untrained) -> None:
    maker, words, module = untrained
    nn.init.normal_(module.table.weight, generator=torch.Generator().manual_seed(0))
    sentences = [list(s) for s in TRAIN]
    together = maker.log_probabilities(module, words, sentences)
    for sentence, row in zip(sentences, together, strict=True):
        alone = maker.log_probabilities(module, words, [sentence])[0]
        assert row.shape == (len(sentence) + 1,)
        np.testing.assert_allclose(row, alone, rtol=1e-6)


def test_its_perplexity_is_that_of_the_prices(untrained) -> None:
    maker, words, module = untrained
    found = maker.measure(module, words, CORPUS)
    V = len(words["words"])
    assert found == pytest.approx({"validation perplexity": V, "test perplexity": V})


@pytest.fixture
def bench(tmp_path: Path) -> Bench:
    return Bench(torch.device("cpu"), tmp_path / "state", Ranks(), progress=False)


def test_each_epoch_is_drawn_anew_and_what_is_asked_is_not(untrained) -> None:
    maker, words, _ = untrained
    chance = torch.Generator().manual_seed(0)
    train, test = (
        maker.batches(ASKED, words, CORPUS, split, chance)
        for split in ("train", "test")
    )
    orders = [[batch.rows.tolist() for batch in train] for _ in range(6)]
    for order in orders:
        assert sorted(row for rows in order for row in rows) == [0, 1, 2, 3, 4]
    assert any(order != orders[0] for order in orders)
    assert all(batch.target_mask.numel() <= 12 for batch in train)
    assert [b.rows.tolist() for b in test] == [b.rows.tolist() for b in test] == [[0]]


def test_training_on_bigrams_comes_to_the_bigram_counts(bench: Bench) -> None:
    maker = BigramMaker()
    asked = Recipe(
        ASKED.data, 0, "bigrams", Optimiser("adam", 0.3, decay="linear"),
        Budget(400, 50, evaluate_every=400),
    )  # fmt: skip
    made = maker.train(asked, CORPUS, bench)
    counted = NgramMaker().train(
        Recipe(Data("t"), 0, NgramConfig(2, MaximumLikelihood()), None, Budget(1)),
        CORPUS,
        bench,
    )
    sentences = [["a", "b"], ["c", "a"]]
    ours = maker.log_probabilities(made.model, made.vocabularies, sentences)
    theirs = NgramMaker().log_probabilities(
        counted.model, counted.vocabularies, sentences
    )
    for row, other in zip(ours, theirs, strict=True):
        seen = np.isfinite(other)
        np.testing.assert_allclose(np.exp(row)[seen], np.exp(other)[seen], atol=0.03)


def test_ngrams_price_as_their_model_scores(bench: Bench) -> None:
    maker = NgramMaker()
    asked = Recipe(Data("t"), 0, NgramConfig(3, KneserNey()), None, Budget(1))
    made = maker.train(asked, CORPUS, bench)
    (row,) = maker.log_probabilities(made.model, made.vocabularies, [["a", "b"]])
    grams = [("a", ["<s>", "<s>"]), ("b", ["<s>", "a"]), ("</s>", ["a", "b"])]
    expected = [math.log(made.model.score(word, context)) for word, context in grams]
    np.testing.assert_allclose(row, expected, rtol=1e-12)


def test_it_writes_sentences_that_begin_as_asked_and_never_a_special(
    untrained,
) -> None:
    maker, words, module = untrained

    def drawn(seed: int) -> list[list[str]]:
        chance = torch.Generator().manual_seed(seed)
        return maker.generate(module, words, 60, ["b", "a"], chance)

    sentences = drawn(3)
    assert sentences[0][:2] == ["b", "a"]
    assert len(sentences) > 2
    assert all(sentences)
    assert not {"<pad>", "<s>", "</s>"} & {w for s in sentences for w in s}
    assert drawn(3) == sentences != drawn(4)


def test_it_writes_by_its_probabilities(untrained) -> None:
    maker, words, module = untrained
    a, b = words["words"].ids(["a", "b"])
    with torch.no_grad():
        module.table.weight[:, a] = 50.0  # behind anything an a
        module.table.weight[a] = 0.0
        module.table.weight[a, b] = 50.0  # and behind an a a b
    chance = torch.Generator().manual_seed(0)
    written = maker.generate(module, words, 6, [], chance)
    assert written == [["a", "b", "a", "b", "a", "b"]]

"""Models of counts go through tensors and back, and are what they were."""

from pathlib import Path

import pytest
import torch
from lookback.workshop.counting import NgramMaker
from lookback.workshop.makers import Bench
from lookback.workshop.ranks import Ranks
from lookback.workshop.recipes import Budget, Data, NgramConfig, Recipe

from lookback.ngram import (
    AddK,
    JelinekMercer,
    KneserNey,
    MaximumLikelihood,
    NgramModel,
    Smoothing,
)
from lookback.text.corpora import Corpus

TEXT = [s.split() for s in ("a b a c b", "b a", "c c a b a", "d", "a b b a", "e a b")]
CORPUS = Corpus(
    "t", "1", 2, tuple(map(tuple, TEXT)), (("a", "zz"),), (("b", "a", "d"),), (), {}
)
BENCH = Bench(torch.device("cpu"), Path("none"), Ranks())
SMOOTHINGS = [
    KneserNey(), KneserNey(0.3), MaximumLikelihood(), AddK(0.1),
    JelinekMercer((0.2, 0.3, 0.5)),
]  # fmt: skip


def recipe(smoothing: Smoothing, min_count: int = 1) -> Recipe:
    config = NgramConfig(3, smoothing)
    return Recipe(Data("t", min_count=min_count), 0, config, None, Budget(1))


@pytest.mark.parametrize("smoothing", SMOOTHINGS, ids=repr)
def test_an_ngram_model_comes_back_to_the_bit(smoothing: Smoothing) -> None:
    maker, asked = NgramMaker(), recipe(smoothing)
    made = maker.train(asked, CORPUS, BENCH)
    direct = NgramModel(3, smoothing).fit(TEXT)
    again = maker.build(
        asked, maker.tensors(made.model, made.vocabularies), made.vocabularies
    )
    for model in (made.model, again):
        assert model.counts.vocab == direct.counts.vocab
        assert model.counts.count == direct.counts.count
        assert model.counts.total == direct.counts.total
        assert model.counts.freed == direct.counts.freed
        assert model.counts.discounts == direct.counts.discounts
        assert model.perplexity(TEXT[:3]) == direct.perplexity(TEXT[:3])
    assert maker.parameters(again) == len(direct.counts.count)


def test_rare_words_are_unknown_and_stay_so() -> None:
    maker, asked = NgramMaker(), recipe(KneserNey(), min_count=2)
    made = maker.train(asked, CORPUS, BENCH)
    tensors = maker.tensors(made.model, made.vocabularies)
    again = maker.build(asked, tensors, made.vocabularies)
    assert again.counts.vocab == {"a", "b", "c", "<unk>", "</s>"}
    measured = maker.measure(again, made.vocabularies, CORPUS)
    assert measured == {
        "validation perplexity": again.perplexity([["a", "<unk>"]]),
        "test perplexity": again.perplexity([["b", "a", "<unk>"]]),
    }


def test_generation_keeps_its_beginning_and_its_sentences_apart() -> None:
    maker, asked = NgramMaker(), recipe(KneserNey())
    made = maker.train(asked, CORPUS, BENCH)

    def drawn(seed: int) -> list[list[str]]:
        chance = torch.Generator().manual_seed(seed)
        return maker.generate(made.model, made.vocabularies, 40, ["b", "a"], chance)

    sentences = drawn(1)
    assert sentences[0][:2] == ["b", "a"]
    assert all(sentences)
    assert len(sentences) > 2
    assert all("</s>" not in sentence for sentence in sentences)
    assert 2 < sum(map(len, sentences)) <= 42
    assert drawn(1) == sentences != drawn(2)


def test_tensors_that_do_not_fit_are_refused() -> None:
    maker, asked = NgramMaker(), recipe(KneserNey())
    made = maker.train(asked, CORPUS, BENCH)
    tensors = dict(maker.tensors(made.model, made.vocabularies))

    def refused(words: str, **changes: torch.Tensor) -> None:
        kept = {k.replace(".", "_"): v for k, v in tensors.items()} | changes
        named = {k.replace("_", "."): v for k, v in kept.items() if v is not None}
        with pytest.raises(ValueError, match=words):
            maker.build(asked, named, made.vocabularies)

    refused(r"expected \['counts.1'", grams_2=None)
    refused(r"expected \['counts.1'", other=torch.zeros(1))
    refused("grams.2 does not fit", grams_2=tensors["grams.2"][1:])
    refused("grams.2 does not fit", grams_2=tensors["grams.3"])
    refused("grams.1 does not fit", grams_1=tensors["grams.1"] + 90)
    refused("grams.1 does not fit", grams_1=tensors["grams.1"] - 9)

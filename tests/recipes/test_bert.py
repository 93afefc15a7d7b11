"""A BERT is trained on masked words; what it is given, and what it refuses."""

from dataclasses import replace

import pytest
import torch

from kit import LETTERS
from lookback.bert import KINDS
from lookback.recipes.bert import (
    MASK,
    RECIPES,
    BERTLearner,
    MaskedConfig,
    fixed_masks,
    mask_id,
    on_grammar,
    task,
    with_mask,
)
from lookback.text.batches import sentence_batches
from lookback.text.vocabulary import Vocabulary
from lookback.trainer.checkpoint import pretrained
from lookback.trainer.recipe import Budget, Data, Optimiser, Recipe


def recipe() -> Recipe[BERTLearner]:
    return Recipe(
        BERTLearner,
        Data("t"),
        0,
        MaskedConfig(N=1, d_model=4, h=2, d_ff=6, max_positions=7),
        Optimiser("adamw", 0.05, clip=1.0),
        Budget(40, 12, evaluate_every=20),
    )


def test_neither_ends_nor_padding_are_masked_and_kinds_are_the_recipes() -> None:
    words = with_mask(Vocabulary.build(LETTERS.train))
    assert words.entries[4] == MASK and mask_id(words) == 4
    (batch,) = sentence_batches(LETTERS.train, words, tokens=100)
    generator = torch.Generator().manual_seed(0)
    seen = torch.zeros(len(words))
    for _ in range(200):
        drawn = task(batch, words, generator)
        assert torch.equal(drawn.words, batch.target)
        assert (drawn.chosen.sum(dim=1) == 1).all()
        assert (drawn.words[drawn.chosen] > 4).all()
        seen += drawn.read[drawn.chosen].bincount(minlength=len(words))
    assert seen[:4].sum() == 0
    assert 0.75 < seen[4] / seen.sum() < 0.85
    (fixed,) = fixed_masks(LETTERS.train, words)
    assert (fixed.read[fixed.chosen] == 4).all()
    assert torch.equal(fixed.read, fixed_masks(LETTERS.train, words)[0].read)


def test_the_loss_is_that_of_chosen_words() -> None:
    learner = BERTLearner(recipe())
    learner.vocabularies = learner.words_of(LETTERS)
    network = learner.untrained(learner.vocabularies).eval()
    (batch,) = fixed_masks(LETTERS.train, learner.vocabularies["words"])
    total, n = learner.loss(network, batch)
    assert n == len(LETTERS.train)
    p = network(batch.read, batch.mask)[0].log_softmax(-1)
    rows = zip(*batch.chosen.nonzero().tolist(), strict=False)
    places = torch.tensor([*rows]).t()
    found = [p[b, s, batch.words[b, s]] for b, s in places.tolist()]
    torch.testing.assert_close(total, -torch.stack(found).sum())


def test_the_shipped_model_fills_a_gap_and_refuses_a_sentence_without_one() -> None:
    bert = pretrained("bert", kind=BERTLearner)
    best = bert.fill(f"the dogs {MASK} seen by the queen .".split(), 2)
    assert {word for word, _ in best} == {"are", "were"}
    assert best[0][1] > best[1][1] > 0.05
    with pytest.raises(ValueError, match=r"has no \[MASK\]: nothing to fill"):
        bert.fill(["the", "dogs"])
    with pytest.raises(ValueError, match="position 80 has no vector"):
        bert.fill(["the"] * 78 + [MASK])


def test_a_vocabulary_without_the_mask_token_is_refused() -> None:
    words = Vocabulary.build(LETTERS.train)
    with pytest.raises(ValueError, match=r"the vocabulary lacks \[MASK\]"):
        BERTLearner(recipe()).untrained({"words": words})
    with pytest.raises(ValueError, match="holds each word once"):
        with_mask(with_mask(words))


def test_the_recipe_is_the_papers_masking_and_may_be_another() -> None:
    assert {"bert": on_grammar()} == RECIPES
    assert RECIPES["bert"].model.kinds == KINDS
    other = on_grammar(kinds=(1.0, 0.0, 0.0))
    assert replace(other, model=RECIPES["bert"].model) == RECIPES["bert"]
    assert pretrained("bert").metrics["test perplexity"] < 9

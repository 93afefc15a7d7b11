"""The maker of translators with one vector: what it builds, and what its loss is."""

from dataclasses import replace

import pytest
import torch

from lookback.encdec import EncoderDecoderConfig, RNNEncoderDecoder
from lookback.text.batches import pair_batches
from lookback.text.corpora import grammar
from lookback.workshop.fixed import ENCDEC
from lookback.workshop.language_models import follow
from lookback.workshop.makers import MAKERS
from lookback.workshop.recipes import RECIPES, Budget
from lookback.workshop.translators import ENTRIES, PAIRS


def test_an_encoder_decoder_is_made_as_large_as_its_words() -> None:
    recipe = replace(
        ENCDEC,
        model=EncoderDecoderConfig(m=4, n=5, l=3),
        budget=Budget(steps=3, tokens=200, evaluate_every=3),
    )
    text = grammar(200, seed=5)
    made, _ = follow(recipe, text)
    source, target = made.vocabularies["source"], made.vocabularies["target"]
    assert source.ids(text.train[0].source)[0] > 3  # known
    assert len(source) != len(target)
    assert isinstance(made.model, RNNEncoderDecoder)
    assert made.model.encoder.e.weight.shape == (len(source), 4)
    assert made.model.decoder.G.weight.shape == (len(target), 3)
    assert made.log is not None
    assert len(made.log.entries) == 3


def test_its_loss_is_minus_the_score_of_the_pairs() -> None:
    text = grammar(200, seed=5)
    maker = MAKERS[EncoderDecoderConfig]
    words = maker.vocabularies(ENCDEC, text)  # type: ignore[attr-defined]
    with torch.random.fork_rng():
        torch.manual_seed(0)
        model = RNNEncoderDecoder(
            EncoderDecoderConfig(m=4, n=5, l=3),
            len(words["source"]),
            len(words["target"]),
        )
    batch = next(
        iter(pair_batches(text.test, words["source"], words["target"], sentences=7))
    )
    total, tokens = maker.loss(model, batch)  # type: ignore[attr-defined]
    scores = model.score(
        batch.source, batch.source_mask, batch.target, batch.target_mask
    )
    assert total.item() == pytest.approx(-scores.sum().item(), rel=1e-5)
    assert tokens == int(batch.target_mask.sum()) - 7


def test_the_recipe_stands_in_the_book_and_in_the_table() -> None:
    assert RECIPES["encdec"] is ENCDEC
    assert ENCDEC.data == PAIRS
    entered = [entry for entry in ENTRIES.values() if entry.chapter == "encdec"]
    assert [replace(entry.recipe, seed=0) for entry in entered] == [ENCDEC] * len(
        entered
    )
    assert len({entry.recipe.seed for entry in entered}) == len(entered) >= 1

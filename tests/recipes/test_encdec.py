"""The maker of translators with one vector: what it builds, and what its loss is."""

from dataclasses import replace

import pytest
import torch
from lookback.workshop.fixed import ENCDEC, IN_ORDER, REVERSED
from lookback.workshop.language_models import follow
from lookback.workshop.makers import MAKERS
from lookback.workshop.recipes import RECIPES, Budget
from lookback.workshop.translators import ENTRIES, PAIRS

from lookback.encdec import EncoderDecoderConfig, RNNEncoderDecoder
from lookback.seq2seq import Seq2Seq, Seq2SeqConfig
from lookback.text.batches import pair_batches
from lookback.text.corpora import grammar


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


def test_deep_lstms_are_made_as_large_as_their_words() -> None:
    recipe = replace(
        REVERSED,
        model=Seq2SeqConfig(m=4, n=5, layers=3, reversed=False),
        budget=Budget(steps=3, tokens=200, evaluate_every=3),
    )
    made, _ = follow(recipe, grammar(200, seed=5))
    source, target = made.vocabularies["source"], made.vocabularies["target"]
    assert isinstance(made.model, Seq2Seq)
    assert made.model.config == recipe.model
    assert made.model.source.weight.shape == (len(source), 4)
    assert made.model.target.weight.shape == (len(target), 4)
    assert made.model.out.weight.shape == (len(target), 5)


def test_the_two_ways_of_reading_differ_in_nothing_else() -> None:
    assert RECIPES["seq2seq"] is REVERSED
    assert REVERSED.model.reversed is True
    assert IN_ORDER.model.reversed is False
    assert replace(IN_ORDER, model=REVERSED.model) == REVERSED
    entered = [entry for entry in ENTRIES.values() if entry.chapter == "seq2seq"]
    for system, recipe in (
        ("deep LSTM, reversed", REVERSED),
        ("deep LSTM, in order", IN_ORDER),
    ):
        recipes = [entry.recipe for entry in entered if entry.system == system]
        assert recipes == [replace(recipe, seed=seed) for seed in (0, 1, 2)]


def test_a_pair_begins_alike_and_sees_the_same_batches() -> None:
    """So the first loss of the two differs by the order of reading alone."""
    small = {
        "model": Seq2SeqConfig(m=4, n=5, layers=2, reversed=True),
        "budget": Budget(steps=4, tokens=200, evaluate_every=4),
    }
    text = grammar(200, seed=5)
    logs = []
    for turned in (True, False):
        recipe = replace(REVERSED, **small)
        recipe = replace(recipe, model=replace(recipe.model, reversed=turned))
        made, _ = follow(recipe, text)
        assert made.log is not None
        logs.append(made.log.entries)
    one, other = logs
    assert [e.tokens for e in one] == [e.tokens for e in other]
    assert one[0].loss == pytest.approx(other[0].loss, abs=0.02)
    assert one[0].loss != other[0].loss

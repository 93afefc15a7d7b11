"""The encoder that finds hidden words: holes, and what a layer is made of.

Mutants that these tests kill: padding hidden; a sentence without a hole; hidden words
that are read, or priced where they are not hidden; other holes each time where they are
to be still; <s> or </s> hidden; attention to padding; a network that sees other places;
no positions; the vectors of other words for the scores.
"""

import pytest
import torch
from lookback.workshop.finding import (
    HIDDEN,
    PARTS,
    Finder,
    FinderMaker,
    HiddenConfig,
    Holes,
    ThinkLayer,
    holes,
    still,
)
from lookback.workshop.layers import recipe

from lookback.positions import sinusoidal_positions
from lookback.text.batches import sentence_batches
from lookback.text.vocabulary import Vocabulary
from lookback.workshop.data import corpus
from lookback.workshop.seeds import generator

WORDS = {"words": Vocabulary.build([["a", "b", "c", "d"]])}
TEXT = [["a", "b", "c"], ["d"], ["b", "a", "d", "c", "a"]]
V = len(WORDS["words"])


def config(**changed):
    return HiddenConfig(**{"d_model": 8, "h": 2, "d_ff": 6, "N": 2, **changed})


def finder(**changed):
    torch.manual_seed(0)
    return Finder(config(**changed), V)


def batch():
    (found,) = sentence_batches(TEXT, WORDS["words"], sentences=3)
    return found


# --- holes ---------------------------------------------------------------------------


def test_holes_are_words_and_every_sentence_has_one():
    found, rows = batch(), batch().rows.tolist()
    words = WORDS["words"]
    for seed in range(20):
        made = holes(found, generator(seed))
        assert made.words.shape == made.mask.shape == made.hidden.shape == (3, 5)
        for b, row in enumerate(rows):
            assert words.words(made.words[b][made.mask[b]]) == TEXT[row]
        assert made.hidden.any(dim=1).all()
        assert not (made.hidden & ~made.mask).any()


def test_as_many_are_hidden_as_was_said():
    text = [["a"] * 40] * 200
    (found,) = sentence_batches(text, WORDS["words"], sentences=200)
    share = holes(found, generator(0)).hidden.double().mean()
    assert share == pytest.approx(HIDDEN, abs=0.015)


def test_what_is_not_learnt_from_has_the_same_holes_each_time():
    one, two = still(TEXT, WORDS), still(TEXT, WORDS)
    for a, b in zip(one, two, strict=True):
        assert torch.equal(a.hidden, b.hidden)
    maker, asked = FinderMaker(), recipe(N=1, seed=0)
    grammar = corpus(asked.data)
    words, chance = maker.vocabularies(asked, grammar), generator(3)
    drawn = maker.batches(asked, words, grammar, "train", chance)
    first, again = next(iter(drawn)), next(iter(drawn))
    assert first.words.shape != again.words.shape or not torch.equal(
        first.hidden, again.hidden
    )
    assert first.words.numel() <= asked.budget.tokens


# --- the model -----------------------------------------------------------------------


@pytest.mark.parametrize("parts", PARTS)
def test_it_reads_both_sides_if_it_looks_and_nothing_of_a_hidden_word(parts):
    model, read = finder(parts=parts), batch()
    maker, made = FinderMaker(), holes(read, generator(0))
    logits = maker.logits(model, made)
    assert logits.shape == (int(made.hidden.sum()), V)
    other = made.words.masked_fill(made.hidden, 0)  # what was hidden is another word
    close = torch.testing.assert_close
    close(maker.logits(model, Holes(other, made.mask, made.hidden)), logits)
    there = made.mask & ~made.hidden
    moved = made.words.masked_fill(there, 1)
    again = maker.logits(model, Holes(moved, made.mask, made.hidden))
    alone = (~there).all(dim=1)[made.hidden.nonzero()[:, 0]]  # nothing else to read
    assert torch.isclose(again, logits)[alone].all()
    assert torch.isclose(again, logits)[~alone].all() == (parts == "feed-forward")


@pytest.mark.parametrize("parts", PARTS)
def test_padding_does_not_matter(parts):
    model, made = finder(parts=parts), holes(batch(), generator(0))
    logits = FinderMaker().logits(model, made)
    rubbish = made.words.masked_fill(~made.mask, 4)
    again = FinderMaker().logits(model, Holes(rubbish, made.mask, made.hidden))
    torch.testing.assert_close(again, logits)


def test_without_a_layer_a_word_is_scored_by_its_own_vector():
    model, ids = finder(N=0), torch.tensor([[4, V, 6]])
    x = model.table[ids[0]] * 8**0.5 + sinusoidal_positions(3, 8)
    expected = torch.stack([x @ vector for vector in model.table[:V]], dim=1)
    logits = model(ids, torch.ones_like(ids, dtype=torch.bool))
    torch.testing.assert_close(logits[0], expected)


def test_who_thinks_alone_sees_no_other_place():
    layer, mask = ThinkLayer(config()), torch.ones(1, 1, 5, dtype=torch.bool)
    x = torch.randn(1, 5, 8, generator=generator(0), requires_grad=True)
    y, weights = layer(x, mask)
    y[0, 1].pow(3).sum().backward()
    assert x.grad[0, [0, 2, 3, 4]].eq(0).all()
    assert x.grad[0, 1].ne(0).any()
    assert torch.equal(weights, torch.eye(5)[None, None])


def test_places_count():
    model = finder()
    ids = torch.tensor([[V, 4, 5, 6]])
    mask = torch.ones_like(ids, dtype=torch.bool)
    logits = model(ids, mask)
    turned = model(ids[:, [0, 3, 2, 1]], mask)
    assert not torch.isclose(turned[0, 0], logits[0, 0]).any()


def test_only_holes_are_priced():
    model, made = finder(), holes(batch(), generator(1))
    total, count = FinderMaker().loss(model, made)
    assert count == int(made.hidden.sum())
    hole = made.words.masked_fill(made.hidden, V)
    log_p = model(hole, made.mask).log_softmax(-1)
    expected = -sum(
        log_p[b, s, made.words[b, s]] for b, s in made.hidden.nonzero().tolist()
    )
    torch.testing.assert_close(total, expected)


def test_other_parts_and_depths_are_refused():
    with pytest.raises(ValueError, match="feed-forwrad"):
        config(parts="feed-forwrad")
    with pytest.raises(ValueError, match="N must be a whole number"):
        config(N=-1)
    assert len(finder(N=0).layers) == 0

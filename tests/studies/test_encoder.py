"""A masked language model: what is masked, what layers are made of and do."""

import math

import pytest
import torch

from lookback.positions import sinusoidal_positions
from lookback.studies.encoder import (
    PARTS,
    SHARE,
    Masked,
    MaskedConfig,
    MaskedLearner,
    MaskedLM,
    fixed_masks,
    layer,
    mask_tokens,
    of_counts,
    recipe,
)
from lookback.text.batches import sentence_batches
from lookback.text.corpora import Corpus
from lookback.text.vocabulary import Vocabulary
from lookback.workshop.seeds import generator

WORDS = {"words": Vocabulary.build([["a", "b", "c", "d"]])}
TEXT = [["a", "b", "c"], ["d"], ["b", "a", "d", "c", "a"]]
V = len(WORDS["words"])


def config(**changed):
    return MaskedConfig(**{"d_model": 8, "h": 2, "d_ff": 6, "N": 2, **changed})


def network(**changed):
    torch.manual_seed(0)
    return MaskedLM(config(**changed), V)


def learner():
    return MaskedLearner(recipe(N=1, seed=0))


def batch():
    (found,) = sentence_batches(TEXT, WORDS["words"], sentences=3)
    return found


# --- masks ---------------------------------------------------------------------------


def test_masked_are_words_and_in_every_sentence_one():
    found, rows = batch(), batch().rows.tolist()
    words = WORDS["words"]
    for seed in range(20):
        drawn = mask_tokens(found, generator(seed))
        assert drawn.words.shape == drawn.mask.shape == drawn.masked.shape == (3, 5)
        for b, row in enumerate(rows):
            assert words.words(drawn.words[b][drawn.mask[b]]) == TEXT[row]
        assert drawn.masked.any(dim=1).all()
        assert not (drawn.masked & ~drawn.mask).any()


def test_the_share_of_masked_words():
    text = [["a"] * 40] * 200
    (found,) = sentence_batches(text, WORDS["words"], sentences=200)
    share = mask_tokens(found, generator(0)).masked.double().mean()
    assert share == pytest.approx(SHARE, abs=0.015)


def test_only_in_training_other_words_are_masked_each_time():
    train = tuple(tuple("abcd"[(k * n) % 4] for k in range(3)) for n in range(200))
    text = Corpus("t", "1", 1, train, train[:5], train[:7], tuple("abcd"), {})
    found = learner()
    found.vocabularies = found.words_of(text)
    epoch = found.batches(text, "train", generator(3))
    first, again = list(epoch()), list(epoch())
    assert sum(len(batch.words) for batch in first) == 200
    assert not torch.equal(first[0].masked, again[0].masked)
    for split in ("validation", "test"):
        (batch,) = found.batches(text, split, generator(3))
        (same,) = fixed_masks(text.split(split), found.vocabularies)
        assert torch.equal(batch.masked, same.masked)


# --- the model -----------------------------------------------------------------------


@pytest.mark.parametrize("parts", PARTS)
def test_it_reads_both_sides_if_it_attends_and_nothing_of_a_masked_word(parts):
    model, drawn = network(parts=parts), mask_tokens(batch(), generator(0))
    predict = learner().logits
    logits = predict(model, drawn)
    assert logits.shape == (int(drawn.masked.sum()), V)
    other = drawn.words.masked_fill(drawn.masked, 0)  # another word was masked
    same = predict(model, Masked(other, drawn.mask, drawn.masked))
    torch.testing.assert_close(same, logits)
    there = drawn.mask & ~drawn.masked
    moved = drawn.words.masked_fill(there, 1)
    again = predict(model, Masked(moved, drawn.mask, drawn.masked))
    alone = (~there).all(dim=1)[drawn.masked.nonzero()[:, 0]]  # nothing else to read
    assert torch.isclose(again, logits)[alone].all()
    assert torch.isclose(again, logits)[~alone].all() == (parts == "feed-forward")


@pytest.mark.parametrize("parts", PARTS)
def test_padding_does_not_matter(parts):
    model, drawn = network(parts=parts), mask_tokens(batch(), generator(0))
    logits = learner().logits(model, drawn)
    rubbish = drawn.words.masked_fill(~drawn.mask, 4)
    again = learner().logits(model, Masked(rubbish, drawn.mask, drawn.masked))
    torch.testing.assert_close(again, logits)


def test_without_a_layer_a_word_is_scored_by_its_own_vector():
    model, ids = network(N=0), torch.tensor([[4, V, 6]])
    x = model.table[ids[0]] * 8**0.5 + sinusoidal_positions(3, 8)
    expected = torch.stack([x @ vector for vector in model.table[:V]], dim=1)
    logits = model(ids, torch.ones_like(ids, dtype=torch.bool))
    torch.testing.assert_close(logits[0], expected)


def test_only_masked_words_have_a_loss():
    model, drawn = network(), mask_tokens(batch(), generator(1))
    total, count = learner().loss(model, drawn)
    assert count == int(drawn.masked.sum())
    read = drawn.words.masked_fill(drawn.masked, V)
    log_p = model(read, drawn.mask).log_softmax(-1)
    expected = -sum(
        log_p[b, s, drawn.words[b, s]] for b, s in drawn.masked.nonzero().tolist()
    )
    torch.testing.assert_close(total, expected)


@pytest.mark.parametrize("norm_first", [False, True])
def test_attention_and_then_the_feed_forward_network_are_a_whole_layer(norm_first):
    torch.manual_seed(2)
    sizes = config(norm_first=norm_first, dropout=0.3)
    whole, attention, feed_forward = (
        layer(sizes, parts, norm_first=norm_first).eval() for parts in PARTS
    )
    with torch.no_grad():
        for norm in (whole.norm_self_attention, whole.norm_feed_forward):
            norm.g.uniform_(0.5, 2)
            norm.b.uniform_(-1, 1)
    attention.self_attention = whole.self_attention
    attention.norm = whole.norm_self_attention
    feed_forward.feed_forward = whole.feed_forward
    feed_forward.norm = whole.norm_feed_forward
    mask = torch.tensor([[[True, True, True, False]]])
    x = torch.randn(1, 4, 8, generator=generator(0))
    y, weights = attention(x, mask)
    torch.testing.assert_close(weights, whole(x, mask)[1])
    torch.testing.assert_close(feed_forward(y, mask)[0], whole(x, mask)[0])
    # In training each drops some of its output.
    for part in (attention, feed_forward):
        assert not torch.equal(part.train()(x, mask)[0], part.eval()(x, mask)[0])


def test_perplexity_and_share_of_right_words():
    train = tuple(map(tuple, TEXT))
    text = Corpus("t", "1", 1, train, train[:1], train[1:], tuple("abcd"), {})
    found = learner()
    found.vocabularies = found.words_of(text)
    found.network = network().eval()
    metrics = found.evaluate(text)
    read = fixed_masks(train[1:], found.vocabularies)
    loss = sum(float(found.loss(found.network, one)[0].detach()) for one in read)
    count = sum(int(one.masked.sum()) for one in read)
    assert metrics["test perplexity"] == pytest.approx(math.exp(loss / count))
    best = [found.logits(found.network, one).argmax(dim=1) for one in read]
    right = torch.cat(best) == torch.cat([one.words[one.masked] for one in read])
    assert metrics["test right"] == pytest.approx(right.double().mean().item())


# --- the study -----------------------------------------------------------------------


def test_counts_score_what_is_masked_by_its_share_of_the_train():
    """Half of the train is a, a quarter b; one word a sentence, so each is masked."""
    train = [["a", "b", "a", "c"]]
    alone, at = of_counts(train, [["a"]], WORDS)
    assert alone == pytest.approx(2)
    # At the first position a occurs, once; to that a share of one half adds 20 times.
    assert at == pytest.approx(1 / ((1 + 20 / 2) / 21))
    alone, at = of_counts(train, [["a"], ["b"]], WORDS)
    assert alone == pytest.approx(math.sqrt(2 * 4))
    assert at == pytest.approx(math.sqrt(21 / 11 * 21 / 5))

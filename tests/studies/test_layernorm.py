"""A language model with norms of three kinds, and the batches that tell them apart."""

import math

import pytest
import torch
from torch import nn

from lookback.studies.layernorm import (
    ADAM,
    NORMS,
    BatchNorm,
    Normed,
    NormedConfig,
    NormedLearner,
    ragged,
    recipe,
)
from lookback.text.corpora import Corpus
from lookback.text.vocabulary import Vocabulary
from lookback.workshop import seeds

D, V, B, T = 8, 11, 3, 5
WORDS = Vocabulary.build([["a", "b", "c", "d", "e", "f"]])
TEXT = [tuple("abc"), tuple("fedcba"), tuple("d"), tuple("aabb"), tuple("ce")]


def network(normed, norm_first=False, sentences=2, seed=0):
    torch.manual_seed(seed)
    config = NormedConfig(
        d_model=D, h=2, d_ff=12, N=2, normed=normed, norm_first=norm_first,
        sentences=sentences,
    )  # fmt: skip
    return Normed(config, len(WORDS))


def learner(network):
    found = NormedLearner(recipe(network.config, 0, ADAM, 5))
    found.network, found.vocabularies = network, {"words": WORDS}
    return found


def some_ids():
    generator = torch.Generator().manual_seed(2)
    return torch.randint(4, len(WORDS), (B, T), generator=generator)


def padded(ids, count):
    return torch.cat([ids, torch.full((len(ids), count), WORDS.pad)], dim=1)


# --- batch norm ----------------------------------------------------------------------


def test_batch_norm_by_hand():
    """Number 1 of the three words is 1, 2, 6: mean 3, squares 4, 1, 9."""
    norm = BatchNorm(2).train()
    x = torch.tensor([[[1.0, 0], [2, 0]], [[6, 0], [99, 99]]])
    norm.mask = torch.tensor([[True, True], [True, False]])
    y = norm(x)
    expected = torch.tensor([-2.0, -1, 3]) / math.sqrt(14 / 3)
    torch.testing.assert_close(y[norm.mask][:, 0], expected, atol=1e-5, rtol=0)
    assert y[1, 1].tolist() == [99, 99]  # padding is left alone
    norm.mask = None
    expected = torch.tensor([1.0, 2, 6, 99]) - 27
    expected /= expected.square().mean().sqrt()
    torch.testing.assert_close(norm(x)[..., 0].flatten(), expected)


def test_at_the_test_it_uses_running_means():
    norm, twin = BatchNorm(D), nn.BatchNorm1d(D)
    x = torch.randn(4, B, T, D, generator=torch.Generator().manual_seed(3))
    mask = torch.rand(4, B, T, generator=torch.Generator().manual_seed(4)) > 0.4
    for batch, words in zip(x, mask, strict=True):
        norm.mask = words
        torch.testing.assert_close(norm(batch)[words], twin(batch[words]))
    norm.eval(), twin.eval()
    norm.mask = mask[0]
    y = norm(x[0])
    torch.testing.assert_close(y[mask[0]], twin(x[0][mask[0]]))
    assert torch.equal(y[~mask[0]], x[0][~mask[0]])


# --- the model -----------------------------------------------------------------------


@pytest.mark.parametrize("norm_first", [False, True])
@pytest.mark.parametrize("normed", NORMS)
def test_it_predicts_from_what_came_before_at_the_test(normed, norm_first):
    model, ids = network(normed, norm_first).eval(), some_ids()
    logits = model(ids)
    assert logits.shape == (B, T, len(WORDS))
    other = ids.clone()
    other[:, 3:] = 4 + (ids[:, 3:] - 3) % (len(WORDS) - 4)
    torch.testing.assert_close(model(other)[:, :3], logits[:, :3])
    assert not torch.isclose(model(other)[:, 3], logits[:, 3]).all()
    same = torch.full((1, T), 5)  # one word: only positions differ
    assert not torch.isclose(model(same)[0, 0], model(same)[0, 4]).all()


def test_in_training_other_sentences_and_padding_move_batch_norms_alone():
    """What the chapter says of the three, of the first sentence of a batch."""
    ids = some_ids()
    other = ids.clone()
    other[1:] = 4 + (ids[1:] - 3) % (len(WORDS) - 4)
    for normed in NORMS:
        model = network(normed).train()
        one = model(ids)[0]
        others = torch.allclose(model(other)[0], one, atol=1e-5)
        padding = torch.allclose(model(padded(ids, 4))[0, :T], one, atol=1e-5)
        assert others == (normed == "layer")
        assert padding == (normed != "batch, padding too")


def test_pre_norm_norms_the_last_sum_too():
    model = network("layer", norm_first=True)
    with torch.no_grad():
        model.stack.norm.g.zero_()
    assert model(some_ids()).eq(0).all()


# --- batches -------------------------------------------------------------------------


def test_ragged_batches_hold_every_sentence_once_in_random_order():
    batches = list(ragged(TEXT, WORDS, 2, seeds.generator(1)))
    assert [len(batch) for batch in batches] == [2, 2, 1]
    rows = [row for batch in batches for row in batch.rows.tolist()]
    assert sorted(rows) == [0, 1, 2, 3, 4] != rows
    for batch in batches:
        longest = max(len(TEXT[row]) for row in batch.rows.tolist())
        assert batch.target.shape == (len(batch), longest + 2)
        for row, ids, mask in zip(
            batch.rows.tolist(), batch.target, batch.target_mask, strict=True
        ):
            expected = [WORDS.start, *WORDS.ids(TEXT[row]), WORDS.end]
            assert ids[mask].tolist() == expected
            assert (ids[~mask] == WORDS.pad).all()
    in_order = list(ragged(TEXT, WORDS, 3, None))
    assert [batch.rows.tolist() for batch in in_order] == [[0, 1, 2], [3, 4]]


def test_its_learner_draws_them_for_training_alone():
    text = Corpus("t", "1", 1, tuple(TEXT), tuple(TEXT[:2]), (), (), {})

    def drawn(sentences, split):
        found = learner(network("layer", sentences=sentences))
        return found.batches(text, split, seeds.generator(0))

    epoch = drawn(2, "train")
    orders = [[batch.rows.tolist() for batch in epoch()] for _ in range(6)]
    assert any(order != orders[0] for order in orders)  # each epoch is drawn anew
    assert sum(map(len, drawn(2, "validation"))) == 2
    assert [len(batch) for batch in drawn(0, "train")()] == [5]  # 500 tokens


# --- what is measured ----------------------------------------------------------------


def test_perplexity_by_statistics():
    """Of one model: with running means, in batches of two, and alone."""
    model = network("batch, words")
    model.train()(some_ids())  # so that running means are some
    model.eval()
    kept = {name: tensor.clone() for name, tensor in model.state_dict().items()}
    measured = learner(model)
    found = measured.by_statistics(TEXT)
    assert all(torch.equal(model.state_dict()[name], kept[name]) for name in kept)
    assert not model.training

    def expected(size, training):
        twin = network("batch, words")
        twin.load_state_dict(kept)
        twin.train(training)
        losses = [measured.loss(twin, b) for b in ragged(TEXT, WORDS, size, None)]
        total = sum(loss.item() for loss, _ in losses)
        return math.exp(total / sum(tokens for _, tokens in losses))

    assert found["running"] == pytest.approx(expected(2, False))
    assert found["batch"] == pytest.approx(expected(2, True))
    assert found["alone"] == pytest.approx(expected(1, True))
    assert len({round(score, 3) for score in found.values()}) == 3

"""The encoder: by hand, against torch's layers and stacks, its own laws."""

import pytest
import torch
from torch import nn

from kit import close, filled, padding_mask, randn, random_mask, size
from lookback.encoder import Encoder, EncoderLayer, FeedForward, LayerConfig
from torch_layers import (
    pairs,
    pulled,
    same_gradients,
    stack_pairs,
    torch_layer,
    torch_stack,
)

B, S, D_MODEL, H, D_FF, N = 2, 5, 12, 3, 7, 4
DOUBLE = torch.float64
MASK = padding_mask(S, 3)  # (B, S): the second is shorter


def config(**changed):
    return LayerConfig(**{"d_model": D_MODEL, "h": H, "d_ff": D_FF, **changed})


def made(kind, *told, **changed):
    """A module in training whose every number was drawn."""
    return filled(kind(config(**changed), *told)).train()


def sentences(*shape, seed=1):
    return randn(*(shape or (B, S, D_MODEL)), seed=seed)


# --- by hand -------------------------------------------------------------------------


def test_feed_forward_by_hand():
    """x = (1, 2): inside 1 - 2 + 1 = 0, 2 + 0 = 2 and -1 - 1 < 0; outside 3 · 2 + 5."""
    model = FeedForward(d_model=2, d_ff=3)
    with torch.no_grad():
        model.W_1.weight.copy_(torch.tensor([[1.0, -1], [2, 0], [-1, 0]]))
        model.W_1.bias.copy_(torch.tensor([1.0, 0, -1]))
        model.W_2.weight.copy_(torch.tensor([[1.0, 3, 8], [0, -1, 8]]))
        model.W_2.bias.copy_(torch.tensor([5.0, 1]))
    assert model(torch.tensor([1.0, 2])).tolist() == [11, -1]


def test_a_layer_by_hand():
    """One head that attends to both alike, and a feed-forward network of zeros.

    x = (0, 2), (4, 2): attention gives each the mean (2, 2). Sums (2, 4), (6, 4), of
    which the norm leaves (-1, 1) and (1, -1); a network of zeros changes nothing.
    """
    model = EncoderLayer(LayerConfig(d_model=2, h=1, d_ff=3))
    with torch.no_grad():
        model.self_attention.W_Q.weight.zero_()
        model.self_attention.W_V.weight.copy_(torch.eye(2))
        model.self_attention.W_O.weight.copy_(torch.eye(2))
        for parameter in model.feed_forward.parameters():
            parameter.zero_()
        y, weights = model(torch.tensor([[[0.0, 2], [4, 2]]]), None)
    close(weights, torch.full((1, 1, 2, 2), 0.5))
    close(y, torch.tensor([[[-1.0, 1], [1, -1]]]), 1e-4)


def test_the_paper_has_two_thirds_of_a_layer_in_its_network():
    layer = EncoderLayer(LayerConfig(d_model=512, h=8, d_ff=2048))
    attention = size(layer.self_attention)
    network = size(layer.feed_forward)
    assert (attention, network) == (4 * 512**2, 2 * 512 * 2048 + 2048 + 512)
    assert size(layer) == attention + network + 4 * 512


# --- against torch -------------------------------------------------------------------


@pytest.mark.parametrize("norm_first", [False, True])
@pytest.mark.parametrize("masked", ["no", "padding", "each"])
def test_a_layer_is_torchs(norm_first, masked):
    ours = made(EncoderLayer, norm_first=norm_first)
    theirs = torch_layer(ours, norm_first)
    each = random_mask(B, H, S, S)
    mask, told = {
        "no": (None, {}),
        "padding": (MASK[:, None], {"src_key_padding_mask": ~MASK}),
        "each": (each, {"src_mask": ~each.flatten(0, 1)}),
    }[masked]
    x, same = (sentences().requires_grad_() for _ in range(2))
    y, weights = ours(x, mask)
    assert weights.shape == (B, H, S, S)
    expected = theirs(same, **told)
    close(y, expected)
    pulled(y).backward()
    pulled(expected).backward()
    close(x.grad, same.grad, 1e-8)
    same_gradients(pairs(ours, theirs))


@pytest.mark.parametrize("norm_first", [False, True])
def test_a_stack_is_torchs(norm_first):
    ours = made(Encoder, N, norm_first=norm_first)
    theirs = torch_stack(ours)
    x, same = (sentences().requires_grad_() for _ in range(2))
    memory, weights = ours(x, MASK)
    expected = theirs(same, src_key_padding_mask=~MASK)
    assert len(weights) == N
    close(memory, expected)
    pulled(memory, MASK).backward()  # what stands on padding is nobody's
    pulled(expected, MASK).backward()
    close(x.grad, same.grad, 1e-8)
    same_gradients(stack_pairs(ours, theirs))


def test_the_network_is_two_convolutions_of_width_one():
    model = FeedForward(D_MODEL, D_FF).double()
    inner, outer = nn.Conv1d(D_MODEL, D_FF, 1), nn.Conv1d(D_FF, D_MODEL, 1)
    with torch.no_grad():
        for conv, W in ((inner, model.W_1), (outer, model.W_2)):
            conv.double().weight.copy_(W.weight[..., None])
            conv.bias.copy_(W.bias)
        x = sentences()
        close(model(x), outer(inner(x.mT).relu()).mT)


# --- laws ----------------------------------------------------------------------------


def shuffled():
    return torch.tensor([3, 0, 4, 1, 2])


@pytest.mark.parametrize("norm_first", [False, True])
def test_a_shuffled_sentence_is_the_same_sentence(norm_first):
    """Without positions a stack of layers reads a bag of words."""
    model, x, turn = made(Encoder, N, norm_first=norm_first), sentences(), shuffled()
    memory, weights = model(x, MASK)
    again, turned = model(x[:, turn], MASK[:, turn])
    close(again, memory[:, turn])
    for before, after in zip(weights, turned, strict=True):
        close(after, before[:, :, turn][..., turn])


@pytest.mark.parametrize("norm_first", [False, True])
def test_padding_does_not_matter(norm_first):
    model, x = made(Encoder, N, norm_first=norm_first), sentences()
    memory, weights = model(x, MASK)
    other = x.masked_fill(~MASK[..., None], 99.0)
    again, _ = model(other, MASK)
    assert torch.equal(again[MASK], memory[MASK])
    alone, seen = model(x[1:, :3], MASK[1:, :3])
    close(alone, memory[1:, :3])
    for long, short in zip(weights, seen, strict=True):
        close(short, long[1:, :, :3, :3])
        assert long[1, :, :, 3:].eq(0).all()


def test_the_input_of_each_layer_is_the_output_of_the_one_below():
    model, x = made(Encoder, N), sentences()
    memory, weights = model(x, MASK)
    for layer, expected in zip(model.layers, weights, strict=True):
        x, w = layer(x, MASK[:, None])
        close(w, expected)
    close(x, memory)
    assert len({id(p) for p in model.parameters()}) == N * 12


@pytest.mark.parametrize("norm_first", [False, True])
def test_dropout_falls_on_the_output_of_each_sublayer(norm_first):
    """One sublayer of zeros: only the dropout of the other is left to be seen."""
    for zero in ("self_attention", "feed_forward"):
        model = made(EncoderLayer, dropout=0.5, norm_first=norm_first)
        with torch.no_grad():
            for parameter in getattr(model, zero).parameters():
                parameter.zero_()
        torch.manual_seed(2)
        y, _ = model(sentences(), None)
        torch.manual_seed(2)
        first = nn.functional.dropout(torch.ones(B, S, D_MODEL, dtype=DOUBLE))
        second = nn.functional.dropout(torch.ones(B, S, D_MODEL, dtype=DOUBLE))
        drawn = first if zero == "feed_forward" else second
        x, (one, two) = (
            sentences(),
            (model.norm_self_attention, model.norm_feed_forward),
        )
        if norm_first and zero == "feed_forward":
            z = one(x)
            close(y, x + drawn * model.self_attention(z, z, z)[0])
        elif norm_first:
            close(y, x + drawn * model.feed_forward(two(x)))
        elif zero == "feed_forward":
            close(y, two(one(x + drawn * model.self_attention(x, x, x)[0])))
        else:
            close(y, two(one(x) + drawn * model.feed_forward(one(x))))


def test_in_pre_norm_the_gradient_has_a_path_that_no_sublayer_closes():
    """Sublayers of zeros: x gets the whole gradient of y."""
    layer = made(EncoderLayer, norm_first=True)
    with torch.no_grad():
        for part in (layer.self_attention.W_O, layer.feed_forward):
            for parameter in part.parameters():
                parameter.zero_()
    x, pull = sentences().requires_grad_(), sentences(seed=9)
    (layer(x)[0] * pull).sum().backward()
    close(x.grad, pull)

"""The decoder: by hand, against torch's layers and stacks, the cache, its own laws."""

import pytest
import torch
from torch import nn
from torch.utils.flop_counter import FlopCounterMode

from kit import close, filled, padding_mask, randn, size
from lookback import decoder
from lookback.attention import causal_mask
from lookback.decoder import Decoder, DecoderLayer, SelfAttention
from lookback.encoder import LayerConfig
from torch_layers import (
    pairs,
    pulled,
    same_gradients,
    stack_pairs,
    torch_layer,
    torch_stack,
)

B, S, T, D_MODEL, H, D_FF, N = 2, 5, 4, 12, 3, 7, 3
DOUBLE = torch.float64
MASK = padding_mask(S, 3)  # (B, S): the second is shorter
TARGET = padding_mask(2, T)  # (B, T): the first is shorter
BOTH = pytest.mark.parametrize("norm_first", [False, True])


def config(**changed):
    return LayerConfig(**{"d_model": D_MODEL, "h": H, "d_ff": D_FF, **changed})


def made(kind, *told, **changed):
    """A module in training whose every number was drawn."""
    return filled(kind(config(**changed), *told)).train()


def target(T=T, seed=1):
    return randn(B, T, D_MODEL, seed=seed)


def memory(seed=2):
    return target(S, seed)


def whole(model, x, about, mask=MASK):
    """All positions at once."""
    return model(x, model.keys_values(about), mask)


# --- by hand -------------------------------------------------------------------------


def hand():
    """Attention that gives a mean, times 1 or 10, and a feed-forward network of 0."""
    model = DecoderLayer(LayerConfig(d_model=2, h=1, d_ff=3, norm_first=True))
    with torch.no_grad():
        for part, factor in (
            (model.self_attention, 1.0),
            (model.cross_attention, 10.0),
        ):
            part.W_Q.weight.zero_()
            part.W_V.weight.copy_(torch.eye(2))
            part.W_O.weight.copy_(factor * torch.eye(2))
        for parameter in model.feed_forward.parameters():
            parameter.zero_()
    return model


def test_a_layer_by_hand():
    """Pre-norm: of (0, 2), (4, 2) the norm leaves (-1, 1), (1, -1).

    Self-attention gives the first (-1, 1), and the second the mean (0, 0).
    Cross-attention gives both ten times the mean of (1, 3) and (5, 7).
    """
    model = hand()
    x = torch.tensor([[[0.0, 2], [4, 2]]])
    about = torch.tensor([[[1.0, 3], [5, 7]]])
    with torch.no_grad():
        source = model.cross_attention.keys_values(about)
        y, weights, cache = model(x, source)
    close(weights.self_attention, torch.tensor([[[[1.0, 0], [0.5, 0.5]]]]))
    close(weights.cross_attention, torch.full((1, 1, 2, 2), 0.5))
    close(y, torch.tensor([[[-1.0 + 30, 3 + 50], [4 + 30, 2 + 50]]]), 1e-4)
    close(cache.V, torch.tensor([[[[-1.0, 1], [1, -1]]]]), 1e-4)


def test_sizes_are_those_of_the_paper():
    """Two attentions of 4 d_model², a network, three norms."""
    layer = DecoderLayer(LayerConfig(d_model=512, h=8, d_ff=2048))
    expected = 2 * 4 * 512**2 + 2 * 512 * 2048 + 2048 + 512 + 3 * 2 * 512
    assert size(layer) == expected


# --- against torch -------------------------------------------------------------------


CAUSAL = ~torch.ones(T, T, dtype=torch.bool).tril()  # torch's: True is hidden


@BOTH
@pytest.mark.parametrize("padded", [False, True])
def test_a_layer_is_torchs(norm_first, padded):
    ours = made(DecoderLayer, norm_first=norm_first)
    theirs = torch_layer(ours, norm_first)
    x, same = (target().requires_grad_() for _ in range(2))
    about, other = (memory().requires_grad_() for _ in range(2))
    source = ours.cross_attention.keys_values(about)
    y, weights, _ = ours(x, source, MASK if padded else None)
    told = {"memory_key_padding_mask": ~MASK} if padded else {}
    expected = theirs(same, other, tgt_mask=CAUSAL, **told)
    assert weights.self_attention.shape == (B, H, T, T)
    assert weights.cross_attention.shape == (B, H, T, S)
    close(y, expected)
    pulled(y).backward()
    pulled(expected).backward()
    close(x.grad, same.grad, 1e-8)
    close(about.grad, other.grad, 1e-8)
    same_gradients(pairs(ours, theirs))


@BOTH
def test_a_stack_is_torchs(norm_first):
    """Torch hides the target's padding too; behind the words nobody looks at it."""
    ours = made(Decoder, N, norm_first=norm_first)
    theirs = torch_stack(ours)
    x, same = (target().requires_grad_() for _ in range(2))
    about, other = (memory().requires_grad_() for _ in range(2))
    y, weights, cache = whole(ours, x, about)
    expected = theirs(
        same,
        other,
        tgt_mask=CAUSAL,
        tgt_key_padding_mask=~TARGET,
        memory_key_padding_mask=~MASK,
    )
    assert len(weights) == len(cache) == N
    close(y[TARGET], expected[TARGET])
    pulled(y, TARGET).backward()  # what stands on padding is nobody's
    pulled(expected, TARGET).backward()
    close(x.grad, same.grad, 1e-8)
    close(about.grad, other.grad, 1e-8)
    same_gradients(stack_pairs(ours, theirs))


# --- the KV cache --------------------------------------------------------------------


def test_of_a_prefix_and_what_follows_it_hidden_positions_get_no_weight():
    model, x = filled(SelfAttention(D_MODEL, H)), target()
    mask = torch.tensor([[True, False, True, True], [True, True, True, False]])
    output, weights, _ = model(x, mask=mask)
    hidden = ~mask[:, None, None].expand_as(weights)
    assert weights[hidden].eq(0).all()
    y, seen, cache = model(x[:, :2], mask=mask[:, :2])
    z, then, _ = model(x[:, 2:], cache, mask)
    close(torch.cat([y, z], dim=1), output)
    close(then, weights[:, :, 2:])
    close(seen, weights[:, :, :2, :2])


def test_gradients_go_through_the_cache():
    model, about = made(Decoder, N), memory()
    x, same = (target().requires_grad_() for _ in range(2))
    y, _, _ = whole(model, x, about)
    source, kept, found = model.keys_values(about), None, []
    for t in range(T):
        one, _, kept = model(same[:, t : t + 1], source, MASK, kept)
        found.append(one)
    pulled(y).backward()
    pulled(torch.cat(found, dim=1)).backward()
    close(x.grad, same.grad, 1e-8)


def products(model, x, about, cached):
    """Multiplications of decoding word by word, with the cache or without."""
    with FlopCounterMode(display=False) as counter, torch.no_grad():
        source, cache = model.keys_values(about), None
        for t in range(x.size(1)):
            if cached:
                _, _, cache = model(x[:, t : t + 1], source, MASK, cache)
            else:
                model(x[:, : t + 1], source, MASK)
    return counter.get_total_flops() // 2


def test_what_is_cached_is_not_computed_again():
    """What a position costs, and that with the cache each is computed once."""
    model = made(Decoder, N)
    length = 9
    position = 6 * D_MODEL**2 + 2 * D_MODEL * D_FF  # Q, K, V, O; Q, O; W_1, W_2
    attend = 2 * D_MODEL  # a score and a share of a value, for each key
    project = N * B * S * 2 * D_MODEL**2
    x, about = target(length), memory()
    once = sum(position + attend * (t + S) for t in range(1, length + 1))
    again = sum(t * (position + attend * (t + S)) for t in range(1, length + 1))
    assert products(model, x, about, cached=True) == project + N * B * once
    assert products(model, x, about, cached=False) == project + N * B * again


# --- laws ----------------------------------------------------------------------------


def test_padding_of_the_source_does_not_matter():
    model, x, about = made(Decoder, N), target(), memory()
    y, weights, _ = whole(model, x, about)
    other = about.masked_fill(~MASK[..., None], 99.0)
    assert torch.equal(whole(model, x, other)[0], y)
    alone, _, _ = model(x[1:], model.keys_values(about[1:, :3]), MASK[1:, :3])
    close(alone, y[1:])
    for seen in weights:
        assert seen.cross_attention[1, :, :, 3:].eq(0).all()


def test_the_order_of_what_was_written_does_matter_through_the_mask_alone():
    """The last position gets the same for any order of the others: in one layer."""
    model, x, about = made(Decoder, 1), target(), memory()
    y, _, _ = whole(model, x, about)
    again, _, _ = whole(model, x[:, [2, 0, 1, 3]], about)
    close(again[:, 3], y[:, 3])
    deep = made(Decoder, N)
    y, _, _ = whole(deep, x, about)
    again, _, _ = whole(deep, x[:, [2, 0, 1, 3]], about)
    assert not torch.isclose(again[:, 3], y[:, 3]).any()


@BOTH
@pytest.mark.parametrize("left", ["self_attention", "cross_attention", "feed_forward"])
def test_dropout_falls_on_the_output_of_each_sublayer(left, norm_first):
    """Two sublayers of zeros: only the dropout of the third is left to be seen."""
    order = ("self_attention", "cross_attention", "feed_forward")
    plain, dropped = (
        made(DecoderLayer, dropout=p, norm_first=norm_first) for p in (0.0, 0.5)
    )
    with torch.no_grad():
        for model in (plain, dropped):
            for name in {*order} - {left}:
                for parameter in getattr(model, name).parameters():
                    parameter.zero_()
            for norm in (
                model.norm_self_attention,
                model.norm_cross_attention,
                model.norm_feed_forward,
            ):
                norm.forward = lambda x: x  # so that sublayers are all there is
    x, about = target(), memory()
    source = plain.cross_attention.keys_values(about)
    y, _, _ = plain(x, source, None)
    torch.manual_seed(2)
    found, _, _ = dropped(x, source, None)
    torch.manual_seed(2)
    drawn = [nn.functional.dropout(torch.ones_like(x)) for _ in order]
    close(found, x + drawn[order.index(left)] * (y - x))


@pytest.mark.parametrize("P", [0, 1, 6])
def test_the_mask_of_new_positions_has_as_many_rows(P, monkeypatch):
    """Not (P + T)²: each new word costs the work of one position."""
    made_masks = []

    def watched(*told, **more):
        made_masks.append(causal_mask(*told, **more))
        return made_masks[-1]

    monkeypatch.setattr(decoder, "causal_mask", watched)
    model, x, source = made(Decoder, N), target(P + T), memory()
    cache = None
    if P:
        _, _, cache = model(x[:, :P], model.keys_values(source), MASK)
    made_masks.clear()
    model(x[:, P:], model.keys_values(source), MASK, cache)
    assert [mask.shape for mask in made_masks] == [(T, P + T)] * N

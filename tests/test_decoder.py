"""The decoder: by hand, against torch's stacks, its own laws."""

import pytest
import torch
from torch.utils.flop_counter import FlopCounterMode

from kit import close, filled, padding_mask, randn
from lookback.decoder import Decoder, DecoderLayer
from lookback.encoder import LayerConfig
from torch_layers import pulled, same_gradients, stack_pairs, torch_stack

B, S, T, D_MODEL, H, D_FF, N = 2, 5, 4, 12, 3, 7, 3
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


# --- against torch -------------------------------------------------------------------


CAUSAL = ~torch.ones(T, T, dtype=torch.bool).tril()  # torch's: True is hidden


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
    assert [w.self_attention.shape for w in weights] == [(B, H, T, T)] * N
    assert [w.cross_attention.shape for w in weights] == [(B, H, T, S)] * N
    assert len(cache) == N
    close(y[TARGET], expected[TARGET])
    pulled(y, TARGET).backward()  # what stands on padding is nobody's
    pulled(expected, TARGET).backward()
    close(x.grad, same.grad, 1e-8)
    close(about.grad, other.grad, 1e-8)
    same_gradients(stack_pairs(ours, theirs))


# --- laws ----------------------------------------------------------------------------


def test_with_the_cache_each_position_is_computed_once():
    """Multiplications of decoding word by word: the paper's matrices, and attention."""
    model, x, about, length = made(Decoder, N), target(9), memory(), 9
    with FlopCounterMode(display=False) as counter, torch.no_grad():
        source, cache = model.keys_values(about), None
        for word in x.split(1, dim=1):
            _, _, cache = model(word, source, MASK, cache)
    position = 6 * D_MODEL**2 + 2 * D_MODEL * D_FF  # Q, K, V, O; Q, O; W_1, W_2
    keys = sum(t + S for t in range(1, length + 1))  # each a score, a share of a value
    once = S * 2 * D_MODEL**2 + length * position + 2 * D_MODEL * keys
    assert counter.get_total_flops() // 2 == N * B * once


@BOTH
def test_dropout_falls_on_the_output_of_each_sublayer(norm_first):
    """If it drops all, only the residual connections are left."""
    model = made(DecoderLayer, dropout=0.25, norm_first=norm_first, bias=True)
    assert model.dropout.p == 0.25
    model.dropout.register_forward_hook(lambda *call: torch.zeros_like(call[-1]))
    source = model.cross_attention.keys_values(memory())
    x, (y, _, _) = target(), model(target(), source)
    if not norm_first:
        x = model.norm_cross_attention(model.norm_self_attention(x))
        x = model.norm_feed_forward(x)
    close(y, x)

"""The encoder: by hand, against torch's stacks, its own laws."""

import pytest
import torch

from kit import close, filled, padding_mask, randn
from lookback.encoder import Encoder, EncoderLayer, FeedForward, LayerConfig
from torch_layers import pulled, same_gradients, stack_pairs, torch_stack

B, S, D_MODEL, H, D_FF, N = 2, 5, 12, 3, 7, 4
MASK = padding_mask(S, 3)  # (B, S): the second is shorter


def config(**changed):
    return LayerConfig(**{"d_model": D_MODEL, "h": H, "d_ff": D_FF, **changed})


def made(kind, *told, **changed):
    """A module in training whose every number was drawn."""
    return filled(kind(config(**changed), *told)).train()


def sentences():
    return randn(B, S, D_MODEL, seed=1)


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


# --- against torch -------------------------------------------------------------------


@pytest.mark.parametrize("norm_first", [False, True])
def test_a_stack_is_torchs(norm_first):
    ours = made(Encoder, N, norm_first=norm_first)
    theirs = torch_stack(ours)
    x, same = (sentences().requires_grad_() for _ in range(2))
    memory, weights = ours(x, MASK)
    expected = theirs(same, src_key_padding_mask=~MASK)
    assert [w.shape for w in weights] == [(B, H, S, S)] * N
    close(memory, expected)
    pulled(memory, MASK).backward()  # what stands on padding is nobody's
    pulled(expected, MASK).backward()
    close(x.grad, same.grad, 1e-8)
    same_gradients(stack_pairs(ours, theirs))


@pytest.mark.parametrize("norm_first", [False, True])
def test_dropout_falls_on_the_output_of_each_sublayer(norm_first):
    """If it drops all, only the residual connections are left."""
    model = made(EncoderLayer, dropout=0.25, norm_first=norm_first, bias=True)
    assert model.dropout.p == 0.25
    model.dropout.register_forward_hook(lambda *call: torch.zeros_like(call[-1]))
    x, (y, _) = sentences(), model(sentences())
    if not norm_first:
        x = model.norm_feed_forward(model.norm_self_attention(x))
    close(y, x)

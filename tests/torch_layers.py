"""torch's LSTMs, and its layers and stacks of the Transformer, with our weights.

Pairs are weights of ours, one upon the other, and what torch calls them. Of what torch
has and we have not, the biases of attention and a second one of LSTMs, all is 0.
"""

import torch
from torch import nn

from kit import close


def pairs(ours, theirs):
    """Of a layer."""
    crossed = hasattr(ours, "cross_attention")
    parts = ("self_attention", "cross_attention") if crossed else ("self_attention",)
    for part, name in zip(parts, ("self_attn", "multihead_attn"), strict=False):
        mine, other = getattr(ours, part), getattr(theirs, name)
        stacked = [mine.W_Q.weight, mine.W_K.weight, mine.W_V.weight]
        yield stacked, other.in_proj_weight
        yield [mine.W_O.weight], other.out_proj.weight
    for n, part in enumerate((*parts, "feed_forward"), 1):
        mine, other = getattr(ours, f"norm_{part}"), getattr(theirs, f"norm{n}")
        yield from norm_pairs(mine, other)
    network = ours.feed_forward
    for mine, other in ((network.W_1, theirs.linear1), (network.W_2, theirs.linear2)):
        yield [mine.weight], other.weight
        yield [mine.bias], other.bias


def norm_pairs(ours, theirs):
    yield [ours.g], theirs.weight
    yield [ours.b], theirs.bias


def stack_pairs(ours, theirs):
    """Of all layers of a stack, and of its last norm."""
    for mine, other in zip(ours.layers, theirs.layers, strict=True):
        yield from pairs(mine, other)
    if theirs.norm is not None:
        yield from norm_pairs(ours.norm, theirs.norm)


def torch_layer(ours, norm_first):
    """torch's encoder or decoder layer with our weights."""
    crossed = hasattr(ours, "cross_attention")
    kind = nn.TransformerDecoderLayer if crossed else nn.TransformerEncoderLayer
    attention, d_ff = ours.self_attention, ours.feed_forward.W_1.out_features
    options = {"dropout": 0.0, "batch_first": True, "norm_first": norm_first}
    theirs = kind(attention.d_model, attention.h, d_ff, **options)
    copy(pairs(ours, theirs.double()))
    with torch.no_grad():
        for name, parameter in theirs.named_parameters():
            if name.endswith(("in_proj_bias", "out_proj.bias")):
                parameter.zero_()
    return theirs


def torch_stack(ours):
    """torch's encoder or decoder with our weights."""
    pre = ours.layers[0].norm_first
    first = torch_layer(ours.layers[0], norm_first=pre)
    norm = nn.LayerNorm(first.norm1.normalized_shape).double() if pre else None
    if isinstance(first, nn.TransformerDecoderLayer):
        theirs = nn.TransformerDecoder(first, len(ours.layers), norm)
    else:
        theirs = nn.TransformerEncoder(
            first, len(ours.layers), norm, enable_nested_tensor=False
        )
    copy(stack_pairs(ours, theirs))
    return theirs


def lstm_pairs(cells, theirs):
    """Of stacked LSTMs: both have the gates i, f, g, o."""
    for k, cell in enumerate(cells):
        yield [cell.W], getattr(theirs, f"weight_ih_l{k}")
        yield [cell.U], getattr(theirs, f"weight_hh_l{k}")
        yield [cell.b], getattr(theirs, f"bias_ih_l{k}")


def torch_lstm(cells):
    """torch's stacked LSTM with the weights of our cells."""
    sizes = cells[0].d, cells[0].n, len(cells)
    theirs = nn.LSTM(*sizes, batch_first=True).double()
    copy(lstm_pairs(cells, theirs))
    with torch.no_grad():
        for k in range(len(cells)):
            getattr(theirs, f"bias_hh_l{k}").zero_()
    return theirs


def copy(weights):
    with torch.no_grad():
        for mine, other in weights:
            other.copy_(torch.cat(mine))


def same_gradients(weights):
    for mine, other in weights:
        close(torch.cat([weight.grad for weight in mine]), other.grad, 1e-8)


def pulled(y, kept=...):
    """A number that depends on each output, or on those that are kept, in its way."""
    pull = torch.linspace(-1, 2, y.numel(), dtype=y.dtype).view_as(y)
    return (pull * y + y**3)[kept].sum()

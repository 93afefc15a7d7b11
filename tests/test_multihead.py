"""Multi-head attention: by hand, against torch and the list of heads, its own laws.

MUTANTS holds thirteen ways to get attention wrong, each a line of the source and what
stands there instead. A test makes each of them and sees the comparison with
`nn.MultiheadAttention` fail.
"""

import inspect
import math

import pytest
import torch
from torch import nn

from kit import close, randn, random_mask, size
from lookback import attention, multihead
from lookback.multihead import HeadList, MultiHeadAttention

B, T, S, D_MODEL, H = 2, 4, 5, 12, 3
DOUBLE = torch.float64


def made(*sizes, seed=0, kind=MultiHeadAttention, **named):
    torch.manual_seed(seed)
    return kind(*sizes, **named).double()


def sentences(*places, grad=False):
    """For each number of places a tensor (B, places, d_model)."""
    return [
        randn(B, n, D_MODEL, seed=i).requires_grad_(grad) for i, n in enumerate(places)
    ]


# --- by hand -------------------------------------------------------------------------


def test_two_heads_by_hand():
    """Head 1 asks with the first number and tells the second; head 2 the other way."""
    model = made(2, 2)
    # A row of a weight for each number of a head: (W^Q)ᵀ, head 1 on top.
    with torch.no_grad():
        model.W_Q.weight.copy_(torch.eye(2))
        model.W_K.weight.copy_(torch.eye(2))
        model.W_V.weight.copy_(torch.tensor([[0.0, 1], [1, 0]]))
        model.W_O.weight.copy_(torch.tensor([[1.0, 0], [0, 10]]))
    ln2, ln3 = math.log(2), math.log(3)
    x = torch.tensor(
        [[[ln2, ln3]]], dtype=DOUBLE
    )  # asks: scores are ln 2 · k, ln 3 · k
    there = torch.tensor([[[1.0, 0], [0, 1]]], dtype=DOUBLE)
    output, weights = model(x, there, there)
    close(weights, torch.tensor([[[[2 / 3, 1 / 3]], [[1 / 4, 3 / 4]]]], dtype=DOUBLE))
    # Head 1 finds the second numbers 0, 1; head 2 the first, 1, 0, and W_O has tenfold.
    close(output, torch.tensor([[[1 / 3, 10 / 4]]], dtype=DOUBLE))


@pytest.mark.parametrize("kind", [MultiHeadAttention, HeadList])
def test_the_sizes_are_those_of_the_paper(kind):
    """Section 3.2.2: h (2 d_model d_k + d_model d_v) + h d_v d_model, and no biases."""
    for told, d_k, d_v in (({}, 4, 4), ({"d_k": 7}, 7, 4), ({"d_v": 2}, 4, 2)):
        model = made(D_MODEL, H, kind=kind, **told)
        expected = H * (2 * D_MODEL * d_k + D_MODEL * d_v) + H * d_v * D_MODEL
        assert size(model) == expected
    assert size(kind(512, 8)) == 4 * 512**2


# --- against the references ----------------------------------------------------------


def reference(model, h=H):
    """torch's own, with the weights of ours."""
    twin = nn.MultiheadAttention(
        model.d_model, h, bias=False, batch_first=True
    ).double()
    with torch.no_grad():
        stacked = [model.W_Q.weight, model.W_K.weight, model.W_V.weight]
        twin.in_proj_weight.copy_(torch.cat(stacked))
        twin.out_proj.weight.copy_(model.W_O.weight)
    return twin


def agree(model, places, mask, theirs, h=H, factor=1.0):
    """Outputs, weights and all gradients equal those of torch.

    mask    ours: True where one may look;  theirs  torch's arguments for the same
    factor  by which everything that comes in is enlarged
    """
    twin = reference(model, h)
    ours = [factor * x.detach() for x in sentences(*places)]
    same = [x.clone().requires_grad_() for x in ours]
    ours = [x.requires_grad_() for x in ours]
    output, weights = model(*ours, mask)
    expected, looked = twin(*same, average_attn_weights=False, **theirs)
    close(output, expected, 1e-9)
    close(weights, looked)
    pull = torch.linspace(-1, 1, weights.numel(), dtype=DOUBLE).view_as(weights)
    ((output**2).sum() + (pull * weights).sum()).backward()
    ((expected**2).sum() + (pull * looked).sum()).backward()
    for one, two in zip(ours, same, strict=True):
        close(one.grad, two.grad, 1e-8)
    found = [model.W_Q, model.W_K, model.W_V]
    close(torch.cat([W.weight.grad for W in found]), twin.in_proj_weight.grad, 1e-8)
    close(model.W_O.weight.grad, twin.out_proj.weight.grad, 1e-8)


WHOLE, EACH = random_mask(T, S), random_mask(B, T, S)
HEADS, KEYS = random_mask(B, H, T, S), random_mask(B, S)
# torch's own masks are True where a place is hidden, and fold heads into the batch.
MASKS = {
    "none": (None, {}),
    "one for all": (WHOLE, {"attn_mask": ~WHOLE}),
    "of sentences": (EACH, {"attn_mask": ~EACH.repeat_interleave(H, dim=0)}),
    "of heads": (HEADS, {"attn_mask": ~HEADS.flatten(0, 1)}),
    "padding": (KEYS[:, None], {"key_padding_mask": ~KEYS}),
    "padding and more": (
        WHOLE & KEYS[:, None],
        {"attn_mask": ~WHOLE, "key_padding_mask": ~KEYS},
    ),
}


@pytest.mark.parametrize("name", MASKS)
def test_it_is_torchs_multi_head_attention(name):
    agree(made(D_MODEL, H), (T, S, S), *MASKS[name])


@pytest.mark.parametrize("h", [1, 2, 4, 6, 12])
def test_any_number_of_heads_is_torchs(h):
    agree(made(D_MODEL, h), (T, S, S), WHOLE, {"attn_mask": ~WHOLE}, h=h)


def listed(model):
    """The list of heads with the weights of a model."""
    twin = made(model.d_model, model.h, model.d_k, model.d_v, kind=HeadList)
    with torch.no_grad():
        for i, head in enumerate(twin.heads):
            for name, d in (("W_Q", model.d_k), ("W_K", model.d_k), ("W_V", model.d_v)):
                rows = getattr(model, name).weight[i * d : (i + 1) * d]
                getattr(head, name).weight.copy_(rows)
        twin.W_O.weight.copy_(model.W_O.weight)
    return twin


@pytest.mark.parametrize(("d_k", "d_v"), [(None, None), (2, 7), (7, 2), (None, 1)])
@pytest.mark.parametrize("mask", [None, WHOLE, EACH, KEYS[:, None]])
def test_it_is_the_list_of_heads(d_k, d_v, mask):
    model = made(D_MODEL, H, d_k, d_v)
    twin = listed(model)
    ours, theirs = (sentences(T, S, S, grad=True) for _ in range(2))
    output, weights = model(*ours, mask)
    expected, looked = twin(*theirs, mask)
    assert output.shape == (B, T, D_MODEL)
    assert weights.shape == (B, H, T, S)
    close(output, expected)
    close(weights, looked)
    ((output**2).sum() + weights[:, :, 0, 0].sum()).backward()
    ((expected**2).sum() + looked[:, :, 0, 0].sum()).backward()
    for one, two in zip(ours, theirs, strict=True):
        close(one.grad, two.grad)
    for name in ("W_Q", "W_K", "W_V"):
        rows = [getattr(head, name).weight.grad for head in twin.heads]
        close(getattr(model, name).weight.grad, torch.cat(rows))
    close(model.W_O.weight.grad, twin.W_O.weight.grad)


# --- laws ----------------------------------------------------------------------------


def test_the_order_of_the_heads_does_not_matter():
    model, given = made(D_MODEL, H), sentences(T, S, S)
    output, weights = model(*given)
    with torch.no_grad():
        for name in ("W_Q", "W_K", "W_V"):
            matrix = getattr(model, name).weight
            matrix.copy_(matrix.unflatten(0, (H, -1)).flip(0).flatten(0, 1))
        columns = model.W_O.weight
        columns.copy_(columns.unflatten(1, (H, -1)).flip(1).flatten(1))
    again, turned = model(*given)
    close(again, output)
    close(turned, weights.flip(1))


def test_a_mask_of_three_axes_is_of_sentences_even_if_there_are_as_many_heads():
    model, given = made(D_MODEL, B), sentences(T, S, S)  # h is B
    _, weights = model(*given, EACH)
    hidden = ~EACH[:, None].expand(B, B, T, S)
    assert weights[hidden].eq(0).all()
    assert weights[~hidden].gt(0).all()


# --- thirteen mutants ----------------------------------------------------------------

SOFTMAX, MERGE = "masked_softmax(scores, mask)", "heads.transpose(1, 2).flatten(2)"
PROJECT = "Q, K, V = self.W_Q(queries), self.W_K(keys), self.W_V(values)"
MUTANTS = {
    "no √d_k": {" / math.sqrt(K.size(-1))": ""},
    "d_k for √d_k": {"math.sqrt(K.size(-1))": "K.size(-1)"},
    "softmax over the queries": {
        SOFTMAX: "scores.masked_fill(~mask, -1e9).softmax(dim=-2)"
    },
    "mask inverted": {
        SOFTMAX: "masked_softmax(scores, None if mask is None else ~mask)"
    },
    "mask finite": {
        SOFTMAX: "masked_softmax(scores if mask is None else "
        "scores.masked_fill(~mask, -1e4))"
    },
    "mask ignored": {SOFTMAX: "masked_softmax(scores)"},
    "keys as values": {PROJECT: PROJECT.replace("values", "keys")},
    "W_Q and W_K exchanged": {
        PROJECT: "Q, K, V = self.W_K(queries), self.W_Q(keys), self.W_V(values)"
    },
    "values through W_K": {PROJECT: PROJECT.replace("W_V", "W_K")},
    "heads merged by flatten, not transposed": {MERGE: "heads.flatten(2)"},
    "heads merged by reshape, not transposed": {
        MERGE: "heads.reshape(len(heads), heads.size(2), -1)"
    },
    "heads split, not transposed": {
        "torch.unflatten(x, 2, (h, -1)).transpose(1, 2)": (
            "x.reshape(len(x), h, x.size(1), -1)"
        )
    },
    "no W_O": {"self.W_O(merge(heads))": "merge(heads)"},
}


def mutant(changes):
    """MultiHeadAttention, made of the source of both modules with these changes."""
    sources, made_of = [inspect.getsource(m) for m in (attention, multihead)], {}
    for old, new in changes.items():
        assert sum(source.count(old) for source in sources) == 1, old
        sources = [source.replace(old, new) for source in sources]
    for source in sources:
        spaces = {"__name__": "mutant"}
        exec(compile(source, "mutant", "exec"), spaces)  # as the module, but changed
        if made_of:  # the second compares with the first, and not with the real one
            name = "scaled_dot_product_attention"
            spaces[name] = made_of[name]
        made_of.update(spaces)
    return made_of["MultiHeadAttention"]


def gauntlet(kind):
    """Comparisons with torch's; first with all sizes equal, so that nothing crashes."""
    for places in ((H, H, H), (T, S, S)):
        mask = random_mask(B, H, *places[:2])
        mask[..., 1] = False  # so that upside down, too, every row may look somewhere
        told = {"attn_mask": ~mask.flatten(0, 1)}
        for factor in (1, 300):  # scores far below any finite mask
            agree(made(D_MODEL, H, kind=kind), places, mask, told, factor=factor)


def test_the_original_runs_the_gauntlet():
    gauntlet(MultiHeadAttention)
    gauntlet(mutant({}))


@pytest.mark.parametrize("name", MUTANTS)
def test_no_mutant_survives(name):
    changed = mutant(MUTANTS[name])
    with pytest.raises(AssertionError):
        gauntlet(changed)


def test_there_are_thirteen():
    assert len(MUTANTS) == 13

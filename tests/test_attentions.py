"""The laws of attention: queries, keys and values → an output and its weights.

Each case begins with the name of its idea: `pytest -k rotary` runs those of rotary.
"""

from collections.abc import Callable
from dataclasses import dataclass

import pytest
import torch
from torch import Tensor

from kit import close, filled, padding_mask, randn, random_mask, refuses, unchanged
from lookback.attention import Head, causal_mask, scaled_dot_product_attention
from lookback.bahdanau import AdditiveAttention
from lookback.decoder import SelfAttention
from lookback.grouped import GroupedQueryAttention, grouped_attention
from lookback.luong import LocalAttention, LocationAttention, LuongAttention
from lookback.modern import RotaryGroupedAttention
from lookback.multihead import HeadList, MultiHeadAttention, merge, split
from lookback.rotary import AlibiAttention, RelativeAttention, RotaryAttention

B, T, S, D, H = 2, 4, 7, 12, 6  # every axis has its own size


@dataclass
class Case:
    """Queries (B, T, D), keys and values (B, S, D), a mask → output and weights.

    per_query  may the mask differ from query to query, or is it of the source alone?
    bag        do positions not matter, only what stands there?
    causal     is it used as self-attention, the queries being the last T of S?
    sums       are the rows of weights shares of 1?
    """

    attend: Callable[..., tuple[Tensor, Tensor]]
    per_query: bool = True
    bag: bool = True
    causal: bool = False
    sums: bool = True

    def mask(self, seed: int = 1) -> Tensor:
        return random_mask(B, T if self.per_query else 1, S, seed=seed)


def additive(queries, keys, values, mask=None):
    """Bahdanau's, which asks for one state of the decoder at a time."""
    attention = filled(AdditiveAttention(query=D, annotation=D, hidden=5))
    mask = torch.ones_like(values[..., 0]).bool() if mask is None else mask[:, 0]
    found = [
        attention(query, attention.keys(keys), values, mask)
        for query in queries.unbind(dim=1)
    ]
    output, weights = (torch.stack(parts, dim=1) for parts in zip(*found, strict=True))
    return output, weights


def luong(attention):
    attention = filled(attention, scale=0.3)

    def attend(queries, keys, values, mask=None):
        assert keys is values  # keys are made of the values
        mask = torch.ones_like(values[..., 0]).bool() if mask is None else mask[:, 0]
        t = torch.arange(1, queries.size(1) + 1).expand(len(queries), -1)
        return attention(queries, attention.project(values, mask), t)

    return attend


def plain(queries, keys, values, mask=None):
    return scaled_dot_product_attention(queries, keys, values, mask)


def grouped(g):
    """Heads of the queries' features, of which the first g are those of the keys."""

    def attend(queries, keys, values, mask=None):
        Q, K, V = (split(x, H) for x in (queries, keys, values))
        mask = mask if mask is None or mask.dim() == 2 else mask.unsqueeze(1)
        heads, weights = grouped_attention(Q, K[:, :g], V[:, :g], mask)
        return merge(heads), weights

    return attend


ATTENTIONS = {
    "bahdanau": Case(additive, per_query=False),
    "luong dot": Case(luong(LuongAttention(D, "dot")), per_query=False),
    "luong general": Case(luong(LuongAttention(D, "general")), per_query=False),
    "luong concat": Case(luong(LuongAttention(D, "concat")), per_query=False),
    "luong location": Case(luong(LocationAttention(D, S)), per_query=False, bag=False),
    "luong local-m": Case(
        luong(LocalAttention(D, "dot", "local-m", D=S)), per_query=False
    ),
    "luong local-p": Case(
        luong(LocalAttention(D, "general", "local-p", D=S)),
        per_query=False,
        bag=False,
        sums=False,
    ),
    "attention": Case(plain),
    "attention head": Case(filled(Head(D, 5, 3)), causal=True),
    "multihead": Case(filled(MultiHeadAttention(D, H)), causal=True),
    "multihead sizes": Case(filled(MultiHeadAttention(D, H, 5, 3)), causal=True),
    "multihead list": Case(filled(HeadList(D, H)), causal=True),
    "grouped": Case(grouped(3)),
    "grouped one": Case(grouped(1)),
    "rotary": Case(filled(RotaryAttention(D, H)), bag=False, causal=True),
    "rotary alibi": Case(filled(AlibiAttention(D, H)), bag=False, causal=True),
    "rotary relative": Case(filled(RelativeAttention(D, H, 2)), bag=False, causal=True),
}


def those(has):
    """Parametrise over the attentions of which this is true."""
    names = [name for name, case in ATTENTIONS.items() if has(case)]
    cases = [ATTENTIONS[name] for name in names]
    return pytest.mark.parametrize("case", cases, ids=names)


EACH = those(lambda case: True)
CAUSAL = those(lambda case: case.causal)
NOT_CHECKED = AlibiAttention, RelativeAttention  # torch refuses
QUERIES, KEYS = randn(B, T, D, seed=1), randn(B, S, D, seed=2)


def of_heads(mask, weights):
    """The mask (B, T, S) for each row of weights (B, T, S) or (B, h, T, S)."""
    return (mask if weights.dim() == 3 else mask[:, None]).expand_as(weights)


@EACH
def test_rows_sum_to_one_and_what_is_hidden_gets_exactly_nothing(case):
    mask = case.mask()
    output, weights = case.attend(QUERIES, KEYS, KEYS, mask)
    assert output.shape[:2] == (B, T)
    assert weights.shape in {(B, T, S), (B, H, T, S)}
    assert weights[~of_heads(mask, weights)].eq(0).all()
    assert weights[of_heads(mask, weights)].gt(0).all()
    sums = weights.sum(dim=-1)
    if case.sums:
        close(sums, torch.ones_like(sums))
    else:
        assert (sums < 1).all()


@EACH
def test_what_is_hidden_does_not_matter_however_large(case):
    mask = random_mask(B, 1, S)
    output, weights = case.attend(QUERIES, KEYS, KEYS, mask)
    for large in (-1e6, 1e6):
        other = KEYS.masked_fill(~mask[:, 0, :, None], large)
        again, seen = case.attend(QUERIES, other, other, mask)
        assert torch.equal(again, output)
        assert torch.equal(seen, weights)


@those(lambda case: case.bag or not case.causal)  # else padding would move the queries
def test_padding_is_as_if_it_were_not_there(case):
    mask = padding_mask(3, S)[:, None]
    output, weights = case.attend(QUERIES, KEYS, KEYS, mask)
    short = KEYS[:1, :3]
    alone, seen = case.attend(QUERIES[:1], short, short)
    close(alone, output[:1])
    close(seen, weights[:1, ..., :3])


@those(lambda case: case.bag)
def test_the_order_of_keys_with_their_values_does_not_matter(case):
    turn, mask = torch.tensor([3, 0, 6, 4, 1, 5, 2]), case.mask()
    output, weights = case.attend(QUERIES, KEYS, KEYS, mask)
    turned = KEYS[:, turn]
    again, seen = case.attend(QUERIES, turned, turned, mask[..., turn])
    close(again, output)
    close(seen, weights[..., turn])


@EACH
def test_a_sentence_of_a_batch_is_what_it_is_alone(case):
    mask = case.mask()
    output, weights = case.attend(QUERIES, KEYS, KEYS, mask)
    for b in range(B):
        row = slice(b, b + 1)
        alone, seen = case.attend(QUERIES[row], *[KEYS[row]] * 2, mask[row])
        close(alone, output[row])
        close(seen, weights[row])


@CAUSAL
def test_under_a_causal_mask_the_future_does_not_matter(case):
    output, weights = case.attend(KEYS, KEYS, KEYS, causal_mask(S))
    assert torch.equal(weights, weights.tril())
    for t in range(1, S):
        past = KEYS[:, :t]
        alone, seen = case.attend(past, past, past, causal_mask(t))
        close(alone, output[:, :t])
        close(seen, weights[..., :t, :t])
        later = torch.cat([past, 9 * KEYS[:, t:]], dim=1)
        again, _ = case.attend(later, later, later, causal_mask(S))
        close(again[:, :t], output[:, :t])


CACHING = {
    "decoder": SelfAttention(D, H),
    "grouped": GroupedQueryAttention(D, H, 3),
    "modern": RotaryGroupedAttention(D, H, 2),
}


@pytest.mark.parametrize("name", CACHING)
def test_self_attention_with_a_cache_gives_the_same(name):
    layer, cache = filled(CACHING[name]), None
    mask = random_mask(B, S)
    output, weights, whole = layer(KEYS, mask=mask)
    assert torch.equal(weights, weights.tril())
    assert weights[~mask[:, None, None].expand_as(weights)].eq(0).all()
    for first, last in ((0, 1), (1, 2), (2, 5), (5, S)):
        new = KEYS[:, first:last]
        some, seen, cache = unchanged(layer, new, cache, mask[:, :last])
        close(some, output[:, first:last])
        close(seen, weights[:, :, first:last, :last])
    for one, two in zip(cache, whole, strict=True):
        close(one, two)


@EACH
def test_arguments_stay_as_they_came(case):
    unchanged(lambda q, k, m: case.attend(q, k, k, m), QUERIES, KEYS, case.mask())


# --- refusals ------------------------------------------------------------------------


@EACH
def test_a_row_that_may_attend_nowhere_is_refused(case):
    mask = case.mask()
    mask[1, -1] = False
    with refuses(r"mask is False everywhere in rows \[\[1"):
        case.attend(QUERIES, KEYS, KEYS, mask)


@EACH
def test_a_mask_of_numbers_or_of_other_positions_is_refused(case):
    mask = case.mask()
    with refuses("mask is torch.int64"):
        case.attend(QUERIES, KEYS, KEYS, mask.long())
    with refuses(r"mask (is torch.bool of|has) shape .*: expected"):
        case.attend(QUERIES, KEYS, KEYS, mask[..., 1:])


@those(lambda case: not isinstance(case.attend, NOT_CHECKED))
def test_queries_and_keys_of_other_sentences_are_refused(case):
    more = torch.cat([QUERIES, QUERIES[:1]])
    with refuses(r"has shape \(.*\): expected"):
        case.attend(more, KEYS, KEYS)

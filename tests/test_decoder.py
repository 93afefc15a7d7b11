"""The decoder: by hand, against torch's layers and stacks, causality, the cache, laws.

Mutants that these tests kill: no causal mask, one that begins at position 0 after a
prefix of P, one that hides the position itself; keys or values of the target in
cross-attention, or those of another layer; the source's mask ignored or turned; a past
that is not returned, comes after the new words, lacks the last position, or is another
layer's; keys of x where those of its norm are due; the three sublayers in another
order; a sublayer without its residual connection; no last norm in a pre-norm stack;
shapes and masks let through.
"""

import pytest
import torch
from torch import nn
from torch.utils.flop_counter import FlopCounterMode

from lookback import multihead
from lookback.attention import causal_mask
from lookback.decoder import (
    Decoder,
    DecoderLayer,
    PreNormDecoder,
    PreNormDecoderLayer,
)
from lookback.encoder import LayerConfig
from lookback.multihead import KVCache

B, S, T, D_MODEL, H, D_FF, N = 2, 5, 4, 12, 3, 7, 3
DOUBLE = torch.float64
PRE_NORM = {Decoder: PreNormDecoder, DecoderLayer: PreNormDecoderLayer}
MASK = torch.arange(S) < torch.tensor([[S], [3]])  # (B, S): the second is shorter
TARGET = torch.arange(T) < torch.tensor([[2], [T]])  # (B, T): the first is shorter
BOTH = pytest.mark.parametrize("norm_first", [False, True])


def close(one, two, tolerance=1e-10):
    torch.testing.assert_close(one, two, rtol=tolerance, atol=tolerance)


def config(**changed):
    return LayerConfig(**{"d_model": D_MODEL, "h": H, "d_ff": D_FF, **changed})


def made(kind, *told, seed=0, norm_first=False, **changed):
    """A module whose every number was drawn, those that begin as 0 and 1 too."""
    torch.manual_seed(seed)
    kind = PRE_NORM[kind] if norm_first else kind
    model = kind(config(**changed), *told).double()
    with torch.no_grad():
        for parameter in model.parameters():
            if parameter.dim() == 1:
                parameter.add_(torch.randn_like(parameter) / 3)
    return model


def target(T=T, seed=1):
    chance = torch.Generator().manual_seed(seed)
    return torch.randn(B, T, D_MODEL, generator=chance, dtype=DOUBLE)


def memory(seed=2):
    return target(S, seed)


def whole(model, x, about, mask=MASK):
    """All positions at once."""
    return model(x, model.project(about), mask)


# --- by hand -------------------------------------------------------------------------


def hand():
    """Attention that gives a mean, times 1 or 10, and a feed-forward network of 0."""
    model = PreNormDecoderLayer(LayerConfig(d_model=2, h=1, d_ff=3))
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
        source = model.cross_attention.project(about, about)
        y, weights, past = model(x, source, None)
    close(weights.self_attention, torch.tensor([[[[1.0, 0], [0.5, 0.5]]]]))
    close(weights.cross_attention, torch.full((1, 1, 2, 2), 0.5))
    close(y, torch.tensor([[[-1.0 + 30, 3 + 50], [4 + 30, 2 + 50]]]), 1e-4)
    close(past.V, torch.tensor([[[[-1.0, 1], [1, -1]]]]), 1e-4)


def test_sizes_are_those_of_the_paper():
    """Two attentions of 4 d_model², a network, three norms."""
    layer = DecoderLayer(LayerConfig(d_model=512, h=8, d_ff=2048))
    expected = 2 * 4 * 512**2 + 2 * 512 * 2048 + 2048 + 512 + 3 * 2 * 512
    assert sum(p.numel() for p in layer.parameters()) == expected


# --- against torch -------------------------------------------------------------------


def pairs(ours, theirs):
    """Weights of our layer, one upon the other, and what torch calls them."""
    attentions = (
        (ours.self_attention, theirs.self_attn),
        (ours.cross_attention, theirs.multihead_attn),
    )
    for mine, other in attentions:
        stacked = [mine.W_Q.weight, mine.W_K.weight, mine.W_V.weight]
        yield stacked, other.in_proj_weight
        yield [mine.W_O.weight], other.out_proj.weight
    norms = (
        (ours.norm_self_attention, theirs.norm1),
        (ours.norm_cross_attention, theirs.norm2),
        (ours.norm_feed_forward, theirs.norm3),
    )
    for mine, norm in norms:
        yield [mine.g], norm.weight
        yield [mine.b], norm.bias
    net = ours.feed_forward
    for mine, other in ((net.W_1, theirs.linear1), (net.W_2, theirs.linear2)):
        yield [mine.weight], other.weight
        yield [mine.bias], other.bias


def grads_agree(ours, theirs):
    for mine, other in pairs(ours, theirs):
        close(torch.cat([weight.grad for weight in mine]), other.grad, 1e-8)


def copied(ours, theirs):
    with torch.no_grad():
        for mine, other in pairs(ours, theirs):
            other.copy_(torch.cat(mine))
        for attention in (theirs.self_attn, theirs.multihead_attn):
            attention.in_proj_bias.zero_()
            attention.out_proj.bias.zero_()
    return theirs


def reference(ours, *, norm_first):
    theirs = nn.TransformerDecoderLayer(
        D_MODEL, H, D_FF, dropout=0.0, batch_first=True, norm_first=norm_first
    )
    return copied(ours, theirs.double())


def pulled(y, kept=...):
    """A number that depends on each output, or on those that are kept, in its way."""
    pull = torch.linspace(-1, 2, y.numel(), dtype=DOUBLE).view_as(y)
    return (pull * y + y**3)[kept].sum()


CAUSAL = ~torch.ones(T, T, dtype=torch.bool).tril()  # torch's: True is hidden


@BOTH
@pytest.mark.parametrize("padded", [False, True])
def test_a_layer_is_torchs(norm_first, padded):
    ours = made(DecoderLayer, norm_first=norm_first)
    theirs = reference(ours, norm_first=norm_first)
    x, same = (target().requires_grad_() for _ in range(2))
    about, other = (memory().requires_grad_() for _ in range(2))
    source = ours.cross_attention.project(about, about)
    y, weights, _ = ours(x, source, MASK[:, None] if padded else None)
    told = {"memory_key_padding_mask": ~MASK} if padded else {}
    expected = theirs(same, other, tgt_mask=CAUSAL, **told)
    assert weights.self_attention.shape == (B, H, T, T)
    assert weights.cross_attention.shape == (B, H, T, S)
    close(y, expected)
    pulled(y).backward()
    pulled(expected).backward()
    close(x.grad, same.grad, 1e-8)
    close(about.grad, other.grad, 1e-8)
    grads_agree(ours, theirs)


@BOTH
def test_a_stack_is_torchs(norm_first):
    """Torch hides the target's padding too; behind the words nobody looks at it."""
    ours = made(Decoder, N, norm_first=norm_first)
    first = reference(ours.layers[0], norm_first=norm_first)
    norm = nn.LayerNorm(D_MODEL).double() if norm_first else None
    theirs = nn.TransformerDecoder(first, N, norm)
    for mine, other in zip(ours.layers, theirs.layers, strict=True):
        copied(mine, other)
    if norm is not None:
        with torch.no_grad():
            theirs.norm.weight.copy_(ours.norm.g)
            theirs.norm.bias.copy_(ours.norm.b)
    x, same = (target().requires_grad_() for _ in range(2))
    about, other = (memory().requires_grad_() for _ in range(2))
    y, weights, past = whole(ours, x, about)
    expected = theirs(
        same,
        other,
        tgt_mask=CAUSAL,
        tgt_key_padding_mask=~TARGET,
        memory_key_padding_mask=~MASK,
    )
    assert len(weights) == len(past) == N
    close(y[TARGET], expected[TARGET])
    pulled(y, TARGET).backward()  # what stands on padding is nobody's
    pulled(expected, TARGET).backward()
    close(x.grad, same.grad, 1e-8)
    close(about.grad, other.grad, 1e-8)
    for mine, other in zip(ours.layers, theirs.layers, strict=True):
        grads_agree(mine, other)


# --- the future does not matter ------------------------------------------------------


@BOTH
def test_cutting_the_target_moves_nothing_before_the_cut(norm_first):
    model, x, about = made(Decoder, N, norm_first=norm_first), target(), memory()
    y, weights, past = whole(model, x, about)
    for t in range(1, T + 1):
        short, seen, kept = whole(model, x[:, :t], about)
        close(short, y[:, :t], 1e-12)
        for n in range(N):
            close(
                seen[n].self_attention, weights[n].self_attention[:, :, :t, :t], 1e-12
            )
            close(seen[n].cross_attention, weights[n].cross_attention[:, :, :t], 1e-12)
            close(kept[n].K, past[n].K[:, :, :t], 1e-12)
            close(kept[n].V, past[n].V[:, :, :t], 1e-12)


@BOTH
def test_another_future_leaves_the_past_as_it_was_bit_for_bit(norm_first):
    model, x, about = made(Decoder, N, norm_first=norm_first), target(), memory()
    y, _, _ = whole(model, x, about)
    for t in range(1, T):
        other = x.clone()
        other[:, t:] = 100 * target(seed=9)[:, t:]
        again, _, _ = whole(model, other, about)
        assert torch.equal(again[:, :t], y[:, :t])
        assert again[:, t:].ne(y[:, t:]).any(dim=-1).all()


@BOTH
def test_no_gradient_comes_from_the_future(norm_first):
    """And one comes from all positions up to each, and from all words of the source."""
    model = made(Decoder, N, norm_first=norm_first)
    for t in range(T):
        x, about = target().requires_grad_(), memory().requires_grad_()
        y, _, _ = whole(model, x, about)
        pulled(y[:, t]).backward()
        assert x.grad[:, t + 1 :].eq(0).all()
        assert x.grad[:, : t + 1].ne(0).any(dim=-1).all()
        assert about.grad[~MASK].eq(0).all()
        assert about.grad[MASK].ne(0).any(dim=-1).all()


def test_weights_on_the_future_are_exactly_zero():
    _, weights, _ = whole(made(Decoder, N), target(), memory())
    for seen in weights:
        assert seen.self_attention.triu(1).eq(0).all()
        assert seen.self_attention[:, :, torch.ones(T, T).tril().bool()].gt(0).all()
        close(seen.self_attention.sum(-1), torch.ones(B, H, T, dtype=DOUBLE))
        close(seen.cross_attention.sum(-1), torch.ones(B, H, T, dtype=DOUBLE))


# --- the KV cache --------------------------------------------------------------------


@BOTH
@pytest.mark.parametrize("steps", [(1, 1, 1, 1), (2, 2), (1, 3), (3, 1)])
def test_word_by_word_is_all_at_once(norm_first, steps):
    model, x, about = made(Decoder, N, norm_first=norm_first), target(), memory()
    y, weights, past = whole(model, x, about)
    source, kept, begun = model.project(about), None, 0
    for many in steps:
        now = slice(begun, begun + many)
        one, seen, kept = model(x[:, now], source, MASK, kept)
        begun += many
        close(one, y[:, now])
        for n in range(N):
            assert seen[n].self_attention.shape == (B, H, many, begun)
            close(seen[n].self_attention, weights[n].self_attention[:, :, now, :begun])
            close(seen[n].cross_attention, weights[n].cross_attention[:, :, now])
            assert kept[n].K.shape == (B, H, begun, D_MODEL // H)
    for n in range(N):
        close(kept[n].K, past[n].K)
        close(kept[n].V, past[n].V)


def test_gradients_go_through_the_cache():
    model, about = made(Decoder, N), memory()
    x, same = (target().requires_grad_() for _ in range(2))
    y, _, _ = whole(model, x, about)
    source, kept, found = model.project(about), None, []
    for t in range(T):
        one, _, kept = model(same[:, t : t + 1], source, MASK, kept)
        found.append(one)
    pulled(y).backward()
    pulled(torch.cat(found, dim=1)).backward()
    close(x.grad, same.grad, 1e-8)


def products(model, x, about, cached):
    """Multiplications of decoding word by word, with the cache or without."""
    with FlopCounterMode(display=False) as counter, torch.no_grad():
        source, past = model.project(about), None
        for t in range(x.size(1)):
            if cached:
                _, _, past = model(x[:, t : t + 1], source, MASK, past)
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


def test_a_cache_is_not_written_into():
    model, x, about = made(Decoder, N), target(), memory()
    source = model.project(about)
    _, _, past = model(x[:, :2], source, MASK)
    before = [part.clone() for kept in (*past, *source) for part in kept]
    one, _, _ = model(x[:, 2:], source, MASK, past)
    two, _, _ = model(x[:, 2:], source, MASK, past)
    after = [part for kept in (*past, *source) for part in kept]
    assert torch.equal(one, two)
    assert all(torch.equal(a, b) for a, b in zip(before, after, strict=True))
    assert torch.equal(x, target())
    assert torch.equal(about, memory())


# --- laws ----------------------------------------------------------------------------


def test_padding_of_the_source_does_not_matter():
    model, x, about = made(Decoder, N), target(), memory()
    y, weights, _ = whole(model, x, about)
    other = about.masked_fill(~MASK[..., None], 99.0)
    assert torch.equal(whole(model, x, other)[0], y)
    alone, _, _ = model(x[1:], model.project(about[1:, :3]), MASK[1:, :3])
    close(alone, y[1:])
    for seen in weights:
        assert seen.cross_attention[1, :, :, 3:].eq(0).all()


def test_the_order_of_the_source_does_not_matter():
    """Cross-attention reads a bag; positions must be in the memory, or nowhere."""
    model, x, about = made(Decoder, N), target(), memory()
    turn = torch.tensor([3, 0, 4, 1, 2])
    y, weights, _ = whole(model, x, about)
    again, seen, _ = whole(model, x, about[:, turn], MASK[:, turn])
    close(again, y)
    close(seen[0].cross_attention, weights[0].cross_attention[..., turn])


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


def test_sentences_know_nothing_of_each_other():
    model, x, about = made(Decoder, N), target(), memory()
    y, _, _ = whole(model, x, about)
    for b in range(B):
        one = slice(b, b + 1)
        close(whole(model, x[one], about[one], MASK[one])[0], y[one])


def test_each_layer_projects_the_memory_by_its_own_matrices():
    model, about = made(Decoder, N), memory()
    for layer, cache in zip(model.layers, model.project(about), strict=True):
        K, V = layer.cross_attention.project(about, about)
        close(cache.K, K)
        close(cache.V, V)


def test_dropout_is_drawn_in_training_alone():
    model, x, about = made(Decoder, N, dropout=0.5), target(), memory()
    assert not torch.equal(whole(model, x, about)[0], whole(model, x, about)[0])
    model.eval()
    close(whole(model, x, about)[0], whole(made(Decoder, N), x, about)[0])


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
    source = plain.cross_attention.project(about, about)
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

    monkeypatch.setattr(multihead, "causal_mask", watched)
    model, x, source = made(Decoder, N), target(P + T), memory()
    past = None
    if P:
        _, _, past = model(x[:, :P], model.project(source), MASK)
    made_masks.clear()
    model(x[:, P:], model.project(source), MASK, past)
    assert [mask.shape for mask in made_masks] == [(T, P + T)] * N


# --- refusals ------------------------------------------------------------------------


@BOTH
@pytest.mark.parametrize("shape", [(T, 12), (B, T, 11), (0, T, 12), (B, 0, 12), (12,)])
def test_shapes_that_do_not_fit_are_refused(shape, norm_first):
    x, told = torch.zeros(shape, dtype=DOUBLE), r"x has shape .* \(B, T, (12|d_model)\)"
    model, about = made(Decoder, N, norm_first=norm_first), memory()
    with pytest.raises(ValueError, match=told):
        whole(model, x, about)
    with pytest.raises(ValueError, match=told):
        model.layers[0](x, model.project(about)[0], None)


@pytest.mark.parametrize("shape", [(S, 12), (B, S, 11), (0, S, 12), (B, 0, 12)])
def test_a_memory_that_does_not_fit_is_refused(shape):
    with pytest.raises(ValueError, match=r"keys .* shape .*, 12\)"):
        made(Decoder, N).project(torch.zeros(shape, dtype=DOUBLE))


def test_other_numbers_of_sentences_or_layers_are_refused():
    model, x = made(Decoder, N), target()
    source = model.project(memory())
    told = r"source has shape \(2, 3, 5, 4\): .* B being 1"
    with pytest.raises(ValueError, match=told):
        model(x[:1], source, MASK)
    for wrong in (source[:2], (*source, source[0])):
        with pytest.raises(ValueError, match=r"zip\(\) argument 2"):
            model(x, wrong, MASK)
    _, _, past = model(x, source, MASK)
    for wrong in ((), past[:2], (*past, past[0])):
        with pytest.raises(ValueError, match=r"zip\(\) argument 4"):
            model(x, source, MASK, wrong)


def test_a_past_of_other_sizes_is_refused():
    model, x = made(Decoder, 1), target()
    source = model.project(memory())
    _, _, (past,) = model(x, source, MASK)
    wrong = [
        KVCache(past.K[:1], past.V[:1]),
        KVCache(past.K[:, :2], past.V[:, :2]),
        KVCache(past.K[..., :3], past.V),
        KVCache(past.K, past.V[..., :3]),
    ]
    for cache in wrong:
        with pytest.raises(ValueError, match=r"[KV] has shape .*: expected \(B, h,"):
            model(x, source, MASK, (cache,))


@pytest.mark.parametrize(
    "mask", [MASK[0], MASK[:1], MASK[:, :1], MASK[:, None], MASK.T]
)
def test_masks_that_do_not_fit_are_refused(mask):
    told = r"mask has shape .* \(B, S\), B being 2, S being 5"
    with pytest.raises(ValueError, match=told):
        whole(made(Decoder, N), target(), memory(), mask)


@pytest.mark.parametrize("mask", [MASK.double(), MASK.long()])
def test_masks_of_numbers_are_refused(mask):
    with pytest.raises(ValueError, match=r"mask is .* torch.bool of shape \(2, 5\)"):
        whole(made(Decoder, N), target(), memory(), mask)


def test_a_source_without_words_is_refused():
    mask = MASK & torch.tensor([[True], [False]])
    with pytest.raises(ValueError, match=r"mask is False everywhere in rows \[\[1\]\]"):
        whole(made(Decoder, N), target(), memory(), mask)


def test_a_decoder_has_a_layer():
    with pytest.raises(ValueError, match="N must be a whole number"):
        Decoder(config(), 0)

"""The decoder: by hand, against torch's layers and stacks, causality, the cache, laws.

Mutants that these tests kill: no causal mask, one that begins at place 0 when P were
written, one that hides the place itself; keys or values of the target in
cross-attention, or those of another layer; the source's mask ignored or turned; a past
that is not given back, stands behind, forgets the last place, or is another layer's;
keys of x where the norm of x is read; the three parts in another order; a part without
its way around; no last norm where norms stand first; shapes and masks let through.
"""

import pytest
import torch
from torch import nn
from torch.utils.flop_counter import FlopCounterMode

from lookback.decoder import Decoder, DecoderLayer, Kept
from lookback.encoder import LayerConfig

B, S, T, D_MODEL, H, D_FF, N = 2, 5, 4, 12, 3, 7, 3
DOUBLE = torch.float64
MASK = torch.arange(S) < torch.tensor([[S], [3]])  # (B, S): the second is shorter
TARGET = torch.arange(T) < torch.tensor([[2], [T]])  # (B, T): the first is shorter
BOTH = pytest.mark.parametrize("norm_first", [False, True])


def close(one, two, tolerance=1e-10):
    torch.testing.assert_close(one, two, rtol=tolerance, atol=tolerance)


def config(**changed):
    return LayerConfig(**{"d_model": D_MODEL, "h": H, "d_ff": D_FF, **changed})


def made(kind, *told, seed=0, **changed):
    """A module whose every number was drawn, those that begin as 0 and 1 too."""
    torch.manual_seed(seed)
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
    """All places at once."""
    return model(x, model.read(about), mask)


# --- by hand -------------------------------------------------------------------------


def hand():
    """Each part finds the mean of what it may look at, times 1 or 10; none thinks."""
    model = DecoderLayer(LayerConfig(d_model=2, h=1, d_ff=3, norm_first=True))
    with torch.no_grad():
        for part, factor in ((model.back, 1.0), (model.across, 10.0)):
            part.W_Q.weight.zero_()
            part.W_V.weight.copy_(torch.eye(2))
            part.W_O.weight.copy_(factor * torch.eye(2))
        for parameter in model.feed_forward.parameters():
            parameter.zero_()
    return model


def test_a_layer_by_hand():
    """Norms stand first: of (0, 2), (4, 2) they leave (-1, 1), (1, -1).

    Looking back the first finds (-1, 1), the second the mean (0, 0). Looking across
    both find the mean of (1, 3) and (5, 7), ten times.
    """
    model = hand()
    x = torch.tensor([[[0.0, 2], [4, 2]]])
    about = torch.tensor([[[1.0, 3], [5, 7]]])
    with torch.no_grad():
        source = Kept(*model.across.project(about, about))
        y, looked, past = model(x, source, None)
    close(looked.back, torch.tensor([[[[1.0, 0], [0.5, 0.5]]]]))
    close(looked.across, torch.full((1, 1, 2, 2), 0.5))
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
    looks = (ours.back, theirs.self_attn), (ours.across, theirs.multihead_attn)
    for mine, other in looks:
        stacked = [mine.W_Q.weight, mine.W_K.weight, mine.W_V.weight]
        yield stacked, other.in_proj_weight
        yield [mine.W_O.weight], other.out_proj.weight
    residuals = (ours.around_back, ours.around_across, ours.around_feed_forward)
    norms = (theirs.norm1, theirs.norm2, theirs.norm3)
    for around, norm in zip(residuals, norms, strict=True):
        yield [around.norm.g], norm.weight
        yield [around.norm.b], norm.bias
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
    source = Kept(*ours.across.project(about, about))
    y, looked, _ = ours(x, source, MASK[:, None] if padded else None)
    told = {"memory_key_padding_mask": ~MASK} if padded else {}
    expected = theirs(same, other, tgt_mask=CAUSAL, **told)
    assert looked.back.shape == (B, H, T, T)
    assert looked.across.shape == (B, H, T, S)
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
    y, looked, past = whole(ours, x, about)
    expected = theirs(
        same,
        other,
        tgt_mask=CAUSAL,
        tgt_key_padding_mask=~TARGET,
        memory_key_padding_mask=~MASK,
    )
    assert len(looked) == len(past) == N
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
    y, looked, past = whole(model, x, about)
    for t in range(1, T + 1):
        short, seen, kept = whole(model, x[:, :t], about)
        close(short, y[:, :t], 1e-12)
        for n in range(N):
            close(seen[n].back, looked[n].back[:, :, :t, :t], 1e-12)
            close(seen[n].across, looked[n].across[:, :, :t], 1e-12)
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
    """And one comes from every place up to each, and from every word of the source."""
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
    _, looked, _ = whole(made(Decoder, N), target(), memory())
    for seen in looked:
        assert seen.back.triu(1).eq(0).all()
        assert seen.back[:, :, torch.ones(T, T).tril().bool()].gt(0).all()
        close(seen.back.sum(-1), torch.ones(B, H, T, dtype=DOUBLE))
        close(seen.across.sum(-1), torch.ones(B, H, T, dtype=DOUBLE))


# --- what was read is kept -----------------------------------------------------------


@BOTH
@pytest.mark.parametrize("steps", [(1, 1, 1, 1), (2, 2), (1, 3), (3, 1)])
def test_word_by_word_is_all_at_once(norm_first, steps):
    model, x, about = made(Decoder, N, norm_first=norm_first), target(), memory()
    y, looked, past = whole(model, x, about)
    source, kept, begun = model.read(about), None, 0
    for many in steps:
        now = slice(begun, begun + many)
        one, seen, kept = model(x[:, now], source, MASK, kept)
        begun += many
        close(one, y[:, now])
        for n in range(N):
            assert seen[n].back.shape == (B, H, many, begun)
            close(seen[n].back, looked[n].back[:, :, now, :begun])
            close(seen[n].across, looked[n].across[:, :, now])
            assert kept[n].K.shape == (B, H, begun, D_MODEL // H)
    for n in range(N):
        close(kept[n].K, past[n].K)
        close(kept[n].V, past[n].V)


def test_gradients_go_through_what_was_kept():
    model, about = made(Decoder, N), memory()
    x, same = (target().requires_grad_() for _ in range(2))
    y, _, _ = whole(model, x, about)
    source, kept, found = model.read(about), None, []
    for t in range(T):
        one, _, kept = model(same[:, t : t + 1], source, MASK, kept)
        found.append(one)
    pulled(y).backward()
    pulled(torch.cat(found, dim=1)).backward()
    close(x.grad, same.grad, 1e-8)


def products(model, x, about, kept):
    """Multiplications of writing word by word, with what was kept or without."""
    with FlopCounterMode(display=False) as counter, torch.no_grad():
        source, past = model.read(about), None
        for t in range(x.size(1)):
            if kept:
                _, _, past = model(x[:, t : t + 1], source, MASK, past)
            else:
                model(x[:, : t + 1], source, MASK)
    return counter.get_total_flops() // 2


def test_what_is_kept_is_not_computed_again():
    """A place costs this with all it needs, and keeping costs each place once."""
    model = made(Decoder, N)
    length = 9
    place = 6 * D_MODEL**2 + 2 * D_MODEL * D_FF  # Q, K, V, O; Q, O; two of the network
    look = 2 * D_MODEL  # a score and a share of a value, for each place looked at
    read = N * B * S * 2 * D_MODEL**2
    x, about = target(length), memory()
    once = sum(place + look * (t + S) for t in range(1, length + 1))
    again = sum(t * (place + look * (t + S)) for t in range(1, length + 1))
    assert products(model, x, about, kept=True) == read + N * B * once
    assert products(model, x, about, kept=False) == read + N * B * again


def test_what_is_kept_is_not_written_into():
    model, x, about = made(Decoder, N), target(), memory()
    source = model.read(about)
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
    y, looked, _ = whole(model, x, about)
    other = about.masked_fill(~MASK[..., None], 99.0)
    assert torch.equal(whole(model, x, other)[0], y)
    alone, _, _ = model(x[1:], model.read(about[1:, :3]), MASK[1:, :3])
    close(alone, y[1:])
    for seen in looked:
        assert seen.across[1, :, :, 3:].eq(0).all()


def test_the_order_of_the_source_does_not_matter():
    """Cross-attention reads a bag; places must be in the memory, or nowhere."""
    model, x, about = made(Decoder, N), target(), memory()
    turn = torch.tensor([3, 0, 4, 1, 2])
    y, looked, _ = whole(model, x, about)
    again, seen, _ = whole(model, x, about[:, turn], MASK[:, turn])
    close(again, y)
    close(seen[0].across, looked[0].across[..., turn])


def test_the_order_of_what_was_written_does_matter_through_the_mask_alone():
    """A last place finds the same in any order of those before it: in one layer."""
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


def test_each_layer_keeps_of_the_memory_what_its_own_matrices_make():
    model, about = made(Decoder, N), memory()
    for layer, kept in zip(model.layers, model.read(about), strict=True):
        K, V = layer.across.project(about, about)
        close(kept.K, K)
        close(kept.V, V)


def test_dropout_is_drawn_in_training_alone_and_for_each_part():
    model, x, about = made(Decoder, N, dropout=0.5), target(), memory()
    assert not torch.equal(whole(model, x, about)[0], whole(model, x, about)[0])
    model.eval()
    close(whole(model, x, about)[0], whole(made(Decoder, N), x, about)[0])
    shares = [m.p for m in model.modules() if isinstance(m, nn.Dropout)]
    assert shares == [0.5] * 3 * N


# --- refusals ------------------------------------------------------------------------


@BOTH
@pytest.mark.parametrize("shape", [(T, 12), (B, T, 11), (0, T, 12), (B, 0, 12), (12,)])
def test_shapes_that_do_not_fit_are_refused(shape, norm_first):
    x, told = torch.zeros(shape, dtype=DOUBLE), r"x has shape .* \(B, places, 12\)"
    model, about = made(Decoder, N, norm_first=norm_first), memory()
    with pytest.raises(ValueError, match=told):
        whole(model, x, about)
    with pytest.raises(ValueError, match=told):
        model.layers[0](x, model.read(about)[0], None)


@pytest.mark.parametrize("shape", [(S, 12), (B, S, 11), (0, S, 12), (B, 0, 12)])
def test_a_memory_that_does_not_fit_is_refused(shape):
    with pytest.raises(ValueError, match=r"shape .* \(B, \w+, 12\)"):
        made(Decoder, N).read(torch.zeros(shape, dtype=DOUBLE))


def test_other_numbers_of_sentences_or_layers_are_refused():
    model, x = made(Decoder, N), target()
    source = model.read(memory())
    with pytest.raises(ValueError, match=r"x has shape \(1, 4, 12\), .* 2 sentences"):
        model(x[:1], source, MASK)
    with pytest.raises(ValueError, match="source is of 2 layers: expected 3"):
        model(x, source[:2], MASK)
    _, _, past = model(x, source, MASK)
    for wrong in ((), past[:2], (*past, past[0])):
        with pytest.raises(ValueError, match=f"past is of {len(wrong)} layers"):
            model(x, source, MASK, wrong)


def test_a_past_of_other_sizes_is_refused():
    model, x = made(Decoder, 1), target()
    source = model.read(memory())
    _, _, (past,) = model(x, source, MASK)
    wrong = [
        Kept(past.K[:1], past.V[:1]),
        Kept(past.K[:, :2], past.V[:, :2]),
        Kept(past.K[..., :3], past.V),
        Kept(past.K, past.V[..., :3]),
    ]
    for kept in wrong:
        with pytest.raises(ValueError, match=r"past has K .* alike but for the places"):
            model(x, source, MASK, (kept,))


@pytest.mark.parametrize(
    "mask",
    [MASK.double(), MASK.long(), MASK[0], MASK[:1], MASK[:, :1], MASK[:, None], MASK.T],
)
def test_masks_that_do_not_fit_are_refused(mask):
    with pytest.raises(ValueError, match=r"mask is .* torch.bool of shape \(2, 5\)"):
        whole(made(Decoder, N), target(), memory(), mask)


def test_a_source_without_words_is_refused():
    mask = MASK & torch.tensor([[True], [False]])
    with pytest.raises(ValueError, match=r"sentences \[1\] are all padding"):
        whole(made(Decoder, N), target(), memory(), mask)


def test_a_decoder_has_a_layer():
    with pytest.raises(ValueError, match="N must be a whole number"):
        Decoder(config(), 0)

"""The whole Transformer: by hand, beside torch's, its laws, and what it refuses.

Every axis has another size. Mutants that these tests kill: vectors not scaled, or by
d_model; table begun with variance 1; scores from another table than the target's, or
from the source's; a source's table of its own where one vocabulary is shared; positions
of the source or target left out, counted from 1, or without the prefix's;
dropout behind the table alone; masks of the source not handed to the encoder, or to the
decoder; the cache dropped, or kept for the source; encoder and decoder of other sizes.
"""

import math
from dataclasses import replace

import pytest
import torch
from torch import Tensor, nn

from lookback.attention import causal_mask
from lookback.decoding import beam_search, greedy, select
from lookback.positions import LearnedPositions, sinusoidal_positions
from lookback.transformer import (
    BASE,
    BIG,
    Embedding,
    PreNormTransformer,
    Transformer,
    TransformerConfig,
)

SMALL = TransformerConfig(N=2, d_model=12, h=3, d_ff=20)
SOURCES, TARGETS = 11, 13
TABLE_3 = {
    # row: (what it changes in BASE, parameters in millions)
    "base": ({}, 65),
    "(B) d_k 16": ({"d_k": 16}, 58),
    "(B) d_k 32": ({"d_k": 32}, 60),
    "(C) N 2": ({"N": 2}, 36),
    "(C) N 4": ({"N": 4}, 50),
    "(C) N 8": ({"N": 8}, 80),
    "(C) d_model 256": ({"d_model": 256, "d_k": 32, "d_v": 32}, 28),
    "(C) d_model 1024": ({"d_model": 1024, "d_k": 128, "d_v": 128}, 168),
    "(C) d_ff 1024": ({"d_ff": 1024}, 53),
    "(C) d_ff 4096": ({"d_ff": 4096}, 90),
}
"""Vaswani et al. 2017, Table 3, last column, of rows that name one."""


def model(
    seed: int = 0,
    norm_first: bool = False,
    max_positions: int | None = None,
    **changes: object,
) -> Transformer:
    torch.manual_seed(seed)
    kind = PreNormTransformer if norm_first else Transformer
    made = kind(replace(SMALL, **changes), SOURCES, TARGETS).eval()
    if max_positions is not None:
        made.positions = LearnedPositions(max_positions, made.config.d_model)
    return made


def batch() -> tuple[Tensor, Tensor, Tensor]:
    """source (2, 5), the second with 2 of padding; target (2, 7)."""
    torch.manual_seed(1)
    source, target = torch.randint(SOURCES, (2, 5)), torch.randint(TARGETS, (2, 7))
    mask = torch.ones(2, 5, dtype=torch.bool)
    mask[1, 3:] = False
    return source, mask, target


# --- by hand -------------------------------------------------------------------------


def test_a_word_is_a_scaled_row_and_its_position() -> None:
    table = Embedding(5, 4)
    with torch.no_grad():
        table.table.copy_(torch.arange(20.0).view(5, 4))
    positions = torch.tensor([[0.0, 1, 0, 1], [0.5, 0.25, 0, 1]])
    found = table(torch.tensor([[3, 0]]), positions)
    assert found.tolist() == [[[24, 27, 28, 31], [0.5, 2.25, 4, 7]]]  # √4 times a row
    assert table.scores(torch.ones(1, 1, 4)).tolist() == [[[6, 22, 38, 54, 70]]]


def test_words_begin_with_variance_1() -> None:
    torch.manual_seed(0)
    table = Embedding(3000, 64)
    found = table(torch.arange(3000)[None], torch.zeros(3000, 64))
    assert found.var().item() == pytest.approx(1, abs=0.02)
    read = table.scores(torch.randn(1, 50, 64))
    assert read.var().item() == pytest.approx(1, abs=0.1)


def test_what_goes_in_are_words_and_positions() -> None:
    ours, (source, mask, target) = model(), batch()
    seen = {}
    ours.encoder.register_forward_pre_hook(lambda _, args: seen.update(encoder=args))
    ours.decoder.register_forward_pre_hook(lambda _, args: seen.update(decoder=args))
    ours(source, mask, target)
    for side, ids, table in (
        ("encoder", source, ours.e_source.table),
        ("decoder", target, ours.e_target.table),
    ):
        positions = sinusoidal_positions(ids.size(1), 12)
        expected = table[ids] * math.sqrt(12) + positions
        assert torch.allclose(seen[side][0], expected, atol=1e-6)


def test_the_first_loss_is_about_ln_V() -> None:
    torch.manual_seed(0)
    config = replace(SMALL, d_model=96, h=4, d_ff=128)
    logits, _ = Transformer(config, SOURCES, 200)(*batch())
    loss = -logits.log_softmax(dim=-1).mean()
    assert loss.item() == pytest.approx(math.log(200) + 0.5, abs=0.25)  # variance 1


@pytest.mark.parametrize("row", TABLE_3)
def test_parameters_of_table_3(row: str) -> None:
    """Within 7 %: the paper's vocabulary is "about 37000" pieces."""
    changes, millions = TABLE_3[row]
    with torch.device("meta"):
        made = Transformer(replace(BASE, **changes), 37_000, 37_000)
    count = sum(p.numel() for p in made.parameters())
    assert count / 1e6 == pytest.approx(millions, rel=0.07)


def test_parameters_of_the_big_model() -> None:
    with torch.device("meta"):
        made = Transformer(BIG, 37_000, 37_000)
    count = sum(p.numel() for p in made.parameters())
    assert count / 1e6 == pytest.approx(213, rel=0.07)


@pytest.mark.parametrize(
    ("config", "d", "f", "h", "dropout"),
    [(BASE, 512, 2048, 8, 0.1), (BIG, 1024, 4096, 16, 0.3)],
)
def test_parameters_by_the_formula(
    config: TransformerConfig, d: int, f: int, h: int, dropout: float
) -> None:
    N, V = 6, 37_000
    attention, network, norm = 4 * d * h * 64, 2 * d * f + d + f, 2 * d
    encoder = attention + network + 2 * norm
    decoder = 2 * attention + network + 3 * norm
    with torch.device("meta"):
        made = Transformer(config, V, V)
    count = sum(p.numel() for p in made.parameters())
    assert count == V * d + N * (encoder + decoder)
    assert config.dropout == dropout


# --- against the reference -----------------------------------------------------------


def twin(ours: Transformer) -> nn.Transformer:
    """torch's, with our weights and no biases in attention.

    torch adds a norm after either stack, which the paper has not: it is left out of a
    post-norm stack.
    """
    c = ours.config
    pre = isinstance(ours, PreNormTransformer)
    told = {"dropout": 0.0, "batch_first": True, "norm_first": pre}
    ends = [nn.LayerNorm(c.d_model) if pre else None for _ in range(2)]
    left = nn.TransformerEncoderLayer(c.d_model, c.h, c.d_ff, **told)
    right = nn.TransformerDecoderLayer(c.d_model, c.h, c.d_ff, **told)
    stacks = (
        nn.TransformerEncoder(left, c.N, ends[0], enable_nested_tensor=False),
        nn.TransformerDecoder(right, c.N, ends[1]),
    )
    theirs = nn.Transformer(
        c.d_model, c.h, custom_encoder=stacks[0], custom_decoder=stacks[1],
        batch_first=True,
    )  # fmt: skip
    with torch.no_grad():
        for name, parameter in theirs.named_parameters():
            parameter.copy_(ours_of(ours, name))
    return theirs


PARTS = {
    "self_attn": {"encoder": "self_attention", "decoder": "self_attention"},
    "multihead_attn": {"decoder": "cross_attention"},
    "norm1": {"encoder": "norm_self_attention", "decoder": "norm_self_attention"},
    "norm2": {"encoder": "norm_feed_forward", "decoder": "norm_cross_attention"},
    "norm3": {"decoder": "norm_feed_forward"},
}


def ours_of(ours: Transformer, name: str, grad: bool = False) -> Tensor:
    """Our weights, or their gradients, under torch's name."""
    side, *path = name.split(".")
    stack = getattr(ours, side)

    def told(parameter: nn.Parameter) -> Tensor:
        found = parameter.grad if grad else parameter
        assert found is not None
        return found.detach()

    if path[0] == "norm":
        return told({"weight": stack.norm.g, "bias": stack.norm.b}[path[1]])
    layer, part, *rest = stack.layers[int(path[1])], *path[2:]
    if part.startswith("linear"):
        linear = getattr(layer.feed_forward, f"W_{part[-1]}")
        return told(getattr(linear, rest[0]))
    mine = getattr(layer, PARTS[part][side])
    if part.startswith("norm"):
        return told({"weight": mine.g, "bias": mine.b}[rest[0]])
    if rest == ["in_proj_weight"]:
        return torch.cat([told(mine.W_Q.weight), told(mine.W_K.weight),
                          told(mine.W_V.weight)])  # fmt: skip
    if rest == ["out_proj", "weight"]:
        return told(mine.W_O.weight)
    size = 3 * ours.config.d_model if rest == ["in_proj_bias"] else ours.config.d_model
    return torch.zeros(size)


@pytest.mark.parametrize("norm_first", [False, True])
def test_equal_to_torchs_with_gradients(norm_first: bool) -> None:
    ours, (source, mask, target) = model(norm_first=norm_first), batch()
    theirs = twin(ours)
    logits, _ = ours(source, mask, target)
    x = ours.e_source(source, sinusoidal_positions(5, 12)).detach()
    y = ours.e_target(target, sinusoidal_positions(7, 12)).detach()
    found = theirs(
        x,
        y,
        tgt_mask=~causal_mask(7),  # there True means: may not attend
        src_key_padding_mask=~mask,
        memory_key_padding_mask=~mask,
    )
    expected = found @ ours.e_target.table.detach().T
    assert torch.allclose(logits, expected, atol=1e-4)
    logits.square().mean().backward()
    expected.square().mean().backward()
    for name, parameter in theirs.named_parameters():
        if name.endswith(("in_proj_bias", "out_proj.bias")):
            continue  # ours has none
        assert parameter.grad is not None
        mine = ours_of(ours, name, grad=True)
        assert torch.allclose(mine, parameter.grad, atol=1e-4), name


# --- laws ----------------------------------------------------------------------------


def test_the_future_does_not_matter() -> None:
    ours, (source, mask, target) = model(), batch()
    whole, _ = ours(source, mask, target)
    for t in range(1, 7):
        cut, _ = ours(source, mask, target[:, :t])
        assert torch.allclose(cut, whole[:, :t], atol=1e-5)


def test_padding_does_not_matter() -> None:
    ours, (source, mask, target) = model(), batch()
    together, weights = ours(source, mask, target)
    alone, _ = ours(source[1:, :3], mask[1:, :3], target[1:])
    assert torch.allclose(together[1:], alone, atol=1e-5)
    other = source.clone()
    other[1, 3:] = 7
    assert torch.allclose(ours(other, mask, target)[0], together, atol=1e-6)
    across = [layer.cross_attention for layer in weights.decoder]
    for w in (*weights.encoder, *across):
        assert w[1, :, :, 3:].eq(0).all()


def test_attention_weights_are_returned_layer_by_layer() -> None:
    ours, (source, mask, target) = model(), batch()
    _, weights = ours(source, mask, target)
    assert [w.shape for w in weights.encoder] == [(2, 3, 5, 5)] * 2
    assert [w.self_attention.shape for w in weights.decoder] == [(2, 3, 7, 7)] * 2
    assert [w.cross_attention.shape for w in weights.decoder] == [(2, 3, 7, 5)] * 2
    for layer in weights.decoder:
        for w in layer:
            assert torch.allclose(w.sum(dim=-1), torch.ones(2, 3, 7))
        assert layer.self_attention.triu(1).eq(0).all()


@pytest.mark.parametrize("changes", [{}, {"norm_first": True}, {"max_positions": 9}])
def test_step_by_step_is_all_at_once(changes: dict[str, object]) -> None:
    ours, (source, mask, target) = model(**changes), batch()
    logits, _ = ours(source, mask, target)
    state = ours.start(source, mask)
    for t in range(7):
        one, state = ours.step(target[:, t], state)
        assert torch.allclose(one, logits[:, t], atol=1e-5)
    assert state.past is not None
    assert [cache.K.shape for cache in state.past] == [(2, 3, 7, 4)] * 2


def test_a_step_leaves_the_state_before_it_as_it_was() -> None:
    """Two hypotheses may go on from one state."""
    ours, (source, mask, target) = model(), batch()
    _, state = ours.step(target[:, 0], ours.start(source, mask))
    first, _ = ours.step(target[:, 1], state)
    ours.step(target[:, 2], state)
    again, _ = ours.step(target[:, 1], state)
    assert torch.equal(first, again)


def test_the_order_of_words_matters() -> None:
    ours, (source, mask, target) = model(), batch()
    turned = source.clone()
    turned[0] = source[0].flip(0)
    assert not torch.allclose(ours(turned, mask, target)[0], ours(*batch())[0])


def test_rows_of_a_state_can_be_selected() -> None:
    """As a beam does: any row may be kept, twice or not at all."""
    ours, (source, mask, target) = model(), batch()
    _, state = ours.step(target[:, 0], ours.start(source, mask))
    expected, _ = ours.step(target[:, 1], state)
    rows = torch.tensor([1, 0, 1])
    found, _ = ours.step(target[rows, 1], select(state, rows))
    assert torch.allclose(found, expected[rows], atol=1e-6)


class Uncached:
    """Decodes the whole target so far again at every step."""

    def __init__(self, inside: Transformer) -> None:
        self.inside = inside

    def start(self, source: Tensor, mask: Tensor) -> tuple[Tensor, Tensor, None]:
        return source, mask, None

    def step(self, token: Tensor, state: tuple) -> tuple[Tensor, tuple]:
        source, mask, written = state
        new = token.unsqueeze(1)
        written = new if written is None else torch.cat([written, new], dim=1)
        logits, _ = self.inside(source, mask, written)
        return logits[:, -1], (source, mask, written)


def test_decoding_with_a_cache_finds_the_same() -> None:
    ours, (source, mask, _) = model(seed=3), batch()
    told = {"begin": 1, "end": 2, "longest": 9}
    plain = Uncached(ours)
    assert greedy(ours, source, mask, **told) == greedy(plain, source, mask, **told)
    found, expected = (
        beam_search(some, source, mask, size=3, count=3, **told)
        for some in (ours, plain)
    )
    for mine, theirs in zip(found, expected, strict=True):
        assert [h.ids for h in mine] == [h.ids for h in theirs]
        for a, b in zip(mine, theirs, strict=True):
            assert a.log_p == pytest.approx(b.log_p, abs=1e-4)


def test_one_vocabulary_has_one_table() -> None:
    torch.manual_seed(0)
    shared = Transformer(replace(SMALL, shared=True), 13, 13)
    apart = Transformer(SMALL, 13, 13)
    assert shared.e_source.table is shared.e_target.table
    counts = [sum(p.numel() for p in m.parameters()) for m in (shared, apart)]
    assert counts[1] - counts[0] == 13 * 12


def test_dropout_is_on_the_sum_of_word_and_position() -> None:
    torch.manual_seed(0)
    ours = Transformer(replace(SMALL, dropout=0.5), SOURCES, TARGETS).train()
    seen = []
    ours.encoder.register_forward_pre_hook(lambda _, args: seen.append(args[0]))
    ours.decoder.register_forward_pre_hook(lambda _, args: seen.append(args[0]))
    ours(*batch())
    for x in seen:
        assert 0.3 < x.eq(0).float().mean().item() < 0.7


# --- refusals ------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("changes", "words"),
    [
        ({"h": 5}, "d_model 12 is not divisible by h 5"),
        ({"d_model": 0}, "d_model must be a whole number ≥ 1, got 0"),
        ({"N": 0}, "N must be a whole number ≥ 1, got 0"),
        ({"d_ff": -1}, "d_ff must be a whole number ≥ 1, got -1"),
        ({"dropout": 1.0}, "dropout must be ≥ 0 and < 1, got 1.0"),
        ({"d_model": 15}, "d_model must be even"),
        ({"shared": True}, "one matrix cannot serve 11 source and 13 target words"),
    ],
)
def test_sizes_that_do_not_fit(changes: dict[str, object], words: str) -> None:
    with pytest.raises(ValueError, match=words):
        model(**changes)


def test_a_config_without_layers_is_refused_before_a_model_is_made() -> None:
    with pytest.raises(ValueError, match="N must be a whole number ≥ 1, got 0"):
        replace(SMALL, N=0)


def test_d_k_may_be_anything_if_it_is_given() -> None:
    ours = model(h=5, d_k=2, d_v=7)
    logits, weights = ours(*batch())
    assert logits.shape == (2, 7, 13)
    assert weights.encoder[0].shape == (2, 5, 5, 5)


@pytest.mark.parametrize(
    ("change", "words"),
    [
        (lambda s, m, t: (s[:0], m[:0], t[:0]), r"source has shape \(0, 5\)"),
        (lambda s, m, t: (s[:, :0], m[:, :0], t), r"source has shape \(2, 0\)"),
        (lambda s, m, t: (s, m.float(), t), "mask is torch.float32"),
        (lambda s, m, t: (s, m[:, :4], t), r"mask has shape \(2, 4\)"),
        (lambda s, m, t: (s, m & False, t), r"mask .* rows \[\[0\], \[1\]\]"),
        (lambda s, m, t: (s + 11, m, t), "source holds ids from 11"),
        (lambda s, m, t: (s, m, t[:1]), r"target has shape \(1, 7\)"),
        (lambda s, m, t: (s, m, t[:, :0]), r"target has shape \(2, 0\)"),
        (lambda s, m, t: (s, m, t - 20), "target holds ids from -20"),
        (lambda s, m, t: (s, m, t + 13), "target holds ids from 13"),
    ],
)
def test_what_is_no_batch_is_refused(change, words: str) -> None:
    with pytest.raises(ValueError, match=words):
        model()(*change(*batch()))


def test_more_positions_than_were_learned_are_refused() -> None:
    ours, (source, mask, target) = model(max_positions=6), batch()
    with pytest.raises(ValueError, match="position 6 has no vector"):
        ours(source, mask, target)
    state = ours.start(source, mask)
    for t in range(6):
        _, state = ours.step(target[:, t], state)
    with pytest.raises(ValueError, match="position 6 has no vector"):
        ours.step(target[:, 6], state)

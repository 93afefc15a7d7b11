"""The whole Transformer: by hand, beside torch's, and its own laws.

Every axis has another size.
"""

import math
from dataclasses import replace

import pytest
import torch
from torch import Tensor

from kit import close, filled, padding_mask, randint, size
from lookback.attention import causal_mask
from lookback.positions import sinusoidal_positions
from lookback.transformer import (
    BASE,
    BIG,
    Embedding,
    Transformer,
    TransformerConfig,
)
from torch_layers import stack_pairs, torch_stack

SMALL = TransformerConfig(N=2, d_model=12, h=3, d_ff=20)
SOURCES, TARGETS = 11, 13
TABLE_3 = {
    # row: (what it changes in BASE, parameters in millions)
    "base": ({}, 65),
    "big": (vars(BIG), 213),
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


def model(**changes: object) -> Transformer:
    torch.manual_seed(0)
    return Transformer(replace(SMALL, **changes), SOURCES, TARGETS).eval()


def batch() -> tuple[Tensor, Tensor, Tensor]:
    """source (2, 5), the second with 2 of padding; target (2, 7)."""
    source, target = randint(SOURCES, 2, 5, seed=1), randint(TARGETS, 2, 7, seed=2)
    return source, padding_mask(5, 3), target


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
    assert size(made) / 1e6 == pytest.approx(millions, rel=0.07)


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
    count = size(made)
    assert count == V * d + N * (encoder + decoder)
    assert config.dropout == dropout


# --- against the reference -----------------------------------------------------------


@pytest.mark.parametrize("norm_first", [False, True])
def test_equal_to_torchs_with_gradients(norm_first: bool) -> None:
    """torch has no norm after a post-norm stack here, as the paper has none."""
    ours, (source, mask, target) = filled(model(norm_first=norm_first)), batch()
    encoder, decoder = torch_stack(ours.encoder), torch_stack(ours.decoder)
    logits, _ = ours(source, mask, target)
    x = ours.e_source(source, sinusoidal_positions(5, 12).double()).detach()
    y = ours.e_target(target, sinusoidal_positions(7, 12).double()).detach()
    memory = encoder(x, src_key_padding_mask=~mask)  # there True means: hidden
    found = decoder(y, memory, tgt_mask=~causal_mask(7), memory_key_padding_mask=~mask)
    expected = found @ ours.e_target.table.detach().T
    close(logits, expected, 1e-6)  # positions are of single precision
    logits.square().mean().backward()
    expected.square().mean().backward()
    for stack, theirs in ((ours.encoder, encoder), (ours.decoder, decoder)):
        for mine, other in stack_pairs(stack, theirs):
            close(torch.cat([weight.grad for weight in mine]), other.grad, 1e-5)


# --- laws ----------------------------------------------------------------------------


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


def test_one_vocabulary_has_one_table() -> None:
    torch.manual_seed(0)
    shared = Transformer(replace(SMALL, shared=True), 13, 13)
    apart = Transformer(SMALL, 13, 13)
    assert shared.e_source.table is shared.e_target.table
    assert size(apart) - size(shared) == 13 * 12


def test_dropout_is_on_the_sum_of_word_and_position() -> None:
    torch.manual_seed(0)
    ours = Transformer(replace(SMALL, dropout=0.5), SOURCES, TARGETS).train()
    seen = []
    ours.encoder.register_forward_pre_hook(lambda _, args: seen.append(args[0]))
    ours.decoder.register_forward_pre_hook(lambda _, args: seen.append(args[0]))
    ours(*batch())
    for x in seen:
        assert 0.3 < x.eq(0).float().mean().item() < 0.7

"""The whole Transformer: by hand, beside torch's, and its own laws.

Every axis has another size.
"""

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


@pytest.mark.parametrize(
    ("config", "N", "d", "f", "h", "d_k", "dropout", "millions"),
    [
        (BASE, 6, 512, 2048, 8, 64, 0.1, 65),
        (BIG, 6, 1024, 4096, 16, 64, 0.3, 213),
        (replace(BASE, d_k=16), 6, 512, 2048, 8, 16, 0.1, 58),
        (replace(BASE, N=2), 2, 512, 2048, 8, 64, 0.1, 36),
    ],
)
def test_parameters_by_the_formula_and_in_table_3(
    config: TransformerConfig,
    N: int,
    d: int,
    f: int,
    h: int,
    d_k: int,
    dropout: float,
    millions: int,
) -> None:
    """Millions within 7 %: the paper's vocabulary is "about 37000" pieces."""
    V, network, norm = 37_000, 2 * d * f + d + f, 2 * d
    attention = 2 * d * h * d_k + 2 * d * h * 64
    with torch.device("meta"):
        count = size(Transformer(config, V, V))
    assert count == V * d + N * (3 * attention + 2 * network + 5 * norm)
    assert count / 1e6 == pytest.approx(millions, rel=0.07)
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


def test_weights_of_the_encoder_are_returned_layer_by_layer() -> None:
    ours, (source, mask, target) = model(), batch()
    x = ours.e_source(source, ours.positions(5))
    _, weights = ours(source, mask, target)
    for layer, expected in zip(ours.encoder.layers, weights.encoder, strict=True):
        x, w = layer(x, mask[:, None])
        close(w, expected)


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

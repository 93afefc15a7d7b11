"""The encoder–decoder: by hand, against its equations and torch.nn, its own laws."""

import math

import pytest
import torch
from torch.nn.functional import cross_entropy

from kit import close, filled, padding_mask, randint, randn, set_to, sigmoid, size
from lookback.encdec import (
    DecoderCell,
    EncoderDecoderConfig,
    RNNEncoderDecoder,
    maxout,
)

B, S, T = 4, 6, 5
SOURCES, TARGETS = 9, 11
CONFIG = EncoderDecoderConfig(m=3, n=5, l=2)
LENGTHS, WRITTEN = [6, 2, 4, 1], [3, 5, 2, 4]  # of sources and of targets


def translator(config=CONFIG):
    return filled(RNNEncoderDecoder(config, SOURCES, TARGETS))


SOURCE, MASK = randint(SOURCES, B, S, seed=3), padding_mask(*LENGTHS)
TARGET, THERE = randint(TARGETS, B, T, seed=4), padding_mask(*WRITTEN)


# --- by hand -------------------------------------------------------------------------


def test_maxout_takes_the_larger_of_neighbours():
    s = torch.tensor([[1.0, 5.0, -2.0, -3.0, 0.0, 0.0], [9.0, 8.0, 7.0, 6.0, 5.0, 4.0]])
    assert maxout(s).tolist() == [[5, -2, 0], [9, 7, 5]]
    assert maxout(s.view(2, 1, 6)).shape == (2, 1, 3)


def test_a_model_of_one_unit_by_hand():
    model = translator(EncoderDecoderConfig(m=1, n=1, l=1))
    encoder, decoder = model.encoder, model.decoder
    set_to(encoder.e.weight, *[0.5 * i for i in range(SOURCES)])
    set_to(encoder.cell.W, 0.1, 0.2, 0.3)  # r, z, h̃
    set_to(encoder.cell.U, 0.5, -0.6, 0.7)
    set_to(encoder.cell.b, 0.9, -1.0, 1.1)
    set_to(encoder.V.weight, 1.3)
    set_to(encoder.V.bias, -0.2)
    set_to(decoder.e.weight, *[0.25 * i for i in range(TARGETS)])
    set_to(decoder.V.weight, -0.8)
    set_to(decoder.V.bias, 0.3)
    set_to(decoder.cell.W, -0.4, 0.8, 0.6)
    set_to(decoder.cell.U, 0.2, 0.9, -1.2)
    set_to(decoder.cell.C, 1.5, -0.5, 0.4)
    set_to(decoder.cell.b, 0.1, 0.2, -0.3)
    set_to(decoder.O_h.weight, 1.0, -2.0)
    set_to(decoder.O_h.bias, 0.1, -0.1)
    set_to(decoder.O_y.weight, 0.5, 0.25)
    set_to(decoder.O_c.weight, -0.75, 1.25)
    set_to(decoder.G.weight, *range(TARGETS))
    set_to(decoder.G.bias, *[0.01 * i for i in range(TARGETS)])

    h = 0.0
    for x in (1.0, 1.5):  # words 2 and 3
        r = sigmoid(0.1 * x + 0.5 * h + 0.9)
        z = sigmoid(0.2 * x - 0.6 * h - 1.0)
        h = z * h + (1 - z) * math.tanh(0.3 * x + 0.7 * (r * h) + 1.1)
    c = math.tanh(1.3 * h - 0.2)
    state = model.start(torch.tensor([[2, 3]]), torch.ones(1, 2).bool())
    assert state.c.item() == pytest.approx(c)
    h = math.tanh(-0.8 * c + 0.3)
    assert state.h.item() == pytest.approx(h)

    expected = []
    for y in (0.5, 1.0):  # words 2 and 4
        r = sigmoid(-0.4 * y + 0.2 * h + 1.5 * c + 0.1)
        z = sigmoid(0.8 * y + 0.9 * h - 0.5 * c + 0.2)
        h = z * h + (1 - z) * math.tanh(0.6 * y - 0.3 + r * (-1.2 * h + 0.4 * c))
        one = h + 0.1 + 0.5 * y - 0.75 * c
        two = -2 * h - 0.1 + 0.25 * y + 1.25 * c
        expected.append([max(one, two) * i + 0.01 * i for i in range(TARGETS)])
    logits = model(
        torch.tensor([[2, 3]]), torch.ones(1, 2).bool(), torch.tensor([[2, 4]])
    )
    assert torch.allclose(logits, torch.tensor([expected]).double())


def test_sizes_and_the_range_of_the_first_weights():
    m, n, l = 3, 5, 2  # noqa: E741
    gru = 3 * n * (m + n + 1)
    encoder = SOURCES * m + gru + n * (n + 1)
    output = 2 * l * (n + 1) + 2 * l * m + 2 * l * n + TARGETS * (l + 1)
    decoder = TARGETS * m + n * (n + 1) + gru + 3 * n * n + output
    assert size(translator()) == encoder + decoder
    with torch.random.fork_rng():
        torch.manual_seed(0)
        cell = DecoderCell(40, 100)
    assert cell.W.shape == (300, 40)
    assert cell.U.shape == cell.C.shape == (300, 100)
    assert cell.b.shape == (300,)
    for p in cell.parameters():
        assert 0.09 < p.max() <= 0.1
        assert -0.1 <= p.min() < -0.09
        assert abs(p.mean()) < 0.01


# --- against the reference -----------------------------------------------------------


def equations(model, source, target):
    """The appendix for one sentence, from the parameters by their names: logits."""
    p = dict(model.named_parameters())

    def gru(cell, x, h, c=None):
        W, U, b = (p[f"{cell}.{name}"].chunk(3) for name in "WUb")
        C = [0] * 3 if c is None else [C @ c for C in p[f"{cell}.C"].chunk(3)]
        r, z = (torch.sigmoid(W[k] @ x + U[k] @ h + C[k] + b[k]) for k in (0, 1))
        past = U[2] @ (r * h) if c is None else r * (U[2] @ h + C[2])
        return z * h + (1 - z) * torch.tanh(W[2] @ x + past + b[2])

    def linear(name, x):
        return p[f"{name}.weight"] @ x + p.get(f"{name}.bias", 0)

    h, rows = torch.zeros(model.config.n).double(), []
    for x in p["encoder.e.weight"][source]:
        h = gru("encoder.cell", x, h)
    c = torch.tanh(linear("encoder.V", h))
    h = torch.tanh(linear("decoder.V", c))
    for y in p["decoder.e.weight"][target]:
        h = gru("decoder.cell", y, h, c)
        parts = ("decoder.O_h", h), ("decoder.O_y", y), ("decoder.O_c", c)
        s = sum(linear(name, read) for name, read in parts)
        rows.append(linear("decoder.G", torch.maximum(s[::2], s[1::2])))
    return torch.stack(rows)


def test_logits_and_gradients_are_those_of_the_equations():
    model = translator()
    logits, learned = model(SOURCE, MASK, TARGET), [*model.parameters()]
    rows = zip(SOURCE, LENGTHS, TARGET, strict=True)
    expected = torch.stack([equations(model, s[:n], t) for s, n, t in rows])
    close(logits, expected)
    found, wanted = (
        torch.autograd.grad((y * randn(B, T, TARGETS, seed=9)).sum(), learned)
        for y in (logits, expected)
    )
    close(found, wanted)


def test_the_score_is_torchs_cross_entropy_of_each_pair():
    model = translator()
    found = model.score(SOURCE, MASK, TARGET, THERE)
    assert found.shape == (B,)
    for row in range(B):
        source, target = SOURCE[row : row + 1], TARGET[row : row + 1, : WRITTEN[row]]
        logits = model(source, MASK[row : row + 1], target[:, :-1])
        loss = cross_entropy(logits[0], target[0, 1:], reduction="sum")
        assert torch.allclose(found[row], -loss)


# --- laws ----------------------------------------------------------------------------


def test_dropout_in_three_places():
    config = EncoderDecoderConfig(m=6, n=8, l=9, dropout=0.5)
    model = filled(RNNEncoderDecoder(config, SOURCES, TARGETS))
    one = SOURCE[:1], MASK[:1], TARGET[:1]
    model.train()
    with torch.random.fork_rng():
        torch.manual_seed(0)
        c = [model.encoder(*one[:2]) for _ in range(2)]
        assert not torch.equal(*c)  # words of the source left out
        state = model.decoder.start(c[0].detach())
        (_, one_end), (_, other_end) = (model.decoder(one[2], state) for _ in range(2))
        assert not torch.equal(one_end.h, other_end.h)  # words of the target
        with torch.no_grad():
            model.decoder.e.weight.zero_()
        (first, one_end), (again, other_end) = (
            model.decoder(one[2], state) for _ in range(2)
        )
        assert torch.equal(one_end.h, other_end.h)
        assert not torch.equal(first, again)  # what the maxout leaves

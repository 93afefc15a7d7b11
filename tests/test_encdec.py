"""The encoder–decoder: by hand, against its equations and torch.nn, its own laws."""

import math
from itertools import product

import numpy as np
import pytest
import torch
from torch import nn
from torch.nn.functional import cross_entropy, max_pool1d

from kit import filled, padding_mask, randint, randn, set_to, sigmoid, size
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


class Equations:
    """The appendix, equation by equation and unit by unit, on numpy arrays."""

    def __init__(self, model):
        found = {name: p.detach().numpy() for name, p in model.named_parameters()}
        self.p = {name: p.copy() for name, p in found.items()}
        self.n, self.l = model.config.n, model.config.l

    def gru(self, where, x, h, c=None):
        W, U, b = (self.p[f"{where}.cell.{name}"] for name in "WUb")
        n, after = self.n, np.zeros(self.n)
        r, z = np.zeros(n), np.zeros(n)
        for j in range(n):
            scores = [
                W[k * n + j] @ x + U[k * n + j] @ h + b[k * n + j] for k in (0, 1)
            ]
            if c is not None:
                C = self.p[f"{where}.cell.C"]
                scores = [s + C[k * n + j] @ c for k, s in enumerate(scores)]
            r[j], z[j] = (1 / (1 + np.exp(-s)) for s in scores)
        for j in range(n):
            row = 2 * n + j
            past = U[row] @ (r * h) if c is None else r[j] * (U[row] @ h + C[row] @ c)
            new = np.tanh(W[row] @ x + past + b[row])
            after[j] = z[j] * h[j] + (1 - z[j]) * new
        return after

    def c(self, source):
        h = np.zeros(self.n)
        for x in source:
            h = self.gru("encoder", self.p["encoder.e.weight"][x], h)
        return np.tanh(self.p["encoder.V.weight"] @ h + self.p["encoder.V.bias"])

    def logits(self, source, target):
        p, c, rows = self.p, self.c(source), []
        h = np.tanh(p["decoder.V.weight"] @ c + p["decoder.V.bias"])
        for word in target:
            y = p["decoder.e.weight"][word]
            h = self.gru("decoder", y, h, c)
            s = p["decoder.O_h.weight"] @ h + p["decoder.O_h.bias"]
            s = s + p["decoder.O_y.weight"] @ y + p["decoder.O_c.weight"] @ c
            larger = [max(s[2 * i], s[2 * i + 1]) for i in range(self.l)]
            rows.append(p["decoder.G.weight"] @ larger + p["decoder.G.bias"])
        return np.array(rows)

    def loss(self):
        """The cross-entropy of all words of TARGET behind the first, summed."""
        total = 0.0
        for row in range(B):
            target = TARGET[row, : WRITTEN[row]].tolist()
            found = self.logits(SOURCE[row, : LENGTHS[row]].tolist(), target[:-1])
            total += np.log(np.exp(found).sum(axis=1)).sum()
            total -= sum(found[t, word] for t, word in enumerate(target[1:]))
        return total


def test_logits_are_those_of_the_equations():
    model = translator()
    direct, logits = Equations(model), model(SOURCE, MASK, TARGET)
    assert logits.shape == (B, T, TARGETS)
    state = model.start(SOURCE, MASK)
    for row in range(B):
        source = SOURCE[row, : LENGTHS[row]].tolist()
        expected = direct.logits(source, TARGET[row].tolist())
        assert np.allclose(logits[row].detach(), expected, atol=1e-12)
        assert np.allclose(state.c[row].detach(), direct.c(source), atol=1e-12)


def test_gradients_are_those_of_the_equations():
    model = translator()
    logits = model(SOURCE, MASK, TARGET[:, :-1])
    real = THERE[:, 1:]
    loss = cross_entropy(logits[real], TARGET[:, 1:][real], reduction="sum")
    loss.backward()
    assert loss.item() == pytest.approx(Equations(model).loss())
    step = 1e-5
    for k, (name, parameter) in enumerate(model.named_parameters()):
        way = randn(*parameter.shape, seed=20 + k)
        up, down = Equations(model), Equations(model)
        up.p[name] += step * way.numpy()
        down.p[name] -= step * way.numpy()
        slope = (up.loss() - down.loss()) / (2 * step)
        assert (parameter.grad * way).sum().item() == pytest.approx(slope, rel=1e-6)
        assert abs(slope) > 1e-4


def test_what_c_adds_is_the_second_bias_of_torchs_gru():
    cell, c = filled(DecoderCell(3, 5)), randn(1, 5, seed=5).requires_grad_()
    twin = nn.GRU(3, 5, batch_first=True).double()
    told = c @ cell.C.T
    with torch.no_grad():
        twin.weight_ih_l0.copy_(cell.W)
        twin.weight_hh_l0.copy_(cell.U)
        twin.bias_ih_l0.copy_(cell.b)
        twin.bias_hh_l0.copy_(told[0])
    x, start = randn(B, T, 3), randn(B, 5, seed=6)
    h, states = start, []
    for t in range(T):
        h = cell(x[:, t], h, cell.read(c).expand(B, -1))
        states.append(h)
    ours, (theirs, _) = torch.stack(states, dim=1), twin(x, start[None])
    assert torch.allclose(ours, theirs, atol=1e-12)
    pull = randn(B, T, 5, seed=7)
    for out in (ours, theirs):
        (out * pull).sum().backward()
    for name, other in (
        ("W", "weight_ih_l0"),
        ("U", "weight_hh_l0"),
        ("b", "bias_ih_l0"),
    ):
        assert torch.allclose(getattr(cell, name).grad, getattr(twin, other).grad)
    assert torch.allclose(cell.C.grad, twin.bias_hh_l0.grad[:, None] @ c, atol=1e-10)
    assert torch.allclose(c.grad[0], cell.C.detach().T @ twin.bias_hh_l0.grad)


def test_maxout_is_torchs_pooling():
    s = randn(B, T, 8).requires_grad_()
    other = s.detach().clone().requires_grad_()
    found, pooled = maxout(s), max_pool1d(other, kernel_size=2)
    assert torch.equal(found, pooled)
    pull = randn(B, T, 4, seed=2)
    (found * pull).sum().backward()
    (pooled * pull).sum().backward()
    assert torch.equal(s.grad, other.grad)


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


def test_c_is_all_that_the_decoder_learns_of_the_source():
    model = translator()
    c = model.encoder(SOURCE, MASK)
    assert c.shape == (B, CONFIG.n)
    assert c.abs().max() < 1
    state = model.decoder.start(c)
    assert torch.equal(state.c, c)
    logits, last = model.decoder(TARGET, state)
    assert torch.equal(logits, model(SOURCE, MASK, TARGET))
    assert torch.equal(last.c, c)


def test_c_reaches_the_state_the_gates_and_the_output():
    """Told otherwise at a later step, the decoder changes what it does there."""
    model = translator()
    state = model.start(SOURCE, MASK)
    other = state._replace(c=state.c.flip(0))
    logits, after = model.step(TARGET[:, 0], state)
    changed, moved = model.step(TARGET[:, 0], other)
    assert not torch.isclose(after.h, moved.h).any()
    with torch.no_grad():
        model.decoder.cell.C.zero_()  # now by way of the output alone
    logits, after = model.step(TARGET[:, 0], state)
    changed, moved = model.step(TARGET[:, 0], other)
    assert torch.equal(after.h, moved.h)
    assert not torch.isclose(logits, changed).all(dim=-1).any()


def test_probabilities_of_all_targets_sum_to_one():
    """Those that end within two words, and the chance to go on behind two."""
    config = EncoderDecoderConfig(m=2, n=3, l=2)
    model, V, end = filled(RNNEncoderDecoder(config, SOURCES, 4)), 4, 3
    source, mask = SOURCE[:1, :3], MASK[:1, :3]
    words = [w for w in range(V) if w != end]
    total = 0.0
    for k in range(3):
        for some in product(words, repeat=k):
            target = torch.tensor([[0, *some, end]])
            there = torch.ones_like(target).bool()
            total += model.score(source, mask, target, there).exp().item()
    for some in product(words, repeat=3):
        target = torch.tensor([[0, *some]])
        there = torch.ones_like(target).bool()
        total += model.score(source, mask, target, there).exp().item()
    assert total == pytest.approx(1)


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


def test_it_learns_to_write_a_sentence_backwards():
    with torch.random.fork_rng():
        torch.manual_seed(0)
        model = RNNEncoderDecoder(EncoderDecoderConfig(m=8, n=24, l=12), 7, 7)
    words = torch.tensor(list(product(range(3, 7), repeat=3)))
    begin, end = torch.full((64, 1), 1), torch.full((64, 1), 2)
    source = torch.cat([words, end], dim=1)
    target = torch.cat([begin, words.flip(1), end], dim=1)
    mask = torch.ones_like(source).bool()
    optimiser = torch.optim.Adam(model.parameters(), lr=0.02)
    with torch.no_grad():
        first = model(source, mask, target[:, :-1])
    loss = cross_entropy(first.flatten(0, 1), target[:, 1:].flatten())
    assert loss.item() == pytest.approx(math.log(7), abs=0.15)
    for _ in range(60):
        logits = model(source, mask, target[:, :-1])
        loss = cross_entropy(logits.flatten(0, 1), target[:, 1:].flatten())
        optimiser.zero_grad()
        loss.backward()
        optimiser.step()
    assert (model(source, mask, target[:, :-1]).argmax(-1) == target[:, 1:]).all()

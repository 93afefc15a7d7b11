"""RNNsearch: by hand, against the paper's appendix A, its own laws."""

import math
from dataclasses import replace

import pytest
import torch
from torch import nn

from kit import close, filled, padding_mask, randint, randn
from lookback.bahdanau import (
    AdditiveAttention,
    RNNSearch,
    RNNSearchConfig,
    masked_softmax,
)

B, S, T = 3, 5, 4
SOURCE_WORDS, TARGET_WORDS = 11, 13
CONFIG = RNNSearchConfig(m=3, n=4, k=6, l=2)
LENGTHS = (5, 2, 3)  # of the sources


@pytest.fixture
def model():
    return filled(RNNSearch(CONFIG, SOURCE_WORDS, TARGET_WORDS), scale=1)


@pytest.fixture
def batch():
    """source (B, S), mask (B, S), target (B, T); padding is 0, a word like others."""
    mask = padding_mask(*LENGTHS)
    source = randint(SOURCE_WORDS - 1, B, S, seed=1) + 1
    return source * mask, mask, randint(TARGET_WORDS, B, T, seed=2)


# --- by hand -------------------------------------------------------------------------


def test_masked_softmax_by_hand():
    scores = torch.tensor([[0.0, math.log(3), math.log(2)], [1.0, 50.0, 1.0]])
    mask = torch.tensor([[True, True, False], [True, False, True]])
    found = masked_softmax(scores, mask)
    close(found, torch.tensor([[1 / 4, 3 / 4, 0.0], [1 / 2, 0.0, 1 / 2]]), 1e-6)
    assert found[~mask].eq(0).all()
    everywhere = torch.tensor([1 / 6, 3 / 6, 2 / 6])
    close(masked_softmax(scores)[0], everywhere, 1e-6)
    close(
        masked_softmax(scores, torch.ones(1, 3, dtype=torch.bool))[0], everywhere, 1e-6
    )


def test_additive_attention_by_hand():
    # tanh(½ ln 3) = (3 - 1) / (3 + 1) = ½. With v = 2 ln 2 the scores of three places
    # are 0, ln 2 and -ln 2, so that the weights are 2, 4 and 1 parts of 7.
    half, one = math.log(3) / 2, torch.ones(1, 1, dtype=torch.float64)
    attention = AdditiveAttention(query=1, annotation=1, hidden=1).double()
    values = torch.tensor([[[70.0], [7.0], [0.7]]], dtype=torch.float64)
    annotations = torch.tensor([[[1.0], [2.0], [0.0]]], dtype=torch.float64)
    with torch.no_grad():
        attention.v.fill_(2 * math.log(2))
        attention.W.weight.fill_(3.0)
        attention.W.bias.fill_(half)
        attention.U.weight.fill_(half)
    query = (-half - half) / 3 * one  # W s + b = -½ ln 3; U h = ½ ln 3 · (1, 2, 0)
    keys = attention.keys(annotations)
    mask = torch.ones(1, 3, dtype=torch.bool)
    context, weights = attention(query, keys, values, mask)
    close(weights, torch.tensor([[2 / 7, 4 / 7, 1 / 7]], dtype=torch.float64))
    close(context, torch.tensor([[20 + 4 + 0.1]], dtype=torch.float64))
    context, weights = attention(query, keys, values, mask & (values[..., 0] > 1))
    close(weights, torch.tensor([[1 / 3, 2 / 3, 0]], dtype=torch.float64))
    close(context, torch.tensor([[28.0]], dtype=torch.float64))


# --- against the reference: the appendix, word by word -------------------------------


def gated(cell, x, state):
    """A.1.1, with the paper's z, which says what to replace: σ(-a) = 1 - σ(a)."""
    W_r, W_z, W = cell.W.chunk(3)
    U_r, U_z, U = cell.U.chunk(3)
    b_r, b_z, b = cell.b.chunk(3)
    r = torch.sigmoid(W_r @ x + U_r @ state + b_r)
    z = torch.sigmoid(-(W_z @ x + U_z @ state + b_z))
    new = torch.tanh(W @ x + U @ (r * state) + b)
    return (1 - z) * state + z * new


def appendix(model, source, target):
    """A.2 for one sentence pair without padding: logits (T, V), alpha (T, S)."""
    encoder, decoder = model.encoder, model.decoder
    n, zero = model.config.n, torch.zeros(model.config.n, dtype=torch.float64)
    x = [encoder.e.weight[i] for i in source]
    ahead, back = [zero], [zero]
    for word in x:
        ahead.append(gated(encoder.forwards, word, ahead[-1]))
    for word in reversed(x):
        back.insert(0, gated(encoder.backwards, word, back[0]))
    h = [torch.cat(pair) for pair in zip(ahead[1:], back[:-1], strict=True)]
    s = torch.tanh(decoder.W_s.weight @ h[0][n:] + decoder.W_s.bias)
    W_a, b_a = decoder.attention.W.weight, decoder.attention.W.bias
    U_a, v_a = decoder.attention.U.weight, decoder.attention.v
    logits, alphas = [], []
    for word in target:
        y = decoder.e.weight[word]
        e = [v_a @ torch.tanh(W_a @ s + b_a + U_a @ h_j) for h_j in h]
        exp = [torch.exp(e_j) for e_j in e]
        alpha = [part / sum(exp) for part in exp]
        c = sum(a * h_j for a, h_j in zip(alpha, h, strict=True))
        s = gated(decoder.cell, torch.cat([y, c]), s)
        t = decoder.U_o.weight @ s + decoder.U_o.bias  # s_i, as in equation 4
        t = t + decoder.V_o.weight @ y + decoder.C_o.weight @ c
        maxout = torch.stack([torch.maximum(a, b) for a, b in t.view(-1, 2)])
        logits.append(decoder.W_o.weight @ maxout + decoder.W_o.bias)
        alphas.append(torch.stack(alpha))
    return torch.stack(logits), torch.stack(alphas)


def test_outputs_and_gradients_are_those_of_the_appendix(model, batch):
    source, mask, target = batch
    logits, weights = model(source, mask, target)
    towards, pulled = randn(*logits.shape, seed=2), randn(*weights.shape, seed=3)
    total = 0.0
    for row, length in enumerate(LENGTHS):
        expected, alpha = appendix(model, source[row, :length], target[row])
        close(logits[row], expected)
        close(weights[row, :, :length], alpha)
        assert weights[row, :, length:].eq(0).all()
        total = total + (expected * towards[row]).sum()
        total = total + (alpha * pulled[row, :, :length]).sum()
    parameters = dict(model.named_parameters())
    ours = (logits * towards).sum() + (weights * pulled).sum()
    found = torch.autograd.grad(ours, list(parameters.values()))
    right = torch.autograd.grad(total, list(parameters.values()))
    for name, one, two in zip(parameters, found, right, strict=True):
        assert two.abs().max() > 1e-8, f"{name} has no gradient"
        torch.testing.assert_close(one, two, rtol=1e-8, atol=1e-9, msg=name)


# --- laws ----------------------------------------------------------------------------


def test_u_reads_the_annotations_once(model, batch):
    calls = []
    model.decoder.attention.U.register_forward_hook(lambda *_: calls.append(1))
    model(*batch)
    assert len(calls) == 1
    state = model.start(*batch[:2])
    for t in range(T):
        _, state = model.step(batch[2][:, t], state)
    assert len(calls) == 2


def test_units_are_left_out_in_three_places(batch):
    torch.manual_seed(3)
    made = RNNSearch(replace(CONFIG, dropout=0.5), SOURCE_WORDS, TARGET_WORDS)
    thinned, places = [], [m for m in made.modules() if isinstance(m, nn.Dropout)]
    assert [place.p for place in places] == [0.5, 0.5]
    for place in places:
        place.register_forward_hook(lambda _, x, __: thinned.append(tuple(x[0].shape)))
    made(*batch)  # the words' vectors on either side, and what the maxout leaves
    assert thinned == [(B, S, 3), (B, T, 3), (B, T, 2)]


def test_v_begins_as_the_weights_of_a_linear_layer():
    torch.manual_seed(4)
    v = AdditiveAttention(query=1, annotation=1, hidden=10_000).v
    assert v.abs().max() < 1 / 100  # 1/√k
    assert abs(v.mean()) < 5e-4
    assert v.std().item() == pytest.approx(1 / 100 / math.sqrt(3), rel=0.02)

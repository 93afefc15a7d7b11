"""RNNsearch: by hand, against the paper's appendix A, its own laws."""

import math
from dataclasses import replace

import pytest
import torch
from torch import nn

from kit import close, filled, padding_mask, randint, randn, size
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


def test_a_hidden_place_gets_nothing_however_low_the_others_score():
    scores, mask = torch.tensor([-1e30, 0.0]), torch.tensor([True, False])
    assert masked_softmax(scores, mask).tolist() == [1, 0]


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


def test_the_sizes_are_those_of_the_paper():
    """A.2: every matrix, with K_x and K_y words; biases where there is one a sum."""
    m, n, k, l = CONFIG.m, CONFIG.n, CONFIG.k, CONFIG.l  # noqa: E741
    encoder = SOURCE_WORDS * m + 2 * 3 * (n * m + n * n + n)
    alignment = k + k * n + k + k * 2 * n
    decoder = TARGET_WORDS * m + 3 * (n * m + n * n + n * 2 * n + n) + n * n + n
    output = TARGET_WORDS * l + TARGET_WORDS + 2 * l * (n + m + 2 * n + 1)
    made = RNNSearch(CONFIG, SOURCE_WORDS, TARGET_WORDS)
    expected = encoder + alignment + decoder + output
    assert size(made) == expected
    assert len(list(made.encoder.parameters())) == 1 + 2 * 3  # one E for both ways


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


def test_the_query_is_the_state_before_and_not_the_one_behind(model, batch):
    """Word y_{i-1} makes s_i, which asks for the first time at i + 1."""
    source, mask, target = batch
    _, weights = model(source, mask, target)
    for t in range(T - 1):
        other = target.clone()
        other[:, t] = (target[:, t] + 1) % TARGET_WORDS
        _, looked = model(source, mask, other)
        assert torch.equal(looked[:, t], weights[:, t])
        assert not torch.isclose(looked[:, t + 1], weights[:, t + 1])[mask].all()


def test_the_state_asks_for_its_weights(model, batch):
    source, mask, target = batch
    state = model.start(source, mask)
    _, one = model.step(target[:, 0], state)
    _, two = model.step(target[:, 0], state._replace(s=state.s + 0.1))
    assert (one.weights - two.weights)[mask].abs().min() > 1e-9
    expected, _ = model.decoder.attention(state.s, state.keys, state.annotations, mask)
    close((one.weights.unsqueeze(1) @ state.annotations).squeeze(1), expected)


def test_an_annotation_moves_its_own_weight(model, batch):
    source, mask, target = batch
    annotations = model.encoder(source, mask)
    _, weights, _ = model.decoder(target, model.decoder.start(annotations, mask))
    for j in range(1, S):  # the first also makes s_0
        moved = annotations.clone()
        moved[:, j] += 0.1
        _, looked, _ = model.decoder(target, model.decoder.start(moved, mask))
        there = mask[:, j]
        assert (looked - weights)[there, 0, j].abs().min() > 1e-6
        assert torch.equal(looked[~there], weights[~there])


def test_the_score_of_a_place_knows_no_other_place(model, batch):
    source, mask, _ = batch
    state = model.start(source, mask)
    scores = model.decoder.attention.scores(state.s, state.keys)
    keys = state.keys.clone()
    keys[:, 2] += 1.0
    moved = model.decoder.attention.scores(state.s, keys)
    assert ((scores - moved).abs() > 1e-6).any(dim=0).tolist() == [
        j == 2 for j in range(S)
    ]


def test_the_first_state_comes_from_the_backward_reading_of_the_first_word(
    model, batch
):
    source, mask, _ = batch
    annotations, n = model.encoder(source, mask), CONFIG.n
    start = model.decoder.start(annotations, mask).s
    assert start.abs().max() <= 1
    for j in range(S):
        for half, part in enumerate((slice(0, n), slice(n, 2 * n))):
            moved = annotations.clone()
            moved[:, j, part] += 0.3
            same = torch.equal(model.decoder.start(moved, mask).s, start)
            assert same == (j > 0 or half == 0)


def test_each_half_of_an_annotation_has_read_its_side(model, batch):
    source, mask, _ = batch
    annotations, n = model.encoder(source, mask), CONFIG.n
    assert annotations.shape == (B, S, 2 * n)
    for j in range(S):
        other = source.clone()
        other[0, j] = (source[0, j] + 1) % SOURCE_WORDS
        moved = (model.encoder(other, mask) - annotations)[0].abs() > 1e-12
        ahead, back = moved[:, :n].any(dim=1), moved[:, n:].any(dim=1)
        assert ahead.tolist() == [place >= j for place in range(S)]
        assert back.tolist() == [place <= j for place in range(S)]


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


def test_it_begins_near_uniform_weights():
    """Nothing learnt, nothing preferred: the scores differ little."""
    torch.manual_seed(4)
    made = RNNSearch(RNNSearchConfig(m=8, n=16, k=16, l=4), 30, 30)
    source = torch.randint(0, 30, (6, 9))
    mask = torch.ones(6, 9, dtype=torch.bool)
    _, weights = made(source, mask, source[:, :5])
    entropy = -(weights * weights.log()).sum(dim=-1)
    assert entropy.min() > math.log(9) - 0.1


def test_v_begins_as_the_weights_of_a_linear_layer():
    torch.manual_seed(4)
    v = AdditiveAttention(query=1, annotation=1, hidden=10_000).v
    assert v.abs().max() < 1 / 100  # 1/√k
    assert abs(v.mean()) < 5e-4
    assert v.std().item() == pytest.approx(1 / 100 / math.sqrt(3), rel=0.02)


def test_masks_may_be_smaller_than_the_scores():
    scores, mask = torch.zeros(2, 3, 4), torch.tensor([True, True, False, True])
    assert masked_softmax(scores, mask)[..., 2].eq(0).all()
    assert masked_softmax(scores, mask.view(1, 1, 4).expand(2, 1, 4)).shape == (2, 3, 4)

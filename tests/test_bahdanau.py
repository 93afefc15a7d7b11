"""RNNsearch: by hand, against the paper's appendix A, laws, refusals.

Mutants that these tests kill: s_i for s_{i-1} in the score, s_{i-1} for s_i in the
output; state or weights not handed over; a mask left out, inverted or finite; no tanh
in the score or in s_0; v, a bias, U_o, V_o, C_o left out; ←h of the last word for the
first, →h for ←h, a direction not turned or not turned back; keys or values of the
wrong matrix, or computed at each step; a query that reads the word before; min for
max; no checks.
"""

import math
from dataclasses import FrozenInstanceError, replace

import pytest
import torch
from torch import nn

from lookback.bahdanau import (
    AdditiveAttention,
    BidirectionalEncoder,
    RNNSearch,
    RNNSearchConfig,
    State,
    masked_softmax,
)

B, S, T = 3, 5, 4
SOURCE_WORDS, TARGET_WORDS = 11, 13
CONFIG = RNNSearchConfig(m=3, n=4, k=6, l=2)
LENGTHS = (5, 2, 3)  # of the sources


@pytest.fixture
def model():
    torch.manual_seed(0)
    made = RNNSearch(CONFIG, SOURCE_WORDS, TARGET_WORDS).double()
    with torch.no_grad():
        for parameter in made.parameters():  # large: tanh bends, weights are uneven
            parameter.copy_(torch.randn(parameter.shape, dtype=torch.float64))
    return made


@pytest.fixture
def batch():
    """source (B, S), mask (B, S), target (B, T); padding is 0, a word like others."""
    chance = torch.Generator().manual_seed(1)
    source = torch.randint(1, SOURCE_WORDS, (B, S), generator=chance)
    mask = torch.arange(S) < torch.tensor(LENGTHS).unsqueeze(1)
    target = torch.randint(1, TARGET_WORDS, (B, T), generator=chance)
    return source.where(mask, torch.tensor(0)), mask, target


def close(one, two, tolerance=1e-10):
    torch.testing.assert_close(one, two, rtol=tolerance, atol=tolerance)


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
    assert sum(p.numel() for p in made.parameters()) == expected
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
    chance = torch.Generator().manual_seed(2)
    towards = torch.randn(logits.shape, generator=chance, dtype=torch.float64)
    pulled = torch.randn(weights.shape, generator=chance, dtype=torch.float64)
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


def test_steps_say_what_teacher_forcing_says(model, batch):
    source, mask, target = batch
    logits, weights = model(source, mask, target)
    state = model.start(source, mask)
    assert state.weights.eq(0).all()
    for t in range(T):
        found, state = model.step(target[:, t], state)
        close(found, logits[:, t])
        close(state.weights, weights[:, t])
    assert isinstance(state, State)
    assert all(part.size(0) == B for part in state)


# --- laws ----------------------------------------------------------------------------


def test_rows_sum_to_one_and_padding_gets_exactly_nothing(model, batch):
    source, mask, target = batch
    _, weights = model(source, mask, target)
    assert weights.shape == (B, T, S)
    close(weights.sum(dim=-1), torch.ones(B, T, dtype=torch.float64))
    outside = ~mask.unsqueeze(1).expand(B, T, S)
    assert weights[outside].eq(0).all()
    assert weights[~outside].gt(0).all()


def test_a_padded_batch_is_its_sentences_one_by_one(model, batch):
    source, mask, target = batch
    logits, weights = model(source, mask, target)
    for row, length in enumerate(LENGTHS):
        alone = source[row : row + 1, :length], mask[row : row + 1, :length]
        one, looked = model(*alone, target[row : row + 1])
        close(one[0], logits[row])
        close(looked[0], weights[row, :, :length])


def test_padding_may_hold_any_word(model, batch):
    source, mask, target = batch
    logits, weights = model(source, mask, target)
    again, looked = model(source.where(mask, torch.tensor(7)), mask, target)
    assert torch.equal(again, logits)
    assert torch.equal(looked, weights)


def test_the_future_of_the_target_does_not_matter(model, batch):
    source, mask, target = batch
    logits, weights = model(source, mask, target)
    for t in range(T):
        other = target.clone()
        other[:, t] = (target[:, t] + 1) % TARGET_WORDS
        found, looked = model(source, mask, other)
        close(found[:, :t], logits[:, :t])
        close(looked[:, : t + 1], weights[:, : t + 1])
        assert not torch.isclose(found[:, t:], logits[:, t:]).all(dim=-1).any()


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


def test_places_have_no_order_for_the_attention(model, batch):
    """Exchange the annotations, and the weights go along: it knows what, not where."""
    source, mask, _ = batch
    state, turn = model.start(source, mask), torch.tensor([3, 0, 4, 1, 2])
    attention = model.decoder.attention
    one, weights = attention(state.s, state.keys, state.annotations, mask)
    two, turned = attention(
        state.s, state.keys[:, turn], state.annotations[:, turn], mask[:, turn]
    )
    close(turned, weights[:, turn])
    close(one, two)


def test_the_state_is_carried_over(model, batch):
    """A step moves s and nothing else; from another s a word says other things."""
    source, mask, target = batch
    state = model.start(source, mask)
    for t in range(T):
        before = state
        _, state = model.step(target[:, t], state)
        assert not torch.isclose(state.s, before.s).all(dim=-1).any()
        for part in ("annotations", "keys", "mask"):
            assert getattr(state, part) is getattr(before, part)
    fresh = model.start(source, mask)
    one, _ = model.step(target[:, -1], before)
    two, _ = model.step(target[:, -1], fresh)
    assert not torch.isclose(one, two).all(dim=-1).any()


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


def test_arguments_stay_as_they_came(model, batch):
    kept = [part.clone() for part in batch]
    model(*batch)
    state = model.start(*batch[:2])
    before = [part.clone() for part in state]
    model.step(batch[2][:, 0], state)
    assert all(torch.equal(a, b) for a, b in zip(state, before, strict=True))
    assert all(torch.equal(a, b) for a, b in zip(batch, kept, strict=True))
    scores, mask = torch.randn(2, 3), torch.tensor([True, False, True])
    copy = scores.clone()
    masked_softmax(scores, mask)
    assert torch.equal(scores, copy)


def test_units_are_left_out_in_training_alone(batch):
    torch.manual_seed(3)
    made = RNNSearch(replace(CONFIG, dropout=0.5), SOURCE_WORDS, TARGET_WORDS)
    thinned, places = [], [m for m in made.modules() if isinstance(m, nn.Dropout)]
    assert [place.p for place in places] == [0.5, 0.5]
    for place in places:
        place.register_forward_hook(lambda _, x, __: thinned.append(tuple(x[0].shape)))
    made(*batch)  # the words' vectors on either side, and what the maxout leaves
    assert thinned == [(B, S, 3), (B, T, 3), (B, T, 2)]
    assert not torch.equal(made(*batch)[0], made(*batch)[0])
    made.eval()
    assert torch.equal(made(*batch)[0], made(*batch)[0])


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


# --- refusals ------------------------------------------------------------------------


def test_a_row_that_may_look_nowhere_is_named():
    mask = torch.tensor([[True, False], [False, False], [False, True], [False, False]])
    with pytest.raises(ValueError, match=r"mask .* rows \[\[1\], \[3\]\]"):
        masked_softmax(torch.zeros(4, 2), mask)
    with pytest.raises(ValueError, match=r"mask .* expected one True"):
        masked_softmax(torch.zeros(2), torch.zeros(2, dtype=torch.bool))


@pytest.mark.parametrize(
    ("mask", "message"),
    [
        (
            torch.ones(4, 2),
            r"mask is torch.float32 of shape \(4, 2\): expected torch.b",
        ),
        (torch.ones(4, 3, dtype=torch.bool), r"shape \(4, 3\): .* of shape \(4, 2\)"),
        (torch.ones(3, 2, dtype=torch.bool), r"shape \(3, 2\): .* of shape \(4, 2\)"),
        (torch.ones(5, 4, 2, dtype=torch.bool), r"shape \(5, 4, 2\): .* \(4, 2\)"),
    ],
)
def test_masks_that_do_not_fit_the_scores(mask, message):
    with pytest.raises(ValueError, match=message):
        masked_softmax(torch.zeros(4, 2), mask)


def test_masks_may_be_smaller_than_the_scores():
    scores, mask = torch.zeros(2, 3, 4), torch.tensor([True, True, False, True])
    assert masked_softmax(scores, mask)[..., 2].eq(0).all()
    assert masked_softmax(scores, mask.view(1, 1, 4).expand(2, 1, 4)).shape == (2, 3, 4)


@pytest.mark.parametrize(
    ("change", "message"),
    [
        ({"source": torch.zeros(B, 0, dtype=torch.long)}, r"source has shape \(3, 0\)"),
        ({"source": torch.zeros(S, dtype=torch.long)}, r"source has shape \(5,\)"),
        ({"source": torch.full((B, S), SOURCE_WORDS)}, r"source holds ids .* 0 to 10"),
        ({"source": torch.full((B, S), -1)}, "source holds ids from -1"),
        ({"mask": torch.ones(B, S)}, "mask .* torch.float32"),
        (
            {"mask": torch.ones(B, S + 1, dtype=torch.bool)},
            r"mask .* \(3, 6\): expected .*B being 3, S being 5",
        ),
        ({"mask": torch.zeros(B, S, dtype=torch.bool)}, r"\[\[?0\]?, \[?1\]?, \[?2\]"),
        (
            {"target": torch.ones(B + 1, T, dtype=torch.long)},
            r"target .*\(4, 4\): expected \(3, T\)",
        ),
        ({"target": torch.ones(B, 0, dtype=torch.long)}, r"target has shape \(3, 0\)"),
        ({"target": torch.full((B, T), TARGET_WORDS)}, r"target holds ids .* 0 to 12"),
    ],
)
def test_bad_batches_are_named(model, batch, change, message):
    given = {**dict(zip(("source", "mask", "target"), batch, strict=True)), **change}
    with pytest.raises(ValueError, match=message):
        model(**given)


def test_a_step_needs_a_word_for_each_sentence(model, batch):
    state = model.start(*batch[:2])
    with pytest.raises(ValueError, match=r"target .*\(2, 1\): expected \(3, T\)"):
        model.step(torch.tensor([1, 2]), state)
    with pytest.raises(ValueError, match=r"target has shape \(1,\)"):
        model.step(torch.tensor(1), state)


def test_queries_keys_and_values_are_of_one_batch(model, batch):
    state, attention = model.start(*batch[:2]), model.decoder.attention
    with pytest.raises(ValueError, match=r"keys .*\(3, 5, 6\): .* B being 2"):
        attention(state.s[:2], state.keys, state.annotations, state.mask)
    with pytest.raises(ValueError, match=r"values .*\(1, 5, 8\): .* B being 3"):
        attention(state.s, state.keys, state.annotations[:1], state.mask)


@pytest.mark.parametrize("name", ["query", "annotation", "hidden"])
def test_an_attention_without_a_size_is_refused(name):
    with pytest.raises(ValueError, match=f"{name} must be a whole number ≥ 1, got 0"):
        AdditiveAttention(**{"query": 2, "annotation": 2, "hidden": 2, name: 0})


@pytest.mark.parametrize("name", ["m", "n", "k", "l"])
@pytest.mark.parametrize("size", [0, -2, 1.5, True, "8"])
def test_sizes_are_whole_numbers(name, size):
    with pytest.raises(ValueError, match=f"{name} must be a whole number ≥ 1, got"):
        replace(CONFIG, **{name: size})


@pytest.mark.parametrize("dropout", [-0.1, 1.0, 2])
def test_dropout_is_a_share(dropout):
    with pytest.raises(ValueError, match="dropout must be ≥ 0 and < 1, got"):
        replace(CONFIG, dropout=dropout)


def test_a_configuration_stays(model):
    with pytest.raises(FrozenInstanceError):
        model.config.n = 3
    assert isinstance(model.encoder, BidirectionalEncoder)

"""Luong's attention: by hand, against torch.nn, its own laws."""

import itertools
import math

import pytest
import torch

from kit import close, filled, padding_mask, randint, randn, sigmoid, tensors
from lookback.lstm import LSTMCell
from lookback.luong import (
    DIRECTIONS,
    LocalAttention,
    LocationAttention,
    LuongAttention,
    LuongConfig,
    LuongTranslator,
)
from torch_layers import lstm_pairs, same_gradients, torch_lstm

B, S, T, M, N, SOURCE, TARGET = 3, 7, 4, 5, 6, 13, 11
LENGTHS = [7, 2, 5]
MASK = padding_mask(*LENGTHS)
SCORES, SCOPES = ("dot", "general", "concat"), ("global", "local-m", "local-p")
NINE = [*itertools.product(SCORES, SCOPES)]
TEN = [*NINE, ("location", "global")]


def attention(score="dot", scope="global", n=N, D=2, max_positions=5):
    if score == "location":
        return filled(LocationAttention(n, max_positions))
    if scope == "global":
        return filled(LuongAttention(n, score))
    return filled(LocalAttention(n, score, scope, D=D))


def translator(score="dot", scope="global", *, seed=1, **options):
    config = LuongConfig(m=M, n=N, **{"layers": 2, **options})
    model = LuongTranslator(config, SOURCE, TARGET)
    model.attention = attention(score, scope)
    return filled(model, seed, 0.5)


def sentences(seed=3):
    return randint(SOURCE, B, S, seed=seed), MASK, randint(TARGET, B, T, seed=seed + 1)


def positions():
    return torch.arange(1, T + 1).expand(B, T)


def attend(module, h, states, mask=MASK, t=None):
    return module(h, module.project(states, mask), t)


def softmax(*scores):
    total = sum(map(math.exp, scores))
    return [math.exp(score) / total for score in scores]


# --- by hand -------------------------------------------------------------------------


def one(score, scope, D=1, max_positions=2, **weights):
    """An attention over states of one number, with these weights."""
    module = attention(score, scope, n=1, D=D, max_positions=max_positions)
    with torch.no_grad():
        for name, value in weights.items():
            p = getattr(module, name).weight
            p.copy_(torch.tensor(value, dtype=p.dtype).view_as(p))
    return module


def asked(module, h, states, t=1):
    """The weights and the context of one state over states of one number."""
    column = torch.tensor(states, dtype=torch.float64)[None, :, None]
    mask = torch.ones(1, len(states), dtype=torch.bool)
    query = torch.full((1, 1, 1), h, dtype=torch.float64)
    c, weights = attend(module, query, column, mask, torch.tensor([[t]]))
    return weights[0, 0].tolist(), c.item()


H, STATES = 2.0, [0.5, -1.0, 0.25]


@pytest.mark.parametrize(
    ("module", "scores"),
    [
        (one("dot", "global"), [2 * s for s in STATES]),
        (one("general", "global", W_a=[0.3]), [2 * 0.3 * s for s in STATES]),
        (
            one("concat", "global", W_h=[0.4], W_a=[0.3], v_a=[-1.5]),
            [-1.5 * math.tanh(0.4 * 2 + 0.3 * s) for s in STATES],
        ),
        (
            one("location", "global", max_positions=4, W_a=[0.3, -1, 2, 9]),
            [0.6, -2.0, 4.0],
        ),
        (one("location", "global", W_a=[0.3, -1]), [0.6, -2.0, -math.inf]),
    ],
    ids=["dot", "general", "concat", "location", "location of two"],
)
def test_equation_7_and_8_by_hand(module, scores):
    weights, c = asked(module, H, STATES)
    assert weights == pytest.approx(softmax(*scores))
    assert c == pytest.approx(sum(a * s for a, s in zip(weights, STATES, strict=True)))


@pytest.mark.parametrize(
    ("t", "inside"), [(1, [0, 1]), (2, [0, 1, 2]), (4, [2, 3, 4]), (9, [3, 4])]
)
def test_the_monotonic_window_by_hand(t, inside):
    states = [0.5, -1.0, 0.25, 2.0, -0.5]
    weights, _ = asked(one("dot", "local-m"), H, states, t)
    known = softmax(*(H * states[s] for s in inside))
    expected = dict(zip(inside, known, strict=True))
    assert weights == pytest.approx([expected.get(s, 0) for s in range(5)])


@pytest.mark.parametrize("D", [1, 2])
def test_equations_9_and_10_by_hand(D):
    states = [0.5, -1.0, 0.25, 2.0, -0.5]
    p = 5 * sigmoid(1.5 * math.tanh(0.2 * H))
    assert 3.1 < p < 3.3  # words 3 and 4 are within 1, words 2 to 5 within 2
    inside = {1: [3, 4], 2: [2, 3, 4, 5]}[D]
    align = dict(
        zip(inside, softmax(*(H * states[s - 1] for s in inside)), strict=True)
    )
    expected = [
        align.get(s, 0) * math.exp(-((s - p) ** 2) / (2 * (D / 2) ** 2))
        for s in range(1, 6)
    ]
    module = one("dot", "local-p", D=D, W_p=[0.2], v_p=[1.5])
    weights, c = asked(module, H, states)
    assert weights == pytest.approx(expected)
    assert c == pytest.approx(sum(a * s for a, s in zip(expected, states, strict=True)))


def test_without_options_it_is_the_papers():
    """LSTMs, the source reversed, dot over all of it, and h̃ fed to the next step."""
    config = LuongConfig(m=M, n=N)
    model = LuongTranslator(config, SOURCE, TARGET)
    assert [*model.encoder.sides] == ["right"]
    assert [type(cell) for cell in model.decoder.cells()] == [LSTMCell]
    assert [cell.d for cell in model.decoder.cells()] == [M + N]  # [y; h̃]
    assert type(model.attention) is LuongAttention
    assert (model.attention.score, config.dropout) == ("dot", 0.0)


# --- against the reference -----------------------------------------------------------


def grads(loss, *tensors):
    return torch.autograd.grad(loss, tensors, retain_graph=True)


def plainly(module, h, states, length, t):
    """The weights of one state h (n,) over states (S, n), position by position."""
    scores = []
    for s in range(length):
        if module.score == "dot":
            score = h @ states[s]
        elif module.score == "general":
            score = h @ (module.W_a.weight @ states[s])
        elif module.score == "concat":
            W = torch.cat([module.W_h.weight, module.W_a.weight], dim=1)
            both = torch.cat([h, states[s]])
            score = module.v_a.weight[0] @ torch.tanh(W @ both)
        else:
            score = module.W_a.weight[s] @ h if s < 5 else torch.tensor(-torch.inf)
        scores.append(score)
    scope = getattr(module, "scope", "global")
    if scope == "global":
        p, inside = None, [*range(length)]
    else:
        p = min(t, length)
        if scope == "local-p":
            inner = torch.tanh(module.W_p.weight @ h)
            p = length * torch.sigmoid(module.v_p.weight[0] @ inner)
        inside = [s for s in range(length) if abs(s + 1 - p) <= module.D]
    total = sum(torch.exp(scores[s]) for s in inside)
    weights = [states.new_zeros(())] * S
    for s in inside:
        weights[s] = torch.exp(scores[s]) / total
        if scope == "local-p":
            sd = module.D / 2
            weights[s] = weights[s] * torch.exp(-((s + 1 - p) ** 2) / (2 * sd * sd))
    return torch.stack(weights)


@pytest.mark.parametrize(("score", "scope"), TEN)
def test_every_score_in_every_window_position_by_position(score, scope):
    module = attention(score, scope)
    h, states = randn(B, T, N).requires_grad_(), randn(B, S, N, seed=2).requires_grad_()
    c, weights = attend(module, h, states)
    expected = torch.stack([
        torch.stack([plainly(module, h[b, t], states[b], LENGTHS[b], t + 1)
                     for t in range(T)]) for b in range(B)
    ])  # fmt: skip
    assert torch.allclose(weights, expected, atol=1e-12)
    context = torch.einsum("bts,bsn->btn", expected, states)
    assert torch.allclose(c, context, atol=1e-12)
    pull = randn(B, T, N, seed=5)
    wanted = [h, states, *module.parameters()]
    both = [grads((x * pull).sum(), *wanted) for x in (c, context)]
    assert all(torch.allclose(*pair, atol=1e-10) for pair in zip(*both, strict=True))


def twins(model):
    """The encoder's sides as torch has them."""
    return {
        side: torch_lstm(stack.cells()) for side, stack in model.encoder.sides.items()
    }


def encoded(model, encoders, row):
    """The states of one sentence (1, S), and the last ones, read by torch's LSTMs."""
    tops, ends = [], []
    for side, encoder in encoders.items():
        order = [*range(row.size(1))][:: -1 if side == "right" else 1]
        top, last = encoder(model.e_source(row[:, order]))
        tops.append(top[:, order])
        ends.append(last)
    last = tuple(torch.cat(parts, dim=-1) for parts in zip(*ends, strict=True))
    return torch.cat(tops, dim=-1), last


@pytest.mark.parametrize("directions", DIRECTIONS)
@pytest.mark.parametrize("input_feeding", [True, False])
@pytest.mark.parametrize(
    ("score", "scope"), [("dot", "global"), ("general", "local-p")]
)
def test_the_translator_is_stacked_lstms_of_torch(
    score, scope, input_feeding, directions
):
    model = translator(score, scope, input_feeding=input_feeding, directions=directions)
    source, mask, target = sentences()
    logits, weights = model(source, mask, target)
    encoders, decoder = twins(model), torch_lstm(model.decoder.cells())
    rows = []
    for b, length in enumerate(LENGTHS):
        states, last = encoded(model, encoders, source[b : b + 1, :length])
        states = torch.cat([states, states.new_zeros(1, S - length, N)], dim=1)[0]
        fed, row = states.new_zeros(N), []
        for t in range(T):
            x = model.e_target(target[b, t])
            x = torch.cat([x, fed]) if input_feeding else x
            out, last = decoder(x[None, None], last)
            h = out[0, 0]
            a = plainly(model.attention, h, states, length, t + 1)
            fed = torch.tanh(model.W_c.weight @ torch.cat([a @ states, h]))
            row.append((model.W_s.weight @ fed, a))
        rows.append([torch.stack(parts) for parts in zip(*row, strict=True)])
    expected, looked = (torch.stack(parts) for parts in zip(*rows, strict=True))
    assert torch.allclose(logits, expected, atol=1e-12)
    assert torch.allclose(weights, looked, atol=1e-12)

    pull = randn(B, T, TARGET, seed=8)
    wanted = [model.e_source.weight, model.e_target.weight, model.W_c.weight,
              model.W_s.weight, *model.attention.parameters()]  # fmt: skip
    both = [grads((x * pull).sum(), *wanted) for x in (logits, expected)]
    assert all(torch.allclose(*pair, atol=1e-9) for pair in zip(*both, strict=True))
    (logits * pull).sum().backward()
    every = [*encoders.values(), decoder]
    inputs = [p for module in every for p in module.parameters()]
    (expected * pull).sum().backward(inputs=inputs)
    stacks = [*model.encoder.sides.values(), model.decoder]
    for stack, theirs in zip(stacks, every, strict=True):
        same_gradients(lstm_pairs(stack.cells(), theirs))


# --- laws ----------------------------------------------------------------------------


def test_a_hidden_word_is_read_and_counts():
    module, h, hidden = attention("dot", "local-p"), randn(B, T, N), MASK.clone()
    hidden[0, 3] = False
    close(module.centre(h, positions(), hidden), module.centre(h, positions(), MASK))


@pytest.mark.parametrize("input_feeding", [True, False])
def test_the_state_behind_a_target_is_that_of_its_steps(input_feeding):
    model = translator("general", "local-p", input_feeding=input_feeding)
    source, mask, target = sentences()
    state = begun = model.start(source, mask)
    assert begun.weights.eq(0).all()
    for t in range(T):
        logits, state = model.step(target[:, t], state)
        close(model.W_s(state.h_tilde), logits)
    _, _, behind = model.decode(target, begun)
    for one, two in zip(tensors(state), tensors(behind), strict=True):
        close(one, two)
    assert state.t.tolist() == [T] * B


def test_dropout_on_either_side():
    config = LuongConfig(m=9, n=8, dropout=0.5)
    model = filled(LuongTranslator(config, SOURCE, TARGET))
    source, mask, target = sentences()
    with torch.random.fork_rng():
        torch.manual_seed(0)
        model.train()
        model.W_s.eval()
        one, other = (model.start(source, mask) for _ in range(2))
        assert not torch.equal(one.memory.states, other.memory.states)  # the source
        (_, first), (_, second) = (model.step(target[:, 0], one) for _ in range(2))
        assert not torch.equal(first.h_tilde, second.h_tilde)  # the target
        logits, state = model.step(target[:, 0], one)
        assert not torch.allclose(logits, model.W_s(state.h_tilde))  # h̃

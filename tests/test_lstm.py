"""Cells with gates, and the plain one beside them: by hand, torch.nn, its own laws."""

import math

import pytest
import torch
from torch import nn
from torch.nn.utils.rnn import pack_padded_sequence, pad_packed_sequence

from kit import close, filled, padding_mask, randn, set_to, sigmoid, size
from lookback.lstm import CELLS, GRUCell, LSTMCell, ResetAfterGRUCell
from lookback.recurrent import RNNCell, hidden, jacobian_norms, unroll

B, T, D, N = 4, 7, 3, 5
LENGTHS = [7, 2, 5, 1]
MASK = padding_mask(*LENGTHS)


def cell_of(name, **options):
    if name == "gru after":
        return filled(ResetAfterGRUCell(D, N))
    return filled(CELLS[name](D, N, **options))


ALL = ["rnn", "lstm", "gru", "gru after"]


def parts(state):
    return (state,) if isinstance(state, torch.Tensor) else state


def begun(cell, seed=5, rows=B):
    """A state that is not zero."""
    several = [randn(rows, N, seed=seed + k) for k in range(2)]
    return tuple(several) if isinstance(cell, LSTMCell) else several[0]


# --- by hand -------------------------------------------------------------------------


def number(cell, W, U, b):
    """A cell of one input and one unit with these weights, one for each block."""
    for parameter, values in ((cell.W, W), (cell.U, U), (cell.b, b)):
        set_to(parameter, *values)
    return cell


X, H, C = torch.tensor([[2.0]]).double(), torch.tensor([[0.5]]).double(), 0.25


def test_one_step_of_an_lstm_by_hand():
    cell = LSTMCell(1, 1).double()
    number(cell, [0.1, 0.2, 0.3, 0.4], [0.5, -0.6, 0.7, -0.8], [0.9, 1, -1.1, 1.2])
    i = sigmoid(0.1 * 2 + 0.5 * 0.5 + 0.9)
    f = sigmoid(0.2 * 2 - 0.6 * 0.5 + 1)
    g = math.tanh(0.3 * 2 + 0.7 * 0.5 - 1.1)
    o = sigmoid(0.4 * 2 - 0.8 * 0.5 + 1.2)
    c = f * 0.25 + i * g
    h_t, c_t = cell(X, (H, torch.full_like(H, C)))
    assert c_t.item() == pytest.approx(c)
    assert h_t.item() == pytest.approx(o * math.tanh(c))
    _, alone = cell(X)
    assert alone.item() == pytest.approx(
        sigmoid(0.1 * 2 + 0.9) * math.tanh(0.3 * 2 - 1.1)
    )


def test_one_step_of_a_gru_by_hand_with_either_reset():
    weights = [0.1, 0.2, 0.3], [0.5, -0.6, 0.7], [0.9, -1, 1.1]
    r = sigmoid(0.1 * 2 + 0.5 * 0.5 + 0.9)
    z = sigmoid(0.2 * 2 - 0.6 * 0.5 - 1)
    before = math.tanh(0.3 * 2 + 0.7 * (r * 0.5) + 1.1)
    cell = number(GRUCell(1, 1).double(), *weights)
    assert cell(X, H).item() == pytest.approx(z * 0.5 + (1 - z) * before)
    after = number(ResetAfterGRUCell(1, 1).double(), *weights)
    with torch.no_grad():
        after.b_h.fill_(0.4)
    candidate = math.tanh(0.3 * 2 + 1.1 + r * (0.7 * 0.5 + 0.4))
    assert after(X, H).item() == pytest.approx(z * 0.5 + (1 - z) * candidate)


def test_the_forget_bias_lifts_the_forget_gate_alone():
    def bias(**options):
        with torch.random.fork_rng():
            torch.manual_seed(3)
            return LSTMCell(D, N, **options).b.detach()

    assert torch.allclose(bias(forget_bias=2.5) - bias(forget_bias=0.0),
                          torch.tensor([0.0, 2.5, 0.0, 0.0]).repeat_interleave(N),
                          atol=1e-6)  # fmt: skip
    assert torch.equal(bias(), bias(forget_bias=1.0))
    assert bias(forget_bias=0.0)[N : 2 * N].std() > 0.1  # still drawn


def test_sizes_and_the_range_of_the_first_weights():
    shapes = {"rnn": 1, "lstm": 4, "gru": 3}
    for name, k in shapes.items():
        cell = CELLS[name](D, N)
        assert cell.W.shape == (k * N, D)
        assert cell.U.shape == (k * N, N)
        assert cell.b.shape == (k * N,)
        assert size(cell) == k * (N * D + N * N + N)
    assert ResetAfterGRUCell(D, N).b_h.shape == (N,)
    with torch.random.fork_rng():
        torch.manual_seed(0)
        cell = ResetAfterGRUCell(40, 100)
    for p in cell.parameters():
        assert 0.09 < p.max() <= 0.1
        assert -0.1 <= p.min() < -0.09
        assert abs(p.mean()) < 0.01


# --- against the reference -----------------------------------------------------------


def twin(cell):
    """The module of torch.nn that computes the same, with the same weights."""
    kind = {RNNCell: nn.RNN, LSTMCell: nn.LSTM, ResetAfterGRUCell: nn.GRU}[type(cell)]
    module = kind(D, N, batch_first=True).double()
    with torch.no_grad():
        module.weight_ih_l0.copy_(cell.W)
        module.weight_hh_l0.copy_(cell.U)
        module.bias_ih_l0.copy_(cell.b)
        module.bias_hh_l0.zero_()
        if isinstance(cell, GRUCell):
            module.bias_hh_l0[2 * N :] = cell.b_h
    return module


def torchs(state):
    """A state as torch.nn wants it: (1, B, N)."""
    made = tuple(part.detach()[None].requires_grad_() for part in parts(state))
    return made if len(made) == 2 else made[0]


@pytest.mark.parametrize("given", [False, True], ids=["from zero", "from a state"])
@pytest.mark.parametrize("padded", [False, True], ids=["full", "padded"])
@pytest.mark.parametrize("name", ["rnn", "lstm", "gru after"])
def test_outputs_and_gradients_are_those_of_torch(name, padded, given):
    cell = cell_of(name)
    module, x = twin(cell), randn(B, T, D).requires_grad_()
    y = x.detach().clone().requires_grad_()
    state = begun(cell) if given else None
    for part in parts(state) if given else ():
        part.requires_grad_()
    start = torchs(state) if given else None

    states = unroll(cell, x, MASK if padded else None, state)
    if padded:
        packed = pack_padded_sequence(y, LENGTHS, True, enforce_sorted=False)
        out, last = module(packed, start)
        out, _ = pad_packed_sequence(out, batch_first=True)
    else:
        out, last = module(y, start)
    real = MASK if padded else torch.ones_like(MASK)

    assert torch.allclose(hidden(states)[real], out[real], atol=1e-12)
    for ours, theirs in zip(parts(states[-1]), parts(last), strict=True):
        assert torch.allclose(ours, theirs[0], atol=1e-12)

    pull, ends = randn(B, T, N, seed=8), [randn(B, N, seed=9), randn(B, N, seed=10)]
    for outputs, finals in (
        (hidden(states), parts(states[-1])),
        (out, [part[0] for part in parts(last)]),
    ):
        loss = (outputs * pull)[real].sum()
        loss = loss + sum((f * e).sum() for f, e in zip(finals, ends, strict=False))
        loss.backward()
    pairs = [(cell.W, module.weight_ih_l0), (cell.U, module.weight_hh_l0),
             (cell.b, module.bias_ih_l0), (x, y)]  # fmt: skip
    for ours, theirs in pairs:
        assert torch.allclose(ours.grad, theirs.grad, atol=1e-10)
    if name == "gru after":
        assert torch.allclose(cell.b_h.grad, module.bias_hh_l0.grad[2 * N :])
    if given:
        for part, theirs in zip(parts(state), parts(start), strict=True):
            assert torch.allclose(part.grad, theirs.grad[0], atol=1e-10)


def test_chos_gru_as_its_equations_stand():
    cell, x, h = cell_of("gru"), randn(B, D), randn(B, N, seed=2)
    W, U, b = (p.chunk(3) for p in (cell.W, cell.U, cell.b))
    for row, past in enumerate(h):
        r, z = (torch.sigmoid(W[k] @ x[row] + U[k] @ past + b[k]) for k in (0, 1))
        new = torch.tanh(W[2] @ x[row] + U[2] @ (r * past) + b[2])
        close(cell(x, h)[row], z * past + (1 - z) * new)


# --- laws ----------------------------------------------------------------------------


@pytest.mark.parametrize("name", ALL)
def test_the_mask_freezes_the_state_behind_the_end(name):
    cell, x, state = cell_of(name), randn(B, T, D), begun(cell_of(name))
    states = unroll(cell, x, MASK, state)
    for row, length in enumerate(LENGTHS):
        first = tuple(part[row : row + 1] for part in parts(state))
        alone = unroll(
            cell, x[row : row + 1, :length],
            state=first if len(first) == 2 else first[0],
        )  # fmt: skip
        for t in range(T):
            expected = alone[min(t, length - 1)]
            for ours, theirs in zip(parts(states[t]), parts(expected), strict=True):
                assert torch.allclose(ours[row], theirs[0])


# --- gradients over distance ---------------------------------------------------------


def slowly(cell, x, part):
    """‖∂h_T/∂h_t‖, t by t: what the rest of the sequence makes of each state."""
    found = []
    for t, state in enumerate(unroll(cell, x[None])):
        here = [p.detach() for p in parts(state)]

        def rest(new, t=t, here=here):
            state = new
            if part:  # h_t = o_t tanh(c_t) moves with c_t
                state = here[0] / here[1].tanh() * new.tanh(), new
            elif len(here) == 2:
                state = new, here[1]
            for x_t in x[t + 1 :]:
                state = cell(x_t[None], state)
            return parts(state)[part][0]

        jacobian = torch.autograd.functional.jacobian(rest, here[part])[:, 0]
        found.append(torch.linalg.matrix_norm(jacobian, ord=2))
    return torch.stack(found)


@pytest.mark.parametrize(
    ("name", "part"),
    [("rnn", 0), ("gru", 0), ("gru after", 0), ("lstm", 0), ("lstm", 1)],
)
def test_jacobian_norms_state_by_state(name, part):
    cell, x = cell_of(name), randn(T, D)
    close(jacobian_norms(cell, x, part=part), slowly(cell, x, part))

"""A state that is carried along: by hand, its own laws."""

import math

import pytest
import torch
from torch import nn

from kit import filled, randint, randn, set_to
from lookback.recurrent import RecurrentLM, RNNCell, hidden, jacobian_norms, unroll

B, T, D, N, V = 4, 7, 3, 5, 11


def a_cell():
    return filled(RNNCell(D, N))


X, H = torch.tensor([[2.0]]).double(), torch.tensor([[0.5]]).double()


def test_one_step_of_an_rnn_by_hand():
    cell = RNNCell(1, 1).double()
    set_to(cell.W, 0.3)
    set_to(cell.U, -0.4)
    set_to(cell.b, 0.1)
    assert cell(X, H).item() == pytest.approx(math.tanh(0.3 * 2 - 0.4 * 0.5 + 0.1))
    assert cell(X).item() == pytest.approx(math.tanh(0.3 * 2 + 0.1))


def test_a_language_model_of_one_unit_by_hand():
    lm = filled(RecurrentLM(V=2, m=1, n=1))
    for parameter, *values in (
        (lm.cell.W, 0.5),
        (lm.cell.U, 2.0),
        (lm.cell.b, 0.1),
        (lm.C.weight, 1.0, -3.0),
        (lm.out.weight, 2.0, 4.0),
        (lm.out.bias, 0.5, -0.5),
    ):
        set_to(parameter, *values)
    first = math.tanh(0.5 * -3 + 0.1)
    second = math.tanh(0.5 * 1 + 2 * first + 0.1)
    logits, states = lm(torch.tensor([[1, 0]]))
    told = [[2 * h + 0.5, 4 * h - 0.5] for h in (first, second)]
    assert torch.allclose(logits, torch.tensor([told]).double())
    assert [s.item() for s in states] == pytest.approx([first, second])


def test_a_mask_may_begin_late():
    cell, x = a_cell(), randn(2, 3, D)
    mask = torch.tensor([[False, True, True], [True, True, True]])
    state = randn(2, N, seed=5)
    states = unroll(cell, x, mask, state)
    assert torch.equal(states[0][0], state[0])
    alone = unroll(cell, x[:1, 1:], state=state[:1])
    assert torch.allclose(states[2][:1], alone[1])


def test_dropout_is_on_both_sides_of_the_state():
    lm = filled(RecurrentLM(V, m=6, n=8, dropout=0.5))
    ids = randint(V, 1, T)
    lm.train()
    with torch.random.fork_rng():
        torch.manual_seed(0)
        logits, states = lm(ids)
        again, others = lm(ids)
    assert not torch.equal(hidden(states), hidden(others))  # words left out
    whole = lm.out(hidden(states))
    assert not torch.allclose(logits, whole)  # of the state
    assert not torch.equal(logits, again)


def test_an_rnn_at_rest_remembers_by_the_powers_of_u():
    cell = a_cell()
    with torch.no_grad():
        cell.b.zero_()
    found = jacobian_norms(cell, torch.zeros(4, D).double())
    powers = [torch.linalg.matrix_power(cell.U, 3 - t) for t in range(4)]
    expected = [torch.linalg.matrix_norm(p, ord=2).item() for p in powers]
    assert found.tolist() == pytest.approx(expected)


def test_a_step_is_torchs():
    cell, x, h = a_cell(), randn(B, D), randn(B, N, seed=2)
    expected = torch.tanh(x @ cell.W.T + h @ cell.U.T + cell.b)
    assert torch.allclose(cell(x, h), expected)
    twin = nn.RNNCell(D, N).double()
    with torch.no_grad():
        for own, theirs in zip(
            (cell.W, cell.U, cell.b), twin.parameters(), strict=False
        ):
            theirs.copy_(own)
        twin.bias_hh.zero_()
    assert torch.allclose(cell(x, h), twin(x, h))

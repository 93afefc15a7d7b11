"""A state that is carried along: by hand, laws, refusals.

Mutants that these tests were seen to kill: a sign, U or b left out of the cell; the
future seen; the mask ignored; a limit of a refusal moved by one; dropout on one side.
"""

import math

import pytest
import torch
from torch import nn

from lookback.recurrent import RecurrentLM, RNNCell, hidden, jacobian_norms, unroll

B, T, D, N, V = 4, 7, 3, 5, 11
MASK = torch.arange(T) < torch.tensor([7, 2, 5, 1])[:, None]


def chance(seed=0):
    return torch.Generator().manual_seed(seed)


def drawn(*shape, seed=0):
    return torch.randn(*shape, generator=chance(seed), dtype=torch.float64)


def filled(module, seed=1):
    """The module in double precision, each parameter drawn anew."""
    module = module.double()
    generator = chance(seed)
    with torch.no_grad():
        for p in module.parameters():
            p.copy_(torch.randn(p.shape, generator=generator, dtype=p.dtype) * 0.7)
    return module


def a_cell():
    return filled(RNNCell(D, N))


def number(cell, W, U, b):
    """A cell of one input and one unit with these weights, one for each block."""
    with torch.no_grad():
        for parameter, values in ((cell.W, W), (cell.U, U), (cell.b, b)):
            parameter.copy_(
                torch.tensor(values, dtype=torch.float64).view_as(parameter)
            )
    return cell


X, H = torch.tensor([[2.0]]).double(), torch.tensor([[0.5]]).double()


def refuses(message):
    return pytest.raises(ValueError, match=message)


def test_one_step_of_an_rnn_by_hand():
    cell = number(RNNCell(1, 1).double(), [0.3], [-0.4], [0.1])
    assert cell(X, H).item() == pytest.approx(math.tanh(0.3 * 2 - 0.4 * 0.5 + 0.1))
    assert cell(X).item() == pytest.approx(math.tanh(0.3 * 2 + 0.1))


def test_a_language_model_of_one_unit_by_hand():
    lm = filled(RecurrentLM(V=2, m=1, n=1))
    number(lm.cell, [0.5], [2.0], [0.1])
    with torch.no_grad():
        lm.C.weight.copy_(torch.tensor([[1.0], [-3.0]]))
        lm.out.weight.copy_(torch.tensor([[2.0], [4.0]]))
        lm.out.bias.copy_(torch.tensor([0.5, -0.5]))
    first = math.tanh(0.5 * -3 + 0.1)
    second = math.tanh(0.5 * 1 + 2 * first + 0.1)
    logits, states = lm(torch.tensor([[1, 0]]))
    told = [[2 * h + 0.5, 4 * h - 0.5] for h in (first, second)]
    assert torch.allclose(logits, torch.tensor([told]).double())
    assert [s.item() for s in states] == pytest.approx([first, second])


def test_a_mask_may_begin_late():
    cell, x = a_cell(), drawn(2, 3, D)
    mask = torch.tensor([[False, True, True], [True, True, True]])
    state = drawn(2, N, seed=5)
    states = unroll(cell, x, mask, state)
    assert torch.equal(states[0][0], state[0])
    alone = unroll(cell, x[:1, 1:], state=state[:1])
    assert torch.allclose(states[2][:1], alone[1])


def test_the_future_does_not_matter_and_the_past_does():
    lm = filled(RecurrentLM(V, D, N))
    ids = torch.randint(V, (B, T), generator=chance())
    for place in range(T):
        other = ids.clone()
        other[:, place] = (other[:, place] + 1) % V
        same = (lm(ids)[0] == lm(other)[0]).all(dim=-1).all(dim=0)
        assert same[:place].all()
        assert not same[place:].any()


def test_rows_of_a_batch_do_not_see_each_other():
    cell, x = a_cell(), drawn(B, T, D)
    together = hidden(unroll(cell, x))
    for row in range(B):
        alone = hidden(unroll(cell, x[row : row + 1]))
        assert torch.allclose(together[row], alone[0])


def test_dropout_only_in_training_and_on_both_sides_of_the_state():
    lm = filled(RecurrentLM(V, m=6, n=8, dropout=0.5))
    ids = torch.randint(V, (1, T), generator=chance())
    lm.eval()
    assert torch.equal(lm(ids)[0], lm(ids)[0])
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


@pytest.mark.parametrize("size", [0, -1, 2.0, True, None])
def test_a_cell_refuses_sizes_that_are_none(size):
    with refuses(r"d must be a whole number ≥ 1, got"):
        RNNCell(size, N)
    with refuses(r"n must be a whole number ≥ 1, got"):
        RNNCell(D, size)


def test_unrolling_refuses_inputs_and_masks_that_do_not_fit():
    cell = a_cell()
    for shape in ((B, T, D + 1), (B, D), (B, 0, D)):
        with refuses(r"x has shape \(.*\): expected \(B, T, 3\)"):
            unroll(cell, drawn(*shape))
    x = drawn(B, T, D)
    for mask in (MASK.T, MASK[:1], MASK[:, :-1], MASK[..., None]):
        with refuses(r"mask has shape \(.*\): expected \(B, T\), B being 4, T being 7"):
            unroll(cell, x, mask)
    with refuses(r"mask is torch.int64 of shape \(4, 7\): expected torch.bool"):
        unroll(cell, x, MASK.long())
    empty = MASK.clone()
    empty[[1, 3]] = False
    with refuses(r"mask is False everywhere in rows \[\[1\], \[3\]\]"):
        unroll(cell, x, empty)


def test_the_model_refuses_what_is_no_sentence():
    lm = RecurrentLM(V, D, N)
    with refuses("words holds ids from 0 to 11: expected 0 to 10"):
        lm(torch.tensor([[0, V]]))
    with refuses("words holds ids from -1 to 3"):
        lm(torch.tensor([[3, -1]]))
    for shape in ((2, 0), (0, 2), (3,), (1, 2, 3)):
        with refuses(r"words has shape \(.*\): expected \(B, T\)"):
            lm(torch.zeros(shape, dtype=torch.long))
    assert lm(torch.tensor([[0, V - 1]]))[0].shape == (1, 2, V)


def test_the_model_refuses_sizes_that_are_none():
    for dropout in (-0.1, 1.0, math.nan):
        with refuses("dropout must be ≥ 0 and < 1"):
            RecurrentLM(V, D, N, dropout=dropout)
    for name in "Vmn":
        with refuses(f"{name} must be a whole number ≥ 1, got 2.0"):
            RecurrentLM(**{"V": V, "m": D, "n": N, name: 2.0})
    assert RecurrentLM(V, D, N, dropout=0.0).dropout.p == 0


def test_a_step_is_torchs():
    cell, x, h = a_cell(), drawn(B, D), drawn(B, N, seed=2)
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

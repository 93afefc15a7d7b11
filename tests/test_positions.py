"""Positions: by hand, against the formula and a recurrence, its own laws."""

import math

import pytest
import torch

from kit import close
from lookback.multihead import MultiHeadAttention
from lookback.positions import (
    LearnedPositions,
    SinusoidalPositions,
    frequencies,
    rotation,
    sinusoidal_positions,
)

pytestmark = pytest.mark.usefixtures("double")


def formula(p, number, d_model):
    """PE(p, number) as it stands in section 3.5, with the number's own parity."""
    i, odd = divmod(number, 2)
    angle = p / 10000 ** (2 * i / d_model)
    return math.cos(angle) if odd else math.sin(angle)


# --- by hand -------------------------------------------------------------------------


def test_four_numbers_by_hand():
    """d_model 4: wavelengths 2π and 200π."""
    expected = [
        [0, 1, 0, 1],
        [math.sin(1), math.cos(1), math.sin(0.01), math.cos(0.01)],
        [math.sin(2), math.cos(2), math.sin(0.02), math.cos(0.02)],
    ]
    close(sinusoidal_positions(3, 4), torch.tensor(expected))
    close(frequencies(4), torch.tensor([1, 0.01]))


def test_a_quarter_turn_by_hand():
    """R(1) turns the only pair by 1 radian: sin and cos end at 90°."""
    R = rotation(1, 2)
    angle = math.pi / 2 - 1  # not a whole place: the law does not ask for one
    one = torch.tensor([math.sin(angle), math.cos(angle)])
    close(R @ one, torch.tensor([1.0, 0]))


def test_wavelengths_begin_at_two_pi_and_do_not_reach_ten_thousand():
    waves = 2 * math.pi / frequencies(512)
    close(waves[0].item(), 2 * math.pi)
    ratios = waves[1:] / waves[:-1]
    close(ratios, torch.full_like(ratios, 10000 ** (2 / 512)))
    close(waves[-1].item(), 2 * math.pi * 10000 ** (510 / 512))
    assert waves[-1] < 2 * math.pi * 10000


# --- against the reference -----------------------------------------------------------


@pytest.mark.parametrize(
    ("T", "d_model", "first"), [(7, 10, 0), (5, 6, 3), (2, 2, 900)]
)
def test_it_is_the_formula(T, d_model, first):
    expected = [
        [formula(p, number, d_model) for number in range(d_model)]
        for p in range(first, first + T)
    ]
    found = sinusoidal_positions(T, d_model, first=first)
    assert found.shape == (T, d_model)
    close(found, torch.tensor(expected), 1e-9)


def test_it_is_the_published_program():
    """sin and cos of outer products with exp(-ln 10000 · 2i / d), written in turns."""
    T, d_model = 60, 32
    p = torch.arange(T).double().unsqueeze(1)
    slope = torch.exp(torch.arange(0, d_model, 2) * -(math.log(10000.0) / d_model))
    expected = torch.zeros(T, d_model)
    expected[:, 0::2], expected[:, 1::2] = torch.sin(p * slope), torch.cos(p * slope)
    close(sinusoidal_positions(T, d_model), expected)


def test_far_places_are_as_exact_as_near_ones():
    """A million places on, single precision would have lost the angle."""
    torch.set_default_dtype(torch.float32)
    found = sinusoidal_positions(1, 4, first=1_000_003)
    assert found.dtype == torch.float32
    expected = [formula(1_000_003, number, 4) for number in range(4)]
    close(found[0], torch.tensor(expected, dtype=torch.float32), 1e-6)


# --- laws of the sinusoids -----------------------------------------------------------


@pytest.mark.parametrize("k", [0, 1, 7, 40, -3])
def test_the_rotation_leads_k_places_on_from_any_place(k):
    d_model = 12
    here = sinusoidal_positions(50, d_model, first=5)
    there = sinusoidal_positions(50, d_model, first=5 + k)
    close(here @ rotation(k, d_model).T, there, 1e-9)


def test_rotations_follow_each_other_and_turn_back():
    close(rotation(3, 8) @ rotation(4, 8), rotation(7, 8))
    close(rotation(-5, 8), rotation(5, 8).T)
    close(rotation(5, 8).T @ rotation(5, 8), torch.eye(8))
    close(torch.linalg.det(rotation(5, 8)).item(), 1.0)


def test_the_product_of_two_places_is_that_of_their_distance():
    d_model, T = 16, 30
    PE = sinusoidal_positions(T, d_model)
    products = PE @ PE.T
    close(products.diagonal(), torch.full((T,), d_model / 2))
    close(products, products.T)
    for k in range(T):
        expected = frequencies(d_model).mul(k).cos().sum()
        close(products.diagonal(k), expected.expand(T - k), 1e-9)


def test_through_learned_matrices_a_product_depends_on_the_place_too():
    """What makes it possible, not certain: W_Q and W_K may undo the law."""
    torch.manual_seed(0)
    PE, W = sinusoidal_positions(10, 8), torch.randn(8, 8)
    products = PE @ W @ PE.T
    assert products.diagonal(1).std() > 0.1
    free = PE @ rotation(3, 8) @ PE.T  # unless W is a rotation itself
    close(free.diagonal(1), free[0, 1].expand(9))


def test_no_two_places_have_one_vector():
    PE = sinusoidal_positions(2000, 8)
    apart = torch.cdist(PE, PE) + 10 * torch.eye(2000)
    assert apart.min() > 1e-3


# --- attention and order -------------------------------------------------------------


def test_without_places_a_permuted_sentence_is_the_same_sentence():
    torch.manual_seed(0)
    look, words = MultiHeadAttention(12, 3), torch.randn(1, 5, 12)
    turn = torch.tensor([3, 0, 4, 1, 2])
    output, _ = look(words, words, words)
    shuffled, _ = look(*[words[:, turn]] * 3)
    close(shuffled, output[:, turn])
    close(shuffled.mean(dim=1), output.mean(dim=1))
    placed = words + sinusoidal_positions(5, 12)
    moved = words[:, turn] + sinusoidal_positions(5, 12)
    assert (look(*[placed] * 3)[0].mean(1) - look(*[moved] * 3)[0].mean(1)).norm() > 0.1


# --- the modules ---------------------------------------------------------------------


@pytest.mark.parametrize("kind", ["sinusoidal", "learned"])
def test_places_may_be_asked_for_in_parts(kind):
    torch.manual_seed(0)
    places = SinusoidalPositions(6) if kind == "sinusoidal" else LearnedPositions(9, 6)
    whole = places(9)
    assert whole.shape == (9, 6)
    for first in range(9):
        assert torch.equal(places(1, first), whole[first : first + 1])
    assert torch.equal(places(4, 3), whole[3:7])
    assert torch.equal(places(4, first=5), whole[5:])


def test_the_module_goes_on_behind_what_it_keeps():
    places = SinusoidalPositions(6)
    for T, first in ((128, 0), (129, 0), (3, 126), (1, 128), (2, 500)):
        close(places(T, first), sinusoidal_positions(T, 6, first=first))


def test_sinusoids_are_no_parameters_and_no_part_of_a_checkpoint():
    places = SinusoidalPositions(6)
    assert not list(places.parameters())
    assert not places.state_dict()
    assert not places(4).requires_grad
    assert places.to(torch.float16)(200).dtype == torch.float16


def test_learned_places_get_their_gradient_and_no_others():
    torch.manual_seed(0)
    places = LearnedPositions(7, 4)
    assert [tuple(p.shape) for p in places.parameters()] == [(7, 4)]
    pull = torch.randn(3, 4)
    (places(3, 2) * pull).sum().backward()
    expected = torch.zeros(7, 4)
    expected[2:5] = pull
    assert torch.equal(places.table.grad, expected)


def test_both_begin_equally_large():
    """Mean squares of 1/2, so that neither drowns out the word, of variance 1."""
    torch.manual_seed(0)
    learned = LearnedPositions(400, 64)(400).square().mean().item()
    assert learned == pytest.approx(0.5, rel=0.05)
    close(sinusoidal_positions(400, 64).square().mean().item(), 0.5)

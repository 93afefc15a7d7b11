"""Positions: by hand, against the formula and a recurrence, its own laws."""

import math

import pytest
import torch

from kit import close
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


def test_the_product_of_two_places_is_that_of_their_distance():
    d_model, T = 16, 30
    PE = sinusoidal_positions(T, d_model)
    products = PE @ PE.T
    close(products.diagonal(), torch.full((T,), d_model / 2))
    close(products, products.T)
    for k in range(T):
        expected = frequencies(d_model).mul(k).cos().sum()
        close(products.diagonal(k), expected.expand(T - k), 1e-9)


# --- the modules ---------------------------------------------------------------------


@pytest.mark.parametrize("kind", ["sinusoidal", "learned"])
def test_places_may_be_asked_for_in_parts(kind):
    torch.manual_seed(0)
    places = SinusoidalPositions(6) if kind == "sinusoidal" else LearnedPositions(9, 6)
    whole = places(9)
    assert whole.shape == (9, 6)
    for T, first in ((1, 0), (1, 8), (4, 3), (4, 5)):
        assert torch.equal(places(T, first), whole[first : first + T])


def test_sinusoids_have_no_last_place_and_no_part_of_a_checkpoint():
    places = SinusoidalPositions(6)
    for T, first in ((129, 0), (3, 126), (2, 500)):
        close(places(T, first), sinusoidal_positions(T, 6, first=first))
    assert not list(places.parameters())
    assert not places.state_dict()


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

"""Exact search: it finds the best of all sentences, and says when it knows."""

from itertools import product

import pytest
import torch
from torch import Tensor

from lookback.studies.decoding_exact import Found, likeliest

V, BEGIN, END = 4, 3, 0
NOTHING = Found((), -torch.inf, sure=False)


class Drawn:
    """Scores that depend on the words so far, drawn for each seed."""

    def __init__(self, seed: int) -> None:
        self.seed = seed

    def start(self, source: Tensor, mask: Tensor) -> tuple[int, ...]:
        return ()

    def step(
        self, token: Tensor, state: tuple[int, ...]
    ) -> tuple[Tensor, tuple[int, ...]]:
        state = (*state, int(token))
        seed = hash((self.seed, *state)) % 2**31
        scores = 2 * torch.randn(1, V, generator=torch.Generator().manual_seed(seed))
        scores[0, BEGIN] = -torch.inf
        scores[0, END] += len(state)  # it ends some time
        return scores, state


def log_p(model: Drawn, words: tuple[int, ...]) -> float:
    state, total = model.start(torch.empty(0), torch.empty(0)), 0.0
    for last, word in zip((BEGIN, *words), (*words, END), strict=True):
        scores, state = model.step(torch.tensor([last]), state)
        total += float(scores[0].log_softmax(dim=0)[word])
    return total


@pytest.mark.parametrize("seed", range(5))
def test_it_finds_what_trying_everything_finds(seed: int) -> None:
    model, ids = Drawn(seed), torch.tensor([[1]])
    every = [w for n in range(6) for w in product((1, 2), repeat=n)]
    best = max(every, key=lambda words: log_p(model, words))
    found = likeliest(model, ids, ids > 0, NOTHING, 500, BEGIN, END)
    assert found.sure
    assert found.ids == best
    assert found.log_p == pytest.approx(log_p(model, best), abs=1e-5)


def test_it_says_when_it_gave_up_and_keeps_what_it_was_given() -> None:
    model, ids = Drawn(0), torch.tensor([[1]])
    assert not likeliest(model, ids, ids > 0, NOTHING, 1, BEGIN, END).sure
    given = Found((2,), 1.0, sure=False)  # likelier than anything can be
    found = likeliest(model, ids, ids > 0, given, 9, BEGIN, END)
    assert found == given._replace(sure=True)

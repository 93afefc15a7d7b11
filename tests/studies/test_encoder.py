"""The study of an encoder's layers: what is compared, and what is noted of it.

Mutants that these tests kill: shares of other places, or without the word's own; the
guess for another place; a case that differs in more than what is compared.
"""

import math

import pytest
import torch
from lookback.workshop.finding import Finder, HiddenConfig
from lookback.workshop.layers import SYSTEMS, guesses, of_counts, recipe
from lookback.workshop.studies import STUDIES

from lookback.encoder import EncoderLayer
from lookback.text.vocabulary import Vocabulary

WORDS = {"words": Vocabulary.build([["a", "b", "c", "d"]])}
V = len(WORDS["words"])


def finder():
    torch.manual_seed(0)
    return Finder(HiddenConfig(d_model=8, h=2, d_ff=6, N=2), V)


def test_three_ways_to_spend_the_same_parameters():
    sizes = {
        name: sum(
            p.numel()
            for p in Finder(recipe(seed=0, **told).model, V).parameters()
            if p.dim() == 2
        )
        for name, told in SYSTEMS.items()
    }
    alike = {sizes[n] for n in SYSTEMS if "alone" in n} | {sizes["N 2"]}
    assert len(alike) == 1
    assert sizes["N 0"] < sizes["N 1"] < sizes["N 2"] < sizes["N 4"]
    assert all(isinstance(layer, EncoderLayer) for layer in finder().layers)


def test_counts_price_what_is_hidden_by_its_share_of_the_train():
    """Half of the train is a, a quarter b; one word a sentence, so each is hidden."""
    train = [["a", "b", "a", "c"]]
    alone, at = of_counts(train, [["a"]], WORDS)
    assert alone == pytest.approx(2)
    # At the first place stands a, once; a share of one half counts 20 times beside it.
    assert at == pytest.approx(1 / ((1 + 20 / 2) / 21))
    alone, at = of_counts(train, [["a"], ["b"]], WORDS)
    assert alone == pytest.approx(math.sqrt(2 * 4))
    assert at == pytest.approx(math.sqrt(21 / 11 * 21 / 5))


def test_guesses_are_the_likeliest_for_the_hole():
    model = finder()
    told = guesses(model, WORDS, "a ? c", n=3)
    words = WORDS["words"]
    ids = torch.tensor([[words.ids(["a"])[0], V, words.ids(["c"])[0]]])
    p = model(ids, torch.ones(1, 3).bool())[0, 1].softmax(0)
    assert [word for word, _ in told] == words.words(p.topk(3).indices)
    assert [share for _, share in told] == [
        round(x, 3) for x in p.topk(3).values.tolist()
    ]


def test_cases_differ_in_what_is_compared_alone():
    cases = [c for label, c in STUDIES["layers"].cases.items() if "seed 1" in label]
    assert len(cases) == len(SYSTEMS)
    assert len({(c.data, c.seed, c.optimiser, c.budget) for c in cases}) == 1
    assert len({c.model for c in cases}) == len(SYSTEMS)

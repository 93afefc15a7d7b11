"""Positions in two layers, past the trained length: networks, cases, what is stored.

Mutants that these tests kill: a block whose attention was not replaced; learned
positions left in; a text that is not short; spans left out.
"""

import numpy as np
import pytest
import torch

from lookback.multihead import MultiHeadAttention
from lookback.positions import LearnedPositions
from lookback.recipes.gpt import on_text
from lookback.rotary import AlibiAttention, RotaryAttention
from lookback.studies.modern import NoPositions
from lookback.studies.positions import SHORT, SPANS
from lookback.studies.rotary_deep import KINDS, STUDY, DeepLearner, recipe
from lookback.text.vocabulary import Vocabulary
from lookback.workshop import results

WORDS = {"words": Vocabulary.build([["a", "b", "c", "d"]])}
ATTENTION = {"rotary": RotaryAttention, "alibi": AlibiAttention}


@pytest.mark.parametrize("kind", KINDS)
def test_only_positions_are_replaced(kind):
    torch.manual_seed(0)
    network = DeepLearner(recipe(kind, 0)).untrained(WORDS)
    learned = kind == "learned"
    assert type(network.p) is (LearnedPositions if learned else NoPositions)
    for block in network.blocks:
        assert type(block.attention) is ATTENTION.get(kind, MultiHeadAttention)
        assert block.attention.W_Q.bias is not None
    ids = torch.tensor([[1, 4, 5, 6], [1, 5, 4, 6]])
    one, two = network(ids)[0]
    if kind == "none":  # two layers can tell the order; one could not
        assert len(network.blocks) == 2
    assert not torch.allclose(one[-1], two[-1])


def test_all_learn_as_the_gpt_does_on_short_sentences():
    old = on_text("grammar", 1)
    for kind in KINDS:
        new = recipe(kind, 1)
        assert new.data == SHORT and new.seed == 1
        assert (new.optimiser.rate, new.optimiser.name) == (
            old.optimiser.rate, old.optimiser.name
        )  # fmt: skip
        assert new.optimiser.warmup == new.budget.steps // 20
        assert new.model.d_model == old.model.d_model


def test_other_kinds_are_refused():
    with pytest.raises(ValueError, match="no kind of positions 'rope'"):
        recipe("rope", 0)


def test_relative_positions_carry_farther_than_a_table():
    study = results("rotary_deep")
    assert list(study.rows) == list(STUDY.cases)
    far = {
        kind: np.array([row["spans"] for row in study.seeds(kind)]) for kind in KINDS
    }
    assert all(rows.shape == (3, SPANS) for rows in far.values())
    assert far["alibi"][:, -1].max() < far["learned"][:, -1].min()
    assert far["rotary"][:, -1].max() < far["learned"][:, -1].min()

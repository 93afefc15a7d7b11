"""Models that know distances, past the trained length: networks, cases, floors.

Mutants that these tests kill: attention that was not replaced; the model of absolute
positions with sines; a text that is not short; spans left out.
"""

import numpy as np
import pytest
import torch

from lookback.rotary import AlibiAttention, RelativeAttention, RotaryAttention
from lookback.studies.positions import KINDS as ABSOLUTE
from lookback.studies.positions import SHORT
from lookback.studies.positions import recipe as absolute
from lookback.studies.rotary import (
    KINDS,
    REACH,
    STUDY,
    RelativeConfig,
    RelativeLearner,
    recipe,
)
from lookback.text.vocabulary import Vocabulary
from lookback.workshop import results

WORDS = {"words": Vocabulary.build([["a", "b", "c", "d"]])}


@pytest.mark.parametrize("kind", KINDS)
def test_only_attention_is_replaced(kind):
    torch.manual_seed(0)
    learner = RelativeLearner(recipe(kind, 0))
    network, ids = learner.untrained(WORDS), torch.tensor([[1, 4, 5, 6], [1, 5, 4, 6]])
    assert network.positions is None
    kinds = {
        "rotary": RotaryAttention, "alibi": AlibiAttention,
        "relative": RelativeAttention,
    }  # fmt: skip
    assert type(network.attention) is kinds[kind]
    logits = learner.logits(network, ids)
    assert logits.shape == (2, 4, len(WORDS["words"]))
    assert not torch.allclose(logits[0, -1], logits[1, -1])  # order matters
    other = ids.clone()
    other[:, 3] = 7
    torch.testing.assert_close(learner.logits(network, other)[:, :3], logits[:, :3])
    if kind == "relative":
        assert network.attention.reach == REACH


def test_all_learn_as_the_absolute_ones_do():
    old = absolute(ABSOLUTE[0], "short", 1)
    for kind in KINDS:
        new = recipe(kind, 1)
        assert (new.data, new.seed, new.optimiser, new.budget) == (
            SHORT, 1, old.optimiser, old.budget
        )  # fmt: skip
        assert (new.model.m, new.model.h) == (old.model.m, old.model.h)


def test_other_kinds_are_refused():
    with pytest.raises(ValueError, match="no kind of positions 'alib'"):
        RelativeConfig("alib", 8, 2)


def test_the_floors_are_reached():
    """ALiBi below 42 at positions 37 to 45, and below no positions, from every seed."""
    study, old = results("rotary"), results("positions")
    far = {
        kind: np.array([row["spans"][-1] for row in study.seeds(kind)])
        for kind in KINDS
    }
    none = [row["spans"][-1] for row in old.seeds("none, short")]
    assert all(len(seeds) == 3 for seeds in far.values())
    assert far["alibi"].max() < 42 and far["alibi"].max() < min(none)
    assert STUDY.check == "quick"

"""Positions in a GPT, past the trained length: only positions are replaced."""

import pytest
import torch

from lookback.multihead import MultiHeadAttention
from lookback.positions import LearnedPositions
from lookback.rotary import AlibiAttention, RelativeAttention, RotaryAttention
from lookback.studies.modern import NoPositions
from lookback.studies.rotary import KINDS, REACH, DeepLearner, recipe
from lookback.text.vocabulary import Vocabulary

WORDS = {"words": Vocabulary.build([["a", "b", "c", "d"]])}
ATTENTION = {
    "relative": RelativeAttention,
    "rotary": RotaryAttention,
    "alibi": AlibiAttention,
}


@pytest.mark.parametrize("kind", KINDS)
def test_only_positions_are_replaced(kind):
    torch.manual_seed(0)
    network = DeepLearner(recipe(kind, 0)).untrained(WORDS)
    assert type(network.p) is (LearnedPositions if kind == "learned" else NoPositions)
    for block in network.blocks:
        assert type(block.attention) is ATTENTION.get(kind, MultiHeadAttention)
        assert block.attention.W_Q.bias is not None
        if kind == "relative":
            assert block.attention.reach == REACH
    ids = torch.tensor([[1, 4, 5, 6], [1, 5, 4, 6]])
    one, two = network(ids)[0]
    assert not torch.allclose(one[-1], two[-1])  # of two layers, without positions too

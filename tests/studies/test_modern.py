"""One change at a time: each network differs from the GPT in its part, and no other."""

import pytest
import torch

from lookback.gpt import GELUNetwork
from lookback.grouped import GroupedQueryAttention
from lookback.layernorm import LayerNorm
from lookback.modern import RMSNorm, SwiGLU
from lookback.rotary import RotaryAttention
from lookback.studies.modern import CHANGES, ModernLearner, NoPositions, recipe
from lookback.text.vocabulary import Vocabulary

WORDS = {"words": Vocabulary.build([["a", "b", "c", "d"]])}
PARTS = {
    "rotary": ("p", NoPositions, "attention", RotaryAttention),
    "rmsnorm": ("norm", RMSNorm, "norm_attention", RMSNorm),
    "swiglu": (None, None, "feed_forward", SwiGLU),
    "grouped": (None, None, "attention", GroupedQueryAttention),
}


def network(kind):
    torch.manual_seed(0)
    return ModernLearner(recipe(kind, 0)).untrained(WORDS)


@pytest.mark.parametrize("kind", CHANGES)
def test_one_part_is_replaced_and_the_others_are_not(kind):
    model = network(kind)
    whole, whole_kind, part, part_kind = PARTS[kind]
    if whole:
        assert type(getattr(model, whole)) is whole_kind
    for block in model.blocks:
        assert type(getattr(block, part)) is part_kind
        norm = RMSNorm if kind == "rmsnorm" else LayerNorm
        assert type(block.norm_attention) is type(block.norm_feed_forward) is norm
        if kind != "swiglu":
            assert type(block.feed_forward) is GELUNetwork
        assert all(getattr(block.attention, f"W_{m}").bias is not None for m in "QKVO")
    assert (type(model.p) is NoPositions) == (kind == "rotary")
    assert (type(model.norm) is RMSNorm) == (kind == "rmsnorm")


@pytest.mark.parametrize("kind", [*CHANGES, "llama"])
def test_every_network_predicts_from_what_came_before(kind):
    model, ids = network(kind), torch.tensor([[1, 4, 5, 6, 7]])
    logits = model(ids)[0]
    other = ids.clone()
    other[:, 3:] = 4
    torch.testing.assert_close(model(other)[0][:, :3], logits[:, :3])
    past, parts = None, []
    for t in range(5):
        one, _, past = model(ids[:, t : t + 1], past)
        parts.append(one)
    torch.testing.assert_close(torch.cat(parts, 1), logits, rtol=1e-4, atol=1e-5)


@pytest.mark.parametrize("kind", [*CHANGES, "llama"])
def test_matrices_begin_as_those_of_the_gpt(kind):
    for name, p in network(kind).named_parameters():
        if p.dim() == 2 and p.numel() > 1000:
            expected = 0.025 if name.endswith(("W_O.weight", "W_2.weight")) else 0.05
            assert p.std().item() == pytest.approx(expected, rel=0.1), name

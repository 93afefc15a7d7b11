"""Positions in a GPT, past the trained length: networks and scores."""

import numpy as np
import pytest
import torch

from lookback.multihead import MultiHeadAttention
from lookback.positions import LearnedPositions
from lookback.recipes.gpt import on_text
from lookback.rotary import AlibiAttention, RelativeAttention, RotaryAttention
from lookback.studies.modern import NoPositions
from lookback.studies.positions import SHORT, SPAN, SPANS
from lookback.studies.rotary import (
    KINDS,
    REACH,
    STOP,
    STUDY,
    DeepLearner,
    recipe,
    scored,
)
from lookback.text.vocabulary import Vocabulary
from lookback.workshop import results

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
    learned = kind == "learned"
    assert type(network.p) is (LearnedPositions if learned else NoPositions)
    for block in network.blocks:
        assert type(block.attention) is ATTENTION.get(kind, MultiHeadAttention)
        assert block.attention.W_Q.bias is not None
        if kind == "relative":
            assert block.attention.reach == REACH
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


def test_one_layer_is_all_that_is_missing():
    assert recipe("rotary", 0, N=1).model.N == 1 and recipe("rotary", 0).model.N == 2


class Constant(DeepLearner):
    """Twice the odds for the word a in the first span, and for b in the others."""

    def logits(self, network, ids):
        logits = torch.zeros(*ids.shape, len(self.vocabularies["words"]))
        a, b, stop = self.vocabularies["words"].ids(["a", "b", STOP])
        logits[:, :SPAN, a] = logits[:, SPAN:, b] = np.log(2)
        logits[..., stop] = 5.0
        return logits


def test_words_are_scored_as_if_the_sentence_went_on():
    words = {"words": Vocabulary.build([["a", "b", STOP]])}
    torch.manual_seed(0)
    learner = Constant(recipe("none", 0))
    learner.untrained(words)
    learner.vocabularies, learner.network = words, torch.nn.Identity()
    V, length = len(words["words"]), SPAN * SPANS
    spans, end = scored(learner, [["a"] * length, ["a"] * (length - 1) + [STOP]])
    share = V - 2 + 1  # all but </s> and the full stop; one word counts twice
    assert spans == pytest.approx([share / 2] + [share] * (SPANS - 1), abs=1e-3)
    total = (V - 2) + 1 + 1 + np.exp(5)
    assert end == pytest.approx((1 + np.exp(5)) / total, abs=1e-4)


def test_distances_carry_farther_than_a_table():
    study = results("rotary")
    assert list(study.rows) == list(STUDY.cases)
    far = {
        kind: np.array([row["spans"] for row in study.seeds(kind)]) for kind in KINDS
    }
    assert all(rows.shape == (3, SPANS) for rows in far.values())
    for kind in ("relative", "rotary", "alibi"):
        assert far[kind][:, -1].max() < far["none"][:, -1].min()
    assert far["none"][:, -1].max() < far["learned"][:, -1].min()

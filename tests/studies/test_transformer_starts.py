"""Positions that begin elsewhere: what shifts, what is drawn, what is counted.

Mutants that these tests kill: positions drawn in evaluation, or not in training; one
draw for all batches; a shift that stays; words of the padding counted; a recipe that
differs in more than its positions.
"""

from dataclasses import replace

import torch

from lookback.positions import SinusoidalPositions, sinusoidal_positions
from lookback.studies.transformer_starts import (
    SHIFTS,
    STARTS,
    STUDY,
    FromAnywhere,
    Starts,
    StartsConfig,
    anywhere,
    shifted,
    short_sentences,
)
from lookback.transformer import Transformer, TransformerConfig
from lookback.workshop import recipe, results


def test_positions_begin_anywhere_in_training_and_at_0_otherwise() -> None:
    torch.manual_seed(0)
    positions = Starts(8, starts=5)
    firsts = set()
    for _ in range(60):
        rows = positions.train()(3)
        matching = [p for p in range(9) if torch.equal(
            rows, sinusoidal_positions(3, 8, first=p))]  # fmt: skip
        firsts.update(matching)
    assert firsts == {0, 1, 2, 3, 4}
    assert torch.equal(positions.eval()(3, 2), SinusoidalPositions(8)(3, 2))


def test_the_network_has_them() -> None:
    config = StartsConfig(N=1, d_model=8, h=2, d_ff=8, starts=7)
    model = FromAnywhere(config, 9, 9)
    assert isinstance(model.positions, Starts) and model.positions.starts == 7


def test_a_shift_adds_to_all_positions_and_ends() -> None:
    model = Transformer(TransformerConfig(N=1, d_model=8, h=2, d_ff=8), 9, 9).eval()
    before = model.positions
    with shifted(model, 4):
        assert torch.equal(model.positions(3, 1), before(3, 5))
    assert model.positions is before


def test_only_the_positions_differ() -> None:
    own, free = recipe("transformer"), anywhere(0)
    assert free.model.starts == STARTS
    for name in ("N", "d_model", "h", "d_ff", "smoothing"):
        assert getattr(free.model, name) == getattr(own.model, name)
    assert replace(free, learner=own.learner, model=own.model) == own
    assert anywhere(1, steps=3).budget.steps == 3


def test_short_sentences() -> None:
    some = short_sentences()
    assert len(some) == 200 and all(5 <= len(pair.source) <= 10 for pair in some)


def test_who_began_at_0_is_harmed_and_who_began_anywhere_is_not() -> None:
    stored = results("transformer_starts")
    assert [*stored.rows] == [*STUDY.cases]
    at = SHIFTS.index(10)
    for label, row in stored.rows.items():
        assert (row["shifts"][at] < 60) == (label == "from 0")
    own, free = stored["from 0"], stored["from anywhere, seed 0"]
    assert all(free["lengths"][k]["bleu"] < own["lengths"][k]["bleu"] for k in range(7))

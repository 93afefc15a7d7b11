"""A model that learns short sentences: its places, what is asked of it, its spans.

Mutants that these tests kill: places left out or twice in; no causal mask; the last
place repeated one too early or too late; spans of another length, or over sentences
instead of places; short sentences asked for; a text that is not short.
"""

import math

import numpy as np
import pytest
import torch
from lookback.workshop.makers import maker_of
from lookback.workshop.placing import (
    KINDS,
    READ,
    SPAN,
    SPANS,
    TABLE,
    Placed,
    PlacedConfig,
    long_sentences,
    recipe,
    repeat,
    spans,
)
from lookback.workshop.studies import STUDIES

from lookback.positions import LearnedPositions, SinusoidalPositions
from lookback.text.vocabulary import Vocabulary
from lookback.workshop import placing
from lookback.workshop.data import corpus, english, longest

M, H, V, B, T = 6, 2, 11, 2, 5
WORDS = {"words": Vocabulary.build([["a", "b", "c", "d"]])}


def made(kind, seed=0):
    torch.manual_seed(seed)
    return Placed(PlacedConfig(kind, M, H), V)


def some_ids():
    return torch.randint(V, (B, T), generator=torch.Generator().manual_seed(2))


# --- the model -----------------------------------------------------------------------


@pytest.mark.parametrize("kind", KINDS)
def test_it_predicts_from_what_came_before(kind):
    model, ids = made(kind), some_ids()
    logits = model(ids)
    assert logits.shape == (B, T, V)
    other = ids.clone()
    other[:, 3:] = (ids[:, 3:] + 1) % V
    torch.testing.assert_close(model(other)[:, :3], logits[:, :3])
    assert not torch.isclose(model(other)[:, 3], logits[:, 3]).all()


def test_without_places_the_past_is_a_bag_and_with_them_it_is_not():
    ids = torch.tensor([[4, 5, 6, 7, 8], [6, 4, 7, 5, 8]])
    for kind in KINDS:
        one, two = made(kind)(ids)[:, -1]
        assert torch.allclose(one, two, atol=1e-5) == (kind == "none")


def test_its_places_are_those_of_the_chapter():
    ids = some_ids()
    for kind, places in (
        ("sinusoidal", SinusoidalPositions(M)),
        ("learned", LearnedPositions(TABLE, M)),
    ):
        model = made(kind)
        assert type(model.positions) is type(places)
        places.load_state_dict(model.positions.state_dict())
        x = model.e(ids) + places(T)
        z, _ = model.look(x, x, x, torch.ones(T, T).tril().bool())
        torch.testing.assert_close(model(ids), model.A(z))
    assert made("none").positions is None


def test_other_kinds_and_texts_are_refused():
    with pytest.raises(ValueError, match="sinusoid"):
        PlacedConfig("sinusoid", M, H)
    with pytest.raises(ValueError, match="long"):
        recipe("none", "long", 0)


def test_its_maker_asks_for_the_logits():
    asked = recipe("learned", "short", 0)
    maker = maker_of(asked)
    torch.manual_seed(0)
    model, ids = maker.module(asked.model, WORDS), torch.tensor([[1, 4, 5]])
    assert torch.equal(maker.logits(model, ids), model(ids))


# --- what it is asked ----------------------------------------------------------------


def test_short_is_short_and_asked_is_long():
    assert longest(corpus(placing.SHORT)) == placing.LONGEST == 18
    asked = long_sentences(30)
    assert len(asked) == 30
    assert min(map(len, asked)) >= SPAN * SPANS
    assert long_sentences(30) == asked
    assert recipe("none", "short", 0).data == placing.SHORT
    everything = corpus(recipe("none", "all", 0).data)
    assert longest(everything) > 60
    known = {*english(everything, "train")}
    assert not known & {*asked}


def test_spans_are_perplexities_of_places_over_all_sentences():
    one = np.repeat(-np.log([2.0, 3, 4, 5, 6]), SPAN)
    two = np.repeat(-np.log([8.0, 3, 4, 5, 6]), SPAN)
    longer = np.concatenate([two, [-99.0, -99]])  # what stands behind is not counted
    assert spans([one, longer]) == [4, 3, 4, 5, 6]
    uneven = one.copy()
    uneven[0] = -math.log(2 * 2.0**9)  # one place of a span of nine
    assert spans([uneven])[0] == pytest.approx(4, abs=1e-3)


def test_the_last_that_was_learnt_stands_for_all_behind_it():
    table = torch.arange(12.0).view(6, 2).requires_grad_()
    repeat(table, 4)
    expected = [[0, 1], [2, 3], [4, 5], [6, 7], [6, 7], [6, 7]]
    assert table.tolist() == expected


def test_cases_differ_in_what_is_compared_alone():
    cases = STUDIES["places"].cases
    for read in READ:
        asked = [c for label, c in cases.items() if f"{read}, seed 1" in label]
        assert len({(c.data, c.seed, c.optimiser, c.budget) for c in asked}) == 1
        assert {c.model.positions for c in asked} == {*KINDS}
    texts = {c.data for label, c in cases.items() if label.startswith("none")}
    assert len(texts) == 2

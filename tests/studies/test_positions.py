"""A model that learns short sentences: its positions, the long sentences, the spans."""

import math

import numpy as np
import pytest
import torch

from lookback.positions import LearnedPositions, SinusoidalPositions
from lookback.studies import positions
from lookback.studies.positions import (
    KINDS,
    LONGEST,
    SHORT,
    SPAN,
    SPANS,
    TABLE,
    OneLayer,
    PositionsConfig,
    PositionsLearner,
    long_sentences,
    measured,
    recipe,
    repeat,
    spans,
)
from lookback.text.vocabulary import Vocabulary
from lookback.workshop import corpus, english
from lookback.workshop.data import longest

M, H, V, B, T = 6, 2, 11, 2, 5
WORDS = {"words": Vocabulary.build([["a", "b", "c", "d"]])}


def network(kind):
    torch.manual_seed(0)
    return OneLayer(PositionsConfig(kind, M, H), V)


def some_ids():
    return torch.randint(V, (B, T), generator=torch.Generator().manual_seed(2))


# --- the model -----------------------------------------------------------------------


@pytest.mark.parametrize("kind", KINDS)
def test_it_predicts_from_what_came_before(kind):
    model, ids = network(kind), some_ids()
    logits = model(ids)
    assert logits.shape == (B, T, V)
    other = ids.clone()
    other[:, 3:] = (ids[:, 3:] + 1) % V
    torch.testing.assert_close(model(other)[:, :3], logits[:, :3])
    assert not torch.isclose(model(other)[:, 3], logits[:, 3]).all()


def test_without_positions_the_past_is_a_bag_and_with_them_it_is_not():
    ids = torch.tensor([[4, 5, 6, 7, 8], [6, 4, 7, 5, 8]])
    for kind in KINDS:
        one, two = network(kind)(ids)[:, -1]
        assert torch.allclose(one, two, atol=1e-5) == (kind == "none")


def test_its_positions_are_those_of_the_chapter():
    ids = some_ids()
    for kind, expected in (
        ("sinusoidal", SinusoidalPositions(M)),
        ("learned", LearnedPositions(TABLE, M)),
    ):
        model = network(kind)
        assert type(model.positions) is type(expected)
        expected.load_state_dict(model.positions.state_dict())
        x = model.e(ids) + expected(T)
        z, _ = model.attention(x, x, x, torch.ones(T, T).tril().bool())
        torch.testing.assert_close(model(ids), model.A(z))
    assert network("none").positions is None


def test_other_kinds_and_texts_are_refused():
    with pytest.raises(ValueError, match="no kind of positions 'sinusoid'"):
        PositionsConfig("sinusoid", M, H)
    with pytest.raises(ValueError, match="no text 'long'"):
        recipe("none", "long", 0)


def test_its_learner_predicts_with_the_logits():
    learner = PositionsLearner(recipe("learned", "short", 0))
    model, ids = learner.untrained(WORDS), torch.tensor([[1, 4, 5]])
    assert model(ids).shape == (1, 3, len(WORDS["words"]))
    assert torch.equal(learner.logits(model, ids), model(ids))


# --- what is measured ----------------------------------------------------------------


def test_short_is_short_and_what_is_predicted_is_long():
    assert longest(corpus(SHORT)) == LONGEST == 18
    long = long_sentences(30)
    assert len(long) == 30
    assert min(map(len, long)) >= SPAN * SPANS
    assert long_sentences(30) == long
    assert recipe("none", "short", 0).data == SHORT
    everything = corpus(recipe("none", "all", 0).data)
    assert longest(everything) > 60
    known = {*english(everything, "train")}
    assert not known & {*long}


def test_spans_are_perplexities_of_positions_over_all_sentences():
    one = np.repeat(-np.log([2.0, 3, 4, 5, 6]), SPAN)
    two = np.repeat(-np.log([8.0, 3, 4, 5, 6]), SPAN)
    longer = np.concatenate([two, [-99.0, -99]])  # what follows is not counted
    assert spans([one, longer]) == [4, 3, 4, 5, 6]
    uneven = one.copy()
    uneven[0] = -math.log(2 * 2.0**9)  # one position of a span of nine
    assert spans([uneven])[0] == pytest.approx(4, abs=1e-3)


def test_the_last_that_was_trained_stands_for_all_that_follow():
    table = torch.arange(12.0).view(6, 2).requires_grad_()
    repeat(table, 4)
    expected = [[0, 1], [2, 3], [4, 5], [6, 7], [6, 7], [6, 7]]
    assert table.tolist() == expected


@pytest.mark.parametrize("kind", KINDS)
def test_only_a_learned_table_is_measured_twice(kind, monkeypatch):
    """Second with the position of the last word of the longest sentence repeated."""
    case, tables = recipe(kind, "short", 1), []
    long = [["a", "b", "c"] * 15] * 2

    def follow(recipe):
        learner = PositionsLearner(recipe)
        learner.vocabularies, learner.network = WORDS, network(kind)
        return learner

    def noted(log_p):
        return [float(np.concatenate(log_p).sum())]

    monkeypatch.setattr(positions, "follow", follow)
    monkeypatch.setattr(positions, "corpus", lambda data: None)
    monkeypatch.setattr(positions, "outline", lambda learner, text: {"o": 1})
    monkeypatch.setattr(positions, "long_sentences", lambda: long)
    monkeypatch.setattr(positions, "longest", lambda text: 4)
    monkeypatch.setattr(positions, "spans", noted)
    real = positions.repeat
    monkeypatch.setattr(
        positions, "repeat",
        lambda table, trained: tables.append(trained) or real(table, trained),
    )  # fmt: skip
    row = measured(case)
    assert tables == ([5] if kind == "learned" else [])  # <s> and four words
    assert row.keys() == {"o", "spans"} | ({"repeated"} if tables else set())
    assert row.get("repeated") != row["spans"]

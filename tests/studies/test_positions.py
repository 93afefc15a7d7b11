"""A model that learns short sentences: its positions, the long sentences, the spans."""

import math

import pytest
import torch

from lookback.positions import LearnedPositions, SinusoidalPositions
from lookback.studies.positions import (
    KINDS,
    LONGEST,
    SHORT,
    SPAN,
    SPANS,
    STOPS,
    TABLE,
    OneLayer,
    PositionsConfig,
    PositionsLearner,
    by_span,
    going_on,
    long_sentences,
    perplexities,
    recipe,
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
    one = -torch.tensor([2.0, 3, 4, 5, 6]).log().repeat_interleave(SPAN)
    two = -torch.tensor([8.0, 3, 4, 5, 6]).log().repeat_interleave(SPAN)
    both, kept = torch.stack([one, two]), torch.ones(2, SPAN * SPANS).bool()
    assert perplexities(both, kept) == pytest.approx([4, 3, 4, 5, 6])
    both[0, 0] = -math.log(2 * 4.0**18)  # one position of two spans of nine
    assert perplexities(both, kept)[0] == pytest.approx(16)
    kept[0, 0] = False
    assert by_span(both, kept)[0] == pytest.approx(-(8 * 1 + 9 * 3) / 17 * math.log(2))


class Constant(PositionsLearner):
    """Twice the odds for the word a in the first span, and for b in the others."""

    def logits(self, network, ids):
        logits = torch.zeros(*ids.shape, len(self.vocabularies["words"]))
        a, b, stop = self.vocabularies["words"].ids(["a", "b", *STOPS])
        logits[:, :SPAN, a] = logits[:, SPAN:, b] = math.log(2)
        logits[..., stop] = 5.0
        return logits


def test_words_are_scored_as_if_the_sentence_went_on():
    words = {"words": Vocabulary.build([["a", "b", *STOPS]])}
    learner = Constant(recipe("none", "short", 0))
    learner.vocabularies, learner.network = words, torch.nn.Identity()
    V, length = len(words["words"]), SPAN * SPANS
    whole, stopped = ["a"] * length, ["a"] * (length - 1) + [*STOPS]
    log_p, stops, scored = going_on(learner, [whole, stopped])
    assert scored.sum() == 2 * length - 1
    share = V - 2 + 1  # all but </s> and the full stop; one word counts twice
    expected = [share / 2] + [share] * (SPANS - 1)
    assert perplexities(log_p, scored) == pytest.approx(expected)
    odds = 1 + math.exp(5)
    assert stops == pytest.approx(odds / (share + odds))

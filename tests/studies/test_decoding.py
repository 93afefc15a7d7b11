"""The study of beams: what it counts."""

import pytest
import torch

from lookback.decoding import beam_search, length_penalty, per_word
from lookback.studies.decoding import (
    Counting,
    hypotheses,
    penalty_of,
    scores,
)
from lookback.text.corpora import grammar
from lookback.workshop import padded, pretrained
from lookback.workshop.translation import longest_translation


@pytest.fixture(scope="module")
def read() -> tuple:
    """Two dozen pairs of all lengths, none of them from train."""
    test = sorted(grammar(pairs=2000, seed=5).test, key=lambda p: len(p.source))
    return tuple(test[::10])


def test_calls_and_rows_are_counted() -> None:
    class Ends:
        def eval(self):
            return self

        def start(self, source, mask):
            return torch.zeros(len(source))

        def step(self, token, state):
            logits = torch.zeros(len(token), 6)
            logits[:, 1 if state[0] < 2 else 0] = 9.0
            return logits, state + 1

    model = Counting(Ends())
    ids = torch.ones(5, 2, dtype=torch.long)
    beam_search(model, ids, ids.bool(), begin=2, end=0, longest=9, size=1)
    assert (model.calls, model.rows) == (3, 15)


def test_each_source_has_its_best_hypothesis(read) -> None:
    learner = pretrained("encdec")
    model, (source, target) = learner.network, learner.sides
    for size, penalty, what in ((1, "none", None), (3, "per word", per_word)):
        sources = [p.source for p in read]
        best = hypotheses(Counting(model), learner, sources, size, penalty)
        assert len(best) == len(read)
        for pair, ours in list(zip(read, best, strict=True))[::5]:
            ((_, ids, mask),) = padded([pair.source], source)
            ((alone,),) = beam_search(
                model, ids, mask, begin=target.start, end=target.end,
                longest=longest_translation(len(pair.source)), size=size, penalty=what,
            )  # fmt: skip
            assert alone.ids == ours.ids
            assert alone.score == pytest.approx(ours.score, rel=1e-4)


def test_a_penalty_has_a_name() -> None:
    assert penalty_of("per word") is per_word
    assert [penalty_of("none")(n) for n in (1, 50)] == [1, 1]
    assert penalty_of("0.8")(9) == length_penalty(0.8)(9)


def test_one_that_was_cut_is_counted(read) -> None:
    learner = pretrained("encdec")
    best = hypotheses(
        Counting(learner.network), learner, [p.source for p in read], 1, "none"
    )
    ended = [h._replace(ended=True) for h in best]
    assert (
        scores([best[0]._replace(ended=False), *ended[1:]], learner, read)["cut"] == 1
    )
    row = scores(ended, learner, read)
    assert row["cut"] == 0
    ends = [(1, 10), (11, 20), (21, 40), (41, 70)]
    counts = [sum(low <= len(p.source) <= high for p in read) for low, high in ends]
    assert [some[:3] for some in row["by length"]] == [
        [*ends[k], n] for k, n in enumerate(counts) if n
    ]

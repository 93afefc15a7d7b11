"""The study of beams: what it counts, and that it compares the same sentences."""

from dataclasses import replace

import pytest
import torch

from lookback.decoding import beam_search, length_penalty, per_word
from lookback.measure import bleu
from lookback.studies import decoding
from lookback.studies.decoding import (
    HERE,
    NARROW,
    Against,
    Counting,
    Search,
    hypotheses,
    measured,
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


@pytest.fixture
def few(read, monkeypatch: pytest.MonkeyPatch) -> tuple:
    """The study's test set, as long as the test runs."""
    monkeypatch.setattr(decoding, "corpus", lambda data: None)
    monkeypatch.setattr(decoding, "pairs", lambda text, split: read)
    monkeypatch.setattr(decoding, "SAMPLES", 20)
    return read


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


def test_the_row_of_a_search(few) -> None:
    row = measured(Search(HERE, "test", 2, "none"))
    learner = pretrained("encdec")
    model = Counting(learner.network)
    best = hypotheses(model, learner, [p.source for p in few], 2, "none")
    written = [learner.sides[1].words(h.ids) for h in best]
    wanted = [[*p.target] for p in few]
    score = bleu(hypotheses=written, references=wanted).score
    assert row["BLEU"] == pytest.approx(score, abs=1e-3)
    assert row["low"] <= row["BLEU"] <= row["high"]
    assert row["ratio"] == pytest.approx(
        sum(map(len, written)) / sum(map(len, wanted)), abs=1e-4
    )
    assert row["ln P"] == pytest.approx(
        sum(h.log_p for h in best) / len(best), abs=1e-3
    )
    assert (row["calls"], row["rows"]) == (model.calls, model.rows)
    ends = [(1, 10), (11, 20), (21, 40), (41, 70)]
    counts = [sum(low <= len(p.source) <= high for p in few) for low, high in ends]
    assert [row[:3] for row in row["by length"]] == [
        [*ends[k], n] for k, n in enumerate(counts) if n
    ]
    shortest = [k for k, p in enumerate(few) if len(p.source) <= 10]
    first = bleu(
        hypotheses=[written[k] for k in shortest],
        references=[wanted[k] for k in shortest],
    ).score
    assert row["by length"][0][3] == pytest.approx(first, abs=1e-3)
    cut = replace_end(best)
    assert scores(cut, learner, few)["cut"] == 1


def replace_end(best: list) -> list:
    return [best[0]._replace(ended=False), *[h._replace(ended=True) for h in best[1:]]]


def test_a_search_beside_itself_and_beside_a_better_one(few) -> None:
    same = measured(Against(NARROW, NARROW))
    assert same == {"difference": 0, "low": 0, "high": 0}
    other = replace(NARROW, size=1)
    found = measured(Against(NARROW, other))
    one, two = measured(NARROW), measured(other)
    assert found["difference"] == pytest.approx(one["BLEU"] - two["BLEU"], abs=1e-3)
    assert found["low"] <= found["difference"] <= found["high"]

"""The studies of memory: what is asked, what is counted, what is measured."""

from collections import Counter
from dataclasses import replace

import numpy as np
import pytest
import torch

from lookback.measure import wilson_interval
from lookback.recurrent import LSTMCell, RecurrentConfig, RecurrentLM, remembered
from lookback.text.corpora import Lengths, grammar
from lookback.text.vocabulary import Vocabulary
from lookback.workshop import memory
from lookback.workshop.agreement import Agreement, minimal_pairs
from lookback.workshop.language_models import ENTRIES, lines
from lookback.workshop.memory import (
    LAGS,
    Recall,
    accuracies,
    accuracy,
    fading,
    gradients,
    recall,
    recalled,
    signs,
)
from lookback.workshop.studies import STUDIES, Results, results


def asked(distance: int, attractors: int) -> Agreement:
    return Agreement(("the", "king"), "is", "are", distance, attractors)


def test_answers_are_counted_by_distance_and_attractors() -> None:
    questions = [asked(1, 0), asked(1, 0), asked(3, 2), asked(12, 1), asked(7, 1)]
    row = accuracy(questions, [0.1, 0.0, 3.0, -2.0, 1e-9])
    assert row == {
        "distance": [1, 2, 3, 4, 5, 6, 7],
        "all asked": [2, 0, 1, 0, 0, 0, 2],
        "all right": [1.5, 0, 1, 0, 0, 0, 1],
        "attracted asked": [0, 0, 1, 0, 0, 0, 2],
        "attracted right": [0, 0, 1, 0, 0, 0, 1],
    }


def test_accuracies_are_means_over_seeds_with_an_interval_that_holds_them() -> None:
    def row(*right: int) -> dict[str, list[int]]:
        return {"all asked": [100, 50, 0], "all right": [*right, 0]}

    rows = {"A, seed 0": row(90, 10), "A, seed 1": row(96, 50), "B": row(5, 5)}
    found = Results("memory", rows, {})
    mean, low, high = accuracies(found, "A", "all")
    assert mean[:2] == pytest.approx([0.93, 0.6])
    assert np.isnan([mean[2], low[2], high[2]]).all()
    assert low[0] == pytest.approx(wilson_interval(np.array(0.93), np.array(100))[0])
    assert (low[1], high[1]) == (0.2, 1.0)
    with pytest.raises(ValueError, match="memory has no system 'C'"):
        accuracies(found, "C", "all")


def test_gradients_and_answers_are_gathered_over_seeds() -> None:
    rows = {
        "A, seed 0": {"last h": [0, -2.0], "step": [0, 50], "right": [0.0, 0.5]},
        "A, seed 1": {"last h": [0, -4.0], "step": [0, 50], "right": [0.2, 1.0]},
        "A, b, seed 0": {"last h": [9.0, 9.0], "step": [0, 50], "right": [9, 9]},
    }
    found = Results("memory", rows, {})
    mean, low, high = gradients(found, "A", "h", "last")
    assert mean == pytest.approx([1, 1e-3])
    assert (low[1], high[1]) == pytest.approx((1e-4, 1e-2))
    assert recalled(found, "A") == pytest.approx({0: 0.1, 50: 0.75})
    with pytest.raises(ValueError, match="memory has no system 'B'"):
        recalled(found, "B")


def test_what_fades_is_what_the_cell_remembers() -> None:
    words = Vocabulary.build([["a", "b", "c"]])
    with torch.random.fork_rng():
        torch.manual_seed(0)
        model = RecurrentLM(RecurrentConfig("lstm", m=3, n=4), len(words))
    sentences = [("a", "b", "c", "a") * 10, ("b", "c") * 30]
    assert all(len(s) >= LAGS for s in sentences)
    before = {k: v.clone() for k, v in model.state_dict().items()}
    found = fading(model, {"words": words}, sentences)
    assert found.keys() == {"h", "c"}
    model = model.double()
    for part, name in enumerate("hc"):
        norms = []
        for sentence in sentences:
            ids = torch.tensor([words.start, *words.ids(sentence[:LAGS])])
            x = model.C(ids).detach()
            norms.append(remembered(model.cell, x, part=part).flip(0).log10())
        expected = torch.stack(norms).mean(dim=0)
        assert len(found[name]) == LAGS + 1
        assert found[name] == pytest.approx(expected.tolist(), abs=1e-4)
        assert found[name][0] == 0
    assert all(
        torch.equal(before[k].double(), v) for k, v in model.state_dict().items()
    )
    assert fading(
        RecurrentLM(RecurrentConfig("gru", m=3, n=4), len(words)),
        {"words": words},
        sentences,
    ).keys() == {"h"}


TASK = Recall("lstm", 1.0, seed=0, length=4, kinds=3, n=8, steps=150, rate=0.03)


def test_the_task_shows_a_sign_and_then_noise() -> None:
    ids = signs(TASK, 200, torch.Generator().manual_seed(1))
    assert ids.shape == (200, 4)
    assert set(ids[:, 0].tolist()) == {0, 1, 2}
    assert set(ids[:, 1:].flatten().tolist()) == {3, 4, 5}


def test_a_short_task_is_learnt_and_repeats_itself() -> None:
    found = recall(TASK)
    assert found["step"] == [0, 50, 100, 150]
    assert found["right"][0] < 0.6
    assert found["right"][-1] > 0.95
    assert recall(TASK) == found
    assert recall(replace(TASK, seed=1)) != found


def test_the_forget_bias_reaches_the_cell() -> None:
    by_bias = []
    for bias in (0.0, 3.0):
        cell = memory._of_task(replace(TASK, forget_bias=bias)).cell
        assert isinstance(cell, LSTMCell)
        by_bias.append(cell.b.detach().view(4, 8))
    apart = by_bias[1] - by_bias[0]
    assert torch.allclose(apart[1], torch.full((8,), 3.0), atol=1e-6)
    assert not apart[[0, 2, 3]].any()
    assert memory._of_task(replace(TASK, cell="gru")).cell.n == 8


def test_the_studies_ask_each_system_three_times() -> None:
    for name, systems in (("memory", 4), ("forget_bias", 6)):
        cases = STUDIES[name].cases
        seeds = [label for label in cases if label.endswith((", seed 1", ", seed 2"))]
        assert len(seeds) == 2 * systems
        assert STUDIES[name].check in {None, *cases}


def test_the_probe_is_new_few_of_a_kind_and_of_known_words(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    drawn = grammar(900, seed=1, lengths=Lengths(uniform=1, low=12, high=20))
    seen, others = [p.source for p in drawn.train], [*drawn.validation, *drawn.test]
    monkeypatch.setattr(memory, "corpus", lambda data: None)
    monkeypatch.setattr(memory, "english", lambda corpus, split: seen)
    found = memory.probe(pairs=900, most=7)
    new = [one for both in minimal_pairs(others) for one in both]
    assert 20 < len(found) < len(new)
    assert {*found} < {*new}
    assert [a.right for a in found[::2]] == [a.wrong for a in found[1::2]]
    places = [min(a.distance, memory.FARTHEST) for a in found]
    assert max(map(places.count, places)) == 2 * 7
    times = Counter(word for sentence in seen for word in sentence)
    assert all(times[w] > 1 for a in found for w in (*a.before, a.right, a.wrong))
    seen[:] = [s for s in seen if "sleeps" not in s]
    again = memory.probe(pairs=900, most=8)
    assert again
    assert not any("sleeps" in (a.right, a.wrong) for a in again)


def test_what_the_chapter_says_of_the_studies() -> None:
    """Sentences of docs/recurrent.md that stand there without a number of their own."""
    forget, found = results("forget_bias"), results("memory")
    ends = {label: row["right"][-1] for label, row in forget.rows.items()}
    small = tuple(f"LSTM, forget bias {bias}" for bias in range(3))
    low = [v for k, v in ends.items() if k.startswith(small)]
    assert len(low) == 9
    assert max(low) < 0.15
    three = [v for k, v in ends.items() if k.startswith("LSTM, forget bias 3")]
    assert sorted(v == 1 for v in three) == [False, True, True]
    assert all(v == 1 for k, v in ends.items() if k.startswith("GRU"))
    for system in ("LSTM", "GRU"):
        mean = accuracies(found, system, "all")[0]
        assert (mean[4:] > 0.54).all()
        assert (accuracies(found, system, "attracted")[0][3:] < 0.5).all()
    assert (accuracies(found, "RNN", "all")[0][4:] < 0.52).all()
    assert (accuracies(found, "NPLM", "all")[0][4:] == 0.5).all()
    left = {
        (system, part, when): gradients(found, system, part, when)[0][LAGS]
        for system, part in (("RNN", "h"), ("GRU", "h"), ("LSTM", "c"))
        for when in ("first", "last")
    }
    assert left["RNN", "h", "first"] < 1e-9 < 1e-3 < left["LSTM", "c", "first"]
    assert left["RNN", "h", "last"] < 1e-4 < left["LSTM", "c", "first"]
    assert min(left["GRU", "h", "last"], left["LSTM", "c", "last"]) > 0.05
    score = {(n.system, n.text): n.test for n in lines("recurrent")}
    for system in ("RNN", "LSTM", "GRU"):
        assert score[system, "grammar"] < score["NPLM", "grammar"]
        counted = score["5-grams, Kneser–Ney", "python_reference"]
        assert score[system, "python_reference"] > counted
    mixture = "NPLM and trigrams, mixed"
    assert score["GRU", "multi30k"] < score[mixture, "multi30k"]
    asked = ENTRIES["GRU on wikitext2, seed 0"].recipes[0].budget
    assert asked.steps * asked.tokens < 2_051_910  # the words of train

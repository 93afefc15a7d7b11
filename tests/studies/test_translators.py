"""The running table of translators: what is entered, measured, grouped and shown.

Mutants that these tests kill: a chapter out of its order, chapters cut one too early,
the spread of a population, an AER of those that do not look, lows for highs, seeds
mixed up or not set, a curve of single steps or of sums, sentences of training among the
fresh.
"""

import numpy as np
import pytest
from lookback.workshop.recipes import Budget, Ibm1Config, Recipe
from lookback.workshop.studies import Results
from lookback.workshop.translators import (
    BINS,
    CHAPTERS,
    EACH,
    PAIRS,
    SHORT,
    Entry,
    by_length,
    curve,
    enter,
    fresh,
    lengths,
    lines,
    measured,
    rows,
    table,
)

from lookback.ibm1 import IBMModel1
from lookback.measure import bleu
from lookback.workshop import translators
from lookback.workshop.log import Entry as Step
from lookback.workshop.log import Log

RECIPE = Recipe(PAIRS, 7, Ibm1Config(), None, Budget(1))


def measurement(bleu: float, aer: float | None) -> dict[str, object]:
    found: dict[str, object] = {
        "parameters": 1234567, "seconds": 10 * bleu, "test BLEU": bleu,
        "lengths": [{"bleu": bleu - k, "low": bleu - k - 1, "high": bleu - k + 2}
                    for k in range(len(BINS))],
    }  # fmt: skip
    return found if aer is None else {**found, "test AER": aer}


@pytest.fixture
def filled(monkeypatch: pytest.MonkeyPatch) -> None:
    """Two systems, the later chapter's entered first; one of them has three seeds."""
    monkeypatch.setattr(translators, "ENTRIES", {})
    enter("bahdanau", "looks", RECIPE, seeds=(0, 1, 2))
    enter("encdec", "holds", RECIPE, seeds=(0,))
    found = {
        "looks, seed 0": measurement(20.0, 0.1),
        "looks, seed 1": measurement(40.0, 0.2),
        "looks, seed 2": measurement(60.0, 0.6),
        "holds, seed 0": measurement(10.0, None),
    }
    given = Results("translators", found, {})
    monkeypatch.setattr(translators, "results", lambda name: given)


def test_a_system_is_entered_once_for_each_seed(filled: None) -> None:
    assert list(translators.ENTRIES)[:2] == ["looks, seed 0", "looks, seed 1"]
    assert [e.recipe.seed for e in translators.ENTRIES.values()] == [0, 1, 2, 0]
    with pytest.raises(ValueError, match="there is no chapter with a translator 'gpt'"):
        enter("gpt", "later", RECIPE, seeds=(0,))
    with pytest.raises(ValueError, match="later needs a seed to be trained from"):
        enter("luong", "later", RECIPE, seeds=())


def test_lines_are_means_in_the_order_of_history(filled: None) -> None:
    holds, looks = lines()
    assert (holds.chapter, holds.system, holds.seeds) == ("encdec", "holds", 1)
    assert (holds.bleu, holds.spread, holds.aer) == (10.0, 0.0, None)
    assert (looks.seeds, looks.parameters, looks.seconds) == (3, 1234567, 400.0)
    assert looks.bleu == 40.0
    assert looks.spread == pytest.approx(20.0)  # of a sample: 800 / 2
    assert looks.aer == pytest.approx(0.3)


def test_a_chapter_sees_what_came_before_it(filled: None) -> None:
    assert [line.system for line in lines(until="seq2seq")] == ["holds"]
    assert len(lines(until="bahdanau")) == len(lines(until="luong")) == 2
    with pytest.raises(ValueError, match="there is no chapter with a translator 'x'"):
        lines(until="x")


def test_the_table_says_a_spread_where_there_is_one(filled: None) -> None:
    header, told = table()
    assert header == ["system", "parameters", "training, s", "test BLEU", "AER"]
    assert told == [
        ["holds", "1,234,567", "100", "10.0", ""],
        ["looks", "1,234,567", "400", "40.0 ± 20.0", "0.300"],
    ]


def test_lengths_keep_the_seeds_apart(filled: None) -> None:
    assert len(rows("looks")) == 3
    found = lengths("looks")
    assert [(f.low, f.high) for f in found] == list(BINS)
    assert found[2].scores == (18.0, 38.0, 58.0)
    assert found[2].lows == (17.0, 37.0, 57.0)
    assert found[2].highs == (20.0, 40.0, 60.0)
    with pytest.raises(ValueError, match="there is no translator 'look'"):
        rows("look")


def test_fresh_sentences_are_new_and_of_their_length() -> None:
    met = {p.source for data in (PAIRS, SHORT) for p in translators._all(data)}
    assert len(fresh()) == len(BINS) == 7
    for (low, high), pairs in zip(BINS, fresh(), strict=True):
        assert len(pairs) == EACH
        assert all(low <= len(pair.source) <= high for pair in pairs)
        assert not met & {pair.source for pair in pairs}


def test_every_translator_may_be_asked_sentences_it_learnt_nothing_from() -> None:
    lengths_of = {len(p.source) for p in translators._all(SHORT)}
    assert max(lengths_of) == 18
    assert max(len(p.source) for p in translators._all(PAIRS)) > 60


class Copies:
    """A maker whose translations are the sources, and then the right first half."""

    def decode(self, model: object, vocabularies: object, sources: list) -> list:
        del model, vocabularies
        right = {p.source: p.target for pairs in fresh() for p in pairs}
        return [list(right[s][: len(right[s]) // 2 + 1]) for s in sources]


class Nothing:
    model = vocabularies = None


def test_scores_by_length_are_those_of_the_sentences_of_a_bin() -> None:
    found = by_length(Copies(), Nothing())  # type: ignore[arg-type]
    assert [(row["from"], row["to"]) for row in found] == list(BINS)
    for row, pairs in zip(found, fresh(), strict=True):
        halves = [list(p.target[: len(p.target) // 2 + 1]) for p in pairs]
        whole = [list(p.target) for p in pairs]
        score = bleu(hypotheses=halves, references=whole).score
        assert row["bleu"] == pytest.approx(score, abs=1e-3)
        assert row["low"] < row["bleu"] < row["high"]
        assert row["sentences"] == EACH


def test_a_curve_is_the_means_of_neighbouring_steps() -> None:
    steps = [Step(k, 1, float(k), 1, 0.1, 1.0, 0.0) for k in range(1, 101)]
    found = curve(Log(steps))
    assert len(found) == 34 and translators.POINTS == 40  # three steps a point
    assert found[0] == [3, 2.0] and found[1] == [6, 5.0]
    assert found[-1] == [100, 100.0]
    assert curve(None) == [] == curve(Log())
    assert curve(Log(steps[:5])) == [[k, float(k)] for k in range(1, 6)]


def test_what_makes_no_translator_is_refused(monkeypatch: pytest.MonkeyPatch) -> None:
    class Made:
        model, vocabularies, log = IBMModel1(), {}, None

    monkeypatch.setattr(translators, "follow", lambda recipe: (Made(), 1.0))
    with pytest.raises(ValueError, match=r"Ibm1Config\(.*\) makes no translator"):
        measured(Entry("encdec", "counts", RECIPE))


# ------------------------------------------------- what the stored measurements say


@pytest.mark.parametrize(
    ("system", "bleu_floor"),
    [("encoder–decoder", 45.0), ("RNNsearch", 94.0), ("Luong, dot", 93.0)],
)
def test_systems_reach_the_floors_of_the_book(system: str, bleu_floor: float) -> None:
    line = next(line for line in lines() if line.system == system)
    assert line.seeds == 3 and line.bleu >= bleu_floor


def test_attention_holds_where_the_vector_fails() -> None:
    """Beyond forty words five times the BLEU, and alignments no one asked for."""
    held, looked = (
        np.array([np.mean(bin.scores) for bin in lengths(system)])
        for system in ("encoder–decoder", "RNNsearch")
    )
    assert (looked[4:] >= 5 * held[4:]).all()
    assert held[0] > 4 * held[-1] and looked[-1] > 0.8 * looked[0]
    line = next(line for line in lines() if line.system == "RNNsearch")
    assert line.aer is not None and line.aer <= 0.09


def test_the_chapters_are_those_that_enter_systems() -> None:
    entered = {entry.chapter for entry in translators.ENTRIES.values()}
    assert entered <= set(CHAPTERS)

"""The running table of translators: what is listed, measured, grouped and shown.

Mutants that these tests kill: a chapter out of its order, chapters cut one too early,
the spread of a population, an AER of those that do not attend, lows for highs, seeds
mixed up or not set, a recipe imported before its table, sentences of training among
the fresh.
"""

import sys
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path
from types import SimpleNamespace

import numpy as np
import pytest

from lookback.measure import bleu
from lookback.recipes.seq2seq import IN_ORDER
from lookback.studies import translators
from lookback.studies.translators import (
    BINS,
    COUNTED,
    EACH,
    SEEDS,
    STUDY,
    SYSTEMS,
    by_length,
    fresh,
    lengths,
    lines,
    measured,
    rows,
    table,
)
from lookback.workshop import (
    PAIRS,
    SHORT_PAIRS,
    AnyCorpus,
    Data,
    Results,
    corpus,
    pairs,
    recipe,
)
from lookback.workshop.log import Entry, Log


def measurement(bleu: float, aer: float | None) -> dict[str, object]:
    found: dict[str, object] = {
        "parameters": 1234567, "seconds": 10 * bleu, "test BLEU": bleu,
        "lengths": [{"bleu": bleu - k, "low": bleu - k - 1, "high": bleu - k + 2}
                    for k in range(len(BINS))],
    }  # fmt: skip
    return found if aer is None else {**found, "test AER": aer}


@pytest.fixture
def filled(monkeypatch: pytest.MonkeyPatch) -> None:
    """Two systems of three seeds, one of which attends."""
    systems = {"fixed": "encdec", "attends": "bahdanau"}
    monkeypatch.setattr(translators, "SYSTEMS", systems)
    monkeypatch.setattr(translators, "COUNTED", {"six rules": "rules"})
    found = {
        "attends, seed 0": measurement(20.0, 0.1),
        "attends, seed 1": measurement(40.0, 0.2),
        "attends, seed 2": measurement(60.0, 0.6),
        **{f"fixed, seed {seed}": measurement(10.0, None) for seed in SEEDS},
    }

    rules = {"words": 7, "stages": [[1.0, 0, 2], [5.0, 4, 6]], "lengths": []}

    def results(name: str, *, cases: list[str]) -> Results:
        if name == "rules":
            return Results(name, {"grammar": rules}, {})
        return Results(name, {label: found[label] for label in cases}, {})

    monkeypatch.setattr(translators, "results", results)


def test_each_case_is_a_seed_of_a_system() -> None:
    labels = [f"{system}, seed {seed}" for system in SYSTEMS for seed in SEEDS]
    assert list(STUDY.cases) == labels
    for system, chapter in SYSTEMS.items():
        for seed in SEEDS:
            case = STUDY.cases[f"{system}, seed {seed}"]
            whole = IN_ORDER if system.endswith("in order") else recipe(chapter)
            assert case.seed == seed
            assert (case.model, case.budget) == (whole.model, whole.budget)
            assert (case.data, case.optimiser) == (PAIRS, whole.optimiser)


def test_a_chapter_depends_on_no_later_recipe(monkeypatch: pytest.MonkeyPatch) -> None:
    for name in ("luong", "transformer"):  # these cannot be imported now
        monkeypatch.setitem(sys.modules, f"lookback.recipes.{name}", None)
    assert len(lines(until="bahdanau")) == 4
    with pytest.raises(ModuleNotFoundError, match="luong"):
        lines(until="luong")


def test_lines_are_means_in_the_order_of_history(filled: None) -> None:
    fixed, attends = lines()
    assert (fixed.chapter, fixed.system, fixed.seeds) == ("encdec", "fixed", 3)
    assert (fixed.bleu, fixed.spread, fixed.aer) == (10.0, 0.0, None)
    assert (attends.seeds, attends.parameters, attends.seconds) == (3, 1234567, 400.0)
    assert attends.bleu == 40.0
    assert attends.spread == pytest.approx(20.0)  # of a sample: 800 / 2
    assert attends.aer == pytest.approx(0.3)


def test_a_chapter_sees_what_came_before_it(filled: None) -> None:
    assert [line.system for line in lines(until="encdec")] == ["fixed"]
    assert [line.system for line in lines(until="bahdanau")] == ["fixed", "attends"]
    with pytest.raises(ValueError, match="there is no chapter with a translator 'x'"):
        lines(until="x")


def test_the_table_has_a_spread_and_the_error_of_those_that_attend(
    filled: None,
) -> None:
    header, cells = table()
    assert header == ["system", "parameters", "training, s", "test BLEU", "AER"]
    by_rules = ["six rules", "7", "0", "5.0", ""]  # before all that learns
    assert cells.pop(0) == by_rules
    assert cells == [
        ["fixed", "1,234,567", "100", "10.0 ± 0.0", ""],
        ["attends", "1,234,567", "400", "40.0 ± 20.0", "0.300"],
    ]
    header, cells = table(until="encdec")
    assert cells.pop(0) == by_rules[:-1]
    assert header == ["system", "parameters", "training, s", "test BLEU"]
    assert cells == [["fixed", "1,234,567", "100", "10.0 ± 0.0"]]


def test_the_counted_come_first_and_only_if_they_are_asked_for(filled: None) -> None:
    first, *others = lines(counted=True)
    assert (first.chapter, first.system, first.seeds) == ("rules", "six rules", 1)
    assert (first.bleu, first.parameters, first.aer) == (5.0, 7, None)
    assert others == lines()


def test_lengths_keep_the_seeds_apart(filled: None) -> None:
    assert len(rows("attends")) == 3
    found = lengths("attends")
    assert [(f.low, f.high) for f in found] == list(BINS)
    assert found[2].scores == (18.0, 38.0, 58.0)
    assert found[2].lows == (17.0, 37.0, 57.0)
    assert found[2].highs == (20.0, 40.0, 60.0)
    with pytest.raises(ValueError, match="there is no translator 'atends'"):
        rows("atends")


def lessons(data: Data) -> AnyCorpus:
    """What translators learn from; of the short ones the first, which are enough."""
    if data == PAIRS:
        return corpus(data)
    options = {**dict(data.options), "pairs": 5000}
    return corpus(replace(data, options=(*options.items(),)))


@pytest.fixture
def few(monkeypatch: pytest.MonkeyPatch) -> Iterator[None]:
    """Translators have read these lessons; what is fresh is drawn anew."""
    monkeypatch.setattr(translators, "corpus", lessons)
    fresh.cache_clear()
    yield
    fresh.cache_clear()


def sources(data: Data) -> set[tuple[str, ...]]:
    splits = ("train", "validation", "test")
    return {p.source for split in splits for p in pairs(lessons(data), split)}


@pytest.mark.usefixtures("few")
def test_fresh_sentences_are_new_and_of_their_length() -> None:
    met = sources(PAIRS) | sources(SHORT_PAIRS)
    assert len(fresh()) == len(BINS) == 7
    for (low, high), some in zip(BINS, fresh(), strict=True):
        assert len(some) == EACH
        assert all(low <= len(pair.source) <= high for pair in some)
        assert not met & {pair.source for pair in some}


def test_translators_learn_from_sentences_of_all_lengths_or_of_short_ones() -> None:
    assert max(map(len, sources(SHORT_PAIRS))) == 18
    assert max(map(len, sources(PAIRS))) > 60


class Copies:
    """A learner that writes the first half of each right translation."""

    def decode(self, sources: list) -> list:
        right = {p.source: p.target for some in fresh() for p in some}
        return [list(right[s][: len(right[s]) // 2 + 1]) for s in sources]


@pytest.mark.usefixtures("few")
def test_scores_by_length_are_those_of_the_sentences_of_a_bin() -> None:
    found = by_length(Copies())  # type: ignore[arg-type]
    assert [(row["from"], row["to"]) for row in found] == list(BINS)
    for row, some in zip(found, fresh(), strict=True):
        halves = [list(p.target[: len(p.target) // 2 + 1]) for p in some]
        whole = [list(p.target) for p in some]
        score = bleu(hypotheses=halves, references=whole).score
        assert row["bleu"] == pytest.approx(score, abs=1e-3)
        assert row["low"] < row["bleu"] < row["high"]
        assert row["sentences"] == EACH


def test_the_row_of_a_translator(monkeypatch: pytest.MonkeyPatch) -> None:
    steps = [Entry(k, 1, 2.0, 7 * k, 0.1, 1.0, 0.0) for k in (1, 2, 3)]
    learner = SimpleNamespace(log=Log(steps))
    monkeypatch.setattr(translators, "follow", lambda recipe: learner)
    monkeypatch.setattr(translators, "by_length", lambda learner: ["bins"])
    monkeypatch.setattr(
        translators, "outline", lambda learner, digits: {"digits": digits}
    )
    assert measured(recipe("encdec")) == {
        "steps": 3, "target tokens": 42, "digits": 4, "lengths": ["bins"]
    }  # fmt: skip


# --- what was measured ---------------------------------------------------------------


@pytest.mark.parametrize(
    ("system", "bleu_floor"),
    [("encoder–decoder", 45.0), ("RNNsearch", 94.0), ("Luong, dot", 93.0)],
)
def test_systems_reach_the_floors_of_the_book(system: str, bleu_floor: float) -> None:
    line = next(line for line in lines() if line.system == system)
    assert line.seeds == 3 and line.bleu >= bleu_floor


def test_attention_translates_long_sentences_where_the_vector_fails() -> None:
    """Beyond forty words five times the BLEU, and alignments no one asked for."""
    fixed, attends = (
        np.array([np.mean(bin.scores) for bin in lengths(system)])
        for system in ("encoder–decoder", "RNNsearch")
    )
    assert (attends[4:] >= 5 * fixed[4:]).all()
    assert fixed[0] > 4 * fixed[-1] and attends[-1] > 0.8 * attends[0]
    line = next(line for line in lines() if line.system == "RNNsearch")
    assert line.aer is not None and line.aer <= 0.09


def test_the_chapters_are_in_the_order_of_history() -> None:
    nav = (Path(__file__).parents[2] / "mkdocs.yml").read_text(encoding="utf-8")
    chapters = [*COUNTED.values(), *SYSTEMS.values()]
    positions = [nav.index(f"- {chapter}.md") for chapter in chapters]
    assert positions == sorted(positions)

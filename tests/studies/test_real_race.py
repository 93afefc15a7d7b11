"""The race: planned trainings, points of several studies, and the command line."""

from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from lookback import cli
from lookback.studies import real_race
from lookback.studies.real_race import (
    Outcome,
    best,
    lines,
    outcome,
    planned,
    points,
    word_by_word,
)
from lookback.studies.stack_decoder import Phrases
from lookback.text.corpora import Pair, PairCorpus
from lookback.workshop import CAPTIONS, case, find_study, recipe
from lookback.workshop import old_study as studies


def test_a_shorter_training_is_planned_for_its_length() -> None:
    whole = recipe("bahdanau-multi30k")
    short = planned(whole, 10, seed=2)
    assert (short.seed, short.budget.steps) == (2, whole.budget.steps // 10)
    assert short.budget.steps % short.budget.evaluate_every == 0
    assert short.optimiser is not None and short.optimiser.decay == "linear"
    assert short.optimiser.factor(short.budget.steps, short.budget.steps) == 0
    assert (short.model, short.data) == (whole.model, whole.data)


def test_each_point_is_a_case_of_a_study() -> None:
    for some in points().values():
        assert len(some) in (1, len(real_race.SEEDS))
        for study, label in some:
            assert label in find_study(study).cases
    named = [one for some in points().values() for one in some]
    ours = {label for study, label in named if study == real_race.NAME}
    assert ours == set(real_race.STUDY.cases) and len(named) == len(set(named))


def test_what_several_studies_stored_is_one_point() -> None:
    ours = {
        "parameters": 9, "seconds": 5.0, "target tokens": 70, "test": {"BLEU": 30.0}
    }  # fmt: skip
    steps = {"alignment": 1.0, "tuning": 2.0}
    theirs = {"seconds by step": steps, "test": {"<unk>": {"BLEU": 20.0}}}
    rows = [("stack_decoder", theirs), ("real_race", ours)]
    found = outcome(("phrases", "9 pairs"), rows)
    assert found == Outcome("phrases", "9 pairs", 9, 70, 4.0, (20.0, 30.0))
    assert found.mean == 25
    about = {"parameters": 8, "tokens": 60, "seconds": 7.0}
    scores = {"lowest loss": {"BLEU": 2.0}, "last step": {"BLEU": 1.0}}
    longer = [("real_longer", {"trained": about, "test": scores})]
    assert outcome(("a", "b"), longer) == Outcome("a", "b", 8, 60, 7.0, (2.0,))


def test_the_best_within_some_seconds() -> None:
    slow, fast, bad = (
        Outcome(system, "", 1, 1, seconds, (bleu,))
        for system, seconds, bleu in (("a", 90, 50), ("b", 60, 40), ("c", 10, 30))
    )
    assert [best(s, [slow, fast, bad]) for s in (10, 89, 90)] == [bad, fast, slow]


def test_model_1_writes_word_by_word(monkeypatch: pytest.MonkeyPatch) -> None:
    train = tuple(
        Pair(tuple(s.split()), tuple(t.split()))
        for s, t in [("the cat", "le chat"), ("the dog", "le chien"), ("cat", "chat")]
    )
    test = (Pair(("dog", "the", "zebra"), ("chien", "le", "<unk>")),)
    text = PairCorpus("animals", "1", train, test, test)
    monkeypatch.setattr(real_race, "first", lambda data, many: text)
    monkeypatch.setattr(real_race, "interval", lambda found, test: found)
    row = word_by_word(Phrases(iterations=20))
    assert row["test"] == [["chien", "le", "<unk>"]]
    assert row["target tokens"] == 20 * 8


def test_a_line_for_each_system() -> None:
    some = [
        Outcome(system, training, 1, 1, seconds, (bleu,))
        for system, training, seconds, bleu in (
            ("Transformer", "long", 90, 50), ("phrases", "", 60, 40),
            ("Transformer", "short", 10, 30),
        )
    ]  # fmt: skip
    x, found = lines(some)
    assert x == [10, 60, 90] and "Model 1" in found
    assert found["phrases"][1] == 40 and np.isnan(found["phrases"][::2]).all()
    assert found["Transformer"][::2] == [30, 50]


@pytest.fixture
def toy(monkeypatch: pytest.MonkeyPatch) -> None:
    """A race of two points, without a corpus."""

    def run(seconds: float) -> dict[str, Any]:
        about = {"parameters": 1, "seconds": seconds, "target tokens": 2}
        return {**about, "test": {"BLEU": 10 * seconds}}

    cases = {label: case(run, seconds=s) for label, s in (("a", 1.0), ("b", 3.0))}
    known = {("system", label): [(real_race.NAME, label)] for label in cases}
    monkeypatch.setattr(real_race, "points", lambda: known)
    monkeypatch.setattr(real_race, "STUDY", replace(real_race.STUDY, cases=cases))


def test_the_race_is_run_again(
    toy: None, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys
) -> None:
    monkeypatch.setattr(studies, "SHIPPED", tmp_path / "shipped")
    (tmp_path / "shipped").mkdir()
    assert cli.main(["measure", "real_race"]) == 0
    capsys.readouterr()
    monkeypatch.setattr("lookback.workshop.corpus", lambda data: data == CAPTIONS)
    into = ["--into", str(tmp_path / "again")]
    assert cli.main(["race", "--within", "2", *into]) == 0
    shown = capsys.readouterr().out.splitlines()
    assert [line.split() for line in shown[1:]] == [
        ["system", "a", "1", "1", "10.0", "10.0"]
    ]
    before = (tmp_path / "again" / "real_race.json").read_text()
    assert cli.main(["race", *into]) == 0
    assert len(capsys.readouterr().out.splitlines()) == 3
    after = (tmp_path / "again" / "real_race.json").read_text()
    assert before.rpartition("}\n }")[0] in after  # what was there is not run again
    assert cli.main(["race", "--within", "0", *into]) == 2
    assert "no training took 0 s or less" in capsys.readouterr().err

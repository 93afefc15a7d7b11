"""Studies: measured once, stored with their origin, measured again when they change.

Every study of the book is current: no case is missing or was changed since.
"""

import json
import sys
from collections.abc import Callable
from dataclasses import dataclass, replace
from pathlib import Path
from types import ModuleType
from typing import Any

import pytest
import torch

import lookback.studies
from lookback.text.corpora import DataError
from lookback.workshop import Cases, Study, results
from lookback.workshop import study as studies
from lookback.workshop.recipe import modules
from lookback.workshop.study import SHIPPED, measure, one_thread, study

NAMES = modules("studies")


@dataclass(frozen=True)
class Sum:
    a: int
    b: int


class Counted:
    """Adds two numbers, and remembers which."""

    def __init__(self) -> None:
        self.cases: list[Sum] = []
        self.threads = 0

    def __call__(self, case: Sum) -> dict[str, Any]:
        self.cases.append(case)
        self.threads = torch.get_num_threads()
        if case.a < 0:
            raise DataError("negative.txt: there is no such file")
        return {"sum": case.a + case.b, "parts": [case.a, case.b]}


@pytest.fixture
def sums(tmp_path_factory: pytest.TempPathFactory, monkeypatch: pytest.MonkeyPatch):
    """A study with two cases, in a module of `lookback.studies`."""
    adds, module = Counted(), ModuleType("lookback.studies.sums")
    cases = {"two and three": Sum(2, 3), "one and four": Sum(1, 4)}
    vars(module)["STUDY"] = Study("sums", cases, adds, "one and four")
    monkeypatch.setitem(sys.modules, module.__name__, module)
    folder = tmp_path_factory.mktemp("studies")
    (folder / "sums.py").touch()
    path = [*lookback.studies.__path__, str(folder)]
    monkeypatch.setattr(lookback.studies, "__path__", path)
    return adds


def change(monkeypatch: pytest.MonkeyPatch, **changes: Any) -> None:
    module = sys.modules["lookback.studies.sums"]
    monkeypatch.setattr(module, "STUDY", replace(study("sums"), **changes))


def test_what_was_measured_is_read_with_its_origin(
    sums: Counted, tmp_path: Path
) -> None:
    assert measure("sums", tmp_path, say=str) == tmp_path / "sums.json"
    found = results("sums", tmp_path)
    assert list(found.rows) == ["two and three", "one and four"]
    assert found["two and three"] == {"sum": 5, "parts": [2, 3]}
    origin = found.origins["one and four"]
    assert origin["machine"]
    assert origin["versions"]["torch"]
    assert origin["seconds"] >= 0
    stamp = found.provenance
    assert (stamp["study"], stamp["cases"], stamp["on"]) == ("sums", "2", stamp["on"])
    assert origin["date"] in stamp["on"]
    assert origin["machine"] in stamp["measured in"]


def test_it_is_measured_on_one_thread(sums: Counted, tmp_path: Path) -> None:
    before = torch.get_num_threads()
    torch.set_num_threads(2)
    try:
        measure("sums", tmp_path, say=str)
        assert (sums.threads, torch.get_num_threads()) == (1, 2)
    finally:
        torch.set_num_threads(before)


def test_only_what_changed_is_measured_again(
    sums: Counted, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    measure("sums", tmp_path, say=str)
    measure("sums", tmp_path, say=str)
    assert len(sums.cases) == 2
    cases = {"two and three": Sum(2, 3), "one and four": Sum(4, 1), "new": Sum(0, 0)}
    change(monkeypatch, cases=cases)
    with pytest.raises(ValueError, match=r"2 cases of sums.*'one and four'"):
        results("sums", tmp_path)
    measure("sums", tmp_path, say=str)
    assert sums.cases[2:] == [Sum(4, 1), Sum(0, 0)]
    measure("sums", tmp_path, only="new", again=True, say=str)
    assert sums.cases[4:] == [Sum(0, 0)]
    change(monkeypatch, version=2)
    with pytest.raises(ValueError, match="`lookback measure sums` does it"):
        results("sums", tmp_path)


def test_a_case_that_is_gone_leaves_the_file(
    sums: Counted, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    path = measure("sums", tmp_path, say=str)
    change(monkeypatch, cases={"one and four": Sum(1, 4)})
    measure("sums", tmp_path, say=str)
    assert list(json.loads(path.read_text())["cases"]) == ["one and four"]


def test_what_needs_an_absent_corpus_stays_as_it_was(
    sums: Counted, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    path = measure("sums", tmp_path, say=str)
    before, said = path.read_text(), list[str]()
    change(monkeypatch, cases={**study("sums").cases, "absent": Sum(-1, 4)})
    measure("sums", tmp_path, say=said.append)
    assert path.read_text() == before
    assert said[-1] == "absent: left as it was: negative.txt: there is no such file"


def test_each_case_is_stored_before_the_next_begins(
    sums: Counted, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def stops(case: Sum) -> dict[str, Any]:
        if case.a == 1:
            raise KeyboardInterrupt
        return {"sum": case.a + case.b}

    change(monkeypatch, measure=stops)
    with pytest.raises(KeyboardInterrupt):
        measure("sums", tmp_path, say=str)
    content = json.loads((tmp_path / "sums.json").read_text())
    assert list(content["cases"]) == ["two and three"]


def test_bad_names_and_bad_files_are_refused(sums: Counted, tmp_path: Path) -> None:
    with pytest.raises(ValueError, match="no study 'sum': did you mean 'sums'"):
        measure("sum", tmp_path)
    with pytest.raises(ValueError, match="no case of sums has 'ten' in it"):
        measure("sums", tmp_path, only="ten")
    with pytest.raises(ValueError, match="2 cases of sums are not measured"):
        results("sums", tmp_path)
    path = measure("sums", tmp_path, say=str)
    with pytest.raises(ValueError, match="no case of sums 'one and for': did you"):
        results("sums", tmp_path)["one and for"]
    for text in ("{", "[]", '{"format": 7, "cases": {}}'):
        path.write_text(text)
        with pytest.raises(ValueError, match=r"sums\.json: these are no results"):
            results("sums", tmp_path)
    (tmp_path / "file").write_text("")
    with pytest.raises(ValueError, match="cannot be written"):
        measure("sums", tmp_path / "file")
    assert not sums.cases[2:]


# --- cases that are made when they are needed


@pytest.fixture
def lazy(sums: Counted, monkeypatch: pytest.MonkeyPatch) -> Callable[[], list[str]]:
    """Lets the cases be functions: which were called since it was last asked."""
    calls = list[str]()

    def maker(label: str, case: Sum) -> Callable[[], Sum]:
        return lambda: calls.append(label) or case  # type: ignore[func-returns-value]

    cases = {**study("sums").cases, "three and three": Sum(3, 3)}
    functions = {label: maker(label, case) for label, case in cases.items()}
    change(monkeypatch, cases=Cases(functions))

    def since() -> list[str]:
        made = sorted(set(calls))
        calls.clear()
        return made

    return since


def test_only_the_cases_that_are_wanted_are_made(
    lazy: Callable[[], list[str]], sums: Counted, tmp_path: Path
) -> None:
    measure("sums", tmp_path, say=str)
    assert lazy() == ["one and four", "three and three", "two and three"]
    found = results("sums", tmp_path, cases=["three and three"])
    assert lazy() == ["three and three"]
    assert list(found.rows) == ["three and three"]
    assert found["three and three"]["sum"] == 6
    with pytest.raises(ValueError, match="no case of sums 'two and three'"):
        found["two and three"]
    measure("sums", tmp_path, only="four", again=True, say=str)
    assert lazy() == ["one and four"]
    assert study("sums").digest("two and three")
    assert lazy() == ["two and three"]


def test_a_case_that_is_wanted_and_that_there_is_not_is_refused(
    lazy: Callable[[], list[str]], tmp_path: Path
) -> None:
    with pytest.raises(ValueError, match="no case of sums 'two and tree': did you mea"):
        results("sums", tmp_path, cases=["two and tree"])
    assert lazy() == []


def test_cases_are_a_mapping_that_makes_what_is_read() -> None:
    cases = Cases({"a": lambda: 1, "b": lambda: pytest.fail("made")})
    assert list(cases) == ["a", "b"]
    assert len(cases) == 2
    assert "b" in cases
    assert "c" not in cases
    assert cases["a"] == 1
    with pytest.raises(KeyError):
        cases["c"]


def test_the_rows_of_all_seeds(
    sums: Counted, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    labels = ["h 4, seed 0", "h 4, seed 1", "h 40, seed 0", "h"]
    cases = {label: Sum(n, 1) for n, label in enumerate(labels)}
    change(monkeypatch, cases=cases)
    measure("sums", tmp_path, say=str)
    found = results("sums", tmp_path)
    assert [row["sum"] for row in found.seeds("h 4")] == [1, 2]
    assert [row["sum"] for row in found.seeds("h")] == [4]
    with pytest.raises(ValueError, match="no case of sums 'h 5': did you mean 'h 4'"):
        found.seeds("h 5")


def test_a_study_is_found_by_its_name(sums: Counted) -> None:
    assert study("sums").measure is sums
    with pytest.raises(ValueError, match="no study 'bahdanaus': did you mean 'bahd"):
        study("bahdanaus")


# --- the studies of the book

# What depends on the machine and on what else it does.
TIMES = {"seconds", "sentences a second"}


@pytest.fixture
def shipped(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv(studies.VARIABLE, raising=False)


def test_every_file_belongs_to_a_study() -> None:
    assert sorted(path.stem for path in SHIPPED.glob("*.json")) == NAMES


@pytest.mark.parametrize("name", NAMES)
def test_no_case_is_missing_or_was_changed_since(name: str, shipped: None) -> None:
    assert list(results(name).rows) == list(study(name).cases)


@pytest.mark.parametrize("name", [name for name in NAMES if study(name).check])
def test_its_check_measures_as_recorded(name: str, shipped: None) -> None:
    one = study(name)
    assert one.check
    recorded = results(name, cases=[one.check])[one.check]
    with one_thread():
        found = one.measure(one.cases[one.check])
    assert recorded.keys() == found.keys()
    for key, value in found.items():
        same = key in TIMES or agree(recorded[key], value)
        assert same, (key, recorded[key], value)


def agree(recorded: Any, found: Any) -> bool:
    """Equal but for times, numbers to a thousandth: others add in another order."""
    if isinstance(recorded, list):
        together = zip(recorded, found, strict=True)
        return all(agree(*pair) for pair in together)
    if isinstance(recorded, dict):
        return recorded.keys() == found.keys() and all(
            key in TIMES or agree(recorded[key], found[key]) for key in recorded
        )
    if isinstance(recorded, float):
        return bool(found == pytest.approx(recorded, rel=1e-3, abs=1e-3))
    return bool(recorded == found)

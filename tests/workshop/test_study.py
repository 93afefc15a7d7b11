"""Studies: measured once, stored with their origin, measured again when they change.

Every study of the book is current: no case is missing or was changed since.
"""

import json
import math
import sys
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path
from types import ModuleType
from typing import Any

import pytest
import torch

import lookback.studies
from lookback.text.corpora import DataError
from lookback.workshop import Case, Cases, Study, case, grid, results, verify
from lookback.workshop import old_study as studies
from lookback.workshop.recipe import modules
from lookback.workshop.old_study import CHECK, SHIPPED, study
from lookback.workshop.study import measure

NAMES = modules("studies")


class Counted:
    """Adds two numbers, and remembers which."""

    def __init__(self) -> None:
        self.__name__ = "add"
        self.calls: list[tuple[int, int]] = []
        self.threads = 0
        self.dtypes: list[torch.dtype] = []

    def __call__(self, a: int, b: int = 4) -> dict[str, Any]:
        self.calls.append((a, b))
        self.threads = torch.get_num_threads()
        self.dtypes.append(torch.get_default_dtype())
        if a < 0:
            raise DataError(
                "negative.txt: pass download=True", "negative.txt: fetch it"
            )
        return {"sum": a + b, "parts": [a, b]}


@pytest.fixture
def sums(tmp_path_factory: pytest.TempPathFactory, monkeypatch: pytest.MonkeyPatch):
    """A study with two cases and a check, in a module of `lookback.studies`."""
    add, module = Counted(), ModuleType("lookback.studies.sums")
    cases = {"two and three": case(add, a=2, b=3), "one and four": case(add, a=1)}
    vars(module)["STUDY"] = Study("sums", cases, case(add, a=0, b=1))
    monkeypatch.setitem(sys.modules, module.__name__, module)
    folder = tmp_path_factory.mktemp("studies")
    (folder / "sums.py").touch()
    path = [*lookback.studies.__path__, str(folder)]
    monkeypatch.setattr(lookback.studies, "__path__", path)
    return add


def change(monkeypatch: pytest.MonkeyPatch, **changes: Any) -> None:
    module = sys.modules["lookback.studies.sums"]
    monkeypatch.setattr(module, "STUDY", replace(study("sums"), **changes))


def test_what_was_measured_is_read_with_its_origin(
    sums: Counted, tmp_path: Path
) -> None:
    assert measure("sums", tmp_path, say=str) == tmp_path / "sums.json"
    assert '"parts": [2, 3]\n' in (tmp_path / "sums.json").read_text()  # in one line
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
    assert "edition" not in stamp
    noted = replace(found, origins={"one and four": {**origin, "edition": "the old"}})
    assert noted.provenance["edition"] == "the old"


def test_it_is_measured_on_one_thread(sums: Counted, tmp_path: Path) -> None:
    before = torch.get_num_threads()
    torch.set_num_threads(2)
    try:
        measure("sums", tmp_path, say=str)
        assert (sums.threads, torch.get_num_threads()) == (1, 2)
    finally:
        torch.set_num_threads(before)


def test_its_check_and_no_other_case_is_measured_in_double_precision(
    sums: Counted, tmp_path: Path
) -> None:
    """Rounding, which each processor does in its own way, does not reach its digits."""
    single, double = torch.float32, torch.float64
    measure("sums", tmp_path, say=str)
    assert verify("sums", tmp_path, say=str) == 0
    assert sums.dtypes == [double, single, single] * 2
    assert torch.get_default_dtype() == single


def test_only_what_changed_is_measured_again(
    sums: Counted, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    measure("sums", tmp_path, say=str)
    assert sums.calls == [(0, 1), (2, 3), (1, 4)]
    measure("sums", tmp_path, say=str)
    assert len(sums.calls) == 3
    two = study("sums").cases["two and three"]
    cases = {"two and three": two, "one and four": case(sums, a=4, b=1)}
    change(monkeypatch, cases={**cases, "new": case(sums, a=0, b=0)})
    with pytest.raises(ValueError, match=r"2 cases of sums.*'one and four'"):
        results("sums", tmp_path)
    measure("sums", tmp_path, say=str)
    assert sums.calls[3:] == [(4, 1), (0, 0)]
    measure("sums", tmp_path, only="new", again=True, say=str)
    assert sums.calls[5:] == [(0, 0)]
    change(monkeypatch, version=2)
    with pytest.raises(ValueError, match="`lookback measure sums` does it"):
        results("sums", tmp_path)


def test_a_digest_sees_function_arguments_and_defaults() -> None:
    def one(a: int, b: int = 4) -> dict[str, Any]:
        return {}

    def other(a: int, b: int = 4) -> dict[str, Any]:
        return {}

    digest = case(one, a=1).digest(1)
    assert case(one, b=4, a=1).digest(1) == digest  # said or left out, in any order
    different = [
        case(one, a=4, b=1).digest(1),
        case(one, a=1, b=5).digest(1),
        case(other, a=1).digest(1),
        case(one, a=1).digest(2),
    ]
    assert len({digest, *different}) == 5
    with pytest.raises(TypeError, match="missing a required argument: 'a'"):
        case(one)
    with pytest.raises(ValueError, match="dataclasses, numbers and words"):
        case(one, a=Path()).digest(1)


def test_a_grid_has_all_combinations(sums: Counted) -> None:
    cases = grid("{a} and {b}", sums, a=(1, 2), b=[3])
    assert cases == {"1 and 3": case(sums, a=1, b=3), "2 and 3": case(sums, a=2, b=3)}


def test_numbers_are_rounded_where_they_are_stored() -> None:
    long = {"a": 0.123456789, "b": [12345678.9, 7, (1e-9 / 3,)], "c": "0.123456789"}
    short = {"a": 0.123457, "b": [12345700.0, 7, [3.33333e-10]], "c": "0.123456789"}
    assert Case(lambda: long, {}).measured() == short
    nan, infinite = Case(lambda: {"a": [math.nan, math.inf]}, {}).measured()["a"]
    assert math.isnan(nan)
    assert infinite == math.inf


def test_a_case_that_is_gone_leaves_the_file(
    sums: Counted, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    path = measure("sums", tmp_path, say=str)
    change(monkeypatch, cases={"one and four": case(sums, a=1)})
    measure("sums", tmp_path, say=str)
    assert list(json.loads(path.read_text())["cases"]) == ["check", "one and four"]


def test_what_needs_an_absent_corpus_stays_as_it_was(
    sums: Counted, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    path = measure("sums", tmp_path, say=str)
    before, said = path.read_text(), list[str]()
    absent = case(sums, a=-1)
    change(monkeypatch, cases={**study("sums").cases, "absent": absent})
    measure("sums", tmp_path, say=said.append)
    assert path.read_text() == before
    assert said[-1] == "absent: left as it was: negative.txt: fetch it"


def test_each_case_is_stored_before_the_next_begins(
    sums: Counted, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def stops() -> dict[str, Any]:
        raise KeyboardInterrupt

    two = study("sums").cases["two and three"]
    change(monkeypatch, cases={"two and three": two, "stops": case(stops)})
    with pytest.raises(KeyboardInterrupt):
        measure("sums", tmp_path, say=str)
    content = json.loads((tmp_path / "sums.json").read_text())
    assert list(content["cases"]) == ["check", "two and three"]


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
    assert len(sums.calls) == 3


# --- cases that are made when they are needed


@pytest.fixture
def lazy(sums: Counted, monkeypatch: pytest.MonkeyPatch) -> Callable[[], list[str]]:
    """Lets the cases be functions: which were called since it was last asked."""
    calls = list[str]()

    def maker(label: str, made: Case) -> Callable[[], Case]:
        return lambda: calls.append(label) or made  # type: ignore[func-returns-value]

    cases = {**study("sums").cases, "three and three": case(sums, a=3, b=3)}
    functions = {label: maker(label, made) for label, made in cases.items()}
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
    one = Case(dict, {"a": 1})
    cases = Cases({"a": lambda: one, "b": lambda: pytest.fail("made")})
    assert list(cases) == ["a", "b"]
    assert len(cases) == 2
    assert "b" in cases
    assert "c" not in cases
    assert cases["a"] is one
    with pytest.raises(KeyError):
        cases["c"]


def test_the_rows_of_all_seeds(
    sums: Counted, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    labels = ["h 4, seed 0", "h 4, seed 1", "h 40, seed 0", "h"]
    cases = {label: case(sums, a=n, b=1) for n, label in enumerate(labels)}
    change(monkeypatch, cases=cases)
    measure("sums", tmp_path, say=str)
    found = results("sums", tmp_path)
    assert [row["sum"] for row in found.seeds("h 4")] == [1, 2]
    assert [row["sum"] for row in found.seeds("h")] == [4]
    with pytest.raises(ValueError, match="no case of sums 'h 5': did you mean 'h 4'"):
        found.seeds("h 5")


def test_a_study_is_found_by_its_name(sums: Counted) -> None:
    assert study("sums").about == "sums"
    with pytest.raises(ValueError, match="no study 'bahdanaus': did you mean 'bahd"):
        study("bahdanaus")


# --- the studies of the book


@pytest.fixture
def shipped(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv(studies.VARIABLE, raising=False)


def test_every_file_belongs_to_a_study() -> None:
    assert sorted(path.stem for path in SHIPPED.glob("*.json")) == NAMES


@pytest.mark.parametrize("name", NAMES)
def test_no_case_is_missing_or_was_changed_since(name: str, shipped: None) -> None:
    labels = study(name).labels
    assert list(results(name, cases=labels).rows) == labels


@pytest.mark.parametrize("name", NAMES)
def test_no_two_cases_are_the_same(name: str) -> None:
    this = study(name)
    assert len({this.digest(label) for label in this.cases}) == len(this.cases)


@pytest.mark.parametrize("name", NAMES)
def test_its_check_comes_out_as_stored(name: str, shipped: None) -> None:
    said = list[str]()
    assert verify(name, only=CHECK, say=said.append) == 0, said

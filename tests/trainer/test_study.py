"""Studies: measured once, stored with their origin, measured again when they change.

Every study of the book is current: no run is missing or was changed since.
"""

import json
import math
import sys
from dataclasses import replace
from pathlib import Path
from types import ModuleType
from typing import Any

import pytest
import torch

import lookback.studies
from lookback.text.corpora import DataError
from lookback.trainer.recipe import modules
from lookback.trainer.study import (
    SHIPPED,
    VARIABLE,
    Experiment,
    Study,
    chosen,
    find,
    grid,
    label,
    measure,
    results,
    rounded,
    stored,
    study,
    written,
)
from lookback.trainer.verify import quick, verify

NAMES = modules("studies")


class Counted:
    """Adds two numbers, and remembers which, on how many threads, in which dtype."""

    def __init__(self) -> None:
        self.__name__ = "add"
        self.calls: list[tuple[int, int]] = []
        self.how: set[tuple[int, torch.dtype]] = set()

    def __call__(self, a: int, b: int = 4) -> dict[str, Any]:
        self.calls.append((a, b))
        self.how.add((torch.get_num_threads(), torch.get_default_dtype()))
        if a < 0:
            raise DataError(
                "negative.txt: pass download=True", "negative.txt: fetch it"
            )
        return {"sum": a + b, "parts": [a, b]}


@pytest.fixture
def add(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Counted:
    """A study with an experiment of two runs, in a module of `lookback.studies`."""
    add, module = Counted(), ModuleType("lookback.studies.sums")
    monkeypatch.setitem(sys.modules, module.__name__, module)
    (tmp_path / "sums.py").touch()
    path = [*lookback.studies.__path__, str(tmp_path)]
    monkeypatch.setattr(lookback.studies, "__path__", path)
    monkeypatch.setenv(VARIABLE, str(tmp_path))
    vars(module)["STUDY"] = Study("sums", {"two": experiment(add)})
    return add


def experiment(add: Counted, *more: dict[str, int]) -> Experiment:
    return Experiment(add, [{"a": 2, "b": 3}, {"a": 1}, *more], {"a": 0, "b": 1})


def change(monkeypatch: pytest.MonkeyPatch, **changes: Any) -> None:
    module = sys.modules["lookback.studies.sums"]
    monkeypatch.setattr(module, "STUDY", replace(study("sums"), **changes))


def test_what_was_measured_is_read_by_its_setting(add: Counted, tmp_path: Path) -> None:
    said = list[str]()
    assert measure("sums", say=said.append) == tmp_path / "sums.json"
    assert [line.split(":")[0] for line in said] == [
        "two, smoke", "two, a 2, b 3", "two, a 1",
    ]  # fmt: skip
    found = results("sums")["two"]
    assert found.rows() == [{"sum": 5, "parts": [2, 3]}, {"sum": 5, "parts": [1, 4]}]
    assert found.row(a=1)["parts"] == [1, 4]
    assert found.values("parts", b=3).tolist() == [[2, 3]]
    for wrong, said in (
        ({"a": 7}, "no a in sums's two '7': .*there is"),
        ({"c": 1}, "no setting of sums's two 'c'"),
        ({"a": 1, "b": 3}, "was not run with"),
    ):
        with pytest.raises(ValueError, match=said):
            found.rows(**wrong)
    with pytest.raises(ValueError, match="2 rows of two have"):
        found.row()
    with pytest.raises(ValueError, match="no experiment of sums 'tow': did you mean"):
        results("sums")["tow"]


def test_a_run_says_where_and_when_it_was(add: Counted) -> None:
    content = stored(measure("sums", say=str))
    (run,) = content["runs"]
    assert run["machine"] and run["versions"]["torch"]
    assert all(
        row["run"] == 0 and row["seconds"] >= 0 for row in content["results"]["two"]
    )
    stamp = results("sums").provenance
    assert (stamp["study"], stamp["cases"], stamp["on"]) == ("sums", "2", run["date"])
    assert run["machine"] in stamp["measured in"] and "edition" not in stamp
    noted = {**content, "runs": [{**run, "edition": "the old"}]}
    assert replace(results("sums"), content=noted).provenance["edition"] == "the old"
    assert "sums" in quick(60)


def test_it_runs_on_one_thread_and_the_smoke_run_in_double_precision(
    add: Counted,
) -> None:
    """Rounding, which each processor does in its own way, does not reach its digits."""
    before = torch.get_num_threads()
    torch.set_num_threads(2)
    try:
        measure("sums", say=str)
        assert torch.get_num_threads() == 2
    finally:
        torch.set_num_threads(before)
    assert add.how == {(1, torch.float64), (1, torch.float32)}
    assert torch.get_default_dtype() == torch.float32
    assert verify("sums", say=str) == 0


def test_only_what_is_missing_or_changed_is_measured(
    add: Counted, monkeypatch: pytest.MonkeyPatch
) -> None:
    measure("sums", say=str)
    measure("sums", say=str)
    assert add.calls == [(0, 1), (2, 3), (1, 4)]
    change(monkeypatch, experiments={"two": experiment(add, {"a": 4, "b": 1})})
    with pytest.raises(ValueError, match="'two, a 4, b 1' is not measured as it is"):
        results("sums")["two"].rows()
    measure("sums", say=str)
    assert add.calls[3:] == [(4, 1)]
    measure("sums", only="a 4", again=True, say=str)
    assert add.calls[4:] == [(4, 1)]
    change(monkeypatch, version=2)
    with pytest.raises(ValueError, match="`lookback measure sums` does it"):
        results("sums")["two"].row(a=2)
    change(monkeypatch, version=1, experiments={"two": experiment(add)})
    path = measure("sums", say=str)  # what is no longer asked for leaves the file
    assert len(stored(path)["results"]["two"]) == 3


def test_a_digest_sees_version_function_and_arguments() -> None:
    def one(a: int, b: int = 4) -> dict[str, Any]:
        return {}

    def other(a: int, b: int = 4) -> dict[str, Any]:
        return {}

    def digest(run: Any, version: int = 1, **setting: int) -> str:
        return Study("", {"e": Experiment(run)}, version).digest("e", setting)

    same = digest(one, a=1)
    assert digest(one, b=4, a=1) == same  # said or left out, in any order
    others = [
        digest(one, a=4, b=1), digest(one, a=1, b=5), digest(other, a=1),
        digest(one, 2, a=1),
    ]  # fmt: skip
    assert len({same, *others}) == 5
    with pytest.raises(TypeError, match="missing a required argument: 'a'"):
        digest(one)


def test_a_setting_may_stand_for_other_arguments(add: Counted) -> None:
    doubled = Experiment(add, grid(n=(1, 2)), arguments=lambda n: {"a": n, "b": 2 * n})
    this = Study("", {"doubled": doubled})
    assert [this.measured("doubled", s)["sum"] for s in doubled.settings] == [3, 6]
    assert label(this, "doubled", doubled.settings[1]) == "doubled, n 2"


def test_numbers_are_rounded_and_lines_are_filled() -> None:
    long = {"a": 0.123456789, "b": [12345678.9, 7, (1e-9 / 3,)], "c": "0.123456789"}
    short = {"a": 0.123457, "b": [12345700.0, 7, [3.33333e-10]], "c": "0.123456789"}
    assert rounded(long) == short
    assert math.isnan(rounded({"a": math.nan})["a"])
    value = {"numbers": [*range(100)], "deep": {"word": "x" * 80, "é": [[1], []]}}
    text = written(value)
    assert json.loads(text) == value
    assert max(map(len, text.splitlines())) < 100 and len(text.splitlines()) < 14


def test_what_needs_an_absent_corpus_stays_as_it_was(
    add: Counted, monkeypatch: pytest.MonkeyPatch
) -> None:
    path, said = measure("sums", say=str), list[str]()
    before = path.read_text()
    change(monkeypatch, experiments={"two": experiment(add, {"a": -1})})
    measure("sums", say=said.append)
    assert path.read_text() == before
    assert said[-1] == "two, a -1: left as it was: negative.txt: fetch it"


def test_each_run_is_stored_before_the_next_begins(
    add: Counted, monkeypatch: pytest.MonkeyPatch
) -> None:
    def stops() -> dict[str, Any]:
        raise KeyboardInterrupt

    both = {"two": experiment(add), "stops": Experiment(stops)}
    change(monkeypatch, experiments=both)
    with pytest.raises(KeyboardInterrupt):
        measure("sums", say=str)
    assert len(results("sums")["two"].rows()) == 2


def test_bad_names_and_bad_files_are_refused(add: Counted, tmp_path: Path) -> None:
    with pytest.raises(ValueError, match="no study 'sum': did you mean 'sums'"):
        measure("sum")
    with pytest.raises(ValueError, match="no run of sums has 'ten' in it"):
        measure("sums", only="ten")
    with pytest.raises(ValueError, match=r"no results: `lookback measure sums`"):
        results("sums")
    path = measure("sums", say=str)
    for text in ("{", "[]", '{"format": 7, "runs": [], "results": {}}'):
        path.write_text(text)
        with pytest.raises(ValueError, match=r"sums\.json: these are no results"):
            results("sums")
    (tmp_path / "file").write_text("")
    with pytest.raises(ValueError, match="cannot be written"):
        measure("sums", tmp_path / "file")
    assert len(add.calls) == 3


# --- the studies of the book


def test_every_file_belongs_to_a_study() -> None:
    assert sorted(path.stem for path in SHIPPED.glob("*.json")) == NAMES


@pytest.mark.parametrize("name", NAMES)
def test_nothing_is_missing_or_was_changed_since(name: str) -> None:
    this, content = study(name), stored(SHIPPED / f"{name}.json")
    runs = chosen(name)
    assert {
        label(this, *run): find(content, this, *run).get("digest") for run in runs
    } == {label(this, *run): this.digest(*run) for run in runs}
    assert sum(map(len, content["results"].values())) == len(runs)


@pytest.mark.parametrize("name", NAMES)
def test_its_smoke_run_comes_out_as_stored(
    name: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.delenv(VARIABLE, raising=False)
    said = list[str]()
    assert any(e.smoke is not None for e in study(name).experiments.values())
    assert verify(name, only=", smoke", say=said.append) == 0, said

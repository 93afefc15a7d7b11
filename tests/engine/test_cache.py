"""Store what pages showed, and load it only while it is valid and whole."""

import errno
import os
from pathlib import Path

import pytest

from lookback.engine import cache as stored
from lookback.engine.blocks import parse
from lookback.engine.cache import KEPT, Cache
from lookback.engine.opened import digests, versions
from lookback.engine.output import Output
from lookback.engine.run import Run
from lookback.engine.worker import Job

TEXT = "Prose.\n\n```python\nx = 1\n```\n\nAnd {{ x }}.\n"


@pytest.fixture
def package(tmp_path: Path) -> Path:
    folder = tmp_path / "package"
    (folder / "sub").mkdir(parents=True)
    (folder / "a.py").write_text("a")
    (folder / "b.py").write_text("b")
    (folder / "sub" / "weights.safetensors").write_text("w")
    return folder


@pytest.fixture
def cache(tmp_path: Path, package: Path) -> Cache:
    return Cache(tmp_path / "cache", package)


def job(text: str = TEXT, name: str = "docs/p.md") -> Job:
    return Job(name, parse(text, name).running)


STILL = Output("frames", parts=(Output("svg", "<svg>"),), settings={"chosen": ["a"]})
LIVE = Output("live", parts=(STILL,), settings={"models": ["m"], "options": {}})
FILES = ["a.py", "gone.json", "sub/weights.safetensors"]


@pytest.fixture
def done(package: Path) -> Run:
    files, distributions = digests(package, FILES), versions(["python", "torch"])
    models = [{"model": "m"}]
    return Run("docs/p.md", [[], [LIVE]], 0.5, models, files, distributions)


def test_a_new_chapter_in_the_list_of_the_package_runs_nothing(
    cache: Cache, done: Run, package: Path
) -> None:
    listed = "A = 1\n# chapters: start\nold\n# chapters: end\nB = 2\n"
    (package / "a.py").write_text(listed)
    done.files |= digests(package, ["a.py"])
    cache.write(job(), done)
    (package / "a.py").write_text(listed.replace("old", "new\nnew"))
    assert cache.read(job()) == done
    (package / "a.py").write_text(listed.replace("B = 2", "B = 3"))
    assert cache.read(job()) is None


def test_a_run_of_another_format_is_not_used(
    cache: Cache, done: Run, monkeypatch: pytest.MonkeyPatch
) -> None:
    cache.write(job(), done)
    monkeypatch.setattr(stored, "FORMAT", 0)
    assert cache.read(job()) is None
    assert cache.why(job()) == "its run is stored in another form"


@pytest.mark.parametrize(
    "text",
    [
        TEXT,
        "New prose,\n\non more lines.\n\n" + TEXT,
        TEXT.replace("x = 1", "#| open: true\n#| predict: Which?\nx = 1"),
    ],
)
def test_a_run_is_kept_whole_and_prose_and_looks_are_not_in_the_key(
    cache: Cache, done: Run, text: str
) -> None:
    cache.write(job(), done)
    assert cache.read(job(text)) == done


@pytest.mark.parametrize(
    "text",
    [
        TEXT.replace("x = 1", "x = 2"),
        TEXT.replace("{{ x }}", "{{ x + 0 }}"),
        TEXT.replace("x = 1", "#| alt: a line\nx = 1"),
        TEXT + "\n```python\ny = 1\n```\n",
    ],
)
def test_every_block_value_and_figure_is_in_the_key(
    cache: Cache, done: Run, text: str
) -> None:
    cache.write(job(), done)
    assert cache.read(job(text)) is None


@pytest.mark.parametrize("name", ["a.py", "sub/weights.safetensors"])
def test_an_edit_of_a_file_that_the_page_read_is_seen(
    package: Path, cache: Cache, done: Run, name: str
) -> None:
    path = package / name
    before = path.read_text()
    cache.write(job(), done)
    path.write_text("changed")
    assert cache.read(job()) is None
    path.write_text(before)
    assert cache.read(job()) == done
    path.unlink()
    assert cache.read(job()) is None


def test_a_file_that_the_page_looked_for_is_seen_when_it_comes(
    package: Path, cache: Cache, done: Run
) -> None:
    cache.write(job(), done)
    (package / "gone.json").touch()
    assert cache.read(job()) is None


@pytest.mark.parametrize(
    "damage",
    [
        lambda text: text[:-9],
        lambda text: "",
        lambda text: "[]",
        lambda text: text.replace('"seconds"', '"secs"'),
        lambda text: "\xff\xfe",
    ],
)
def test_a_damaged_entry_is_not_loaded(cache: Cache, done: Run, damage) -> None:
    cache.write(job(), done)
    (path,) = cache.folder.glob("*/*")
    path.write_bytes(damage(path.read_text()).encode("latin-1"))
    assert cache.read(job()) is None


def test_a_folder_that_cannot_be_written_is_said_once(tmp_path, done: Run) -> None:
    (tmp_path / "file").touch()
    cache = Cache(tmp_path / "file", tmp_path)
    said = [cache.write(job(), done) for _ in range(2)]
    assert said == [
        f"{cache.folder}: no run is stored from here on: Not a directory",
        "",
    ]


def test_a_full_disk_leaves_no_half_an_entry(
    cache: Cache, done: Run, monkeypatch: pytest.MonkeyPatch
) -> None:
    def full(*_: object) -> None:
        raise OSError(errno.ENOSPC, "No space left on device")

    monkeypatch.setattr(Path, "replace", full)
    assert "No space left" in cache.write(job(), done)
    assert [*cache.folder.glob("*/*")] == []


def test_a_folder_may_be_read_only(
    cache: Cache, done: Run, monkeypatch: pytest.MonkeyPatch
) -> None:
    def refused(*_: object) -> None:
        raise OSError(errno.EROFS, "Read-only file system")

    cache.write(job(), done)
    monkeypatch.setattr(os, "utime", refused)
    assert cache.read(job()) == done


def versions_of(count: int) -> list[Job]:
    return [job(TEXT.replace("x = 1", f"x = {n}")) for n in range(count)]


def test_an_edit_of_a_module_and_its_undoing_are_two_entries(
    package: Path, cache: Cache, done: Run
) -> None:
    cache.write(job(), done)
    (package / "a.py").write_text("edited")
    edited = Run("docs/p.md", files=digests(package, FILES))
    cache.write(job(), edited)
    assert cache.read(job()) == edited
    (package / "a.py").write_text("a")
    assert cache.read(job()) == done


def test_of_many_versions_those_used_last_are_kept(cache: Cache, done: Run) -> None:
    first, *others, last = versions_of(KEPT + 1)
    for at, one in enumerate([first, *others]):
        cache.write(one, done)
        (new,) = (p for p in cache.folder.glob("*/*") if p.stat().st_mtime > KEPT)
        os.utime(new, (at, at))
    assert cache.read(first) == done  # it was the oldest, and is used now
    cache.write(last, done)
    kept = [cache.read(one) is not None for one in [first, *others, last]]
    assert kept == [True, False, *[True] * (KEPT - 1)]


def test_it_says_why_a_page_runs_again(cache: Cache, package: Path) -> None:
    assert cache.why(job()) == "no run of it is stored"
    run = Run("docs/p.md", [], files=digests(package, FILES))
    run.distributions = versions(["python"])
    cache.write(job(), run)
    assert cache.why(job()) == ""
    assert cache.why(job("Other prose.\n\n" + TEXT)) == ""
    changed = job(TEXT.replace("x = 1", "x = 2"))
    assert cache.why(changed) == "line 3: its blocks are not what they were"
    shorter = job(TEXT.replace("{{ x }}", "x"))
    assert cache.why(shorter) == "line 3: its blocks are not what they were"
    (package / "a.py").write_text("other")
    assert cache.why(job()) == "package/a.py has been edited"
    (package / "a.py").unlink()
    assert cache.why(job()) == "package/a.py is gone"
    run.distributions["python"] = "2.7"
    (package / "a.py").write_text("a")
    other = job(name="docs/q.md")
    cache.write(other, run)
    assert cache.why(other).startswith("python was 2.7 and is 3.")

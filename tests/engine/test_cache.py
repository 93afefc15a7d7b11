"""Store what pages showed, and load it only while it is valid and whole."""

import json
from pathlib import Path

import pytest

from lookback.engine import cache as cache_module
from lookback.engine.blocks import parse
from lookback.engine.cache import Cache, write_atomically
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
    return Job(name, name, parse(text, name).running)


FILES = ["a.py", "gone.json", "sub/weights.safetensors"]


def done() -> Run:
    return Run(
        "docs/p.md", [[], [{"text": "1"}]], 0.5, [{"model": "m"}], FILES, ["torch"]
    )


def test_a_run_is_kept_whole(cache: Cache) -> None:
    cache.write(job(), done())
    assert cache.read(job()) == done()


def test_nothing_is_known_at_first(cache: Cache) -> None:
    assert cache.read(job()) is None


def test_prose_is_not_in_the_key(cache: Cache) -> None:
    cache.write(job(), done())
    assert cache.read(job("New prose,\n\non more lines.\n\n" + TEXT)) == done()


@pytest.mark.parametrize(
    "text",
    [
        TEXT.replace("x = 1", "x = 2"),
        TEXT.replace("{{ x }}", "{{ x + 0 }}"),
        TEXT.replace("x = 1", "#| alt: a line\nx = 1"),
        TEXT + "\n```python\ny = 1\n```\n",
    ],
)
def test_every_block_value_and_figure_is_in_the_key(cache: Cache, text: str) -> None:
    cache.write(job(), done())
    assert cache.read(job(text)) is None


def test_options_that_change_only_the_page_run_nothing(cache: Cache) -> None:
    cache.write(job(), done())
    options = "#| open: true\n#| predict: Which?\n"
    assert cache.read(job(TEXT.replace("x = 1", f"{options}x = 1"))) == done()


@pytest.mark.parametrize("name", ["a.py", "sub/weights.safetensors"])
def test_an_edit_of_a_file_that_the_page_read_is_seen(
    package: Path, cache: Cache, name: str
) -> None:
    path = package / name
    before = path.read_text()
    cache.write(job(), done())
    path.write_text("changed")
    assert cache.read(job()) is None
    path.write_text(before)
    assert cache.read(job()) == done()
    path.unlink()
    assert cache.read(job()) is None


def test_a_file_that_was_looked_for_and_appears_is_seen(
    package: Path, cache: Cache
) -> None:
    cache.write(job(), done())
    assert cache.read(job()) == done()
    (package / "gone.json").write_text("{}")
    assert cache.read(job()) is None


def test_an_edit_of_another_file_runs_nothing(package: Path, cache: Cache) -> None:
    cache.write(job(), done())
    (package / "b.py").write_text("changed")
    (package / "sub" / "more.safetensors").write_text("new")
    assert Cache(cache.folder, package).read(job()) == done()


def test_a_run_whose_files_were_edited_meanwhile_is_not_kept(
    package: Path, cache: Cache
) -> None:
    edited = (package / "a.py").stat().st_mtime
    run = done()
    run.began = edited - 1
    cache.write(job(), run)
    assert cache.read(job()) is None
    run.began = edited + 1
    cache.write(job(), run)
    assert cache.read(job()) == run


@pytest.mark.parametrize(
    ("distribution", "valid"), [("torch", False), ("python", False), ("nltk", True)]
)
def test_versions_of_what_the_page_imported_count(
    cache: Cache, monkeypatch: pytest.MonkeyPatch, distribution: str, valid: bool
) -> None:
    cache.write(job(), done())
    version_of = cache_module.version_of
    monkeypatch.setattr(
        cache_module,
        "version_of",
        lambda name: "9" if name == distribution else version_of(name),
    )
    assert (cache.read(job()) is not None) == valid


def garble(text: str) -> str:
    entry = json.loads(text)
    entry["run"]["outputs"][1][0]["text"] = "2"
    return json.dumps(entry)


@pytest.mark.parametrize(
    "damage",
    [
        lambda text: text[:-9],
        lambda text: "",
        lambda text: "[]",
        lambda text: "{}",
        lambda text: text.replace('"seconds"', '"secs"'),
        lambda text: "\xff\xfe",
        garble,
    ],
)
def test_a_damaged_entry_is_not_loaded(cache: Cache, damage) -> None:
    cache.write(job(), done())
    (path,) = cache.folder.iterdir()
    path.write_bytes(damage(path.read_text()).encode("latin-1"))
    assert cache.read(job()) is None


def test_a_write_that_fails_leaves_what_was_there(tmp_path: Path, monkeypatch) -> None:
    path = tmp_path / "f"
    write_atomically(path, b"old")

    def fail(*_: object) -> None:
        raise OSError("disk full")

    monkeypatch.setattr("pathlib.Path.replace", fail)
    with pytest.raises(OSError, match="disk full"):
        write_atomically(path, b"new")
    assert path.read_bytes() == b"old" and list(tmp_path.iterdir()) == [path]

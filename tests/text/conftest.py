"""What the tests of real data share: a cache of their own, small files, real copies."""

import gzip
import hashlib
import os
from dataclasses import replace
from importlib import import_module
from pathlib import Path

import pytest

from kit import packed

FOLDER = os.environ.get("LOOKBACK_DATA")


@pytest.fixture
def cache(tmp_path, monkeypatch):
    """An empty cache; LOOKBACK_DATA is not set."""
    files = import_module("lookback.text.corpora.files")
    monkeypatch.delenv("LOOKBACK_DATA", raising=False)
    monkeypatch.setattr(files, "cache_folder", lambda: tmp_path / "cache")
    return tmp_path / "cache"


@pytest.fixture
def copy_of(cache):
    """Gives a file below LOOKBACK_DATA; skips the test where it is not there."""

    def find(name):
        if FOLDER is None:
            pytest.skip("LOOKBACK_DATA is not set: it names a folder of real data")
        if not (Path(FOLDER) / name).exists():
            pytest.skip(f"LOOKBACK_DATA holds no {name}")
        return Path(FOLDER) / name

    return find


@pytest.fixture
def small(tmp_path, cache, monkeypatch):
    """Packs texts as a loader wants them, and has it trust them: → their folder.

    texts  of the files in its archive, or by the names of its files
    known  does the loader know these files?
    gz     are its plain files packed?
    """

    def put(loader, texts, known=True, gz=False):
        module = import_module(loader.__module__)
        if hasattr(module, "FILE"):
            changed = {"FILE": trusted(module.FILE, packed(**texts))}
        else:
            new = {
                n: trusted(module.FILES[n], t.encode(), gz) for n, t in texts.items()
            }
            changed = {"FILES": module.FILES | new}
        for name, value in changed.items() if known else ():
            monkeypatch.setattr(module, name, value)
        return tmp_path

    def trusted(file, data, gz=False):
        if gz or file.name.endswith(".gz"):
            data = gzip.compress(data, mtime=0)
        (tmp_path / (file.name + ".gz" * gz)).write_bytes(data)
        digest = hashlib.sha256(data).hexdigest()
        return replace(file, editions={digest: "small, by hand"})

    return put

"""What the tests of real data share: a cache of their own, and the reader's copies."""

import os
from importlib import import_module
from pathlib import Path

import pytest

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

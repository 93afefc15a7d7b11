"""The recipes in tests/trainer/recipes, found by their names while a test runs."""

from importlib import import_module
from pathlib import Path
from types import ModuleType

import pytest

import lookback.recipes
from lookback.text import corpora
from lookback.trainer import data

FOLDER = Path(__file__).with_name("recipes")


@pytest.fixture
def program() -> Path:
    """`lookback` with the tiny model, to be run by Python."""
    return FOLDER / "tiny.py"


@pytest.fixture
def tiny(monkeypatch: pytest.MonkeyPatch) -> ModuleType:
    """The module tests/trainer/recipes/tiny.py, one of `lookback.recipes`."""
    path = [*lookback.recipes.__path__, str(FOLDER)]
    monkeypatch.setattr(lookback.recipes, "__path__", path)
    module = import_module("lookback.recipes.tiny")
    monkeypatch.setattr(corpora, "toy", module.toy, raising=False)
    monkeypatch.setattr(data, "NAMES", (*data.NAMES, "toy"))
    return module


@pytest.fixture
def only_tiny(tiny: ModuleType, monkeypatch: pytest.MonkeyPatch) -> ModuleType:
    """The same, where no other model has a recipe."""
    monkeypatch.setattr(lookback.recipes, "__path__", [str(FOLDER)])
    return tiny

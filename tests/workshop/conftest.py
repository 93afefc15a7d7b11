"""The tiny model, known to recipes and makers while a test runs."""

import importlib.util
import sys
from collections.abc import Iterator
from pathlib import Path
from types import ModuleType

import pytest
import torch

PROGRAM = Path(__file__).with_name("tiny.py")


@pytest.fixture(autouse=True)
def one_thread(monkeypatch: pytest.MonkeyPatch) -> Iterator[None]:
    """Small tensors wait for threads longer than they are computed on."""
    threads = torch.get_num_threads()
    torch.set_num_threads(1)
    monkeypatch.setenv("OMP_NUM_THREADS", "1")  # of the processes that tests start
    yield
    torch.set_num_threads(threads)


@pytest.fixture(scope="session")
def tiny_module() -> Iterator[ModuleType]:
    spec = importlib.util.spec_from_file_location("tiny", PROGRAM)
    assert spec and spec.loader
    module = importlib.util.module_from_spec(spec)
    sys.modules["tiny"] = module  # dataclasses look their module up
    spec.loader.exec_module(module)
    yield module
    del sys.modules["tiny"]


@pytest.fixture
def tiny(tiny_module: ModuleType, monkeypatch: pytest.MonkeyPatch) -> ModuleType:
    """The module tests/workshop/tiny.py, its recipes entered for this test."""
    tiny_module.register(monkeypatch.setitem)
    return tiny_module

"""A chapter's machine as one file: it runs alone and computes what the package does."""

import pickle
import subprocess
import sys
from collections.abc import Mapping
from dataclasses import asdict
from functools import cache
from importlib import import_module
from importlib.util import module_from_spec, spec_from_file_location
from pathlib import Path
from typing import Any

import pytest
import torch

from lookback import CHAPTERS, pretrained
from lookback.extract import program

HERE = Path(__file__).parent
spec = spec_from_file_location("scenarios", HERE / "scenarios.py")
assert spec is not None and spec.loader is not None
scenarios = module_from_spec(spec)
spec.loader.exec_module(scenarios)


class Door:
    """The names of a chapter, then those of all others, from the package."""

    def __init__(self, name: str) -> None:
        self.modules = [import_module(f"lookback.{n}") for n in (name, *CHAPTERS)]

    def __getattr__(self, name: str) -> Any:
        return next(getattr(m, name) for m in self.modules if hasattr(m, name))


def sizes(name: str) -> dict[str, Any]:
    """What a shipped network is built with."""
    learner = pretrained(name)
    words = {side: len(v) for side, v in learner.vocabularies.items()}
    given = {"weights": learner.network.state_dict()}
    config = asdict(getattr(learner.network, "config", learner.recipe.model))
    if "source" in words:
        ids = learner.vocabularies["source"].ids(["the", "minister", "sleeps", "."])
        both = words["source"], words["target"]
        source = torch.tensor([[*ids, 3]])
        return given | {"config": config, "sizes": both, "source": source}
    return given | {"config": config, "V": words["words"]}


@cache
def shipped() -> Mapping[str, Any]:
    """The weights that came with the package, in types that need no import of it."""
    translators = ("encdec", "seq2seq", "bahdanau", "luong", "transformer")
    found = {
        name: sizes(name) for name in (*translators, "nplm", "glove", "gpt", "bert")
    }
    for name in ("recurrent", "lstm"):
        given = sizes(name)
        rest = {k: given["config"][k] for k in ("m", "n", "dropout")}
        found[name] = given | {"config": rest | {"V": given["V"]}}
    found["word2vec"] = {"weights": pretrained("word2vec").network.state_dict()}
    found["ngram"] = {"counts": vars(pretrained("ngram").network.counts)}
    found["ibm1"] = {"attributes": vars(pretrained("ibm1").network)}
    return found


@pytest.fixture(scope="session")
def alone(tmp_path_factory: pytest.TempPathFactory) -> Mapping[str, Any]:
    """What all files compute, in one process where `import lookback` fails."""
    folder = tmp_path_factory.mktemp("alone")
    files = folder / "files"
    files.mkdir()
    for name in CHAPTERS:
        (files / f"{name}.py").write_text(program(name), encoding="utf-8")
    (folder / "given").write_bytes(pickle.dumps(shipped()))
    script = [sys.executable, "-I", HERE / "scenarios.py"]
    done = subprocess.run(
        [*script, files, folder / "given", folder / "out"],
        capture_output=True,
        text=True,
    )
    assert done.returncode == 0, done.stderr
    return pickle.loads((folder / "out").read_bytes())


@pytest.mark.parametrize("name", CHAPTERS)
def test_a_file_computes_what_the_package_does(name: str, alone) -> None:
    assert name in scenarios.SCENARIOS
    package = scenarios.run(name, Door(name), shipped().get(name))
    assert "failed" not in alone[name], alone[name]["failed"]
    assert alone[name].keys() == package.keys()
    assert [key for key in package if alone[name][key] != package[key]] == []

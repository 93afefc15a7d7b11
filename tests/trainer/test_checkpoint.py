"""Trained models on disk say where they come from, and are refused if they do not fit.

The model is that of tests/trainer/recipes/tiny.py.
"""

import re
from pathlib import Path
from types import ModuleType

import pytest
import torch

from lookback.engine.worker import provenance
from lookback.text.corpora import DataError
from lookback.trainer import checkpoint, data, files
from lookback.trainer.checkpoint import (
    evaluate,
    outdated,
    pretrained,
    train,
    train_outdated,
)
from lookback.trainer.language import LanguageLearner
from lookback.trainer.recipe import Data, plain, recipe


@pytest.fixture
def path(tiny: ModuleType, tmp_path: Path) -> Path:
    return train("tiny", tmp_path, on="cpu", progress=False)


def test_one_line_gives_network_vocabularies_and_metrics(
    path: Path, tiny: ModuleType
) -> None:
    learner = pretrained("tiny", path.parent, kind=tiny.TinyLearner)
    assert learner.losses == 0
    assert learner.network(torch.tensor([[4, 5]])).shape == (1, 2, 15)
    assert not learner.network.training
    assert learner.vocabularies["words"].ids(["the"]) != [1]
    assert learner.metrics.keys() == {"test loss"}
    assert learner.metrics["test loss"] < 2.6  # log 15 is 2.7
    assert learner.parameters == 225
    assert repr(learner).startswith("<tiny: 225 parameters, test loss 2.")
    assert evaluate("tiny", path.parent) == learner.metrics
    assert outdated("tiny", path.parent) is None
    words = "tiny is a TinyLearner, .* expected a LanguageLearner"
    with pytest.raises(ValueError, match=words):
        pretrained("tiny", path.parent, kind=LanguageLearner)


def test_the_metadata_say_where_it_comes_from(path: Path) -> None:
    metadata = pretrained("tiny", path.parent).metadata
    wanted = recipe("tiny")
    assert metadata["digest"] == wanted.digest
    assert metadata["recipe"] == plain(wanted)
    assert metadata["recipe"]["model"] == {"width": 7, "dropout": 0.0}
    assert metadata["versions"]["torch"] == torch.__version__.partition("+")[0]
    versions = {"python", "numpy", "safetensors", "lookback"}
    assert versions < metadata["versions"].keys()
    assert re.fullmatch(r".+, \d+ cores", metadata["machine"])
    assert metadata["seconds"] > 0
    assert metadata["parameters"] == 15 * 7 + 7 * 15 + 15
    assert metadata["steps"] == 23
    assert [step for step, _ in metadata["evaluations"]] == [5, 10, 15, 20, 23]
    assert metadata["data"]["name"] == "toy"
    assert len(metadata["data"]["fingerprint"]) == 64
    assert metadata["data"]["longest"] == 8


def test_a_page_that_shows_the_model_is_stamped(path: Path) -> None:
    learner = pretrained("tiny", path.parent)
    (stamp,) = provenance({"model": learner, "number": 1})
    assert list(stamp) == [
        "model", "parameters", "trained in", "on", "test loss", "recipe",
    ]  # fmt: skip
    assert stamp["model"] == "tiny"
    assert stamp["recipe"] == recipe("tiny").digest[:10]


def test_half_precision_is_stored_and_measured(
    tiny: ModuleType, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    whole = train("tiny", tmp_path / "whole", on="cpu", progress=False)
    monkeypatch.setattr(tiny.TinyLearner, "half", True)
    path = train("tiny", tmp_path, on="cpu", progress=False)
    stored = files.read(path)[1]
    assert {tensor.dtype for tensor in stored.values()} == {torch.float16}
    learner = pretrained("tiny", tmp_path)
    for name, tensor in learner.network.state_dict().items():
        assert tensor.dtype == torch.float32
        assert torch.equal(tensor, files.read(whole)[1][name].half().float())
    assert evaluate("tiny", tmp_path) == learner.metrics
    assert learner.metrics != pretrained("tiny", tmp_path / "whole").metrics


def test_half_precision_refuses_what_it_cannot_hold() -> None:
    with pytest.raises(ValueError, match="w has numbers that half precision"):
        checkpoint.packed({"w": torch.tensor([1e6])}, half=True)
    tensors, types = checkpoint.packed({"n": torch.tensor([70_000])}, half=True)
    assert tensors["n"].item() == 70_000
    assert types == {"n": "int64"}


def altered(path: Path, **changes: object) -> None:
    """Write the file anew with other facts."""
    metadata, tensors = files.read(path)
    files.write(path, tensors, {**metadata, **changes})


def test_a_file_that_is_not_the_models_is_refused(path: Path) -> None:
    where, whole = path.parent, path.read_bytes()

    def refused(words: str) -> None:
        with pytest.raises(ValueError, match=rf"tiny\.safetensors: {words}"):
            pretrained("tiny", where)
        assert outdated("tiny", where) is not None
        path.write_bytes(whole)

    path.write_bytes(whole[:-1])
    refused("truncated")
    altered(path, name="other")
    refused("another model, other where tiny needs tiny")
    altered(path, digest="0" * 64)
    refused("another recipe, 0000000000 where")
    altered(path, vocabularies={})
    refused("does not fit the model tiny")
    metadata, tensors = files.read(path)
    files.write(path, {**tensors, "more": torch.zeros(1)}, metadata)
    refused("does not fit the model tiny")
    files.write(path, {**tensors, "out.bias": torch.zeros(3)}, metadata)
    refused("does not fit the model tiny: .*out.bias")
    metadata["vocabularies"]["words"] = "{}"
    files.write(path, tensors, metadata)
    refused("does not fit the model tiny: not a vocabulary")


def test_a_corpus_that_changed_makes_its_file_stale_unless_python_brought_it(
    path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    metadata, _ = files.read(path)
    stale = "toy is no longer the text it was trained on"
    altered(path, data={**metadata["data"], "fingerprint": "0", "version": "0"})
    assert outdated("tiny", path.parent) == stale
    pretrained("tiny", path.parent)
    monkeypatch.setattr(checkpoint, "CHANGING", ("toy",))
    assert outdated("tiny", path.parent) is None
    altered(path, data={**metadata["data"], "fingerprint": "0"})
    assert outdated("tiny", path.parent) == stale


def test_without_its_corpus_a_model_stays_as_it_is(
    path: Path, only_tiny: ModuleType, monkeypatch: pytest.MonkeyPatch
) -> None:
    def absent(wanted: Data) -> None:
        raise DataError("toy.zip: pass download=True", "toy.zip: fetch it")

    monkeypatch.setattr(checkpoint, "corpus", absent)
    assert outdated("tiny", path.parent) is None
    said = list[str]()
    train_outdated(path.parent, on="cpu", progress=False, say=said.append)
    assert said[-1] == "tiny-dropping: left as it was: toy.zip: fetch it"
    assert not path.with_name("tiny-dropping.safetensors").exists()


def test_the_licence_of_the_text_is_recorded(
    tiny: ModuleType, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setitem(data.LICENCES, "toy", "words of nobody, CC0")
    train("tiny", tmp_path, on="cpu", progress=False)
    learner = pretrained("tiny", tmp_path)
    assert learner.metadata["data"]["licence"] == "words of nobody, CC0"
    assert learner.provenance["made from"] == "words of nobody, CC0"


def test_only_what_is_out_of_date_is_trained(path: Path, only_tiny: ModuleType) -> None:
    before, said = path.read_bytes(), list[str]()
    train_outdated(path.parent, on="cpu", progress=False, say=said.append)
    written = path.with_name("tiny-dropping.safetensors")
    reason = "tiny-dropping: there is no checkpoint"
    assert said == ["tiny: up to date", reason, str(written)]
    assert path.read_bytes() == before
    assert outdated("tiny-dropping", path.parent) is None


def test_folders_are_tried_in_order(
    path: Path, monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    with pytest.raises(ValueError, match="tiny is not trained yet"):
        pretrained("tiny")
    monkeypatch.setenv(checkpoint.VARIABLE, str(path.parent))
    assert pretrained("tiny").name == "tiny"
    monkeypatch.delenv(checkpoint.VARIABLE)
    monkeypatch.setattr(checkpoint, "SHIPPED", path.parent)
    assert pretrained("tiny").name == "tiny"
    with pytest.raises(ValueError, match=r"elsewhere/tiny\.safetensors: there is no"):
        pretrained("tiny", tmp_path / "elsewhere")
    with pytest.raises(ValueError, match="no model 'tinny': did you mean 'tiny'"):
        pretrained("tinny")


def test_what_may_not_ship_is_trained_by_name_alone_and_lies_elsewhere(
    only_tiny: ModuleType, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(checkpoint, "NOT_SHIPPED", ("toy",))
    monkeypatch.setattr(checkpoint, "SHIPPED", tmp_path / "package")
    monkeypatch.setattr(checkpoint, "cache_folder", lambda: tmp_path / "c" / "corpora")
    monkeypatch.delenv(checkpoint.VARIABLE, raising=False)
    said = list[str]()
    train_outdated(on="cpu", progress=False, say=said.append)
    assert said == []
    own = tmp_path / "c" / "models" / "tiny.safetensors"
    assert train("tiny", on="cpu", progress=False) == own
    assert pretrained("tiny").name == "tiny"
    assert not (tmp_path / "package").exists()
    with monkeypatch.context() as allowed:
        allowed.setattr(checkpoint, "NOT_SHIPPED", ())
        assert checkpoint.model_folder("tiny") == tmp_path / "package"
    monkeypatch.setenv(checkpoint.VARIABLE, str(tmp_path / "mine"))
    assert checkpoint.model_folder("tiny") == tmp_path / "mine"
    with pytest.raises(ValueError, match=r"mine/tiny\.safetensors: there is no"):
        pretrained("tiny")


def test_without_what_finds_the_cache_only_shipped_models_are_read(
    tiny: ModuleType, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def missing() -> Path:
        raise ModuleNotFoundError("No module named 'platformdirs'", name="platformdirs")

    monkeypatch.setattr(checkpoint, "NOT_SHIPPED", ("toy",))
    monkeypatch.setattr(checkpoint, "cache_folder", missing)
    monkeypatch.setattr(checkpoint, "SHIPPED", tmp_path)
    monkeypatch.delenv(checkpoint.VARIABLE, raising=False)
    assert checkpoint.path_of("tiny") == tmp_path / "tiny.safetensors"
    with pytest.raises(ModuleNotFoundError, match="platformdirs"):
        train("tiny", on="cpu", progress=False)


def test_a_path_that_cannot_be_written_is_refused_before_the_training(
    tiny: ModuleType, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (tmp_path / "file").write_text("")
    monkeypatch.setattr(tiny.TinyLearner, "train", None)
    with pytest.raises(ValueError, match=r"file/tiny\.safetensors: cannot be written"):
        train("tiny", tmp_path / "file", on="cpu", progress=False)

"""Checkpoints say where they come from, and are refused when they do not fit."""

import re
from dataclasses import replace
from pathlib import Path
from types import ModuleType

import pytest
import torch
from lookback.workshop.train import measure, stale, train, train_stale

from lookback.engine.worker import provenance
from lookback.text.corpora import DataError
from lookback.workshop import checkpoints, data, makers, pretrained, recipes, sealed
from lookback.workshop import train as training


@pytest.fixture
def path(tiny: ModuleType, tmp_path: Path) -> Path:
    return train("tiny", tmp_path, on="cpu", progress=False)


def test_one_line_gives_model_vocabularies_and_metrics(path: Path) -> None:
    found = pretrained("tiny", path.parent)
    assert found.model(torch.tensor([[4, 5]])).shape == (1, 2, 15)
    assert not found.model.training
    assert found.vocabularies["words"].ids(["the"]) != [1]
    assert found.metrics.keys() == {"test loss"}
    assert found.metrics["test loss"] < 2.6  # log 15 is 2.7
    assert repr(found).startswith("<tiny: 225 parameters, test loss 2.")


def test_the_card_says_where_it_comes_from(path: Path) -> None:
    card = pretrained("tiny", path.parent).card
    asked = recipes.recipe("tiny")
    assert card["digest"] == asked.digest
    assert card["recipe"] == recipes.plain(asked)
    assert card["recipe"]["model"] == {"is": "TinyConfig", "width": 7, "dropout": 0.0}
    assert card["seed"] == 3
    assert card["versions"]["torch"] == torch.__version__.partition("+")[0]
    assert {"python", "numpy", "safetensors", "lookback"} < card["versions"].keys()
    assert re.fullmatch(r".+, \d+ cores", card["machine"])
    assert card["seconds"] > 0
    assert card["parameters"] == 15 * 7 + 7 * 15 + 15
    assert card["steps"] == 23
    assert [step for step, _ in card["evaluations"]] == [5, 10, 15, 20, 23]
    assert card["data"]["name"] == "toy"
    assert len(card["data"]["fingerprint"]) == 64
    assert card["data"]["longest"] == 8


def test_a_page_that_shows_the_model_is_stamped(path: Path) -> None:
    found = pretrained("tiny", path.parent)
    (card,) = provenance({"model": found, "number": 1})
    assert list(card) == [
        "model", "parameters", "trained in", "on", "test loss", "recipe",
    ]  # fmt: skip
    assert card["model"] == "tiny"
    assert card["recipe"] == recipes.recipe("tiny").digest[:10]


def test_what_is_recorded_is_found_again(path: Path) -> None:
    assert measure("tiny", path.parent) == pretrained("tiny", path.parent).metrics
    assert stale("tiny", path.parent) is None


def test_half_precision_is_stored_and_measured(
    tiny: ModuleType, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    whole = train("tiny", tmp_path / "whole", on="cpu", progress=False)
    monkeypatch.setattr(tiny.TinyMaker, "half", True)
    path = train("tiny", tmp_path, on="cpu", progress=False)
    stored = sealed.read(path)[1]
    assert {tensor.dtype for tensor in stored.values()} == {torch.float16}
    found = pretrained("tiny", tmp_path)
    for name, tensor in found.model.state_dict().items():
        assert tensor.dtype == torch.float32
        assert torch.equal(tensor, sealed.read(whole)[1][name].half().float())
    assert measure("tiny", tmp_path) == found.metrics
    assert found.metrics != pretrained("tiny", tmp_path / "whole").metrics


def test_half_precision_refuses_what_it_cannot_hold(tiny: ModuleType) -> None:
    maker = makers.maker_of(tiny.TINY)
    maker.half = True
    try:
        with pytest.raises(ValueError, match="w has numbers that half precision"):
            checkpoints.kept({"w": torch.tensor([1e6])}, maker)
        tensors, types = checkpoints.kept({"n": torch.tensor([70_000])}, maker)
    finally:
        del maker.half
    assert tensors["n"].item() == 70_000
    assert types == {"n": "int64"}


def altered(path: Path, **changes: object) -> None:
    """Write the file anew with other facts, its seal whole."""
    card, tensors = sealed.read(path)
    sealed.write(path, tensors, {**card, **changes})


def test_a_file_that_is_not_the_models_is_refused(path: Path) -> None:
    where, whole = path.parent, path.read_bytes()

    def refused(words: str) -> None:
        with pytest.raises(ValueError, match=rf"tiny\.safetensors: {words}"):
            pretrained("tiny", where)
        assert stale("tiny", where) is not None
        path.write_bytes(whole)

    path.write_bytes(whole[:-1])
    refused("truncated")
    path.write_bytes(whole[:-1] + b"!")
    refused("altered")
    altered(path, name="other")
    refused("another model, other where tiny needs tiny")
    altered(path, format=0)
    refused("another format, 0")
    altered(path, digest="0" * 64)
    refused("another recipe, 0000000000 where")
    altered(path, vocabularies={})
    refused("does not fit the model tiny")
    card, tensors = sealed.read(path)
    sealed.write(path, {**tensors, "more": torch.zeros(1)}, card)
    refused("does not fit the model tiny")
    sealed.write(path, {**tensors, "out.bias": torch.zeros(3)}, card)
    refused("does not fit the model tiny: .*out.bias")
    card["vocabularies"]["words"] = "{}"
    sealed.write(path, tensors, card)
    refused("does not fit the model tiny: not a vocabulary")


def test_a_recipe_that_changed_makes_its_file_old(
    path: Path, tiny: ModuleType, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setitem(recipes.RECIPES, "tiny", replace(tiny.TINY, seed=4))
    assert "another recipe" in str(stale("tiny", path.parent))


def test_a_corpus_that_changed_makes_its_file_old(path: Path) -> None:
    card, _ = sealed.read(path)
    altered(path, data={**card["data"], "fingerprint": "0"})
    assert stale("tiny", path.parent) == "toy is no longer the text it was trained on"
    pretrained("tiny", path.parent)


def test_a_text_that_comes_with_python_may_differ_under_another_one(
    path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    card, _ = sealed.read(path)
    monkeypatch.setattr(training, "MOVING", ("toy",))
    altered(path, data={**card["data"], "fingerprint": "0", "version": "0"})
    assert stale("tiny", path.parent) is None
    altered(path, data={**card["data"], "fingerprint": "0"})
    assert stale("tiny", path.parent) == "toy is no longer the text it was trained on"


def test_without_its_corpus_a_model_stays_as_it_is(
    path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def absent(asked: recipes.Data) -> None:
        raise DataError("toy.zip: there is no such file")

    for name in set(recipes.RECIPES) - {"tiny", "dropping"}:
        monkeypatch.delitem(recipes.RECIPES, name)
    monkeypatch.setattr(training, "corpus", absent)
    assert stale("tiny", path.parent) is None
    told = list[str]()
    train_stale(path.parent, on="cpu", progress=False, say=told.append)
    assert told[-1] == "dropping: left as it was: toy.zip: there is no such file"
    assert not path.with_name("dropping.safetensors").exists()


def test_who_wrote_the_text_is_told(
    tiny: ModuleType, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setitem(data.LICENCES, "toy", "words of nobody, CC0")
    train("tiny", tmp_path, on="cpu", progress=False)
    found = pretrained("tiny", tmp_path)
    assert found.card["data"]["licence"] == "words of nobody, CC0"
    assert found.provenance["made from"] == "words of nobody, CC0"


def test_only_what_is_out_of_date_is_trained(
    path: Path, tiny: ModuleType, monkeypatch: pytest.MonkeyPatch
) -> None:
    for name in set(recipes.RECIPES) - {"tiny", "dropping"}:
        monkeypatch.delitem(recipes.RECIPES, name)
    before, told = path.read_bytes(), list[str]()
    train_stale(path.parent, on="cpu", progress=False, say=told.append)
    made = path.with_name("dropping.safetensors")
    reason = "dropping: there is no checkpoint"
    assert told == ["tiny: up to date", reason, str(made)]
    assert path.read_bytes() == before
    assert stale("dropping", path.parent) is None


def test_folders_are_tried_in_order(
    path: Path, monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    with pytest.raises(ValueError, match="tiny is not trained yet"):
        pretrained("tiny")
    monkeypatch.setenv(checkpoints.VARIABLE, str(path.parent))
    assert pretrained("tiny").name == "tiny"
    monkeypatch.delenv(checkpoints.VARIABLE)
    monkeypatch.setattr(checkpoints, "SHIPPED", path.parent)
    assert pretrained("tiny").name == "tiny"
    with pytest.raises(ValueError, match=r"elsewhere/tiny\.safetensors: there is no"):
        pretrained("tiny", tmp_path / "elsewhere")
    with pytest.raises(ValueError, match="no model 'tinny': did you mean 'tiny'"):
        pretrained("tinny")


def test_what_may_not_ship_is_made_by_name_alone_and_lies_elsewhere(
    tiny: ModuleType, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    for name in set(recipes.RECIPES) - {"tiny", "dropping"}:
        monkeypatch.delitem(recipes.RECIPES, name)
    monkeypatch.setattr(checkpoints, "KEPT_BACK", ("toy",))
    monkeypatch.setattr(checkpoints, "SHIPPED", tmp_path / "package")
    monkeypatch.setattr(checkpoints, "cache_folder", lambda: tmp_path / "c" / "corpora")
    monkeypatch.delenv(checkpoints.VARIABLE, raising=False)
    told = list[str]()
    train_stale(on="cpu", progress=False, say=told.append)
    assert told == []
    own = tmp_path / "c" / "models" / "tiny.safetensors"
    assert train("tiny", on="cpu", progress=False) == own
    assert pretrained("tiny").name == "tiny"
    assert not (tmp_path / "package").exists()
    with monkeypatch.context() as allowed:
        allowed.setattr(checkpoints, "KEPT_BACK", ())
        assert checkpoints.home("tiny") == tmp_path / "package"
    monkeypatch.setenv(checkpoints.VARIABLE, str(tmp_path / "mine"))
    assert checkpoints.home("tiny") == tmp_path / "mine"
    with pytest.raises(ValueError, match=r"mine/tiny\.safetensors: there is no"):
        pretrained("tiny")


def test_where_no_cache_can_be_found_nothing_was_kept_there(
    tiny: ModuleType, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def missing() -> Path:
        raise ModuleNotFoundError("No module named 'platformdirs'", name="platformdirs")

    monkeypatch.setattr(checkpoints, "KEPT_BACK", ("toy",))
    monkeypatch.setattr(checkpoints, "cache_folder", missing)
    monkeypatch.setattr(checkpoints, "SHIPPED", tmp_path)
    monkeypatch.delenv(checkpoints.VARIABLE, raising=False)
    assert checkpoints.path_of("tiny") == tmp_path / "tiny.safetensors"
    with pytest.raises(ModuleNotFoundError, match="platformdirs"):
        train("tiny", on="cpu", progress=False)


def test_a_path_that_cannot_be_written_is_told_before_the_training(
    tiny: ModuleType, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (tmp_path / "file").write_text("")
    monkeypatch.setattr(tiny.TinyMaker, "train", None)
    with pytest.raises(ValueError, match=r"file/tiny\.safetensors: cannot be written"):
        train("tiny", tmp_path / "file", on="cpu", progress=False)


def test_training_leaves_no_trace_in_torchs_chance(
    tiny: ModuleType, tmp_path: Path
) -> None:
    with torch.random.fork_rng():
        torch.manual_seed(99)  # a state in which no other test has left it
        before = torch.get_rng_state()
        train("dropping", tmp_path, on="cpu", progress=False)
        assert torch.equal(torch.get_rng_state(), before)

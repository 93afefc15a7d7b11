"""Trained models on disk: made by a recipe, written whole, read whole, or refused."""

import os
import time
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any, TypeVar, overload

import torch
from torch import Tensor

from lookback.text.corpora import DataError
from lookback.text.corpora.files import cache_folder
from lookback.text.vocabulary import Vocabulary

from . import files, parallel
from .data import (
    CHANGING,
    LICENCES,
    NOT_SHIPPED,
    AnyCorpus,
    corpus,
    fingerprint,
    fingerprint_of,
    longest,
)
from .device import device
from .files import machine, versions
from .learner import Learner, Metrics, Run, Tensors
from .recipe import plain, recipe, recipes

T = TypeVar("T", bound=Learner)

SHIPPED = Path(__file__).parents[1] / "recipes"
VARIABLE = "LOOKBACK_CHECKPOINTS"


def is_bundled(name: str) -> bool:
    """May the model of that name come with the package?"""
    return recipe(name).data.corpus not in NOT_SHIPPED


def model_folder(name: str) -> Path:
    """Where that model is written: LOOKBACK_CHECKPOINTS, or in the package.

    One that may not ship is written where nobody commits it.
    """
    if named := os.environ.get(VARIABLE):
        return Path(named)
    return SHIPPED if is_bundled(name) else cache_folder().parent / "models"


def path_of(name: str, where: Path | None = None) -> Path:
    """The file of that model: in `where`, in its `model_folder`, or shipped."""
    try:
        tried = [where] if where else [model_folder(name), SHIPPED]
    except ModuleNotFoundError:  # without what finds the cache nothing was put there
        tried = [SHIPPED]
    paths = [place / f"{name}.safetensors" for place in tried]
    return next(filter(Path.exists, paths), paths[0])


@overload
def pretrained(name: str, where: Path | None = None) -> Learner: ...


@overload
def pretrained(name: str, where: Path | None = None, *, kind: type[T]) -> T: ...


def pretrained(
    name: str, where: Path | None = None, *, kind: type[Learner] = Learner
) -> Learner:
    """The trained model of that name: a `Learner`, whose methods fit its kind.

    >>> translator = pretrained("bahdanau")
    >>> translator.translate(["the", "minister", "sleeps", "."])
    ['le', 'ministre', 'dort', '.']

    It owns its `network` and its `vocabularies`; `metrics` were measured when it was
    trained, and `metadata` is all that its file says of it.

    where  the folder that holds it, instead of the usual ones
    kind   the class that it has to be of
    Raises `ValueError` for a name that is none, naming the nearest; for a model that
    nobody trained yet, or of another kind; and for a file that is truncated or another
    recipe's.
    """
    wanted = recipe(name)
    path = path_of(name, where)
    if not path.exists():
        raise ValueError(
            f"{path}: there is no such file: {name} is not trained yet. "
            f"`lookback train {name}` makes it"
        )
    if not issubclass(wanted.learner, kind):
        raise ValueError(
            f"{name} is a {wanted.learner.__name__}, which has "
            f"{', '.join(wanted.learner.skills())}: expected a {kind.__name__}"
        )
    metadata, stored = files.read(path)
    for what, value, expected in (
        ("model", metadata.get("name"), name),
        ("recipe", metadata.get("digest"), wanted.digest),
    ):
        if value != expected:
            raise ValueError(
                f"{path}: another {what}, {str(value)[:10]} where {name} needs "
                f"{expected[:10]}: `lookback train {name}` makes it anew"
            )
    learner: Learner = wanted.learner(wanted)
    try:
        texts = metadata["vocabularies"].items()
        words = {role: Vocabulary.loads(text) for role, text in texts}
        learner.restore(unpacked(stored, metadata["types"]), words)
        learner.name, learner.metrics = name, dict(metadata["metrics"])
    except (ValueError, KeyError) as error:
        raise ValueError(f"{path}: does not fit the model {name}: {error}") from error
    learner.metadata = metadata
    return learner


def packed(tensors: Tensors, half: bool) -> tuple[dict[str, Tensor], dict[str, str]]:
    """The tensors as the file holds them, and the types that they had."""
    types = {name: str(t.dtype).removeprefix("torch.") for name, t in tensors.items()}
    return {name: _halved(name, t, half) for name, t in tensors.items()}, types


def _halved(name: str, tensor: Tensor, half: bool) -> Tensor:
    tensor = tensor.detach().cpu()
    if not (half and tensor.is_floating_point()):
        return tensor
    small = tensor.half()
    if not torch.equal(small.isfinite(), tensor.isfinite()):
        raise ValueError(f"{name} has numbers that half precision cannot hold")
    return small


def unpacked(tensors: Tensors, types: Mapping[str, str]) -> dict[str, Tensor]:
    """The tensors in the types that they had before `packed`."""
    return {name: t.to(getattr(torch, types[name])) for name, t in tensors.items()}


def save(path: Path, name: str, learner: Learner, facts: Mapping[str, Any]) -> None:
    """Write a checkpoint and what is known of it. The metrics are not measured here.

    facts  what was measured, and what it cost
    """
    tensors, types = packed(learner.tensors(), learner.half)
    metadata = {
        "name": name,
        "recipe": plain(learner.recipe),
        "digest": learner.recipe.digest,
        "versions": versions(),
        "vocabularies": {k: words.dumps() for k, words in learner.vocabularies.items()},
        "types": types,
        **facts,
    }
    files.write(path, tensors, metadata)


def train(
    name: str,
    where: Path | None = None,
    *,
    on: str = "auto",
    progress: bool = True,
) -> Path:
    """Train the model of that name, measure it, write its checkpoint: the path.

    A run that was interrupted goes on from its last saved step, a hidden file; its
    batches are drawn anew, so that its weights are not those of a run that was not.
    Started by torchrun, the processes share each batch, and the first one writes.
    What is recorded was measured on the numbers as the file holds them.
    """
    wanted, target = recipe(name), device(on)
    text, learner = corpus(wanted.data), wanted.learner(wanted)
    path = (where or model_folder(name)) / f"{name}.safetensors"
    state = path.with_name(f".{name}.state")
    files.check_writable(path)
    with parallel.together(target):
        began = time.perf_counter()
        learner.train(text, Run(target, state, progress))
        seconds = time.perf_counter() - began
        if parallel.rank():
            return path
        learner.restore(
            unpacked(*packed(learner.tensors(), learner.half)), learner.vocabularies
        )
        facts = {
            "machine": machine(target),
            "processes": parallel.world(),
            **cost(learner, seconds),
            "parameters": learner.parameters,
            "metrics": learner.evaluate(text),
            "data": about(text),
        }
        save(path, name, learner, facts)
        state.unlink(missing_ok=True)
    return path


def about(text: AnyCorpus) -> dict[str, Any]:
    """What a checkpoint says of the text that it learned from."""
    return {
        "name": text.name,
        "version": text.version,
        "fingerprint": fingerprint(text),
        "licence": LICENCES.get(text.name),
        "longest": longest(text),
    }


def cost(learner: Learner, seconds: float) -> dict[str, Any]:
    """What it took: of an interrupted run, all sittings; and how validation went."""
    if learner.log is None:
        return {"seconds": round(seconds, 3)}
    return {
        "seconds": round(learner.log.seconds, 3),
        "steps": len(learner.log.entries),
        "tokens": learner.log.tokens,
        "evaluations": [[e.step, e.score] for e in learner.log.evaluations],
    }


def outdated(name: str, where: Path | None = None) -> str | None:
    """Why the model of that name has to be trained; None where its file is right."""
    path = path_of(name, where)
    if not path.exists():
        return "there is no checkpoint"
    try:
        learner = pretrained(name, where)
    except ValueError as error:
        return str(error)
    try:
        text = corpus(learner.recipe.data)
    except DataError:
        return None  # no copy here that could differ
    read = learner.metadata["data"]
    if text.name in CHANGING and text.version != read["version"]:
        return None
    if read["fingerprint"] != fingerprint_of(learner.recipe.data):
        return f"{read['name']} is no longer the text it was trained on"
    return None


def train_outdated(
    where: Path | None = None,
    *,
    on: str = "auto",
    progress: bool = True,
    say: Callable[[str], None] = print,
) -> None:
    """Train all that is missing or out of date, and whose corpus is here.

    What may not ship is trained where it is named, and not here.
    """
    for name in filter(is_bundled, recipes()):
        reason = outdated(name, where)
        say(f"{name}: {reason or 'up to date'}")
        try:
            if reason:
                say(str(train(name, where, on=on, progress=progress)))
        except DataError as error:
            say(f"{name}: left as it was: {error.command}")


def evaluate(name: str, where: Path | None = None) -> Metrics:
    """The metrics of a checkpoint, measured again."""
    learner = pretrained(name, where)
    return learner.evaluate(corpus(learner.recipe.data))

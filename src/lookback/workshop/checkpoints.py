"""Trained models on disk: written whole, read whole, or refused with the reason."""

import os
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import torch
from torch import Tensor

from lookback.text.corpora.files import cache_folder
from lookback.text.vocabulary import Vocabulary

from . import sealed
from .data import KEPT_BACK
from .makers import Maker, Metrics, Tensors, Vocabularies, maker_of
from .origin import versions
from .recipes import Recipe, plain, recipe

FORMAT = 1
SHIPPED = Path(__file__).parent / "weights"
VARIABLE = "LOOKBACK_CHECKPOINTS"


@dataclass(frozen=True)
class Pretrained:
    """A trained model and what belongs to it.

    vocabularies  the words it knows, by role ("words", or "source" and "target")
    metrics       what was measured when it was trained
    card          all that its file says of it
    """

    name: str
    model: Any
    vocabularies: Vocabularies
    metrics: Metrics
    recipe: Recipe
    card: Mapping[str, Any]

    def __repr__(self) -> str:
        told = ", ".join(f"{key} {value:.4g}" for key, value in self.metrics.items())
        return f"<{self.name}: {self.card['parameters']:,} parameters, {told}>"

    @property
    def provenance(self) -> dict[str, str]:
        """What the stamp of a page says of a model that the page shows."""
        card = self.card
        cost = f"{card['seconds']:.2g} s on {card['machine']}"
        found = {"model": self.name, "parameters": f"{card['parameters']:,}"}
        found |= {"trained in": cost, "on": card["data"]["name"]}
        if card["data"].get("licence"):
            found["made from"] = card["data"]["licence"]
        found |= {key: f"{value:.4g}" for key, value in self.metrics.items()}
        return found | {"recipe": card["digest"][:10]}


def folder() -> Path:
    """Where trained models are written: LOOKBACK_CHECKPOINTS, or beside the package."""
    return Path(os.environ.get(VARIABLE) or SHIPPED)


def ships(name: str) -> bool:
    """May the model of that name come with the package?"""
    return recipe(name).data.corpus not in KEPT_BACK


def home(name: str) -> Path:
    """Where that model is written: one that may not ship, where nobody commits it."""
    if ships(name) or os.environ.get(VARIABLE):
        return folder()
    return cache_folder().parent / "models"


def path_of(name: str, where: Path | None = None) -> Path:
    """The file of the model of that name: in `where`, in its `home`, or shipped."""
    try:
        tried = [where] if where else [home(name), SHIPPED]
    except ModuleNotFoundError:  # without what finds the cache nothing was put there
        tried = [SHIPPED]
    paths = [place / f"{name}.safetensors" for place in tried]
    return next(filter(Path.exists, paths), paths[0])


def pretrained(name: str, where: Path | None = None) -> Pretrained:
    """The model of that name with its vocabularies and metrics.

    >>> pretrained("ngram").model.order
    3

    where  the folder that holds it, instead of the usual ones
    Raises `ValueError` for a name that is none, naming the nearest; for a model that
    nobody trained yet; and for a file that is truncated, altered or another recipe's.
    """
    recipe(name)
    path = path_of(name, where)
    if not path.exists():
        raise ValueError(
            f"{path}: there is no such file: {name} is not trained yet. "
            f"`lookback train {name}` makes it"
        )
    return load(path, name)


def load(path: Path, name: str) -> Pretrained:
    """Read one file as the model of that name."""
    card, stored = sealed.read(path)
    asked = recipe(name)
    for what, found, wanted in (
        ("format", card.get("format"), FORMAT),
        ("model", card.get("name"), name),
        ("recipe", card.get("digest"), asked.digest),
    ):
        if found != wanted:
            raise ValueError(
                f"{path}: another {what}, {str(found)[:10]} where {name} needs "
                f"{str(wanted)[:10]}: `lookback train {name}` makes it anew"
            )
    try:
        words = {k: Vocabulary.loads(text) for k, text in card["vocabularies"].items()}
        model = maker_of(asked).build(asked, restored(stored, card["types"]), words)
    except (ValueError, KeyError) as error:
        raise ValueError(f"{path}: does not fit the model {name}: {error}") from error
    return Pretrained(name, model, words, dict(card["metrics"]), asked, card)


def kept(tensors: Tensors, maker: Maker) -> tuple[dict[str, Tensor], dict[str, str]]:
    """The tensors as the file holds them, and the types that they had."""
    types = {name: str(t.dtype).removeprefix("torch.") for name, t in tensors.items()}
    return {name: _stored(name, t, maker) for name, t in tensors.items()}, types


def _stored(name: str, tensor: Tensor, maker: Maker) -> Tensor:
    tensor = tensor.detach().cpu()
    if not (maker.half and tensor.is_floating_point()):
        return tensor
    small = tensor.half()
    if not torch.equal(small.isfinite(), tensor.isfinite()):
        raise ValueError(f"{name} has numbers that half precision cannot hold")
    return small


def restored(tensors: Tensors, types: Mapping[str, str]) -> dict[str, Tensor]:
    """The tensors in the types that they had before `kept`."""
    return {name: t.to(getattr(torch, types[name])) for name, t in tensors.items()}


def write(
    path: Path,
    name: str,
    asked: Recipe,
    tensors: Mapping[str, Tensor],
    vocabularies: Vocabularies,
    facts: Mapping[str, Any],
) -> None:
    """Write a checkpoint; `tensors` as `kept` gives them, `facts` what was measured."""
    card = {
        "format": FORMAT,
        "name": name,
        "recipe": plain(asked),
        "digest": asked.digest,
        "seed": asked.seed,
        "versions": versions(),
        "vocabularies": {role: words.dumps() for role, words in vocabularies.items()},
        **facts,
    }
    sealed.write(path, tensors, card)

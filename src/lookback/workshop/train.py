"""Follow recipes: train what is missing or out of date, and measure it."""

import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

from lookback.text.corpora import DataError

from . import checkpoints, sealed
from .data import LICENCES, MOVING, corpus, fingerprint, longest
from .log import Log
from .makers import Bench, Metrics, maker_of
from .origin import machine
from .ranks import device, together
from .recipes import RECIPES, recipe


def train(
    name: str,
    where: Path | None = None,
    *,
    on: str = "auto",
    progress: bool = True,
) -> Path:
    """Train the model of that name, measure it, write its checkpoint: the path.

    A run that was interrupted goes on from its state, the hidden file beside. Started
    by torchrun, the processes share each batch, and the first one writes.
    What is recorded was measured on the numbers as the file holds them.
    """
    asked, target = recipe(name), device(on)
    maker, text = maker_of(asked), corpus(asked.data)
    path = (where or checkpoints.home(name)) / f"{name}.safetensors"
    state = path.with_name(f".{name}.state")
    sealed.check_writable(path)
    with together(target) as ranks:
        began = time.perf_counter()
        made = maker.train(asked, text, Bench(target, state, ranks, progress))
        seconds, words = time.perf_counter() - began, made.vocabularies
        if not ranks.first:
            return path
        tensors, types = checkpoints.kept(maker.tensors(made.model, words), maker)
        model = maker.build(asked, checkpoints.restored(tensors, types), words)
        facts = {
            "machine": machine(target),
            "processes": ranks.world,
            **cost(made.log, seconds),
            "parameters": maker.parameters(model),
            "metrics": maker.measure(model, words, text),
            "data": {
                "name": text.name,
                "version": text.version,
                "fingerprint": fingerprint(text),
                "licence": LICENCES.get(text.name),
                "longest": longest(text),
            },
            "types": types,
        }
        checkpoints.write(path, name, asked, tensors, words, facts)
        state.unlink(missing_ok=True)
    return path


def cost(log: Log | None, seconds: float) -> dict[str, Any]:
    """What it took: of an interrupted run, all sittings; and how validation went."""
    if log is None:
        return {"seconds": round(seconds, 3)}
    return {
        "seconds": round(log.seconds, 3),
        "steps": len(log.entries),
        "tokens": log.tokens,
        "evaluations": [[e.step, e.score] for e in log.evaluations],
    }


def stale(name: str, where: Path | None = None) -> str | None:
    """Why the model of that name has to be trained; None where its file is right."""
    path = checkpoints.path_of(name, where)
    if not path.exists():
        return "there is no checkpoint"
    try:
        found = checkpoints.load(path, name)
    except ValueError as error:
        return str(error)
    try:
        text = corpus(found.recipe.data)
    except DataError:
        return None  # no copy here that could differ
    read = found.card["data"]
    if text.name in MOVING and text.version != read["version"]:
        return None
    if read["fingerprint"] != fingerprint(text):
        return f"{read['name']} is no longer the text it was trained on"
    return None


def train_stale(
    where: Path | None = None,
    *,
    on: str = "auto",
    progress: bool = True,
    say: Callable[[str], None] = print,
) -> None:
    """Train all that is missing or out of date, and whose corpus is here.

    What may not ship is made where it is asked for by name, and not here.
    """
    for name in filter(checkpoints.ships, RECIPES):
        reason = stale(name, where)
        say(f"{name}: {reason or 'up to date'}")
        try:
            if reason:
                say(str(train(name, where, on=on, progress=progress)))
        except DataError as error:
            say(f"{name}: left as it was: {error}")


def measure(name: str, where: Path | None = None) -> Metrics:
    """The metrics of a checkpoint, measured again."""
    found = checkpoints.pretrained(name, where)
    text = corpus(found.recipe.data)
    return maker_of(found.recipe).measure(found.model, found.vocabularies, text)

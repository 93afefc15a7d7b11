"""`lookback list`, `train`, `evaluate`, `measure`: models and studies, made anew."""

from __future__ import annotations

import argparse
import math
import os
from pathlib import Path
from typing import TYPE_CHECKING

from lookback.workshop import data, studies
from lookback.workshop.checkpoints import path_of, pretrained
from lookback.workshop.ranks import DEVICES
from lookback.workshop.recipes import RECIPES
from lookback.workshop.train import measure, train, train_stale

from . import options

if TYPE_CHECKING:
    from .options import Commands

TRAIN = """\
  lookback train                    all models that are missing or out of date
  lookback train ngram              this one, in any case
  lookback train ngram --into here  into the folder here/
  torchrun --nproc-per-node 2 -m lookback train NAME
                                    two processes share each batch of a neural model

A training that was interrupted goes on where it stood when the command is repeated."""

MEASURE = """\
  lookback measure language_models                    what is missing or changed
  lookback measure language_models --only multi30k    of that, these cases
  lookback measure language_models --into here        into the folder here/

Cases that need a corpus look for a copy in LOOKBACK_DATA. Each is kept at once: a
run that was interrupted goes on with the next."""


def add_to(commands: Commands) -> None:
    listing = options.add(
        commands, "list", _list, "list the models and the corpora", "  lookback list"
    )
    options.checkpoints_from(listing)
    parser = options.add(commands, "train", _train, "train models", TRAIN)
    parser.add_argument("name", nargs="?", metavar="NAME", help=", ".join(RECIPES))
    parser.add_argument("--into", type=Path, metavar="FOLDER")
    parser.add_argument("--device", choices=DEVICES, default="auto")
    parser.add_argument("--quiet", action="store_true", help="no bar")
    parser = options.add(
        commands,
        "evaluate",
        _evaluate,
        "measure a model again, beside what was recorded",
        "  lookback evaluate ngram",
    )
    parser.add_argument("name", metavar="NAME", help=", ".join(RECIPES))
    options.checkpoints_from(parser)
    parser = options.add(
        commands, "measure", _measure, "measure what takes too long for a page", MEASURE
    )
    parser.add_argument("name", metavar="NAME", help=", ".join(studies.STUDIES))
    parser.add_argument("--only", metavar="WORDS", default="")
    parser.add_argument("--again", action="store_true", help="all, changed or not")
    parser.add_argument("--into", type=Path, metavar="FOLDER")


def _list(words: argparse.Namespace) -> int:
    print("models")
    for name, recipe in RECIPES.items():
        print(f"  {name:12}{_told(name, words.where)}")
        print(f"  {'':12}on {recipe.data.corpus}: {recipe.model}")
    print("\ncorpora")
    for name in data.names():
        summary = (data.maker(name).__doc__ or "").partition("\n")[0]
        print(f"  {name:18}{summary}")
    print("\nstudies")
    for name, study in studies.STUDIES.items():
        print(f"  {name:18}{study.about}")
    return 0


def _told(name: str, where: Path | None) -> str:
    """A model in one line; where its file is wrong, why."""
    if not path_of(name, where).exists():
        return f"not trained yet: `lookback train {name}` makes it"
    try:
        found = pretrained(name, where)
    except ValueError as error:
        return " ".join(str(error).split())
    metrics = ", ".join(f"{key} {value:.4g}" for key, value in found.metrics.items())
    return f"{found.card['parameters']:,} parameters, {metrics}"


def _train(words: argparse.Namespace) -> int:
    def say(message: str) -> None:
        if os.environ.get("RANK", "0") == "0":  # torchrun starts many of us
            print(message, flush=True)

    told = {"on": words.device, "progress": not words.quiet}
    if words.name is None:
        train_stale(words.into, **told, say=say)
    else:
        say(str(train(words.name, words.into, **told)))
    return 0


def _evaluate(words: argparse.Namespace) -> int:
    recorded = pretrained(words.name, words.where).metrics
    found = measure(words.name, words.where)
    print(f"{words.name:24}{'recorded':>12}{'measured':>12}")
    same = True
    for key, value in found.items():
        print(f"{key:24}{recorded.get(key, math.nan):12.4f}{value:12.4f}")
        same &= math.isclose(value, recorded.get(key, math.nan), rel_tol=1e-3)
    if not same:
        print("They differ: the corpus or a library is another than at the training.")
    return 0 if same else 1


def _measure(words: argparse.Namespace) -> int:
    told = {"only": words.only, "again": words.again}
    print(studies.measure(words.name, words.into, **told))
    return 0

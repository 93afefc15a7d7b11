"""`lookback list`, `train`, `evaluate`, `measure`: models and studies, made anew."""

from __future__ import annotations

import argparse
import math
import os
from collections.abc import Iterable
from pathlib import Path
from typing import TYPE_CHECKING

from lookback import CHAPTERS

from . import options

if TYPE_CHECKING:
    from .options import Commands

DEVICES = ("auto", "cpu", "cuda", "mps")

TRAIN = """\
  lookback train                    all models that are missing or out of date
  lookback train ngram              this one, in any case
  lookback train ngram --into here  into the folder here/
  torchrun --nproc-per-node 2 -m lookback train NAME
                                    two processes share each batch of a neural model

A training that was interrupted goes on from its last evaluation when the command is
repeated; its batches are drawn anew."""

MEASURE = """\
  lookback measure language_models                    what is missing or changed
  lookback measure language_models --only multi30k    of that, these runs
  lookback measure language_models --into here        into the folder here/
  lookback measure --verify luong rules               anew: does it come out as stored?
  lookback measure --verify --within 300              so all studies of up to 300 s

Runs that need a corpus look for a copy in LOOKBACK_DATA. Each is stored at once: a
command that was interrupted goes on with the next."""

NAME = "a model: `lookback list` shows all"


def add_to(commands: Commands) -> None:
    listing = options.add(
        commands, "list", _list, "list the models and the corpora", "  lookback list"
    )
    options.checkpoints_from(listing)
    parser = options.add(commands, "train", _train, "train models", TRAIN)
    parser.add_argument("name", nargs="?", metavar="NAME", help=NAME)
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
    parser.add_argument("name", metavar="NAME", help=NAME)
    options.checkpoints_from(parser)
    parser = options.add(
        commands, "measure", _measure, "measure what takes too long for a page", MEASURE
    )
    study = "a study: `lookback list` shows all"
    parser.add_argument("names", nargs="*", metavar="NAME", help=study)
    parser.add_argument("--only", nargs="+", metavar="WORD", default=[])
    parser.add_argument("--verify", action="store_true", help="write nothing, compare")
    parser.add_argument("--within", type=float, metavar="SECONDS")
    parser.add_argument("--again", action="store_true", help="all, changed or not")
    parser.add_argument("--into", type=Path, metavar="FOLDER")


def _list(arguments: argparse.Namespace) -> int:
    from lookback.trainer.data import corpora_names, corpus_reader
    from lookback.trainer.recipe import modules, recipe, recipes
    from lookback.trainer.study import study as find_study

    print("models")
    models = sorted(recipes(), key=_time)
    _columns(
        (n, f"on {recipe(n).data.corpus}: {_state(n, arguments.where)}") for n in models
    )
    print("\ncorpora")
    names = corpora_names()
    _columns((n, (corpus_reader(n).__doc__ or "").partition("\n")[0]) for n in names)
    print("\nstudies")
    studies = sorted(modules("studies"), key=_time)
    _columns((name, find_study(name).about) for name in studies)
    return 0


def _time(name: str) -> int:
    """When the chapter of a model or a study comes in history; last what has none."""
    chapter = name.partition("-")[0]
    return [*CHAPTERS, chapter].index(chapter)


def _columns(rows: Iterable[tuple[str, str]]) -> None:
    """Names, and what is said of each, in two columns."""
    rows = list(rows)
    width = max((len(name) for name, _ in rows), default=0) + 2
    for name, text in rows:
        print(f"  {name:{width}}{text}")


def _state(name: str, where: Path | None) -> str:
    """A model in one line; where its file is wrong, why."""
    from lookback.trainer.checkpoint import path_of, pretrained

    if not path_of(name, where).exists():
        return f"not trained yet, `lookback train {name}` makes it"
    try:
        model = pretrained(name, where)
    except ValueError as error:
        return " ".join(str(error).split())
    metrics = ", ".join(f"{key} {value:.4g}" for key, value in model.metrics.items())
    return f"{model.metadata['parameters']:,} parameters, {metrics}"


def _train(arguments: argparse.Namespace) -> int:
    from lookback.trainer.checkpoint import train, train_outdated

    def say(message: str) -> None:
        if os.environ.get("RANK", "0") == "0":  # torchrun starts many of us
            print(message, flush=True)

    given = {"on": arguments.device, "progress": not arguments.quiet}
    if arguments.name is None:
        train_outdated(arguments.into, **given, say=say)
    else:
        say(str(train(arguments.name, arguments.into, **given)))
    return 0


def _evaluate(arguments: argparse.Namespace) -> int:
    from lookback.trainer.checkpoint import evaluate, pretrained

    recorded = pretrained(arguments.name, arguments.where).metrics
    measured = evaluate(arguments.name, arguments.where)
    print(f"{arguments.name:24}{'recorded':>12}{'measured':>12}")
    same = True
    for key, value in measured.items():
        print(f"{key:24}{recorded.get(key, math.nan):12.4f}{value:12.4f}")
        same &= math.isclose(value, recorded.get(key, math.nan), rel_tol=1e-3)
    if not same:
        print("They differ: the corpus or a library is another than at the training.")
    return 0 if same else 1


def _measure(arguments: argparse.Namespace) -> int:
    from lookback.trainer.study import measure
    from lookback.trainer.verify import quick, verify

    names, only = list(arguments.names), " ".join(arguments.only)
    if arguments.within is not None:
        names += [name for name in quick(arguments.within) if name not in names]
    if not names:
        raise ValueError(
            "name a study in front of all options, "
            "or studies by their cost: --within SECONDS"
        )
    if arguments.verify:
        wrong = {name: verify(name, arguments.into, only=only) for name in names}
        print(f"{sum(wrong.values())} runs differ in {len(names)} studies")
        return 1 if any(wrong.values()) else 0
    for name in names:
        print(measure(name, arguments.into, only=only, again=arguments.again))
    return 0

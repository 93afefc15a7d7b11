"""`lookback race`: every translator of the book on the same captions, by its cost."""

from __future__ import annotations

import argparse
import math
from pathlib import Path
from typing import TYPE_CHECKING

from . import options

if TYPE_CHECKING:
    from .options import Commands

EXAMPLES = """\
  lookback race --within 60     the trainings that took up to a minute of one core
  lookback race                 all of them: some hours

The captions are Multi30k, of which a copy is looked for in LOOKBACK_DATA. Each
training is stored when it ends: a race that was interrupted goes on with the next."""


def add_to(commands: Commands) -> None:
    parser = options.add(
        commands, "race", _race, "train all translators on captions again", EXAMPLES
    )
    parser.add_argument("--within", type=float, metavar="SECONDS", default=math.inf)
    parser.add_argument("--into", type=Path, metavar="FOLDER", default=Path("race"))


def _race(arguments: argparse.Namespace) -> int:
    from tqdm import tqdm

    from lookback.studies.real import RACES, STUDY, outcomes
    from lookback.trainer.data import corpus
    from lookback.trainer.study import label, measure
    from lookback.trainer.translation import CAPTIONS

    before = [o for o in outcomes() if o.seconds <= arguments.within]
    if not before:
        raise ValueError(f"no training took {arguments.within:g} s or less")
    corpus(CAPTIONS)  # is it there?
    into = arguments.into
    into.mkdir(parents=True, exist_ok=True)
    total = round(sum(o.seconds * len(o.bleu) for o in before))
    with tqdm(total=total, unit="s", dynamic_ncols=True) as bar:
        for one in before:
            bar.set_description(", ".join(one.point))
            for seed in RACES[one.point][1]:
                setting = {"system": one.system, "training": one.training, "seed": seed}
                only = label(STUDY, "race", setting)
                measure("real", into, only=only, say=lambda said: None)
                bar.update(round(one.seconds))
    now = outcomes(into, [one.point for one in before])
    row = "{:26}{:22}{:>9}{:>9}{:>12}{:>12}".format
    print(row("system", "training", "s then", "s here", "BLEU then", "BLEU here"))
    for a, b in zip(before, now, strict=True):
        costs = (f"{one.seconds:.0f}" for one in (a, b))
        print(row(*a.point, *costs, *(f"{one.mean:.1f}" for one in (a, b))))
    return 0

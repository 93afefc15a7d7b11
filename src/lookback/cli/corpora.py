"""`lookback corpus NAME`: read what the models are trained on."""

from __future__ import annotations

import argparse
import ast
from itertools import islice
from typing import TYPE_CHECKING

from . import options

if TYPE_CHECKING:
    from lookback.text.corpora import Pair, Tagged

    from .options import Commands

NAMES = (
    "english_ewt",
    "grammar",
    "multi30k",
    "python_reference",
    "tatoeba",
    "wikitext2",
)
SPLITS = ("train", "validation", "test")

EXAMPLES = """\
  lookback corpus python_reference             five sentences of its training text
  lookback corpus python_reference -n 3 --skip 100 --split test
  lookback corpus grammar --set pairs=100 seed=3 --count 10
  lookback corpus tatoeba --download

Under a pair stand its links, French–English, the ones that one may leave out in
parentheses. A corpus that is not in the package is downloaded where you say so, once;
`--set path=FOLDER` reads a copy of yours."""


def add_to(commands: Commands) -> None:
    parser = options.add(
        commands,
        "corpus",
        _corpus,
        "print sentences, or pairs with their links",
        EXAMPLES,
    )
    parser.add_argument("name", metavar="NAME", help=", ".join(NAMES))
    parser.add_argument("-n", "--count", type=options.number(1), default=5)
    parser.add_argument("--skip", type=options.number(0), default=0)
    parser.add_argument("--split", choices=SPLITS, default="train")
    parser.add_argument("--set", nargs="+", default=[], metavar="OPTION=VALUE")
    parser.add_argument(
        "--download", action="store_true", help="fetch it where no copy is"
    )


def _corpus(arguments: argparse.Namespace) -> int:
    from lookback.trainer.data import corpora_names, corpus
    from lookback.trainer.recipe import Data, check_choice

    given = tuple(map(_option, arguments.set))
    name, skip = check_choice("corpus", arguments.name, corpora_names()), arguments.skip
    given += (("download", True),) if arguments.download else ()
    items: tuple[Pair | Tagged | tuple[str, ...], ...] = corpus(
        Data(name, given)
    ).split(arguments.split)
    if skip >= len(items):
        raise ValueError(f"--skip {skip}: {arguments.split} of {name} has {len(items)}")
    for item in islice(items, skip, skip + arguments.count):
        print("\n".join(shown(item)))
    return 0


def _option(word: str) -> tuple[str, int | float | str]:
    """`pairs=100` → ("pairs", 100); what is no number is a word."""
    name, equals, text = word.partition("=")
    if not (name and equals and text):
        raise ValueError(f"--set takes OPTION=VALUE, such as seed=3, got {word!r}")
    try:
        value = ast.literal_eval(text)
    except (ValueError, SyntaxError):
        value = text
    return name, value if isinstance(value, int | float) else text


def shown(item: Pair | Tagged | tuple[str, ...]) -> list[str]:
    """The lines of a sentence, of one with its tags, or of a pair with its links."""
    from lookback.text.corpora import Pair, Tagged

    if isinstance(item, Pair):
        return linked(item)
    if isinstance(item, Tagged):
        return [" ".join(map("/".join, zip(*item, strict=True)))]
    return [" ".join(item)]


def linked(pair: Pair) -> list[str]:
    """Both sentences and, where someone drew them, their links by target word."""
    lines = [" ".join(pair.source), " ".join(pair.target)]
    links = sorted(pair.possible, key=lambda link: link[::-1])
    words = [f"{pair.target[t]}–{pair.source[s]}" for s, t in links]
    if words:
        sure = [link in pair.sure for link in links]
        marks = [w if s else f"({w})" for w, s in zip(words, sure, strict=True)]
        lines.append("  " + "  ".join(marks))
    return [*lines, ""]

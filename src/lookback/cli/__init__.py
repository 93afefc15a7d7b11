"""The command line: `lookback --help` shows what it can do.

A command imports what it needs when it runs, so that help and refusals come at once.
"""

from __future__ import annotations

import argparse
import os
import sys
from collections.abc import Sequence
from importlib.metadata import version

from lookback.text.spelling import did_you_mean, listed

from . import corpora, models, new, pages, paper, programs, race, register, words

EXTRAS = {"matplotlib": "figures", "tqdm": "data", "sacrebleu": "data"}
EXTRAS |= {"platformdirs": "data", "pooch": "data", "pypdf": "book"}
EXTRAS |= {"libcst": "extract"}

EXAMPLES = """\
begin here:
  lookback list                               the models and corpora there are
  lookback generate --seed 1                  let a model write
  lookback corpus python_reference -n 3       read what a model was trained on
  lookback evaluate ngram                     measure a model again
  lookback train ngram --into trained         make one yourself
  lookback run docs/ngram.md                  run a chapter's code
  lookback extract bahdanau                   a chapter's machine as one file
  lookback book evening                       a path through the built site as PDF, EPUB

`lookback COMMAND --help` tells more, with examples.
"""


def main(given: Sequence[str] | None = None) -> int:
    """Run a command; every failure is one message and an exit status."""
    given = list(sys.argv[1:] if given is None else given)
    parser, commands = _parser()
    if given and not given[0].startswith("-") and given[0] not in commands:
        hint = did_you_mean(given[0], [*commands, "--help", "--version"]) or ":"
        there = f"there is{listed(sorted(commands))}"
        return _complain(f"there is no command {given[0]!r}{hint} {there}", 2)
    arguments = parser.parse_args(given)
    try:
        return int(arguments.command(arguments))
    except ModuleNotFoundError as error:
        if (error.name or "").startswith("lookback"):
            raise
        extra = EXTRAS.get(error.name or "", "site")
        return _complain(
            f"this command needs `{error.name}`, which is not installed: "
            f"pip install 'lookback-attention[{extra}]'",
            1,
        )
    except BrokenPipeError:  # as in `lookback corpus grammar -n 1000 | head`
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
        return 0
    except (OSError, ValueError) as error:
        # Of missing data, what to do at the command line.
        return _complain(getattr(error, "command", str(error)), arguments.fault)
    except KeyboardInterrupt:
        return _complain("interrupted", 1)


def _complain(message: str, status: int) -> int:
    print(f"lookback: {message}", file=sys.stderr)
    return status


def _parser() -> tuple[argparse.ArgumentParser, list[str]]:
    """The parser, and the names of its commands."""
    parser = argparse.ArgumentParser(
        prog="lookback",
        description="The history of attention as a program.",
        epilog=EXAMPLES,
        formatter_class=argparse.RawDescriptionHelpFormatter,
    )
    parser.add_argument(
        "--version", action="version", version=version("lookback-attention")
    )
    commands = parser.add_subparsers(required=True, metavar="COMMAND")
    for room in (models, race, corpora, words, pages, paper, programs, new, register):
        room.add_to(commands)
    return parser, list(commands.choices)

"""The command line: `lookback --help` shows what it can do.

A command imports what it needs when it runs, so that help and refusals come at once.
"""

from __future__ import annotations

import argparse
import io
import os
import signal
import sys
from collections.abc import Sequence

from lookback import __version__
from lookback.text.spelling import did_you_mean, listed

from . import (
    check,
    corpora,
    models,
    new,
    pages,
    paper,
    programs,
    race,
    register,
    weave,
    words,
)

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
  lookback check attention                    write a machine yourself, and judge it
  lookback run docs/ngram.md                  run a chapter's code
  lookback why docs/ngram.md                  why a build would run it again
  lookback extract bahdanau                   a chapter's machine as one file
  lookback weave -o woven                     the book as a folder for any builder
  lookback book evening                       a path through the built site as PDF, EPUB

`lookback COMMAND --help` tells more, with examples.
"""


def main(given: Sequence[str] | None = None) -> int:
    """Run a command; every failure is one message and an exit status.

    given  the arguments; without them those of this process, which is set up
    """
    if given is None:
        given = sys.argv[1:]
        _set_up_process()
    try:
        try:
            return _run(list(map(_unicode, given)))
        finally:
            if sys.stdout:
                sys.stdout.flush()
    except BrokenPipeError:  # as in `lookback corpus grammar -n 1000 | head`
        _drop_output()
        return 0
    except OSError as error:  # as in `lookback list > /dev/full`
        _drop_output()
        return _complain(_message(error), 1)
    except ValueError as error:
        return _complain(str(error), 2)
    except RecursionError:
        return _complain("the input is nested too deeply, or too long, for this", 1)
    except MemoryError:
        return _complain("the memory of this machine is too small for this", 1)
    except KeyboardInterrupt:
        return _complain("interrupted", 128 + signal.SIGINT)


def _run(given: list[str]) -> int:
    parser, commands = _parser()
    if given and not given[0].startswith("-") and given[0] not in commands:
        hint = did_you_mean(given[0], [*commands, "--help", "--version"]) or ":"
        there = f"there is{listed(sorted(commands))}"
        raise ValueError(f"there is no command {given[0]!r}{hint} {there}")
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
    except BrokenPipeError:
        raise
    except (OSError, ValueError) as error:
        return _complain(_message(error), arguments.fault)


def _set_up_process() -> None:
    """Write UTF-8 everywhere; clean up where a signal ends the process."""
    for stream in (sys.stdout, sys.stderr):
        if isinstance(stream, io.TextIOWrapper):
            stream.reconfigure(encoding="utf-8")

    def end(number: int, frame: object) -> None:
        raise SystemExit(128 + number)

    for name in ("SIGTERM", "SIGHUP"):
        number = getattr(signal, name, None)
        if number and signal.getsignal(number) is signal.SIG_DFL:  # else, as by nohup
            signal.signal(number, end)


def _unicode(word: str) -> str:
    """Decode an argument that the system's encoding does not have."""
    try:
        word.encode()
    except UnicodeEncodeError:
        try:
            return os.fsencode(word).decode()
        except UnicodeDecodeError:
            raise ValueError(f"the argument {word!a} is not UTF-8") from None
    return word


def _drop_output() -> None:
    """Drop what cannot be written: Python would try it again at its end."""
    os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())


def _message(error: OSError | ValueError) -> str:
    """Name the file of a system's error; of missing data, what to do in a shell."""
    if isinstance(error, OSError) and error.strerror:
        return ": ".join(map(str, filter(None, [error.filename, error.strerror])))
    return getattr(error, "command", str(error))


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
    parser.add_argument("--version", action="version", version=__version__)
    commands = parser.add_subparsers(required=True, metavar="COMMAND")
    for room in (
        models,
        race,
        corpora,
        words,
        pages,
        paper,
        programs,
        check,
        new,
        register,
        weave,
    ):
        room.add_to(commands)
    return parser, list(commands.choices)

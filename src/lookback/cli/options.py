"""What the commands share: how one is added, and arguments of a kind."""

from __future__ import annotations

import argparse
import os
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    Commands = argparse._SubParsersAction[argparse.ArgumentParser]


def add(
    commands: Commands,
    name: str,
    command: Callable[[argparse.Namespace], int],
    help: str,
    examples: str = "",
    fault: int = 2,
) -> argparse.ArgumentParser:
    """A command whose help ends in examples.

    fault  the exit status of what it refuses: 2, or 1 for what ran and failed
    """
    parser = commands.add_parser(
        name,
        help=help,
        description=help[0].upper() + help[1:] + ".",
        epilog=f"examples:\n{examples}" if examples else None,
        formatter_class=argparse.RawDescriptionHelpFormatter,
    )
    parser.set_defaults(command=command, fault=fault)
    return parser


def number(least: int) -> Callable[[str], int]:
    """A whole number of `least` or more."""

    def read(word: str) -> int:
        try:
            value = int(word)
        except ValueError:
            value = least - 1
        if value < least:
            raise argparse.ArgumentTypeError(
                f"{word!r} is no whole number of {least} or more"
            )
        return value

    return read


@contextmanager
def whole(path: Path) -> Iterator[Path]:
    """Yield a file that becomes `path` when all of it is written, and not before.

    Raises ValueError, which names the path, where it cannot be written.
    """
    target = path.resolve()
    new = target.with_name(f".{os.getpid()}-{target.name}")
    if target.exists() and not target.is_file():  # as /dev/stdout
        new = target
    try:
        yield new
        if new != target:
            new.replace(target)
    except OSError as error:
        reason = error.strerror or error
        raise ValueError(f"{path}: cannot be written: {reason}") from error
    finally:
        if new != target:
            with suppress(OSError):  # it is there only where it could not be written
                new.unlink()


def checkpoints_from(parser: argparse.ArgumentParser) -> None:
    """Add `--from FOLDER`."""
    parser.add_argument(
        "--from",
        dest="where",
        type=Path,
        metavar="FOLDER",
        help="where the trained models are, instead of LOOKBACK_CHECKPOINTS or the "
        "ones that came with the package",
    )

"""`lookback check`: the reader's own machines, judged."""

from __future__ import annotations

import argparse
import csv
import hashlib
import json
import linecache
import multiprocessing
import sys
from multiprocessing.connection import Connection
from pathlib import Path
from typing import TYPE_CHECKING, Any

from . import options

if TYPE_CHECKING:
    from lookback.exercises.judge import Function, Verdict

    from .options import Commands

RECORD = Path(".lookback-check.json")
"""What was right, in the folder in which one works: machine → file and its SHA-256."""
PATIENCE = 60  # seconds for one file of a folder
EXAMPLES = """\
  lookback check                        the machines to write: done and open
  lookback check attention              write attention.py, in which the body is missing
  lookback check attention mine.py      judge the function in mine.py
  lookback check attention hand-ins/    judge all files of a folder: a table, as CSV

The exit status is 0 where it is right, 1 where it is wrong, 2 where nothing can be
judged. Only the file that is named runs, with all rights that you have."""


def add_to(commands: Commands) -> None:
    parser = options.add(
        commands, "check", _check, "judge a machine that you wrote yourself", EXAMPLES
    )
    parser.add_argument("name", metavar="MACHINE", nargs="?", help="a chapter's")
    parser.add_argument("path", metavar="FILE", nargs="?", type=Path)


def _check(arguments: argparse.Namespace) -> int:
    from lookback.exercises.judge import exercise

    name, path = arguments.name, arguments.path
    if name is None:
        return _list()
    exercise(name)
    if path is None:
        return _begin(name)
    if path.is_dir():
        return _table(name, path)
    verdict = judged(name, path)
    print(verdict)
    if verdict:
        _note(name, path)
    return 0 if verdict else 1


def _list() -> int:
    from lookback.exercises.judge import names

    record = _record()
    for name in names():
        said, file = "open", record.get(name, {}).get("file", "")
        if file:
            same = (
                Path(file).is_file() and _digest(Path(file)) == record[name]["sha256"]
            )
            said = f"done: {file}" if same else f"done, but changed since: {file}"
        print(f"  {name:12}{said}")
    return 0


def _begin(name: str) -> int:
    from lookback.exercises.judge import skeleton

    path = Path(f"{name}.py")
    if path.exists():
        raise ValueError(f"{path} exists: `lookback check {name} {path}` judges it")
    with options.whole(path) as new:
        new.write_text(skeleton(name), encoding="utf-8")
    print(f"{path}: write the body, then `lookback check {name} {path}`")
    return 0


def judged(name: str, path: Path) -> Verdict:
    """The verdict on the function in a file; `ValueError` where there is none."""
    from lookback.exercises.judge import exercise, judge

    return judge(exercise(name), _written(name, path))


def _written(name: str, path: Path) -> Function:
    """Run the file: the function that the exercise asks for."""
    from lookback.exercises.judge import exercise

    wanted, scope = exercise(name).reference.__name__, dict[str, Any](__name__="mine")
    linecache.checkcache(str(path))
    try:
        exec(compile(path.read_bytes(), str(path), "exec"), scope)
    except OSError as error:
        raise ValueError(f"{path}: cannot be read: {error.strerror}") from error
    except SyntaxError as error:
        raise ValueError(f"{path}, line {error.lineno}: {error.msg}") from error
    except (Exception, SystemExit) as error:
        trace, line = error.__traceback__, 0
        while trace is not None:
            here = trace.tb_frame.f_code.co_filename == str(path)
            line, trace = trace.tb_lineno if here else line, trace.tb_next
        kind = type(error).__name__
        raise ValueError(f"{path}, line {line}: {kind}: {error}") from error
    if not callable(function := scope.get(wanted)):
        raise ValueError(
            f"{path} has no function {wanted}: `lookback check {name}` writes its "
            "first lines"
        )
    return function  # type: ignore[no-any-return]


def _table(name: str, folder: Path) -> int:
    """Judge each file in a process of its own; 0 where all are right."""
    files = sorted(folder.glob("*.py"))
    if not files:
        raise ValueError(f"{folder}: there is no file NAME.py in it")
    table = csv.writer(sys.stdout, lineterminator="\n")
    table.writerow(["name", "machine", "passed", "mistake"])
    every = True
    for file in files:
        passed, mistake = _alone(name, file)
        every = every and passed == "yes"
        table.writerow([file.stem, name, passed, mistake])
    return 0 if every else 1


def _alone(name: str, path: Path) -> tuple[str, str]:
    """Yes, no, or nothing where it cannot be judged; and the mistake."""
    context = multiprocessing.get_context("spawn")
    ours, theirs = context.Pipe(duplex=False)
    process = context.Process(target=_send, args=(name, path, theirs))
    process.start()
    theirs.close()
    try:
        if not ours.poll(PATIENCE):
            return "", f"it ran for {PATIENCE} s"
        row: tuple[str, str] = ours.recv()
        return row
    except EOFError:
        return "", "the process ended"
    finally:
        process.kill()
        process.join()


def _send(name: str, path: Path, pipe: Connection) -> None:
    sys.stdout = sys.stderr  # what the file prints is no row of the table
    try:
        verdict = judged(name, path)
        last = verdict.message.splitlines()[-1]
        mistake = verdict.mistake or ("" if verdict else last)
        pipe.send(("yes" if verdict else "no", mistake))
    except ValueError as error:
        pipe.send(("", str(error)))


def _record() -> dict[str, dict[str, str]]:
    try:
        record: dict[str, dict[str, str]] = json.loads(RECORD.read_text("utf-8"))
        return record
    except FileNotFoundError:
        return {}
    except (OSError, ValueError) as error:
        raise ValueError(f"{RECORD}: cannot be read ({error}): delete it") from error


def _note(name: str, path: Path) -> None:
    record = _record() | {name: {"file": str(path), "sha256": _digest(path)}}
    with options.whole(RECORD) as new:
        new.write_text(json.dumps(record, indent=1) + "\n", encoding="utf-8")


def _digest(path: Path) -> str:
    return hashlib.sha256(path.read_bytes()).hexdigest()

"""Change an idea in one place at a time, and see whether its tests notice.

    python tests/mutants.py luong bahdanau --write before.json
    python tests/mutants.py luong bahdanau --against before.json

A mutant is `src/lookback/NAME.py` with one number, operator, default, bound of a slice,
order of results, or statement changed. It is dead if a test fails, or if the tests take
ten times as long. One that lives shows a hole in the tests, or changes nothing.

What the tests import from elsewhere is imported once. Each mutant is tried in a fork of
this process, and in no process that a test starts.
"""

import argparse
import ast
import copy
import json
import math
import multiprocessing
import os
import random
import resource
import sys
import tempfile
import time
from collections import Counter
from collections.abc import Callable, Iterator, Sequence
from contextlib import suppress
from functools import partial
from importlib import import_module
from importlib.util import find_spec, module_from_spec
from multiprocessing.connection import wait
from pathlib import Path
from typing import Any, NamedTuple

os.environ |= {"OMP_NUM_THREADS": "1", "PYTEST_DISABLE_PLUGIN_AUTOLOAD": "1"}

import pytest

ROOT = Path(__file__).parents[1]
SHARED = ("translators", "language_models", "attentions", "taggers", "refusals")
TESTS = [f"tests/test_{name}.py" for name in ("{name}", *SHARED)]
FORK = multiprocessing.get_context("fork")
MEMORY = 8 << 30  # bytes that a mutant may take

PAIRS = [(ast.Lt, ast.LtE), (ast.Gt, ast.GtE), (ast.Eq, ast.NotEq), (ast.Is, ast.IsNot),
         (ast.In, ast.NotIn), (ast.And, ast.Or), (ast.Add, ast.Sub),
         (ast.Mult, ast.Div), (ast.BitAnd, ast.BitOr)]  # fmt: skip
OPERATORS = {a: b for pair in PAIRS for a, b in (pair, pair[::-1])}
OPERATORS |= {ast.FloorDiv: ast.Div, ast.Mod: ast.FloorDiv, ast.Pow: ast.Mult}
HIDDEN = {"annotation", "returns", "type_params", "exc", "msg"}
"""Fields of the syntax tree that hold types, and what errors say."""
BLOCKS = {"body", "orelse", "handlers", "finalbody", "cases"}

Identity = tuple[str, str, str, int]
"""A mutant's function; its statement before and after, of one with a block the line
above that; how many mutants before it in the file are alike."""


class Mutant(NamedTuple):
    """`parent[key]` becomes `new`: a list of nodes, or the fields of one."""

    identity: Identity
    parent: Any
    key: Any
    new: ast.AST


def instead(node: ast.AST) -> Iterator[ast.AST]:
    """What may stand in the place of a node."""
    match node:
        case ast.Constant(value=bool(value)):
            yield ast.Constant(not value)
        case ast.Constant(value=int(n)):
            yield from map(ast.Constant, {1: (2, 0)}.get(n, (n + 1,)))
        case ast.Constant(value=float(x)):
            yield ast.Constant(2 * x or 1.0)
        case ast.UnaryOp(operand=ast.Constant(value=int(_))):
            pass  # of -1 the number changes
        case ast.UnaryOp(operand=operand):  # not, - and ~
            yield operand
        case ast.Slice():
            for bound in ("lower", "upper", "step"):
                if getattr(node, bound):
                    yield changed(node, **{bound: None})
        case ast.Return(value=ast.Tuple(elts=[_, _, *_] as elements)):
            yield ast.Return(ast.Tuple(elements[::-1], ast.Load()))
        case ast.Expr(value=ast.Call()) | ast.AugAssign() | ast.Raise():
            yield ast.Pass()
        case ast.If(test=test) | ast.While(test=test) | ast.IfExp(test=test):
            if isinstance(test, ast.Name | ast.Attribute | ast.Call):
                yield changed(node, test=ast.UnaryOp(ast.Not(), test))
        case ast.operator() | ast.cmpop() | ast.boolop() if type(node) in OPERATORS:
            yield OPERATORS[type(node)]()


def changed(node: ast.AST, **fields: Any) -> ast.AST:
    new = copy.copy(node)
    vars(new).update(fields)
    return new


def line(statement: ast.AST) -> str:
    """A statement as text, without the block under it."""
    blocks = {field: [] for field in BLOCKS & {*vars(statement)}}
    return ast.unparse(changed(statement, **blocks))


def places(
    node: ast.AST, where: tuple[str, ...] = (), statement: ast.AST | None = None
) -> Iterator[tuple[str, Any, Any, Any]]:
    """All nodes: (function, statement, parent, key)."""
    if isinstance(node, ast.FunctionDef | ast.ClassDef):
        where = (*where, node.name)
    for field in node._fields:
        value = getattr(node, field)
        several = isinstance(value, list)
        for key in range(len(value)) if several else [field]:
            parent = value if several else vars(node)
            if isinstance(parent[key], ast.AST) and field not in HIDDEN:
                inside = parent[key] if isinstance(parent[key], ast.stmt) else statement
                yield ".".join(where), inside, parent, key
                yield from places(parent[key], where, inside)


def mutants(tree: ast.AST) -> list[Mutant]:
    """All mutants of a module, sorted."""
    found, alike = [], Counter[tuple[str, str, str]]()
    for where, statement, parent, key in places(tree):
        old = parent[key]
        for new in instead(old):
            before = line(statement)
            parent[key] = new
            text = where, before, line(new if old is statement else statement)
            parent[key] = old
            found.append(Mutant((*text, alike[text]), parent, key, new))
            alike[text] += 1
    return sorted(found, key=lambda mutant: mutant.identity)


def trial(
    name: str,
    tree: ast.Module,
    tests: list[str],
    folder: Path,
    seconds: int,
    mutant: Mutant | None,
) -> None:
    """Run the tests that know the idea, in silence; their status ends this process.

    Without a mutant, note which modules they import.
    """
    resource.setrlimit(resource.RLIMIT_CPU, (seconds, seconds))
    resource.setrlimit(resource.RLIMIT_AS, (MEMORY, MEMORY))
    for stream in (1, 2):
        os.dup2(os.open(os.devnull, os.O_WRONLY), stream)
    if mutant:
        mutant.parent[mutant.key] = mutant.new
    spec = find_spec(f"lookback.{name}")
    module = sys.modules[spec.name] = module_from_spec(spec)
    code = compile(ast.fix_missing_locations(tree), spec.origin, "exec")
    exec(code, vars(module))
    os.chdir(ROOT)
    files = [file for test in tests if Path(file := test.format(name=name)).exists()]
    words = "-o addopts= --import-mode=importlib -p no:cacheprovider --tb=no -x"
    own = "-k", name, f"--basetemp={folder / str(os.getpid())}"
    status = pytest.main([*words.split(), *own, *files])
    if mutant is None:
        ours = tuple(str(ROOT / room) for room in ("src", "tests"))
        paths = {n: getattr(m, "__file__", None) for n, m in sys.modules.items()}
        others = [n for n, path in paths.items() if not str(path).startswith(ours)]
        (folder / "modules").write_text("\n".join(others))
    sys.exit(status)


def tried(
    run: Callable[[Mutant | None], None], chosen: Sequence[Mutant | None], jobs: int
) -> Iterator[tuple[Mutant | None, bool]]:
    """Try each mutant in a process of its own: does it live?"""
    waiting, running = [*reversed(chosen)], {}
    while waiting or running:
        while waiting and len(running) < jobs:
            process = FORK.Process(target=run, args=(waiting[-1],))
            process.start()
            running[process.sentinel] = process, waiting.pop()
        for sentinel in wait(running):
            process, mutant = running.pop(sentinel)
            process.join()
            yield mutant, process.exitcode == 0


def processor_time() -> float:
    """The seconds that all trials so far have computed, whatever else was running."""
    used = resource.getrusage(resource.RUSAGE_CHILDREN)
    return used.ru_utime + used.ru_stime


def verdicts(
    name: str, options: argparse.Namespace, earlier: dict[Identity, bool] | None
) -> dict[Identity, bool]:
    """Which mutants of an idea live: of some that are drawn, or of the earlier ones."""
    tree = ast.parse((ROOT / f"src/lookback/{name}.py").read_text(encoding="utf-8"))
    chosen, lives = mutants(tree), {}
    if earlier is None:
        count = min(options.count, len(chosen))
        chosen = random.Random(options.seed).sample(chosen, count)
    else:
        chosen = [mutant for mutant in chosen if mutant.identity in earlier]
    with tempfile.TemporaryDirectory() as folder:
        run = partial(trial, name, tree, options.tests, Path(folder))
        for _ in range(2):  # the second time the modules are there
            start = processor_time()
            [(_, passed)] = tried(partial(run, resource.RLIM_INFINITY), [None], 1)
            if not passed:
                sys.exit(f"{name}: its tests fail, or there are none, without a mutant")
            for module in Path(folder, "modules").read_text().split("\n"):
                with suppress(Exception):  # one that only another module may import
                    import_module(module)
        limit = math.ceil(10 * (processor_time() - start) + 10)
        for mutant, lived in tried(partial(run, limit), chosen, options.jobs):
            lives[mutant.identity] = lived
            if lived:
                show(f"{name}, alive", mutant.identity)
    return lives


def show(title: str, identity: Identity) -> None:
    where, before, after, _ = (" ".join(str(part).split()) for part in identity)
    print(f"{title}: {where or 'module'}\n    {before}\n  → {after}", flush=True)


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    add = parser.add_argument
    add("names", nargs="+", metavar="NAME", help="ideas")
    add("--seed", type=int, default=0, help="which mutants are drawn")
    add("--count", type=int, default=60, help="mutants of each idea")
    add("--jobs", type=int, default=1, help="processes at a time")
    add("--tests", nargs="+", default=TESTS, help="files, of which -k NAME runs")
    add("--write", type=Path, metavar="FILE", help="store the verdicts")
    add("--against", type=Path, metavar="FILE", help="try its mutants, and compare")
    options = parser.parse_args()
    sys.path[0] = str(ROOT / "src")
    stored = json.loads(options.against.read_text()) if options.against else None
    rows, written, revived = [], {}, 0
    for name in options.names:
        start = time.monotonic()
        earlier = stored and {(*key,): lived for *key, lived in stored[name]}
        lives = verdicts(name, options, earlier)
        alive, seconds = sum(lives.values()), time.monotonic() - start
        rows.append((name, len(lives), len(lives) - alive, alive, f"{seconds:.0f}"))
        written[name] = [(*key, lived) for key, lived in lives.items()]
        if options.write:
            options.write.write_text(json.dumps(written, ensure_ascii=False, indent=1))
        for key, lived in (earlier or {}).items():
            if key not in lives:
                show(f"{name}, no longer in the code", key)
            elif lived != lives[key]:
                show(
                    f"{name}, {'now dead' if lived else 'DEAD BEFORE, ALIVE NOW'}", key
                )
                revived += lives[key]
    for row in [("idea", "mutants", "dead", "alive", "seconds"), *rows]:
        print("{:16}{:>8}{:>8}{:>8}{:>8}".format(*row))
    return 1 if revived else 0


if __name__ == "__main__":
    sys.exit(main())

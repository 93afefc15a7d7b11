"""Write a chapter's machine as one file that needs only torch or numpy.

The machine is what `lookback` offers of the chapter and what its recipe trains, with
all definitions whose names these look up. They stand in the order of the book: each is
read after what it is made of, the chapter's own come last.
"""

from __future__ import annotations

import ast
import re
import sys
import textwrap
from collections.abc import Iterable
from importlib.metadata import version

from .package import Chunk, Package, global_names
from .plain import WIDTH

LICENCE = "Copyright (c) 2026 The Lookback maintainers. SPDX-License-Identifier: MIT"


def program(name: str, package: Package | None = None) -> str:
    """Write the machine of a chapter as the source of one file.

    package  where it has been read already
    Raises `ValueError` for a name that is no chapter.
    """
    package = package or Package()
    if name not in package.chapters:
        raise ValueError(f"{name!r} is no chapter, so that it has no machine")
    texts, needed = dict[str, Chunk](), dict[str, tuple[str, str]]()
    for chunk in _reached(_roots(name, package), package):
        text = package.plain(chunk)
        texts[text] = chunk  # what two modules define alike stands once
        for short, there in package.module(chunk.module).imported.items():
            if short in global_names(text) and not package.find(chunk.module, short):
                needed[short] = there
    body, gap = "", "\n"
    for text, chunk in texts.items():
        large = isinstance(chunk.node, ast.ClassDef | ast.FunctionDef)
        body += ("\n\n" if large else gap) + text + "\n"
        gap = "\n\n" if large else ""
    others = dict.fromkeys(c.module for c in texts.values() if c.module != name)
    parts = f", with parts of {', '.join(others)}" if others else ""
    about = textwrap.fill(
        f"The chapter {name} of Lookback {version('lookback-attention')}{parts}, as "
        f"one file that needs only {requirements(_imports(needed))}. Written by "
        f"`lookback extract {name}`.",
        WIDTH,
    )
    first = package.module(name).docstring.partition("\n\n")[0]
    header = f'"""{first}\n\n{about}\n{LICENCE}\n"""\n\n'
    return header + _imports(needed) + body


def imports(where: str, text: str, names: Iterable[str], package: Package) -> str:
    """Write the imports of `names`, and of all that plain text of a module looks up.

    where  the module without the package's name: "bahdanau"
    """
    here = package.module(where)
    own = {name: (f"{package.folder.name}.{where}", name) for name in here.defined}
    there, used = own | here.imported, {*global_names(text), *names}
    return _imports({name: there[name] for name in used if name in there})


def _roots(name: str, package: Package) -> set[Chunk]:
    """The definitions that a chapter's file is written for.

    They are what the package offers of the chapter, what its recipe trains, what those
    are made with, and a search for a model that is decoded word by word.
    """
    offered = package.chapters[name]
    roots = {there for n in offered if (there := package.find(name, n))}
    trained = _trained(name, package)
    roots |= {chunk for chunk in trained if not _bases(chunk) & {*offered}}  # a variant
    for chunk, method in [(c, m) for c in roots for m in _methods(c)]:
        if method.name == "__init__":
            found = [package.find(chunk.module, n) for n in _names(method.args)]
            roots |= {made for made in found if made and _is_concrete(made.node)}
    if {"start", "step"} <= {m.name for c in roots for m in _methods(c)}:
        roots.add(package.module("decoding").defined["greedy"])
    return roots


def _trained(name: str, package: Package) -> set[Chunk]:
    """What the recipe of a chapter uses of chapters, where there is a recipe."""
    if not (package.folder / "recipes" / f"{name}.py").is_file():
        return set()
    here, found = package.module(f"recipes.{name}"), set[Chunk]()
    for source, imported in here.imported.values():
        where = source.partition(".")[2]
        if where == "recipes":
            found |= _trained(imported, package)
        elif where in package.chapters:
            found.add(package.module(where).defined[imported])
    return found


def _reached(roots: set[Chunk], package: Package) -> list[Chunk]:
    """The roots and all definitions that they look up, in the order of the book."""
    found, todo = set[Chunk](), [*roots]
    while todo:
        chunk = todo.pop()
        if chunk not in found:
            found.add(chunk)
            names = {*global_names(package.plain(chunk)), *chunk.names}
            places = [package.find(chunk.module, name) for name in names]
            todo += [there for there in places if there]
    order = {name: place for place, name in enumerate(package.chapters)}
    return sorted(found, key=lambda c: (order.get(c.module, -1), c.node.lineno))


def _names(*nodes: ast.AST) -> set[str]:
    return {n.id for node in nodes for n in ast.walk(node) if isinstance(n, ast.Name)}


def _bases(chunk: Chunk) -> set[str]:
    return _names(*getattr(chunk.node, "bases", []))


def _is_concrete(node: ast.stmt) -> bool:
    return isinstance(node, ast.ClassDef) and "Protocol" not in _names(*node.bases)


def _methods(chunk: Chunk) -> list[ast.FunctionDef]:
    body = getattr(chunk.node, "body", [])
    return [node for node in body if isinstance(node, ast.FunctionDef)]


def requirements(program: str) -> str:
    """Name what a program needs beside Python: "numpy and torch"."""
    tops = re.findall(r"^(?:import|from) (\w+)", program, re.MULTILINE)
    return " and ".join(sorted({*tops} - sys.stdlib_module_names)) or "Python"


def _imports(needed: dict[str, tuple[str, str]]) -> str:
    """Import statements as ruff sorts them: the standard library, then the others."""
    modules, names = set[str](), dict[str, list[str]]()
    for short, (source, name) in needed.items():
        if name:
            alias = "" if name == short else f" as {short}"
            names.setdefault(source, []).append(name + alias)
        else:
            alias = "" if short == source.partition(".")[0] else f" as {short}"
            modules.add(f"import {source}{alias}")
    lines = sorted(modules)
    for source in sorted(names):
        lines.append(
            f"from {source} import {', '.join(sorted(names[source], key=_kind))}"
        )
    groups = [
        "".join(f"{line}\n" for line in lines if _standard(line) == standard)
        for standard in (True, False)
    ]
    return "\n".join(filter(None, groups))


def _standard(line: str) -> bool:
    return re.split(r"[ .]", line)[1] in sys.stdlib_module_names


def _kind(name: str) -> tuple[int, str]:
    """Constants come before classes, and classes before functions."""
    constant = name.isupper() and len(name) > 1
    return (0 if constant else 1 if name[0].isupper() else 2, name)

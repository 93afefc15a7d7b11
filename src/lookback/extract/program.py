"""Write a chapter's machine as one file that needs only torch or numpy.

Names are followed through the package, from what `lookback` offers of the chapter and
what its recipe trains. The file has the order of the book, from the parts up: a module
imports only earlier ones, and in a module its author defined first what comes first. So
each definition is read after what it is made of, the chapter's own come last, and every
piece can be pasted where the one before it was.
"""

from __future__ import annotations

import ast
import re
import sys
import textwrap
from collections.abc import Iterable
from functools import cache
from importlib.metadata import version

import lookback

from .machine import machine
from .package import Chunk, Module, Name, Package
from .plain import WIDTH, Text, global_names, plain

LICENCE = "Copyright (c) 2026 The Lookback maintainers. SPDX-License-Identifier: MIT"
KEPT = {"forward", "backward", "extra_repr"}  # methods that torch calls


def program(name: str, package: Package | None = None) -> str:
    """Write the machine of a chapter as the source of one file.

    package  where it has been read already
    Raises `ValueError` for a name that is no chapter, naming the nearest.
    """
    package = package or Package()
    roots = frozenset(machine(name, package))
    methods, chunks = _needed(roots, package)
    names = _unique(name, chunks)
    bodies, needed = [], set[tuple[str, Name]]()
    for chunk in chunks:
        cut = _without(_plain(chunk, package), chunk in roots, methods)
        outside = package.module(chunk.module).outside
        needed |= {(n, outside[n]) for n in global_names(cut) if n in outside}
        new = {n: names[found] for n, found in _inside(chunk, cut, package).items()}
        bodies.append(_renamed(cut, {n: m for n, m in new.items() if n != m}))
    header = _header(package.module(name), chunks, needed)
    return "".join([header, _imports(needed), *_spaced(bodies)])


def imports(where: str, text: str, names: Iterable[str], package: Package) -> str:
    """Write the imports of `names`, and of all that plain text of a module looks up.

    where  the module without the package's name: "bahdanau"
    """
    outside, needed = package.module(where).outside, set[tuple[str, Name]]()
    for name in {*global_names(text), *names}:
        if name in outside:
            needed.add((name, outside[name]))
        elif found := package.find(where, name):
            source = f"{package.folder.name}.{found[0]}"
            needed.add((name, (source, found[1])))
    return _imports(needed)


def _plain(chunk: Chunk, package: Package) -> str:
    return plain(chunk.text, package.checks(chunk.module)).rstrip()


def _needed(
    roots: frozenset[Chunk], package: Package
) -> tuple[frozenset[str], list[Chunk]]:
    """All definitions that the roots need, in order; and the methods that are called.

    A method is left out only if its name is nowhere in the file, not even in quotes.
    """
    words, before = frozenset[str](), None
    while words != before:
        before, needed, todo = words, set[Chunk](), list(roots)
        while todo:
            chunk = todo.pop()
            if chunk in needed:
                continue
            needed.add(chunk)
            cut = _without(_plain(chunk, package), chunk in roots, words)
            words |= _mentioned(cut)
            todo += map(package.chunk, _inside(chunk, cut, package).values())
    order = {n: place for place, n in enumerate(("checks", *lookback.CHAPTERS))}
    return words, sorted(needed, key=lambda c: (order[c.module], c.line))


def _inside(chunk: Chunk, cut: str, package: Package) -> dict[str, Name]:
    """Where names that a definition uses, its own too, are defined in the package."""
    uses = sorted({*global_names(cut), *chunk.names})
    found = {n: package.find(chunk.module, n) for n in uses}
    return {n: there for n, there in found.items() if there is not None}


@cache
def _mentioned(text: str) -> frozenset[str]:
    """All attributes and all words in quotes."""
    nodes = list(ast.walk(ast.parse(text)))
    attributes = {n.attr for n in nodes if isinstance(n, ast.Attribute)}
    constants = {n.value for n in nodes if isinstance(n, ast.Constant)}
    return frozenset(attributes | {c for c in constants if isinstance(c, str)})


@cache
def _without(cut: str, root: bool, words: frozenset[str]) -> str:
    """A class without the methods that nothing calls.

    Of what the file is written for all stay that people may call.
    """
    text = Text(cut)
    for top in text.tree.body:
        for node in top.body if isinstance(top, ast.ClassDef) else []:
            if not isinstance(node, ast.FunctionDef):
                continue
            public = root and not node.name.startswith("_")
            if not (public or node.name in words | KEPT or node.name.startswith("__")):
                text.remove(node)
    return text.edited().rstrip()


def _unique(name: str, chunks: list[Chunk]) -> dict[Name, str]:
    """A name in the file for each definition; where two collide, the chapter's wins."""
    names: dict[Name, str] = {}
    for chunk in sorted(chunks, key=lambda c: c.module != name):
        for n in chunk.names:
            taken = n in names.values()
            names[chunk.module, n] = _qualified(chunk.module, n) if taken else n
    return names


def _qualified(where: str, name: str) -> str:
    """`State` of the module `recurrent` as `RecurrentState`."""
    if name[0].isupper() and not name.isupper():
        return where.title().replace("_", "") + name
    return f"{where.upper() if name.isupper() else where}_{name}"


def _renamed(text: str, names: dict[str, str]) -> str:
    """A text with other names for what stands outside of it."""
    if not names:
        return text
    cut = Text(text)
    for node in ast.walk(cut.tree):
        if isinstance(node, ast.Name) and node.id in names:
            cut.edits.append((*cut.span(node), names[node.id]))
    for top in cut.tree.body:
        if isinstance(top, ast.ClassDef | ast.FunctionDef) and top.name in names:
            begin = cut.text.index(top.name, cut.span(top)[0])
            cut.edits.append((begin, begin + len(top.name), names[top.name]))
    return cut.edited()


def _header(here: Module, chunks: list[Chunk], imports: set[tuple[str, Name]]) -> str:
    """The docstring: what the file is, where it comes from, and its licence."""
    first = here.docstring.partition("\n\n")[0]
    needed = requirements(_imports(imports))
    others = list(dict.fromkeys(c.module for c in chunks if c.module != here.name))
    parts = f", with parts of {', '.join(others)}" if others else ""
    name, number = here.name, version("lookback-attention")
    about = textwrap.fill(
        f"The chapter {name} of Lookback {number}{parts}, as one file that needs only "
        f"{needed}. Written by `lookback extract {name}`.",
        WIDTH,
    )
    return f'"""{first}\n\n{about}\n{LICENCE}\n"""\n\n'


def requirements(program: str) -> str:
    """Name what a program needs beside Python: "numpy and torch"."""
    tops = re.findall(r"^(?:import|from) (\w+)", program, re.MULTILINE)
    return " and ".join(sorted({*tops} - sys.stdlib_module_names)) or "Python"


def _imports(found: set[tuple[str, Name]]) -> str:
    """Import statements as ruff sorts them: the standard library, then the others."""
    lines: dict[bool, set[str]] = {True: set(), False: set()}
    names: dict[str, set[str]] = {}
    for short, (source, name) in found:
        if name:
            names.setdefault(source, set()).add(
                name if name == short else f"{name} as {short}"
            )
        else:
            alias = "" if short == source.partition(".")[0] else f" as {short}"
            lines[_standard(source)].add(f"import {source}{alias}")
    groups = []
    for standard in (True, False):
        group = sorted(lines[standard])
        for source in sorted(n for n in names if _standard(n) == standard):
            some = sorted(names[source], key=lambda n: (_kind(n), n))
            group.append(f"from {source} import {', '.join(some)}")
        if group:
            groups.append("\n".join(group) + "\n")
    return "\n".join(groups)


def _kind(name: str) -> int:
    """Constants come before classes, and classes before functions."""
    return 0 if name.isupper() and len(name) > 1 else 1 if name[0].isupper() else 2


def _standard(source: str) -> bool:
    return source.partition(".")[0] in sys.stdlib_module_names


def _spaced(bodies: list[str]) -> list[str]:
    """Two blank lines around functions and classes, none between values."""
    spaced, gap = list[str](), "\n"
    for body in bodies:
        (node, *_) = ast.parse(body).body
        large = isinstance(node, ast.ClassDef | ast.FunctionDef)
        spaced.append(("\n\n" if large else gap) + body + "\n")
        gap = "\n\n" if large else ""
    return spaced

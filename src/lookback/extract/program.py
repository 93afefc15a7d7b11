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
from collections.abc import Iterable, Iterator
from importlib.metadata import version

from .package import Chunk, Module, Name, Package, global_names
from .plain import WIDTH, plain

LICENCE = "Copyright (c) 2026 The Lookback maintainers. SPDX-License-Identifier: MIT"
SEARCH = ("decoding", "greedy")  # added to what has a `start` and a `step`


def program(name: str, package: Package | None = None) -> str:
    """Write the machine of a chapter as the source of one file.

    package  where it has been read already
    Raises `ValueError` for a name that is no chapter.
    """
    package = package or Package()
    if name not in package.chapters:
        raise ValueError(f"{name!r} is no chapter, so that it has no machine")
    chunks = _reached(_roots(name, package), package)
    needed = {
        (short, there)
        for chunk, text in chunks.items()
        for short, there in package.module(chunk.module).outside.items()
        if short in global_names(text)
    }
    bodies = dict.fromkeys(chunks.values())  # what two modules define alike stands once
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


def _roots(name: str, package: Package) -> set[Chunk]:
    """The definitions that a chapter's file is written for.

    They are what the package offers of the chapter, what its recipe trains, what those
    are made with, and a search for a model that is decoded word by word.
    """
    here, trained = package.module(name), _trained(name, package)
    roots = {here.defined[n] for n in package.chapters[name]}
    roots |= {c for c in trained if not _is_variant(c, trained)}
    roots |= {made for chunk in [*roots] for made in _made_with(chunk, package)}
    if {"start", "step"} <= {method for chunk in roots for method in _methods(chunk)}:
        roots.add(package.chunk(SEARCH))
    return roots


def _trained(name: str, package: Package) -> set[Chunk]:
    """What the recipe of a chapter imports from chapters, where there is a recipe."""
    if not (package.folder / "recipes" / f"{name}.py").is_file():
        return set()
    found = set[Chunk]()
    for where, imported in package.module(f"recipes.{name}").inside.values():
        if where == "recipes":
            found |= _trained(imported, package)
        elif where in package.chapters:
            found.add(package.chunk((where, imported)))
    return found


def _is_variant(chunk: Chunk, trained: set[Chunk]) -> bool:
    """Is it a subclass of what the recipe trains, too? A file has the first alone."""
    bases = getattr(_node(chunk.text), "bases", [])
    names = {name for other in trained for name in other.names}
    return any(isinstance(base, ast.Name) and base.id in names for base in bases)


def _made_with(chunk: Chunk, package: Package) -> list[Chunk]:
    """The classes in the parameters of a class, but for protocols."""
    init = _methods(chunk).get("__init__")
    names = [n.id for n in ast.walk(init.args) if isinstance(n, ast.Name)] if init else []
    places = [package.find(chunk.module, name) for name in names]
    chunks = [package.chunk(there) for there in places if there]
    return [c for c in chunks if re.match(r"(@.*\n)*class (?!.*\bProtocol\b)", c.text)]


def _methods(chunk: Chunk) -> dict[str, ast.FunctionDef]:
    body = getattr(_node(chunk.text), "body", [])
    return {node.name: node for node in body if isinstance(node, ast.FunctionDef)}


def _node(text: str) -> ast.stmt:
    return ast.parse(text).body[0]


def _reached(roots: set[Chunk], package: Package) -> dict[Chunk, str]:
    """The plain text of all definitions that the roots look up, in the book's order."""
    order = {name: place for place, name in enumerate(package.chapters)}
    found, todo = dict[Chunk, str](), [*roots]
    while todo:
        chunk = todo.pop()
        if chunk not in found:
            found[chunk] = package.plain(chunk)
            names = {*global_names(found[chunk]), *chunk.names}
            places = [package.find(chunk.module, name) for name in names]
            todo += [package.chunk(there) for there in places if there]
    chunks = sorted(found, key=lambda c: (order.get(c.module, -1), c.line))
    return {chunk: found[chunk] for chunk in chunks}


def _header(here: Module, chunks: Iterable[Chunk], needed: set[tuple[str, Name]]) -> str:
    """The docstring: what the file is, where it comes from, and its licence."""
    first, name = here.docstring.partition("\n\n")[0], here.name
    others = dict.fromkeys(c.module for c in chunks if c.module != name)
    parts = f", with parts of {', '.join(others)}" if others else ""
    about = textwrap.fill(
        f"The chapter {name} of Lookback {version('lookback-attention')}{parts}, as one "
        f"file that needs only {requirements(_imports(needed))}. Written by `lookback "
        f"extract {name}`.",
        WIDTH,
    )
    return f'"""{first}\n\n{about}\n{LICENCE}\n"""\n\n'


def requirements(program: str) -> str:
    """Name what a program needs beside Python: "numpy and torch"."""
    tops = re.findall(r"^(?:import|from) (\w+)", program, re.MULTILINE)
    return " and ".join(sorted({*tops} - sys.stdlib_module_names)) or "Python"


def _imports(needed: set[tuple[str, Name]]) -> str:
    """Import statements as ruff sorts them: the standard library, then the others."""
    modules, names = set[str](), dict[str, set[str]]()
    for short, (source, name) in needed:
        if name:
            alias = name if name == short else f"{name} as {short}"
            names.setdefault(source, set()).add(alias)
        else:
            alias = "" if short == source.partition(".")[0] else f" as {short}"
            modules.add(f"import {source}{alias}")
    lines = sorted(modules)
    for source in sorted(names):
        some = sorted(names[source], key=lambda n: (_kind(n), n))
        lines.append(f"from {source} import {', '.join(some)}")
    standard = [n for n in lines if re.split(r"[ .]", n)[1] in sys.stdlib_module_names]
    others = [n for n in lines if n not in standard]
    return "\n".join("".join(f"{n}\n" for n in part) for part in (standard, others) if part)


def _kind(name: str) -> int:
    """Constants come before classes, and classes before functions."""
    return 0 if name.isupper() and len(name) > 1 else 1 if name[0].isupper() else 2


def _spaced(bodies: Iterable[str]) -> Iterator[str]:
    """Two blank lines around functions and classes, none between values."""
    gap = "\n"
    for body in bodies:
        large = isinstance(_node(body), ast.ClassDef | ast.FunctionDef)
        yield ("\n\n" if large else gap) + body + "\n"
        gap = "\n\n" if large else ""

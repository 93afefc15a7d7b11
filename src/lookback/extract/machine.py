"""Find the machine of a chapter: the definitions that its one file is written for.

They are what `lookback` offers of the chapter, what its recipe trains, what these are
made with, and a search for a model that is decoded word by word.
"""

from __future__ import annotations

import ast

import lookback

from .package import Chunk, Package
from .plain import global_names, has_fields, is_protocol, plain

SEARCH = ("decoding", "greedy")  # added to what has a `start` and a `step`


def machine(name: str, package: Package) -> list[Chunk]:
    """The definitions that a chapter's file is written for."""
    if name not in lookback.CHAPTERS:
        raise ValueError(f"{name!r} is no chapter, so that it has no machine")
    here = package.module(name)
    roots = [here.defined[n] for n, where in lookback.WHERE.items() if where == name]
    trained = _trained(name, package)
    roots += [chunk for chunk in trained if not _is_variant(chunk, trained)]
    roots += [given for chunk in roots for given in _given(chunk, package)]
    methods = {m for chunk in roots for m in _methods(chunk.text)}
    if {"start", "step"} <= methods:
        roots.append(package.chunk(SEARCH))
    if not roots:
        raise ValueError(f"the chapter {name!r} has no machine: nothing to extract")
    return list(dict.fromkeys(roots))


def _trained(name: str, package: Package) -> list[Chunk]:
    """What the recipe of a chapter imports from chapters, where there is a recipe."""
    if not (package.folder / "recipes" / f"{name}.py").is_file():
        return []
    here, chunks = package.module(f"recipes.{name}"), list[Chunk]()
    texts = {plain(chunk.text) for chunk in here.defined.values()}
    uses = {name for text in texts for name in global_names(text)}
    for short, (where, imported) in here.inside.items():
        if where == "recipes":
            chunks += _trained(imported, package)
        elif where in lookback.CHAPTERS and short in uses:
            chunks.append(package.chunk((where, imported)))
    return chunks


def _is_variant(chunk: Chunk, trained: list[Chunk]) -> bool:
    """Is it a subclass of what the recipe trains, too? A file has the first alone."""
    (node, *_) = ast.parse(chunk.text).body
    bases = node.bases if isinstance(node, ast.ClassDef) else []
    names = {name for other in trained for name in other.names}
    return any(isinstance(base, ast.Name) and base.id in names for base in bases)


def _given(chunk: Chunk, package: Package) -> list[Chunk]:
    """The classes that a definition is made with, and the records that it reads."""
    found = []
    for function in ast.walk(ast.parse(chunk.text)):
        if not isinstance(function, ast.FunctionDef):
            continue
        for name in _annotated(function):
            there = package.find(chunk.module, name)
            if there is None:
                continue
            (node, *_) = ast.parse(package.chunk(there).text).body
            if not isinstance(node, ast.ClassDef) or is_protocol(node):
                continue
            if has_fields(node) or function.name == "__init__":
                found.append(package.chunk(there))
    return found


def _annotated(function: ast.FunctionDef) -> list[str]:
    """The names in the annotations of a function's parameters."""
    arguments = (n for n in ast.walk(function.args) if isinstance(n, ast.arg))
    types = [a.annotation for a in arguments if a.annotation is not None]
    return [n.id for t in types for n in ast.walk(t) if isinstance(n, ast.Name)]


def _methods(text: str) -> list[str]:
    return [
        node.name
        for top in ast.parse(text).body
        if isinstance(top, ast.ClassDef)
        for node in top.body
        if isinstance(node, ast.FunctionDef)
    ]

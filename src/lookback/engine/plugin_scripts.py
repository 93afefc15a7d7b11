"""Scripts as readers' browsers get them: one file, without comments and indentation.

The modules in `docs/live` run as they are written, and listings show them so. What the
site serves is the same program, and smaller. The modules of the live models become
one, `kit.js`: those whose names no other has follow one another, and each of the others
is a function that returns what it exports. Only `live.js`, which decides when a page
needs the others, stays apart. The small scripts of the text become one, too, each in a
block of its own. Then rJSmin takes away what is no code, and renames
nothing. It misreads a regular expression after `=>` or `yield`, and a template literal
inside another; a test compares the tokens before and after it.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Collection, Iterable, Mapping
from graphlib import TopologicalSorter
from pathlib import Path

from mkdocs.config.defaults import MkDocsConfig
from mkdocs.structure.files import File, Files
from rjsmin import jsmin

from .live import PAGE, SMALL

FOLDER = "live/"
DOOR, KIT = "live", "kit"
LOADS = "import(`./${name}.js`)"
"""In the door, what loads another module by its name."""

_IMPORT = re.compile(r'^import \{([^}]*)\} from "\./([\w-]+)\.js";\n', re.MULTILINE)
_LATER = re.compile(r'\bimport\("\./([\w-]+)\.js"\)')
_EXPORT = re.compile(
    r"^export (?=(?:const|class|function\*?) (\w+|\[[^]]*\]))", re.MULTILINE
)
_TOP = re.compile(
    r"^(?:export )?(?:const|let|class|function\*?) (\w+|\[[^]]*\]|\{[^}]*\})",
    re.MULTILINE,
)
_OTHER = re.compile(r"^(?:import|export)\b.*", re.MULTILINE)


def served(sources: Mapping[str, str]) -> dict[str, str]:
    """The scripts of a site by their names, as it serves them.

    sources  name → text of each module; they import one another by `./name.js`
    Raises ValueError for imports and exports that are written in another way.
    """
    return {name: str(jsmin(text)) for name, text in joined(sources).items()}


def joined(sources: Mapping[str, str]) -> dict[str, str]:
    """The same with comments and indentation: those of the kit and the small as one."""
    return _together(_with_kit(sources))


def _together(sources: Mapping[str, str]) -> dict[str, str]:
    """The small ones that are there as one, each in a block that keeps its names."""
    small = {name: sources[name] for name in SMALL if name in sources}
    if len(small) < 2:
        return dict(sources)
    apart = {name: text for name, text in sources.items() if name not in small}
    return apart | {PAGE: "".join(f"{{\n{text}}}\n" for text in small.values())}


def _with_kit(sources: Mapping[str, str]) -> dict[str, str]:
    """The modules of live models as one, if there are any."""
    needs = {name: needed(text) for name, text in sources.items()}
    tied = {DOOR}  # what imports the door, with all that these share with others
    while more := {
        n for n in needs if ({n} | needs[n]) & tied and ({n} | needs[n]) - tied
    }:
        tied |= more.union(*(needs[name] for name in more))
    if DOOR not in sources or tied == {DOOR}:
        return dict(sources)
    kit = {name: needs[name] - {DOOR} for name in tied - {DOOR}}
    order = [*TopologicalSorter(_now(kit, sources)).static_order()]
    door = sorted({n for one in order for n in _taken(sources[one], DOOR)})
    parts = [f'import {{ {", ".join(door)} }} from "./{DOOR}.js";\n'] if door else []
    named = [name for name in order if not any(name in kit[n] for n in kit)]
    alone = _alone(
        {name: sources[name] for name in order}, {*named, *_later(sources)}, door
    )
    parts += [_inside(name, sources[name], alone) for name in order]
    parts.append(f"export {{ {', '.join(named)} }};\n")
    loads = f'import("./{KIT}.js").then((all) => all[name])'
    text = sources[DOOR]
    if order and LOADS not in text:
        raise ValueError(f"{DOOR}.js holds no {LOADS}: it could not load the others")
    apart = {name: sources[name] for name in sources.keys() - tied}
    return apart | {DOOR: text.replace(LOADS, loads), KIT: "".join(parts)}


def needed(text: str) -> set[str]:
    """The modules that one imports, at once or later."""
    return {name for _, name in _IMPORT.findall(text)} | {*_LATER.findall(text)}


def _now(
    kit: Mapping[str, set[str]], sources: Mapping[str, str]
) -> dict[str, list[str]]:
    """Of each module those that must come before it, always in the same order."""
    at_once = {n: {m for _, m in _IMPORT.findall(sources[n])} for n in kit}
    return {name: sorted(kit[name] & at_once[name]) for name in sorted(kit)}


def _taken(text: str, module: str) -> set[str]:
    """The names that a text imports from a module."""
    return _names(names for names, name in _IMPORT.findall(text) if name == module)


def _later(sources: Mapping[str, str]) -> set[str]:
    """The modules that one imports when it runs: it is given them as objects."""
    return {name for text in sources.values() for name in _LATER.findall(text)}


def _alone(kit: Mapping[str, str], alone: set[str], door: list[str]) -> set[str]:
    """The modules of a kit that must be functions, with names of their own.

    alone  those that must in any case;  door  names that the kit imports
    """
    tops = {name: _names(_TOP.findall(text)) for name, text in kit.items()}
    alone = alone & kit.keys()
    while True:
        taken = Counter([*door, *alone])
        taken.update(name for one in kit.keys() - alone for name in tops[one])
        more = {n for n in kit.keys() - alone if any(taken[x] > 1 for x in tops[n])}
        if not more:
            return alone
        alone |= more


def _names(lists: Iterable[str]) -> set[str]:
    return {name for names in lists for name in re.findall(r"\w+", names)}


def exported(text: str) -> list[str]:
    """The names that a module exports."""
    return [
        name for names in _EXPORT.findall(text) for name in re.findall(r"\w+", names)
    ]


def _inside(name: str, text: str, alone: Collection[str]) -> str:
    """A module as part of the kit: a function that returns what it exports, or bare."""

    def given(match: re.Match[str]) -> str:
        there = match[2] in alone  # the names of others are those of the whole kit
        return f"const {{{match[1]}}} = {match[2]};\n" if there else ""

    inside = _IMPORT.sub(given, _EXPORT.sub("", text))
    inside = _LATER.sub(r"Promise.resolve(\1)", inside)
    if other := _OTHER.search(inside):
        raise ValueError(f"{name}.js: {other[0]!r} is neither of the usual forms")
    if name not in alone:
        return inside
    names = ", ".join(exported(text))
    return f"const {name} = (() => {{\n{inside}return {{ {names} }};\n}})();\n"


def serve(files: Files, config: MkDocsConfig) -> None:
    """Put what is served in place of the scripts of FOLDER."""
    found = {
        Path(file.src_uri).stem: file
        for file in files
        if file.src_uri.startswith(FOLDER) and file.src_uri.endswith(".js")
    }
    for file in found.values():
        files.remove(file)
    sources = {
        name: Path(str(file.abs_src_path)).read_text(encoding="utf-8")
        for name, file in sorted(found.items())
    }
    for name, text in served(sources).items():
        files.append(File.generated(config, f"{FOLDER}{name}.js", content=text))

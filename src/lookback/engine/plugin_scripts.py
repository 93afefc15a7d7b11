"""Scripts as readers' browsers get them: one file, without comments and indentation.

The modules in `docs/live` run as they are written, and listings show them so. What the
site serves is the same program, and smaller. The modules of the live models become
one, `kit.js`, in which each is a function that returns what it exports; only
`live.js`, which decides when a page needs the others, stays apart. Then rJSmin takes
away what is no code, and renames nothing. It misreads a regular expression after `=>`
or `yield`, and a template literal inside another; a test compares the tokens before
and after it.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from graphlib import TopologicalSorter
from pathlib import Path

from mkdocs.config.defaults import MkDocsConfig
from mkdocs.structure.files import File, Files
from rjsmin import jsmin

FOLDER = "live/"
DOOR, KIT = "live", "kit"
LOADS = "import(`./${name}.js`)"
"""In the door, what loads another module by its name."""

_IMPORT = re.compile(r'^import \{([^}]*)\} from "\./([\w-]+)\.js";\n', re.MULTILINE)
_LATER = re.compile(r'\bimport\("\./([\w-]+)\.js"\)')
_EXPORT = re.compile(
    r"^export (?=(?:const|class|function\*?) (\w+|\[[^]]*\]))", re.MULTILINE
)
_OTHER = re.compile(r"^(?:import|export)\b.*", re.MULTILINE)


def served(sources: Mapping[str, str]) -> dict[str, str]:
    """The scripts of a site by their names, as it serves them.

    sources  name → text of each module; they import one another by `./name.js`
    Raises ValueError for imports and exports that are written in another way.
    """
    return {name: str(jsmin(text)) for name, text in joined(sources).items()}


def joined(sources: Mapping[str, str]) -> dict[str, str]:
    """The same with comments and indentation: those of the kit as one."""
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
    parts += [_wrapped(name, sources[name]) for name in order]
    named = [name for name in order if not any(name in kit[n] for n in kit)]
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
    lists = [names for names, name in _IMPORT.findall(text) if name == module]
    return {name for names in lists for name in re.findall(r"\w+", names)}


def _wrapped(name: str, text: str) -> str:
    """A module as a function that returns what it exports."""
    exported = ", ".join(n for n in _EXPORT.findall(text))
    names = ", ".join(re.findall(r"\w+", exported))

    def given(match: re.Match[str]) -> str:
        there = match[2] != DOOR  # its names are those of the whole kit
        return f"const {{{match[1]}}} = {match[2]};\n" if there else ""

    inside = _IMPORT.sub(given, _EXPORT.sub("", text))
    inside = _LATER.sub(r"Promise.resolve(\1)", inside)
    if other := _OTHER.search(inside):
        raise ValueError(f"{name}.js: {other[0]!r} is neither of the usual forms")
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

"""The scripts of the site without a browser: modules of docs/live/ run by Node."""

from __future__ import annotations

import json
import shutil
import subprocess
from collections.abc import Callable
from functools import cache
from pathlib import Path
from typing import Any

import pytest
from playwright._impl._driver import compute_driver_executable

from lookback.engine.live import SMALL
from lookback.engine.plugin_scripts import exported, served
from lookback.text.corpora import grammar

LIVE = Path(__file__).parents[2] / "docs" / "live"
EXACT = 1e-10
Node = Callable[..., Any]
MAIN = """\
import {{ readFileSync }} from "node:fs";
const text = readFileSync(0, "utf8");
globalThis.window = {{}}; // what the door asks for when it is loaded
globalThis.document = {{ querySelectorAll: () => [] }};
const bytes = (path) => {{
  const {{ buffer, byteOffset, length }} = readFileSync(path);
  return buffer.slice(byteOffset, byteOffset + length);
}};
const found = [];
for (const folder of {folders}) {{
  {imports}
  const given = JSON.parse(text);
  const run = async () => {{ {script} }};
  found.push(JSON.stringify(await run()));
}}
if (found[0] !== found[1]) throw new Error("served, it finds another value");
console.log(found[0]);
"""


@cache
def sentences() -> list[list[str]]:
    """Ten of the test set, from the shortest to the longest."""
    test = sorted((pair.source for pair in grammar(pairs=6500).test), key=len)
    places = [round(i * (len(test) - 1) / 9) for i in range(10)]
    return [list(test[place]) for place in places]


def sources() -> dict[str, str]:
    """The modules as they are written: name → text."""
    paths = sorted(LIVE.glob("*.js"))
    return {path.stem: path.read_text(encoding="utf-8") for path in paths}


def executable() -> str:
    """The Node that Playwright brings along; else one that is installed."""
    bundled = Path(compute_driver_executable()[0])
    path = str(bundled) if bundled.exists() else shutil.which("node")
    if path is None:
        pytest.fail(
            f"there is no Node at {bundled}: `pip install playwright` brings it"
        )
    return path


@pytest.fixture(scope="session")
def readers(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A folder with the modules as the site serves them; the kit exports all names."""
    folder = tmp_path_factory.mktemp("live")
    scripts = served(sources())
    inside = sorted(sources().keys() - scripts.keys() - {*SMALL})
    alone = [name for name in inside if f"const {name}=(()=>{{" in scripts["kit"]]
    bare = {x for name in {*inside} - {*alone} for x in exported(sources()[name])}
    last = scripts["kit"].rindex("export{")
    scripts["kit"] = (
        f"{scripts['kit'][:last]}export{{{','.join([*alone, *sorted(bare)])}}}"
    )
    for name, text in scripts.items():
        (folder / f"{name}.js").write_text(text, encoding="utf-8")
    return folder


@pytest.fixture(scope="session")
def node(readers: Path) -> Node:
    """Runs a script with modules of docs/live/: (script, imports, given) → its value.

    imports  what the script takes from which module: {"tensor": "softmax, dot"}
    given    what the script finds under this name; `bytes(path)` reads a file
    It runs twice, with the modules as they are written and as they are served.
    Raises RuntimeError with what the script said where it failed, or where both differ.
    """
    path = executable()
    folders = [f"{folder.as_uri()}/" for folder in (LIVE, readers)]
    apart = {path.stem for path in readers.glob("*.js")}

    def run(script: str, imports: dict[str, str], given: Any = None) -> Any:
        lines = []
        for module, names in imports.items():
            one = f"import(`${{folder}}{module}.js`)"
            kit = f"import(`${{folder}}kit.js`).then((all) => all.{module} ?? all)"
            get = (
                one
                if module in apart
                else f"(folder === {folders[1]!r} ? {kit} : {one})"
            )
            lines.append(f"const {{ {names} }} = await {get};\n")
        program = MAIN.format(
            script=script, imports="".join(lines), folders=json.dumps(folders)
        )
        done = subprocess.run(
            [path, "--no-warnings", "--input-type=module", "--eval", program],
            input=json.dumps(given),
            capture_output=True,
            text=True,
            encoding="utf-8",
        )
        if done.returncode:
            raise RuntimeError(done.stderr.strip()[-2000:])
        return json.loads(done.stdout)

    return run

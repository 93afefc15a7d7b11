"""Run modules of docs/live/ in Node, without a browser."""

from __future__ import annotations

import json
import shutil
import subprocess
from collections.abc import Callable
from functools import cache
from importlib.resources import files
from pathlib import Path
from typing import Any

import pytest
import torch
from torch import Tensor

from lookback.text.corpora import grammar

LIVE = Path(__file__).parents[2] / "docs" / "live"
EXACT = 1e-10
Node = Callable[..., Any]
MAIN = """\
import {{ readFileSync }} from "node:fs";
const given = JSON.parse(readFileSync(0, "utf8"));
globalThis.window = {{}}; // what the modules ask for when they are loaded
globalThis.document = {{ querySelectorAll: () => [] }};
const bytes = (path) => {{
  const {{ buffer, byteOffset, length }} = readFileSync(path);
  return buffer.slice(byteOffset, byteOffset + length);
}};
{imports}
const run = async () => {{ {script} }};
console.log(JSON.stringify(await run()));
"""


@cache
def sentences() -> list[list[str]]:
    """Pick ten sentences of the test set, from the shortest to the longest."""
    test = sorted((pair.source for pair in grammar(pairs=6500).test), key=len)
    places = [round(i * (len(test) - 1) / 9) for i in range(10)]
    return [list(test[place]) for place in places]


def near(found: Any, expected: Tensor) -> None:
    """Compare numbers of a script with those of Python, to 1e-10."""
    apart = torch.tensor(found, dtype=torch.double) - expected
    assert apart.abs().max() < EXACT


def executable() -> str:
    """Find Node: an installed one, else the one in Playwright's wheel."""
    driver = str(files("playwright") / "driver")
    path = shutil.which("node") or shutil.which("node", path=driver)
    if path is None:
        pytest.fail(f"there is no Node on the PATH and none in {driver}")
    return path


@pytest.fixture(scope="session")
def node() -> Node:
    """Run a script with modules of docs/live/: (script, imports, given) → its value.

    imports  what the script takes from which module: {"tensor": "softmax, dot"}
    given    what the script finds under this name; `bytes(path)` reads a file
    Raises RuntimeError with the script's own error where it failed.
    """
    path = executable()

    def run(script: str, imports: dict[str, str], given: Any = None) -> Any:
        lines = [
            f'const {{ {names} }} = await import("{(LIVE / module).as_uri()}.js");'
            for module, names in imports.items()
        ]
        program = MAIN.format(script=script, imports="\n".join(lines))
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

"""The scripts of the site without a browser: modules of docs/live/ run by Node."""

from __future__ import annotations

import json
import shutil
import subprocess
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from playwright._impl._driver import compute_driver_executable

LIVE = Path(__file__).parents[2] / "docs" / "live"
Node = Callable[..., Any]
MAIN = """\
import {{ readFileSync }} from "node:fs";
const given = JSON.parse(readFileSync(0, "utf8"));
const bytes = (path) => {{
  const {{ buffer, byteOffset, length }} = readFileSync(path);
  return buffer.slice(byteOffset, byteOffset + length);
}};
const run = async () => {{ {script} }};
console.log(JSON.stringify(await run()));
"""


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
def node() -> Node:
    """Runs a script with modules of docs/live/: (script, imports, given) → its value.

    imports  what the script takes from which module: {"tensor": "softmax, dot"}
    given    what the script finds under this name; `bytes(path)` reads a file
    Raises RuntimeError with what the script said where it failed.
    """
    path = executable()

    def run(script: str, imports: dict[str, str], given: Any = None) -> Any:
        lines = [
            f'import {{ {names} }} from "{(LIVE / module).as_uri()}.js";\n'
            for module, names in imports.items()
        ]
        program = "".join(lines) + MAIN.format(script=script)
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

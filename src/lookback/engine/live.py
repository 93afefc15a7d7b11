"""List scripts for `data-live`, and the weights that they load.

`data-live="map"` on an element asks for the ES module `live/map.js` of the site; the
template loads it, once for a page, and preloads what it imports.

Weights have a file name that holds a hash of their content, and a checksum.
"""

from __future__ import annotations

import base64
import hashlib
import posixpath
import re
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from itertools import chain
from pathlib import Path
from typing import Any

from .errors import PageError, read_text
from .run import Run

FOLDER = "live/"
NAME = re.compile(r"[a-z][a-z0-9_-]*")
_LIVE = re.compile(r"\sdata-live=\"([^\"]*)\"")
MARKS = {
    'class="lb-ref"': "preview",
    "{ .lb-cite }": "preview",
    "{ .lb-term }": "preview",
    "??? lb-fold": "folding",
    "data-term=": "terms",
}
"""What the engine writes itself, and the module that serves it."""
_IMPORT = re.compile(r'^import (?:.* from )?"\./([\w-]+\.js)";$', re.MULTILINE)


def scripts_of(markdown: str, scripts: Mapping[str, Path], page: str) -> list[str]:
    """List the scripts that a woven page needs, by their addresses, in their order.

    scripts  address of each script of the site → its file
    Raises PageError for a module that is not one of them.
    """
    names = dict.fromkeys(_LIVE.findall(markdown))
    names |= dict.fromkeys(name for mark, name in MARKS.items() if mark in markdown)
    for name in names:
        if not NAME.fullmatch(name):
            fault = f"data-live is {name!r}: expected a module of docs/live/ by its "
            fault += "name, lower-case letters, digits, '-' and '_'"
            raise PageError(page, 1, fault)
        if f"{FOLDER}{name}.js" not in scripts:
            fault = f"data-live is {name!r}, and docs/{FOLDER}{name}.js is not there: "
            raise PageError(page, 1, f"{fault}write it, or name one that is")
    return [f"{FOLDER}{name}.js" for name in names]


def imports_of(addresses: Iterable[str], scripts: Mapping[str, Path]) -> list[str]:
    """List the modules that some modules import statically, directly or not."""
    seen = dict.fromkeys(addresses)
    queue = list(seen)
    found = []
    while queue:
        address = queue.pop(0)
        folder = posixpath.dirname(address)
        for name in _IMPORT.findall(read_text(scripts[address], f"docs/{address}")):
            other = posixpath.join(folder, name)
            if other not in seen:
                seen[other] = None
                queue.append(other)
                found.append(other)
    return found


@dataclass(frozen=True)
class Weights:
    """Hold where the weights of a trained model are, and their checksum.

    path       where it is;  address  of the site's file
    integrity  its checksum, in the form of the `integrity` option of `fetch`
    """

    path: Path
    address: str
    integrity: str

    def seen_from(self, url: str) -> dict[str, Any]:
        """Return what a script needs to load them on the page of that address."""
        there = posixpath.relpath(self.address, posixpath.dirname(url) or ".")
        size = self.path.stat().st_size
        return {"url": there, "integrity": self.integrity, "bytes": size}


def models_of(runs: Iterable[Run]) -> list[str]:
    """List the models that the outputs of some runs load in the browser."""
    outputs = chain(*(some for run in runs for some in run.outputs))
    live = (output.settings["models"] for output in outputs if output.kind == "live")
    return list(dict.fromkeys(chain(*live)))


def weights_of(name: str, folder: Path) -> Weights:
    """Find and hash the weights of a model; raise ValueError where there are none.

    folder  where the weights are, each in a file of its model's name
    """
    path = folder / f"{name}.safetensors"
    if not NAME.fullmatch(name) or not path.is_file():
        raise ValueError(f"a live figure has the model {name!r}: there is no {path}")
    digest = hashlib.sha256(path.read_bytes())
    address = f"{FOLDER}weights/{name}.{digest.hexdigest()[:10]}.safetensors"
    code = base64.b64encode(digest.digest()).decode()
    return Weights(path, address, f"sha256-{code}")

"""List scripts for `data-live`, write checksummed weight URLs for `data-models`.

`data-live="map"` on an element asks for the ES module `live/map.js` of the site; the
template loads it, once for a page, and preloads what it imports.

`data-models="bahdanau luong"` becomes JSON: the URL, size and checksum of each model's
weights, whose file names hold a hash of their content.
"""

from __future__ import annotations

import base64
import hashlib
import html
import json
import posixpath
import re
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass
from itertools import chain
from pathlib import Path

from .errors import PageError, read_text
from .run import Run

FOLDER = "live/"
NAME = re.compile(r"[a-z][a-z0-9_-]*")
_LIVE = re.compile(r"\sdata-live=\"([^\"]*)\"")
_MODELS = re.compile(r"(<[A-Za-z][^<>]*\sdata-models=)\"([^\"]*)\"")
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

    @property
    def size(self) -> int:
        return self.path.stat().st_size


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
        raise ValueError(f"data-models holds {name!r}: there is no {path}")
    digest = hashlib.sha256(path.read_bytes())
    address = f"{FOLDER}weights/{name}.{digest.hexdigest()[:10]}.safetensors"
    code = base64.b64encode(digest.digest()).decode()
    return Weights(path, address, f"sha256-{code}")


def with_models(page: str, url: str, weights: Callable[[str], Weights]) -> str:
    """Replace the names in each `data-models` by JSON: name → url, integrity, bytes.

    url      the page's own address on the site
    weights  (name of a model) → its weights
    """
    here = posixpath.dirname(url) or "."

    def as_json(match: re.Match[str]) -> str:
        found = {
            name: {
                "url": posixpath.relpath(weights(name).address, here),
                "integrity": weights(name).integrity,
                "bytes": weights(name).size,
            }
            for name in match[2].split()
        }
        return f'{match[1]}"{html.escape(json.dumps(found))}"'

    return _MODELS.sub(as_json, page)

"""Add script tags for `data-live` and checksummed weight URLs for `data-models`.

`data-live="map"` on an element loads the ES module `live/map.js` of the site, once for
a page, and preloads what that module imports.

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
from pathlib import Path

from .errors import read_text
from .run import Run

FOLDER = "live/"
NAME = re.compile(r"[a-z][a-z0-9_-]*")
_LIVE = re.compile(r"<[A-Za-z][^<>]*\sdata-live=\"([^\"]*)\"")
_MODELS = re.compile(r"(<[A-Za-z][^<>]*\sdata-models=)\"([^\"]*)\"")
_IMPORT = re.compile(r'^import (?:.* from )?"\./([\w-]+\.js)";$', re.MULTILINE)


def modules(page: str) -> list[str]:
    """List the names in the page's `data-live` attributes, each once, in their order.

    Raises ValueError for a name that cannot be a module's.
    """
    names = list(dict.fromkeys(_LIVE.findall(page)))
    for name in names:
        if not NAME.fullmatch(name):
            raise ValueError(
                f"data-live is {name!r}: expected a module of docs/live/ by its name, "
                "lower-case letters, digits, '-' and '_'"
            )
    return names


def with_scripts(page: str, url: str, scripts: Mapping[str, Path]) -> str:
    """Add a module script for each `data-live`, and preloads of its static imports.

    page     the whole page;  url  its own address on the site
    scripts  address of each script of the site → its file
    Raises ValueError for a module that is not one of them.
    """
    asked = []
    for name in modules(page):
        address = f"{FOLDER}{name}.js"
        if address not in scripts:
            raise ValueError(
                f"data-live is {name!r}, and docs/{address} is not there: write it, or "
                "name one that is"
            )
        asked.append(address)
    here = posixpath.dirname(url) or "."

    def tag(start: str, address: str, end: str = "") -> str:
        return f'{start}"{html.escape(posixpath.relpath(address, here))}">{end}'

    tags = [
        tag('<script type="module" src=', address, "</script>") for address in asked
    ]
    tags += [
        tag('<link rel="modulepreload" href=', address)
        for address in imports(asked, scripts)
    ]
    return page.replace("</head>", f"{''.join(tags)}</head>", 1)


def imports(addresses: Iterable[str], scripts: Mapping[str, Path]) -> list[str]:
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
    outputs = (o for run in runs for outputs in run.outputs for o in outputs)
    live = [json.loads(o["settings"]) for o in outputs if "settings" in o]
    return list(dict.fromkeys(name for settings in live for name in settings["models"]))


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

"""Scripts for what is alive on a page: each is loaded where it is used, and only there.

HTML that wants one says so itself, in an attribute: `data-live="map"` loads the module
`live/map.js` of the site, once for a page, whatever the depth of the page.

HTML that wants trained models says so, too: `data-models="bahdanau luong"`. Their files
become files of the site whose names hold a hash of what is in them, and the attribute
says where each is, how large, and by which checksum the browser knows it.
"""

from __future__ import annotations

import base64
import hashlib
import html
import json
import posixpath
import re
from collections.abc import Callable, Collection
from dataclasses import dataclass
from pathlib import Path

ASKED = re.compile(r"<[A-Za-z][^<>]*\sdata-live=\"([^\"]*)\"")
NAME = re.compile(r"[a-z][a-z0-9-]*")
SMALL, PAGE = ("folding", "preview", "twin"), "page"
"""What most pages ask for, little each: a site may serve them as one, under PAGE."""
MODELS = re.compile(r"(<[A-Za-z][^<>]*\sdata-models=)\"([^\"]*)\"")


def modules(page: str) -> list[str]:
    """The names that the page's elements ask for, each once, in their order.

    Raises ValueError for a name that cannot be a module's.
    """
    names = list(dict.fromkeys(ASKED.findall(page)))
    for name in names:
        if not NAME.fullmatch(name):
            raise ValueError(
                f"data-live is {name!r}: expected a module of docs/live/ by its name, "
                "lower-case letters, digits and '-'"
            )
    return names


def with_scripts(page: str, url: str, there: Collection[str]) -> str:
    """The page with a module for each `data-live`, before its body ends.

    page   the whole page;  url  its own address on the site
    there  the addresses of the site's files; with live/page.js, the SMALL are in it
    Raises ValueError for a module that is not one of them.
    """
    tags, here = [], posixpath.dirname(url) or "."
    one = f"live/{PAGE}.js" in there
    asked = (PAGE if one and name in SMALL else name for name in modules(page))
    for name in dict.fromkeys(asked):
        address = f"live/{name}.js"
        if address not in there:
            raise ValueError(
                f"data-live is {name!r}, and docs/{address} is not there: write it, or "
                "name one that is"
            )
        source = html.escape(posixpath.relpath(address, here))
        tags.append(f'<script type="module" src="{source}"></script>')
    before, end, after = page.rpartition("</body>")
    return f"{before}{''.join(tags)}{end}{after}" if tags else page


@dataclass(frozen=True)
class Weights:
    """The file of a trained model, as the site serves it.

    path       where it is;  address  of the site's file
    integrity  its checksum, in the form that a browser takes
    """

    path: Path
    address: str
    integrity: str

    @property
    def size(self) -> int:
        return self.path.stat().st_size


def weights_of(name: str, folder: Path) -> Weights:
    """The weights of the model of that name; ValueError where there are none.

    folder  where the weights are, each in a file of its model's name
    """
    path = folder / f"{name}.safetensors"
    if not NAME.fullmatch(name) or not path.is_file():
        raise ValueError(f"data-models holds {name!r}: there is no {path}")
    data = path.read_bytes()
    short = hashlib.sha256(data).hexdigest()[:10]
    digest = base64.b64encode(hashlib.sha256(data).digest()).decode()
    address = f"live/weights/{name}.{short}.safetensors"
    return Weights(path, address, f"sha256-{digest}")


def with_models(page: str, url: str, weights: Callable[[str], Weights]) -> str:
    """The page with each `data-models` as JSON: name → its url, integrity and bytes.

    url      the page's own address on the site
    weights  (name of a model) → its file, which the site serves
    """
    here = posixpath.dirname(url) or "."

    def said(match: re.Match[str]) -> str:
        found = {
            name: {
                "url": posixpath.relpath(weights(name).address, here),
                "integrity": weights(name).integrity,
                "bytes": weights(name).size,
            }
            for name in match[2].split()
        }
        return f'{match[1]}"{html.escape(json.dumps(found))}"'

    return MODELS.sub(said, page)

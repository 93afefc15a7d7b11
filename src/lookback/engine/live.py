"""Scripts for what is alive on a page: each is loaded where it is used, and only there.

HTML that wants one says so itself, in an attribute: `data-live="map"` loads the module
`live/map.js` of the site, once for a page, whatever the depth of the page.
"""

import html
import posixpath
import re
from collections.abc import Collection

ASKED = re.compile(r"<[A-Za-z][^<>]*\sdata-live=\"([^\"]*)\"")
NAME = re.compile(r"[a-z][a-z0-9-]*")


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
    there  the addresses of the site's files
    Raises ValueError for a module that is not one of them.
    """
    tags, here = [], posixpath.dirname(url) or "."
    for name in modules(page):
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

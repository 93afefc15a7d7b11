"""Diagrams on a page: their links lead somewhere, and they say what they show.

A diagram names what its boxes stand for as `lookback:encoder#eq-2`, an equation of a
chapter, or `lookback:source:lookback.encoder:EncoderLayer`, a piece of source. Only a
build knows where on the site that is.
"""

import html
import re
from collections.abc import Callable, Mapping

from .blocks import Page

_LINK = re.compile(r'<a href="lookback:([^"]*)"([^>]*)>(.*?)</a>', re.DOTALL)


def linked(markup: str, link: Callable[[str], str]) -> str:
    """A diagram whose links lead where `link` says; no link where it says "".

    Raises what `link` raises for a target that is not there.
    """

    def place(match: re.Match[str]) -> str:
        url = link(html.unescape(match[1]))
        if not url:
            return match[3]
        return f'<a href="{html.escape(url)}"{match[2]}>{match[3]}</a>'

    return _LINK.sub(place, markup)


def target_of(target: str, pages: Mapping[str, Page]) -> tuple[str, str]:
    """Page and anchor of `encoder#eq-2`, an equation's number, or of `encoder`.

    Raises ValueError where there is no such chapter, or nothing has the anchor there.
    """
    name, _, anchor = target.partition("#")
    uri = f"{name}.md"
    if uri not in pages:
        raise ValueError(f"it links to {target}: there is no page {uri}")
    mark = f"\\tag{{{anchor[3:]}}}" if anchor.startswith("eq-") else f"#{anchor}"
    if anchor and mark not in pages[uri].text:
        raise ValueError(f"it links to {target}: {uri} holds no {mark}")
    return uri, anchor


def diagram_html(markup: str, alt: str, caption: str = "") -> str:
    """The diagram as the page holds it. alt and caption are text, escaped here."""
    label = html.escape(" ".join(alt.split()), quote=True)
    shown = f'<svg role="group" aria-label="{label}" data-search-exclude="" '
    words = html.escape(" ".join(caption.split()), quote=False)
    below = f"<figcaption>{words}</figcaption>" if words else ""
    drawn = markup.replace("<svg ", shown)
    return f'<figure class="lb-figure lb-drawn">{drawn}{below}</figure>'

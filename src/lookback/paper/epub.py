"""Write a volume as EPUB 3: a file for each section, with MathML and inline SVG."""

from __future__ import annotations

import copy
import re
import time
import uuid
import zipfile
from collections.abc import Iterator, Mapping
from html import escape
from pathlib import Path

from bs4 import BeautifulSoup, Tag

from .pages import Chapter
from .volume import Volume

STYLE = Path(__file__).with_name("epub.css")
DIAGRAM = Path(__file__).parents[1] / "figures/diagram.css"
CASE = {"viewbox": "viewBox", "clippath": "clipPath", "patternunits": "patternUnits"}
"""Names of SVG, which an HTML parser writes in small letters."""
MOVED = {"mfrac": ["displaystyle"], "mtable": ["scriptlevel"]}
"""Attributes of MathML that EPUB's version has on `mstyle` alone."""
CONTAINER = """<?xml version="1.0" encoding="utf-8"?>
<container version="1.0" xmlns="urn:oasis:names:tc:opendocument:xmlns:container">
<rootfiles><rootfile full-path="book/volume.opf"
media-type="application/oebps-package+xml"/></rootfiles></container>"""
XHTML = """<?xml version="1.0" encoding="utf-8"?>
<!DOCTYPE html>
<html xmlns="http://www.w3.org/1999/xhtml" xmlns:epub="http://www.idpf.org/2007/ops"
 lang="en" xml:lang="en"><head><title>{title}</title>
<link rel="stylesheet" type="text/css" href="volume.css"/></head>
<body>{body}</body></html>"""
OPF = """<?xml version="1.0" encoding="utf-8"?>
<package xmlns="http://www.idpf.org/2007/opf" version="3.0" unique-identifier="id"
 xml:lang="en"><metadata xmlns:dc="http://purl.org/dc/elements/1.1/">
<dc:identifier id="id">urn:uuid:{id}</dc:identifier><dc:title>{title}</dc:title>
<dc:language>en</dc:language><dc:description>{about}</dc:description>
<meta property="dcterms:modified">{date}</meta></metadata>
<manifest>
<item id="nav" href="nav.xhtml" media-type="application/xhtml+xml" properties="nav"/>
<item id="css" href="volume.css" media-type="text/css"/>
{items}</manifest><spine><itemref idref="nav"/>{spine}</spine></package>"""


def write_epub(volume: Volume, target: Path) -> int:
    """Write a volume as EPUB; return the number of its sections.

    Its date is that of the site, so that the same site gives the same file.
    """
    built = (volume.site / volume.sections[0].name / "index.html").stat().st_mtime
    stamp = time.gmtime(max(built, 315532800))  # a zip begins in 1980
    with zipfile.ZipFile(target, "w", zipfile.ZIP_DEFLATED) as file:
        for name, text in _files(volume, stamp):
            info = zipfile.ZipInfo(name, stamp[:6])
            kind = zipfile.ZIP_STORED if name == "mimetype" else zipfile.ZIP_DEFLATED
            file.writestr(info, text, kind)
    return len(volume.sections)


def _files(volume: Volume, stamp: time.struct_time) -> Iterator[tuple[str, str]]:
    yield "mimetype", "application/epub+zip"
    yield "META-INF/container.xml", CONTAINER
    colours = _colours(volume.site)
    yield "book/volume.css", _resolved(_styles(), colours)
    homes = {
        str(name): one.id
        for one in volume.sections
        for name in [one.id, *(tag["id"] for tag in one.body.select("[id]"))]
    }
    items = []
    for one in volume.sections:
        text = _resolved(str(_xhtml(one, homes)), colours)
        yield f"book/{one.id}.xhtml", XHTML.format(title=escape(one.title), body=text)
        holds = [kind for kind, tag in (("mathml", "math"), ("svg", "svg"))
                 if one.body.find(tag)]  # fmt: skip
        more = f' properties="{" ".join(holds)}"' * bool(holds)
        items.append(f'<item id="s-{one.id}" href="{one.id}.xhtml" '
                     f'media-type="application/xhtml+xml"{more}/>')  # fmt: skip
    nav = f'<nav epub:type="toc"><h1>Contents</h1>{_contents(volume)}</nav>'
    yield "book/nav.xhtml", XHTML.format(title=escape(volume.title), body=nav)
    yield (
        "book/volume.opf",
        OPF.format(
            id=uuid.uuid5(uuid.NAMESPACE_URL, f"lookback:{volume.name}"),
            title=escape(volume.title),
            about=escape(volume.about),
            date=time.strftime("%Y-%m-%dT%H:%M:%SZ", stamp),
            items="\n".join(items),
            spine="".join(f'<itemref idref="s-{one.id}"/>' for one in volume.sections),
        ),
    )


def _contents(volume: Volume) -> str:
    """List sections, and the headings of each."""
    lines = []
    for one in volume.sections:
        heads = "".join(
            f'<li><a href="{one.id}.xhtml#{head["id"]}">'
            f"{escape(head.get_text(' ', strip=True))}</a></li>"
            for head in one.body.find_all("h2", recursive=False)
            if "id" in head.attrs
        )
        inside = f"<ol>{heads}</ol>" if heads else ""
        title = escape(one.body.h1.get_text() if one.body.h1 else one.title)
        lines.append(f'<li><a href="{one.id}.xhtml">{title}</a>{inside}</li>')
    return f"<ol>{''.join(lines)}</ol>"


def _xhtml(section: Chapter, homes: Mapping[str, str]) -> Tag:
    """Write a section in the names and namespaces of XML.

    homes  id → the file that has it, to which links lead
    """
    body = copy.copy(section.body)
    new = BeautifulSoup("", "html.parser").new_tag
    for tag in body.find_all(True):
        tag.name = CASE.get(tag.name, tag.name)
        for key in [key for key in tag.attrs if key in CASE]:
            tag[CASE[key]] = tag.attrs.pop(key)
        if tag.name == "math":
            tag["xmlns"] = "http://www.w3.org/1998/Math/MathML"
        if tag.name == "svg" and tag.get("role") == "group":
            tag["role"] = "img"  # what EPUB allows
        for key in MOVED.get(tag.name, ()):
            if key in tag.attrs:
                tag.wrap(new("mstyle", attrs={key: str(tag.attrs.pop(key))}))
        if tag.name == "a" and str(tag.get("href")).startswith("#"):
            href = str(tag["href"])
            tag["href"] = f"{homes[href[1:]]}.xhtml{href}"
    return body


def _styles() -> str:
    """Join the styles, of diagrams those without selectors that old readers lack."""
    diagram = DIAGRAM.read_text(encoding="utf-8").partition("/* On the site. */")[0]
    plain = re.sub(r"^[^{}\n]*:is\([^{}]*\{[^{}]*\}\n", "", diagram, flags=re.MULTILINE)
    return plain + STYLE.read_text(encoding="utf-8")


def _colours(site: Path) -> dict[str, str]:
    """Read the light palette from the site's styles, and what print.css says else."""
    names = ("diagram", "lookback", "print")
    texts = [(site / f"assets/{name}.css").read_text("utf-8") for name in names]
    light = "".join(text.partition("@media screen")[0] for text in texts)
    return dict(re.findall(r"(--lb-\w+): (#\w+);", light))


def _resolved(text: str, colours: dict[str, str]) -> str:
    """Put colours in the place of variables, which many readers do not know."""
    return re.sub(
        r"var\((--lb-\w+)(?:, [^()]*)?\)", lambda m: colours.get(m[1], m[0]), text
    )

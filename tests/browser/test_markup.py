"""Parse the built HTML: links, ids, alternative texts, MathML, titles."""

from __future__ import annotations

import re
from collections import Counter
from functools import cache
from pathlib import Path
from urllib.parse import unquote, urljoin, urlsplit

from lxml import html
from lxml.html import HtmlElement, defs

LINKS = {"a": "href", "link": "href", "img": "src", "script": "src", "source": "src"}
UNRENDERED = re.compile(r"\$[^$\n]+\$|\\(frac|sum|mathbf|text|left|log)\b|\{\{.*")
TOKEN = re.compile("[\ue000-\uf8ff]")
"""Characters that the engine puts in place of what it renders later."""
PROSE = "//text()[not({})]".format(
    " or ".join(
        f"ancestor::{tag}" for tag in ("code", "pre", "script", "style", "math", "svg")
    )
)
MARKUP = "//*[not(ancestor-or-self::svg or ancestor-or-self::math)]"
PICTURES = "//article//img | //article//figure//svg | //svg[@role='img']"
HAS_CLASS = "contains(concat(' ', @class, ' '), ' {} ')"
CONTROL = re.compile("[\x00-\x08\x0b\x0c\x0e-\x1f\x7f]")
"""Characters that XML, and so an EPUB, cannot hold."""


@cache
def parse(path: Path) -> tuple[HtmlElement, list[str]]:
    """Parse a page; list what the parser had to mend: tags that do not match."""
    parser = html.HTMLParser(encoding="utf-8")
    root = html.document_fromstring(path.read_bytes(), parser=parser)
    return root, [f"line {one.line}: {one.message}" for one in parser.error_log]


def tree(path: Path) -> HtmlElement:
    return parse(path)[0]


def pages(site: Path) -> dict[str, HtmlElement]:
    """Parse all pages of a site: path → tree."""
    paths = sorted(site.rglob("*.html"))
    return {path.relative_to(site).as_posix(): tree(path) for path in paths}


@cache
def anchors(path: Path) -> frozenset[str]:
    """Collect the ids and names that a link into a page may mean."""
    return frozenset(map(str, tree(path).xpath("//@id | //a/@name")))


def is_dead(link: str, page: str, site: Path) -> bool:
    """Tell whether a link leads to no file of the site, or to no anchor of it."""
    url = urlsplit(urljoin(f"http://site/{page}", link))
    if url.netloc != "site" or url.scheme != "http":
        return False
    file = site / unquote(url.path).lstrip("/")
    file = file / "index.html" if file.is_dir() else file
    if not file.is_file():
        return True
    anchor = unquote(url.fragment) if file.suffix == ".html" else ""
    return bool(anchor) and anchor not in anchors(file)


def test_every_tag_is_closed_and_no_character_is_one_of_control(site: Path) -> None:
    for path in sorted(site.rglob("*.html")):
        assert parse(path)[1] == [], path
        assert not CONTROL.search(path.read_text(encoding="utf-8")), path


def test_every_link_leads_to_a_file_and_an_anchor(site: Path) -> None:
    """Check the links that the engine writes, too; MkDocs checks those in Markdown."""
    for name, root in pages(site).items():
        links = {tag.get(LINKS[tag.tag]) or "" for tag in root.iter(*LINKS)}
        assert [link for link in links if is_dead(link, name, site)] == [], name


def test_every_id_is_unique(site: Path) -> None:
    for name, root in pages(site).items():
        ids = Counter(root.xpath("//@id"))
        assert [one for one, times in ids.items() if times > 1] == [], name


def test_every_picture_has_an_alternative_text(site: Path) -> None:
    for name, root in pages(site).items():
        for picture in root.xpath(PICTURES):
            text = picture.get("alt") or picture.get("aria-label") or ""
            assert text.strip(), (name, html.tostring(picture)[:80])


def test_no_tex_value_or_token_is_left(site: Path) -> None:
    for name, root in pages(site).items():
        found = UNRENDERED.search("".join(root.xpath(PROSE)))
        assert found is None, (name, found)
    for path in sorted(site.rglob("*")):
        if path.suffix in (".html", ".json", ".xml", ".ipynb"):
            assert not TOKEN.search(path.read_text(encoding="utf-8")), path


def test_every_element_is_html(site: Path) -> None:
    """Find each `<` that was meant as a sign: it makes an element that HTML lacks."""
    for name, root in pages(site).items():
        tags = {element.tag for element in root.xpath(MARKUP)}
        unknown = {tag for tag in tags if isinstance(tag, str)} - defs.tags - {"main"}
        assert unknown == set(), name


def test_chapters_have_mathml_and_most_number_their_equations(
    site: Path, chapters: list[str]
) -> None:
    equation, number = HAS_CLASS.format("lb-equation"), HAS_CLASS.format("lb-eqno")
    numbered = 0
    for chapter in chapters:
        root = tree(site / chapter / "index.html")
        assert root.xpath(f"//article//*[{equation}]/math[@display='block']"), chapter
        assert root.xpath("//article//p//math"), chapter
        numbered += bool(root.xpath(f"//*[{number}]"))
    assert numbered > len(chapters) / 2


def meta(root: HtmlElement, **attribute: str) -> str:
    ((name, value),) = attribute.items()
    return "".join(root.xpath(f"//head/meta[@{name}='{value}']/@content"))


def test_every_page_has_its_own_title_and_description(site: Path) -> None:
    roots = {n: r for n, r in pages(site).items() if not n.startswith("source/")}
    titles = {name: root.findtext("head/title") for name, root in roots.items()}
    assert len({*titles.values()}) == len(titles)
    assert titles.pop("index.html") == "Lookback: the history of attention as a program"
    assert [t for t in titles.values() if not t.endswith(" – Lookback")] == []
    for root in roots.values():
        assert meta(root, property="og:title")
        description = meta(root, name="description")
        assert meta(root, property="og:description") == description
    del roots["404.html"]
    texts = {name: meta(root, name="description") for name, root in roots.items()}
    assert len({*texts.values()}) == len(texts)
    assert {n: t for n, t in texts.items() if not 20 <= len(t) <= 200} == {}

"""The files of the site: links hold, pictures have words, formulas are MathML."""

from __future__ import annotations

import re
from collections import Counter
from functools import cache
from pathlib import Path
from urllib.parse import unquote, urljoin, urlsplit

import pytest
from lxml import html
from lxml.html import HtmlElement, defs

LINKS = {"a": "href", "link": "href", "img": "src", "script": "src", "source": "src"}
UNSET = re.compile(r"\$[^$\n]+\$|\\(frac|sum|mathbf|text|left|log)\b|\{\{.*")
UTF8 = html.HTMLParser(encoding="utf-8")
UNSPOKEN = " or ".join(
    f"ancestor::{tag}" for tag in ("code", "pre", "script", "style", "math", "svg")
)
CLASS = "contains(concat(' ', @class, ' '), ' {} ')"


@cache
def root(path: Path) -> HtmlElement:
    return html.document_fromstring(path.read_bytes(), parser=UTF8)


@cache
def names(path: Path) -> Counter[str]:
    """The anchors of a page, and how often each occurs as an id."""
    found = Counter(map(str, root(path).xpath("//@id")))
    return found + Counter(set(root(path).xpath("//a/@name")) - set(found))


def pages(folder: Path) -> list[Path]:
    return sorted(folder.rglob("*.html"))


def place(path: Path, folder: Path) -> str:
    return path.relative_to(folder).as_posix()


def dead_links(folder: Path) -> list[str]:
    """Links and sources of the pages that lead to no file or to no anchor of it."""
    dead = []
    for page in pages(folder):
        here = f"http://site/{place(page, folder)}"
        for link in sorted(
            {tag.get(LINKS[tag.tag]) or "" for tag in root(page).iter(*LINKS)}
        ):
            whole = urlsplit(urljoin(here, link))
            if whole.netloc != "site" or whole.scheme != "http":
                continue
            file = folder / unquote(whole.path).lstrip("/")
            file = file / "index.html" if file.is_dir() else file
            name = unquote(whole.fragment)
            if not file.is_file():
                dead.append(f"{place(page, folder)}: {link}")
            elif name and file.suffix == ".html" and name not in names(file):
                dead.append(f"{place(page, folder)}: {link}: no such anchor")
    return dead


def repeated_names(folder: Path) -> list[str]:
    """Ids that occur twice on a page: an anchor could mean either."""
    return [
        f"{place(page, folder)}: {name}"
        for page in pages(folder)
        for name, times in names(page).items()
        if times > 1
    ]


def mute(folder: Path) -> list[str]:
    """Pictures of the text, drawn or linked, without words for who cannot see them."""
    found = []
    for page in pages(folder):
        pictures = root(page).xpath(
            "//article//img | //article//figure//svg | //svg[@role='img']"
        )
        for picture in pictures:
            words = picture.get("alt") or picture.get("aria-label")
            if not str(words or "").strip():
                markup = html.tostring(picture, encoding="unicode", with_tail=False)
                found.append(f"{place(page, folder)}: {markup[:80]}")
    return found


def unset(folder: Path) -> list[str]:
    """TeX, values and tokens of the engine that are left in a page's sentences."""
    found = []
    for page in pages(folder):
        words = "".join(root(page).xpath(f"//text()[not({UNSPOKEN})]"))
        found += [f"{place(page, folder)}: {m[0]}" for m in UNSET.finditer(words)]
    files = (path for path in folder.rglob("*") if path.suffix in TEXTS)
    return found + [
        f"{place(path, folder)}: a token of the engine"
        for path in sorted(files)
        if re.search("[\ue000-\uf8ff]", path.read_text(encoding="utf-8"))
    ]


def strange(folder: Path) -> list[str]:
    """Elements that HTML does not have: a `<` that was meant as a sign."""
    return [
        f"{place(page, folder)}: <{element.tag}>"
        for page in pages(folder)
        for element in root(page).xpath(f"//*[not({DRAWN})]")
        if isinstance(element.tag, str) and element.tag not in ELEMENTS
    ]


TEXTS = {".html", ".json", ".xml", ".ipynb"}
DRAWN = "ancestor-or-self::svg or ancestor-or-self::math"
ELEMENTS = defs.tags | {"main"}


def test_every_link_and_anchor_holds(site: Path) -> None:
    assert dead_links(site) == []


def test_every_anchor_is_one(site: Path) -> None:
    assert repeated_names(site) == []


def test_every_picture_has_words(site: Path) -> None:
    assert mute(site) == []


def test_nothing_is_left_unset(site: Path) -> None:
    assert unset(site) == []


def test_every_element_is_one_of_html(site: Path) -> None:
    assert strange(site) == []


def test_formulas_are_mathml(site: Path, chapters: list[str]) -> None:
    for chapter in chapters:
        page = root(site / chapter / "index.html")
        equation = f"//article//*[{CLASS.format('lb-equation')}]"
        assert page.xpath(f"{equation}/math[@display='block']"), chapter
        assert page.xpath("//article//p//math"), chapter


def test_most_chapters_number_their_formulas(site: Path, chapters: list[str]) -> None:
    """As their papers do; not every paper does."""
    number = f"//*[{CLASS.format('lb-eqno')}]"
    numbered = [c for c in chapters if root(site / c / "index.html").xpath(number)]
    assert len(numbered) > len(chapters) / 2


def test_figures_are_drawings_of_the_page_itself(site: Path) -> None:
    figure = f"//*[{CLASS.format('lb-figure')}]"
    figures = [f for page in pages(site) for f in root(page).xpath(figure)]
    assert figures
    for drawn in figures:
        assert drawn.find(".//svg").get("role") in ("img", "group")


GOOD = '<a href="b/">b</a> <a href="b/#x">x</a> <p id="up"><a href="#up">up</a>'


@pytest.fixture
def little(tmp_path: Path) -> Path:
    """A site of two pages in which every link holds."""
    (tmp_path / "b").mkdir()
    (tmp_path / "index.html").write_text(GOOD)
    (tmp_path / "b" / "index.html").write_text('<h1 id="x">B</h1><a href="..">up</a>')
    return tmp_path


def test_links_that_hold_are_not_told(little: Path) -> None:
    assert dead_links(little) == repeated_names(little) == []
    assert mute(little) == unset(little) == strange(little) == []


@pytest.mark.parametrize(
    ("markup", "told"),
    [
        ('<a href="c/">c</a>', ["b/index.html: c/"]),
        ('<a href="../c.html">c</a>', ["b/index.html: ../c.html"]),
        ('<a href="/c/">c</a>', ["b/index.html: /c/"]),
        ('<img src="c.png">', ["b/index.html: c.png"]),
        ('<link href="c.css">', ["b/index.html: c.css"]),
        ('<a href="#y">y</a>', ["b/index.html: #y: no such anchor"]),
        ('<a href="../#x">x</a>', ["b/index.html: ../#x: no such anchor"]),
        ('<a href="https://x.org/c">c</a> <a href="mailto:a@b">m</a>', []),
    ],
)
def test_a_dead_link_is_told(little: Path, markup: str, told: list[str]) -> None:
    (little / "b" / "index.html").write_text(f'<h1 id="x">B</h1>{markup}')
    assert dead_links(little) == told


@pytest.mark.parametrize(
    ("check", "markup"),
    [
        (repeated_names, '<p id="y"><p id="y">'),
        (mute, '<article><img src="data:,"></article>'),
        (mute, '<article><img src="data:," alt=" "></article>'),
        (mute, "<article><figure><svg></svg></figure></article>"),
        (mute, '<svg role="img"></svg>'),
        (unset, "<p>where $x^2$ is"),
        (unset, "<p>\\frac{1}{2}"),
        (unset, "<p>it is {{ 1 + 1 }}"),
        (unset, "<p>\ue0003\ue001"),
        (strange, "<table><td>the <unk> sleeps"),
    ],
)
def test_what_is_wrong_is_told(little: Path, check, markup: str) -> None:
    (little / "b" / "index.html").write_text(f'<h1 id="x">B</h1>{markup}', "utf-8")
    assert len(check(little)) == 1

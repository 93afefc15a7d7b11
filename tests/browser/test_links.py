"""The files of the site: links hold, pictures have words, formulas are MathML."""

from __future__ import annotations

import re
from collections import Counter
from functools import cache
from pathlib import Path
from urllib.parse import unquote, urljoin, urlsplit

import pytest
from bs4 import BeautifulSoup
from bs4.element import Tag

LINKS = {"a": "href", "link": "href", "img": "src", "script": "src", "source": "src"}
UNSET = re.compile(r"\$[^$\n]+\$|\\(frac|sum|mathbf|text|left|log)\b|\{\{.*")


@cache
def soup(path: Path) -> BeautifulSoup:
    return BeautifulSoup(path.read_bytes(), "html.parser")


def pages(folder: Path) -> list[Path]:
    return sorted(folder.rglob("*.html"))


def place(path: Path, folder: Path) -> str:
    return path.relative_to(folder).as_posix()


def dead_links(folder: Path) -> list[str]:
    """Links and sources of the pages that lead to no file or to no anchor of it."""
    dead = []
    for page in pages(folder):
        here = f"http://site/{place(page, folder)}"
        for tag in soup(page).find_all(list(LINKS)):
            link = str(tag.get(LINKS[tag.name]) or "")
            whole = urlsplit(urljoin(here, link))
            if whole.netloc != "site" or whole.scheme != "http":
                continue
            file = folder / unquote(whole.path).lstrip("/")
            file = file / "index.html" if file.is_dir() else file
            name = unquote(whole.fragment)
            if not file.is_file():
                dead.append(f"{place(page, folder)}: {link}")
            elif name and file.suffix == ".html" and not anchored(file, name):
                dead.append(f"{place(page, folder)}: {link}: no such anchor")
    return dead


def anchored(page: Path, name: str) -> bool:
    found = soup(page)
    return bool(found.find(id=name) or found.find("a", attrs={"name": name}))


def repeated_names(folder: Path) -> list[str]:
    """Ids that stand twice on a page: an anchor could mean either."""
    return [
        f"{place(page, folder)}: {name}"
        for page in pages(folder)
        for name, times in Counter(
            str(tag["id"]) for tag in soup(page).find_all(id=True)
        ).items()
        if times > 1
    ]


def mute(folder: Path) -> list[str]:
    """Pictures of the text, drawn or linked, without words for who cannot see them."""
    found = []
    for page in pages(folder):
        pictures = soup(page).select("article img, article figure svg")
        pictures += soup(page).select('svg[role="img"]')
        for picture in pictures:
            words = picture.get("alt") or picture.get("aria-label")
            if not str(words or "").strip():
                found.append(f"{place(page, folder)}: {str(picture)[:80]}")
    return found


def unset(folder: Path) -> list[str]:
    """TeX, values and tokens of the engine that are left in a page's sentences."""
    found = []
    for page in pages(folder):
        text = BeautifulSoup(page.read_bytes(), "html.parser")
        for tag in text(["code", "pre", "script", "style", "math", "svg"]):
            tag.decompose()
        words = text.get_text()
        found += [f"{place(page, folder)}: {m[0]}" for m in UNSET.finditer(words)]
    files = (path for path in folder.rglob("*") if path.suffix in TEXTS)
    return found + [
        f"{place(path, folder)}: a token of the engine"
        for path in sorted(files)
        if re.search("[\ue000-\uf8ff]", path.read_text(encoding="utf-8"))
    ]


TEXTS = {".html", ".json", ".xml", ".ipynb"}


def test_every_link_and_anchor_holds(site: Path) -> None:
    assert dead_links(site) == []


def test_every_anchor_is_one(site: Path) -> None:
    assert repeated_names(site) == []


def test_every_picture_has_words(site: Path) -> None:
    assert mute(site) == []


def test_nothing_is_left_unset(site: Path) -> None:
    assert unset(site) == []


def test_formulas_are_mathml(site: Path, chapters: list[str]) -> None:
    for chapter in chapters:
        page = soup(site / chapter / "index.html")
        assert page.select("article .lb-equation > math[display=block]"), chapter
        assert page.select("article p math"), chapter


def test_figures_are_drawings_of_the_page_itself(site: Path) -> None:
    figures = [f for page in pages(site) for f in soup(page).select(".lb-figure")]
    assert figures
    for figure in figures:
        drawing = figure.find("svg")
        assert isinstance(drawing, Tag) and drawing.get("role") == "img"


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
    assert mute(little) == unset(little) == []


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
    ],
)
def test_what_is_wrong_is_told(little: Path, check, markup: str) -> None:
    (little / "b" / "index.html").write_text(f'<h1 id="x">B</h1>{markup}', "utf-8")
    assert len(check(little)) == 1

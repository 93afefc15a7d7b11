"""Put pages together: links, answers at the end, contents, an index of terms."""

from __future__ import annotations

from collections import defaultdict
from dataclasses import dataclass
from functools import cached_property
from html import escape
from pathlib import Path
from typing import Any

import yaml
from bs4 import BeautifulSoup, Tag

from .pages import AT, Chapter, read_chapter, take_answers

SCREEN = {"index", "live"}
"""Pages of controls, which paper leaves out."""
LOOKED_UP = ("glossary", "bibliography")
"""Pages at the end of a path, of which it has what it refers to."""
DEEP = 15
"""The contents of so many chapters have their sections, too."""


def paths(root: Path) -> dict[str, dict[str, Any]]:
    """Read the paths of mkdocs.yml that paper can have: title, about and pages.

    One without pages is the whole book: all that the nav names.
    """
    config = _config(root)
    nav = [
        name for item in config["nav"] for name in _names(item) if name not in SCREEN
    ]
    found = {}
    for name, path in config["extra"]["paths"].items():
        pages = path.get("pages")
        if not pages or not SCREEN.issuperset(pages):
            found[name] = {**path, "pages": pages or nav, "whole": not pages}
    return found


def _config(root: Path) -> dict[str, Any]:
    file = root / "mkdocs.yml"
    if not file.is_file():
        raise ValueError(f"{file} is not there: call this in the folder of the book")
    try:
        config: dict[str, Any] = yaml.load(file.read_bytes(), yaml.BaseLoader)
    except yaml.YAMLError as error:
        raise ValueError(f"{file}: {' '.join(str(error).split())}") from None
    for key in ("site_name", "site_description", "nav", "extra"):
        if not (isinstance(config, dict) and config.get(key)):
            raise ValueError(f"{file} has no `{key}`, which a book needs")
    if not config["extra"].get("paths"):
        raise ValueError(f"{file} has no `extra: paths:`, each of which is a book")
    return config


def _names(item: Any) -> list[str]:
    if isinstance(item, dict):
        return [name for inside in item.values() for name in _names(inside)]
    if isinstance(item, list):
        return [name for inside in item for name in _names(inside)]
    return [str(item).removesuffix(".md").removesuffix(".py")]


@dataclass(frozen=True)
class Volume:
    """Hold what is bound: the pages of a path and what stands at their end.

    address  of the site, to which links lead whose pages are not here; "" for none
    """

    root: Path
    site: Path
    name: str
    address: str = ""

    @cached_property
    def path(self) -> dict[str, Any]:
        found = paths(self.root)
        if self.name not in found:
            raise ValueError(f"no path {self.name!r}: there is {', '.join(found)}")
        return found[self.name]

    @property
    def title(self) -> str:
        name = str(_config(self.root)["site_name"])
        return name if self.path["whole"] else f"{name}: {self.path['title']}"

    @property
    def about(self) -> str:
        return str(_config(self.root)["site_description"])

    @cached_property
    def sections(self) -> list[Chapter]:
        """List chapters, answers, what is looked up, and the index, all linked."""
        found = [read_chapter(self.site, name) for name in self.path["pages"]]
        answers = self._answers(found)
        if not self.path["whole"]:
            found += [_cut(read_chapter(self.site, n), found) for n in LOOKED_UP]
        at = next((n for n, one in enumerate(found) if one.name in LOOKED_UP), None)
        found[at:at] = answers if at is not None else []
        for number, chapter in enumerate(found, 1):
            if chapter.body.h1:
                chapter.body.h1.insert(0, f"{number}\N{EN SPACE}")
        index = _index(found)
        self._link([*found, *index])
        return [*found, *index]

    def _answers(self, chapters: list[Chapter]) -> list[Chapter]:
        parts = []
        for chapter in chapters:
            if groups := [*take_answers(chapter)]:
                link = f'<a href="#{chapter.id}">{escape(chapter.title)}</a>'
                inside = "".join(map(str, groups))
                parts.append(f'<h2 id="{chapter.id}-answers">{link}</h2>{inside}')
        title = "Hints, solutions and answers"
        return [_section("answers", title, "".join(parts))] if parts else []

    def _link(self, sections: list[Chapter]) -> None:
        """Lead each link to an id of this volume, to the site, or nowhere."""
        names = {one.name: one.id for one in sections}
        ids = {t["id"] for one in sections for t in one.body.select("[id]")}
        ids |= {one.id for one in sections}
        for link in [a for one in sections for a in one.body.select("a[href]")]:
            href = str(link["href"])
            if not href.startswith("/"):
                if href.startswith("#") and href[1:] not in ids:
                    link.unwrap()
                continue
            page, _, fragment = href[1:].partition("#")
            own = names.get(page)
            if own:
                inside = f"{own}--{fragment}"
                link["href"] = f"#{inside if inside in ids else own}"
            elif self.address:
                page += "/" * (page != "" and "." not in page)
                anchor = fragment and f"#{fragment}"
                link["href"] = f"{self.address.rstrip('/')}/{page}{anchor}"
            else:
                link.unwrap()

    def contents(self) -> str:
        """Write the contents as HTML, a list of links; `AT` takes the page."""
        lines, part = [], ""
        deep = len(self.sections) <= DEEP
        for one in self.sections:
            if one.part and one.part != part:
                lines.append(f'<li class="lb-part">{escape(one.part)}</li>')
            part = one.part
            title = escape(one.body.h1.get_text() if one.body.h1 else one.title)
            lines.append(f'<li><a href="#{one.id}">{title}{AT}</a></li>')
            for head in one.body.find_all("h2", recursive=False) if deep else ():
                if "id" in head.attrs:
                    words = escape(head.get_text(" ", strip=True))
                    link = f'<a href="#{head["id"]}">{words}{AT}</a>'
                    lines.append(f'<li class="lb-sub">{link}</li>')
        return f'<ol class="lb-contents">{"".join(lines)}</ol>'


def _section(name: str, title: str, inside: str, part: str = "Back matter") -> Chapter:
    html = f'<section id="{name}"><h1>{title}</h1>{inside}</section>'
    body = BeautifulSoup(html, "html.parser").section
    assert body is not None
    return Chapter(name, part, title, body)


def _cut(page: Chapter, chapters: list[Chapter]) -> Chapter:
    """Keep the entries of a glossary or bibliography to which chapters link."""
    links = {str(a["href"]) for one in chapters for a in one.body.select("a[href]")}
    kept = {f"{page.id}--{href.partition('#')[2]}" for href in links
            if href.startswith(f"/{page.name}#")}  # fmt: skip
    lists = page.body.select(".lb-glossary dl, .lb-bibliography")
    for entry in page.body.select(".lb-glossary dt, .lb-bibliography > li"):
        if not {entry.get("id"), *(t["id"] for t in entry.select("[id]"))} & kept:
            meaning = entry.find_next_sibling("dd") if entry.name == "dt" else None
            for one in (meaning, entry):
                if isinstance(one, Tag):
                    one.decompose()
    whole = [str(one) for one in lists if one.find(["dt", "li"])]
    return _section(page.id, page.title, "".join(whole))


def _index(chapters: list[Chapter]) -> list[Chapter]:
    """Write an index of the glossary's terms: where each is explained, and where other
    chapters use it first.

    A link shows its chapter's number, which the PDF replaces by the page.
    """
    numbers = {one.name: n for n, one in enumerate(chapters, 1)}
    glossary = next((one for one in chapters if one.name == "glossary"), None)
    if glossary is None:
        return []
    uses: dict[str, dict[str, str]] = defaultdict(dict)
    for chapter in chapters:
        for n, link in enumerate(chapter.body.select("a.lb-term")):
            link["id"] = link.get("id") or f"{chapter.id}--term-{n}"
            term = str(link["href"]).partition("#")[2]
            uses[term].setdefault(f"#{link['id']}", chapter.name)
    entries = []
    for entry in glossary.body.select("dt[id]"):
        explained = entry.find_next_sibling("dd")
        first = explained.a if isinstance(explained, Tag) else None
        target = str(first["href"]) if first else ""
        page = target[1:].partition("#")[0]
        links = [
            f'<a href="{href}"><span class="lb-page">{numbers[name]}</span></a>'
            for href, name in uses[str(entry["id"]).partition("--")[2]].items()
            if name != page
        ]
        if target.startswith("/") and page in numbers and page != "glossary":
            number = f'<span class="lb-page">{numbers[page]}</span>'
            links.insert(0, f'<b><a href="{target}">{number}</a></b>')
        if links:
            words = escape(entry.get_text(" ", strip=True))
            entries.append((words.casefold(), f"<li>{words} {', '.join(links)}</li>"))
    listed = "".join(entry for _, entry in sorted(entries))
    about = "<p>In bold: where a term is explained.</p>"
    return [_section("index", "Index", f'{about}<ul class="lb-index">{listed}</ul>')]

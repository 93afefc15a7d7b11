"""Take the text out of a page of the site: what paper shows of it, with its own ids."""

from __future__ import annotations

import posixpath
import re
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

from bs4 import BeautifulSoup, Tag

UNPRINTED = (
    ".headerlink, .lb-head, .lb-before, .lb-stamp, .lb-fold, .lb-numbers, .lb-letters, "
    ".lb-start, .lb-diagram-narrow, .lb-backlink, .lb-cited, .lb-quiz + .lb-predict, "
    "p:has(> .lb-twin), [hidden], [role=status], button, script"
)
"""Controls, code that plots or checks, numbers behind figures, notes of the build."""

KEPT = {"data-cell", "data-grid"}
"""What style sheets read; all other `data-` is of scripts."""


AT = '<span class="lb-page"></span>'
"""In a link: where the page of its target is written."""


@dataclass(frozen=True)
class Chapter:
    """Hold a page for print.

    name   its address, "labs/zipf";  part  of the book, "" for none
    title  without markup;  body  the article, whose ids begin with `id`
    """

    name: str
    part: str
    title: str
    body: Tag

    @property
    def id(self) -> str:
        return self.name.replace("/", "-")


def read_chapter(site: Path, name: str) -> Chapter:
    """Read `name/index.html` of a site.

    Raises FileNotFoundError where the site is not built, ValueError where its pages
    are not the folders of MkDocs.
    """
    path = site / name / "index.html"
    if not path.is_file():
        if name != "index" and (site / f"{name}.html").is_file():
            raise ValueError(
                f"{site} was built with `use_directory_urls: false`: build it without "
                "that line of mkdocs.yml, and make the book of that site"
            )
        raise FileNotFoundError(f"{path} is not there: run `make site` first")
    soup = BeautifulSoup(path.read_text(encoding="utf-8"), "html.parser")
    body = soup.select_one("article")
    if body is None or body.h1 is None:
        raise ValueError(
            f"{path} is no page of the book: it has no article with a title"
        )
    part = body.select_one(".lb-part")
    named = part.get_text(strip=True) if part else ""
    for one in body.select(UNPRINTED):
        one.decompose()
    for one in body.select("details"):
        _unfold(soup, one)
    for one in body.find_all(True):
        for key in [k for k in one.attrs if k.startswith("data-") and k not in KEPT]:
            del one[key]
        one.attrs.pop("tabindex", None)
    for choice in body.select("input"):
        choice.replace_with("□" if choice.get("type") == "radio" else "")
    chapter = Chapter(name, named, body.h1.get_text(" ", strip=True), body)
    _rename_ids(chapter)
    return chapter


def _unfold(soup: BeautifulSoup, fold: Tag) -> None:
    """Make a box with a title of a fold, of a prediction's answer one without."""
    title = fold.find("summary", recursive=False)
    fold.name = "div"
    fold.attrs.pop("open", None)
    if "lb-predict" in fold.get_attribute_list("class"):
        fold["class"] = "lb-answer"
        if title:
            title.decompose()
    elif isinstance(title, Tag):
        fold["class"] = " ".join(["admonition", *fold.get_attribute_list("class")])
        title.name, title["class"] = "p", "admonition-title"


def _rename_ids(chapter: Chapter) -> None:
    """Begin each id, and what refers to one, with the chapter's; links get addresses.

    Ids inside of drawings that nothing refers to are dropped.
    """
    body, own = chapter.body, chapter.id
    referred = {*re.findall(r'(?:url\(|href=")#([^)"]+)', str(body))}
    for one in body.find_all(True):
        if "id" in one.attrs:
            if one.find_parent("svg") and one["id"] not in referred:
                del one["id"]
            else:
                one["id"] = f"{own}--{one['id']}"
        for key, value in one.attrs.items():
            if isinstance(value, str) and "url(#" in value:
                one[key] = value.replace("url(#", f"url(#{own}--")
            if one.name == "use" and str(value).startswith("#"):
                one[key] = f"#{own}--{value[1:]}"
        if one.name == "a" and "href" in one.attrs:
            one["href"] = address(chapter.name, str(one["href"]))
    body.name = "section"
    body["id"] = own


def address(page: str, href: str) -> str:
    """Resolve a link of a page from the top of the site; leave it if it leads out.

    >>> address("gpt", "../attention/#eq-1"), address("labs/zipf", "../../gpt/")
    ('/attention#eq-1', '/gpt')
    >>> address("gpt", "#eq-1"), address("gpt", "https://arxiv.org/")
    ('/gpt#eq-1', 'https://arxiv.org/')
    """
    if ":" in href.split("/")[0]:
        return href
    path, hash_, fragment = href.partition("#")
    return posixpath.normpath(f"/{page}/{path}") + hash_ + fragment


def take_answers(chapter: Chapter) -> Iterator[Tag]:
    """Take hints, solutions and answers out of a chapter, exercise by exercise."""
    for box in chapter.body.select(".exercise"):
        title = box.select_one(".admonition-title")
        moved = box.select(":scope > .hint, :scope > .solution")
        found = [one.extract() for one in moved]
        if title and found:
            soup = BeautifulSoup("", "html.parser")
            group = soup.new_tag("div", id=f"{box.get('id', chapter.id)}-answer")
            heading = soup.new_tag("h3")
            heading.extend(BeautifulSoup(title.decode_contents(), "html.parser"))
            group.extend([heading, *found])
            there = f'<a href="#{group["id"]}">Hint and solution{AT}</a>'
            box.append(BeautifulSoup(f'<p class="lb-there">{there}</p>', "html.parser"))
            yield group
    for tests in chapter.body.select("section.lb-unseen"):
        if tests.h2:
            tests.h2.name = "h3"
        tests["class"] = "lb-tests"
        yield tests.extract()

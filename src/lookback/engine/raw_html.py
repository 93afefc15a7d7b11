"""Extend Python-Markdown: raw HTML as Pandoc writes it, and exercises in the contents.

A fence ```` ```{=html} ```` or a span `` `<b>…</b>`{=html} `` is the page's HTML as it
stands. The file needs Python-Markdown alone: `lookback weave` gives other builders a
copy of it.
"""

from __future__ import annotations

import re
from collections.abc import Iterable
from typing import Any
from xml.etree.ElementTree import Element

from markdown import Extension, Markdown
from markdown.preprocessors import Preprocessor
from markdown.treeprocessors import Treeprocessor

_FENCE = re.compile(
    r"^(?P<column> *)(?P<mark>`{3,})\{=html\}\n(?P<html>.*?)\n(?P=column)(?P=mark) *$",
    re.DOTALL | re.MULTILINE,
)
_SPAN = re.compile(
    r"(?<!`)(?P<mark>`+)(?P<html><(?:(?!(?P=mark)).)*)(?P=mark)\{=html\}", re.DOTALL
)
_ANCHOR = re.compile(r'\s(?:id|name)="([^"]+)"')
_EXERCISE = re.compile(r"Exercise (\d+)\b[^:]*(?::\s*(.*))?", re.DOTALL)
_TAG = re.compile(r"<(?!/?(?:m|code))[^>]+>")

TAB = "&#9;"
"""What Markdown does not expand."""

Entry = dict[str, Any]
"""An entry of Python-Markdown's `toc_tokens`."""


def fence(markup: str, column: int = 0) -> str:
    """Write HTML as a fence of Markdown, `column` to the right."""
    mark = "`" * max(3, 1 + _ticks(markup))
    lines = [mark + "{=html}", *markup.replace("\t", TAB).split("\n"), mark]
    return "\n".join(" " * column + line for line in lines)


def span(markup: str) -> str:
    """Write HTML as a span of Markdown. It begins with a tag."""
    markup = markup.replace("\t", TAB)
    mark = "`" * (1 + _ticks(markup))
    return f"{mark}{markup}{mark}{{=html}}"


def _ticks(markup: str) -> int:
    return max(map(len, re.findall("`+", markup)), default=0)


class _Stash(Preprocessor):
    """Stash raw HTML; what Markdown gets holds a placeholder, and its anchors.

    MkDocs looks for anchors in the text: they stay until `_DropAnchors`.
    """

    def run(self, lines: list[str]) -> list[str]:
        text = _FENCE.sub(self._fence, "\n".join(lines))
        return _SPAN.sub(lambda span: self._stash(span["html"]), text).split("\n")

    def _fence(self, match: re.Match[str]) -> str:
        column = match["column"]
        html = re.sub(rf"^{column}", "", match["html"], flags=re.MULTILINE)
        return column + self._stash(html)

    def _stash(self, html: str) -> str:
        names = (f'\ue002<a id="{name}">\ue003' for name in _ANCHOR.findall(html))
        return self.md.htmlStash.store(html) + "".join(names)


class _DropAnchors(Preprocessor):
    """Drop the anchors that MkDocs has seen."""

    def run(self, lines: list[str]) -> list[str]:
        return re.sub("\ue002.*?\ue003", "", "\n".join(lines)).split("\n")


class _Exercises(Treeprocessor):
    """Give exercises ids, and a place in the contents after the heading before them.

    Where they have a heading of their own, it gets them as its children.
    """

    def run(self, root: Element) -> None:
        contents: list[Entry] = getattr(self.md, "toc_tokens", [])
        _keep_formulas(contents)
        heading, before, found = "", "", list[Entry]()
        for element in root.iter():
            if re.fullmatch("h[2-6]", element.tag):
                heading = element.get("id", "")
            if match := _title(element):
                name = f"exercise-{match[1]}"
                element.set("id", name)
                before = before or heading
                words = (match[2] or "").strip()
                words = f"{match[1]}. {words}" if words else f"Exercise {match[1]}"
                found.append(self._entry(words, name, 3))
        if not found or not contents:
            return
        sections: list[Entry] = contents[0]["children"]
        above = (n for n, one in enumerate(sections) if _holds(one, before))
        at = max(above, default=-1)
        if at >= 0 and sections[at]["name"].startswith("Exercise"):
            sections[at]["children"] += found
            return
        group = self._entry("Exercises", found[0]["id"], 2)
        group["children"] = found
        sections.insert(at + 1, group)

    def _entry(self, words: str, name: str, level: int) -> Entry:
        html = self.md.postprocessors["raw_html"].run(words)
        entry = {"level": level, "id": name, "name": html, "html": html}
        return entry | {"data-toc-label": "", "children": []}


def _title(box: Element) -> re.Match[str] | None:
    """Match the title of an exercise's box; None for any other element."""
    kinds = box.get("class", "").split()
    if box.tag not in ("div", "details") or "exercise" not in kinds or not len(box):
        return None
    return _EXERCISE.match("".join(box[0].itertext()))


def _holds(entry: Entry, name: str) -> bool:
    return entry["id"] == name or any(_holds(one, name) for one in entry["children"])


def _keep_formulas(contents: Iterable[Entry]) -> None:
    """Keep the formulas of titles, which Python-Markdown strips like any tag."""
    for entry in contents:
        if "<math" in entry["html"]:
            entry["name"] = _TAG.sub("", entry["html"])
        _keep_formulas(entry["children"])


class RawHtml(Extension):
    """Register what this module does, each before or after what it must."""

    def extendMarkdown(self, md: Markdown) -> None:
        # a formula alone in its paragraph: to Python-Markdown `math` is a block
        md.block_level_elements = [e for e in md.block_level_elements if e != "math"]
        md.preprocessors.register(_Stash(md), "raw_html_stash", 28)  # before fences
        md.preprocessors.register(_DropAnchors(md), "raw_html_anchors", 20.5)
        md.treeprocessors.register(_Exercises(md), "exercises", 4)  # after the contents


def makeExtension(**config: Any) -> RawHtml:
    """Return the extension: Python-Markdown's door, by name."""
    return RawHtml(**config)

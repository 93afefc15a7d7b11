"""Read the bibliography, one BibTeX file; cite its works by key, and list them."""

from __future__ import annotations

import html
import re
from collections import defaultdict
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path
from string import ascii_lowercase
from typing import Any

from .errors import PageError, read_text


@dataclass(frozen=True)
class Entry:
    """Hold a work: the names of who wrote it, year, title, where it appeared, a link.

    letter  a, b, …, where several works would have the same label
    """

    key: str
    names: tuple[str, ...]
    surnames: tuple[str, ...]
    year: str
    title: str
    venue: str
    url: str
    letter: str = ""

    @property
    def label(self) -> str:
        """Name the work: `Shannon 1948`, `Ney 1995`, `Bengio et al. 2003a`."""
        year = self.year + self.letter
        if len(self.surnames) > 2:
            return f"{self.surnames[0]} et al. {year}"
        return f"{' and '.join(self.surnames)} {year}"


@dataclass(frozen=True)
class Bibliography:
    """Hold the works of a file by key; `name` is the file as its authors know it."""

    name: str
    entries: Mapping[str, Entry] = field(default_factory=dict)

    def cited(self, keys: str, page: str, line: int) -> list[tuple[Entry, str]]:
        """Look up the works of `@one; @two, section 3`, each with its locator."""
        found = []
        for part in keys.split(";"):
            key, _, locator = part.strip().partition(",")
            if not key.startswith("@") or key[1:] not in self.entries:
                raise PageError(
                    page,
                    line,
                    f"`{key}` is not in {self.name}: add the work there, or mend the "
                    "key (several are cited as [@one; @two])",
                )
            found.append((self.entries[key[1:]], locator.strip()))
        return found

    def page_html(self, cited_in: Mapping[str, Sequence[tuple[str, str]]]) -> str:
        """List the works as HTML, each with links (title, url) to citing pages."""
        works = sorted(self.entries.values(), key=lambda e: (e.surnames, e.year, e.key))
        items = [_item(work, cited_in.get(work.key, ())) for work in works]
        return '<ul class="lb-bibliography">' + "".join(items) + "</ul>"


def _item(work: Entry, pages: Sequence[tuple[str, str]]) -> str:
    text = (
        f"{html.escape(_and(work.names))} ({work.year}{work.letter}). "
        f"<cite>{html.escape(work.title)}</cite>. {html.escape(work.venue)}"
    )
    if work.url:
        shown = re.sub(r"^https?://(www\.)?(doi\.org/)?", "", work.url)
        text += f' <a href="{html.escape(work.url)}">{html.escape(shown)}</a>.'
    links = ", ".join(
        f'<a class="lb-backlink" href="{url}">{html.escape(title)}</a>'
        for title, url in pages
    )
    cited = f' <span class="lb-cited">Cited in: {links}.</span>' if links else ""
    return f'<li id="{work.key}">{text}{cited}</li>'


def _and(names: Sequence[str]) -> str:
    if len(names) < 3:
        return " and ".join(names)
    return ", ".join(names[:-1]) + " and " + names[-1]


def read_bibliography(path: Path, name: str) -> Bibliography:
    """Read a BibTeX file; one that is broken raises PageError with its line."""
    from pybtex.database.input.bibtex import Parser  # pybtex's own asks all packages
    from pybtex.exceptions import PybtexError

    if not path.is_file():
        return Bibliography(name)
    try:
        data = Parser().parse_string(read_text(path, name))
    except PybtexError as error:
        line = re.search(r"in line (\d+)", str(error))
        raise PageError(name, int(line[1]) if line else 1, str(error)) from None
    entries = [_entry(key, entry, name) for key, entry in data.entries.items()]
    return Bibliography(name, {entry.key: entry for entry in _lettered(entries)})


def _lettered(entries: Sequence[Entry]) -> list[Entry]:
    """Add letters, by key, to works of one label."""
    alike = defaultdict[str, list[str]](list)
    for entry in sorted(entries, key=lambda entry: entry.key):
        alike[entry.label].append(entry.key)
    return [
        replace(entry, letter=ascii_lowercase[alike[entry.label].index(entry.key)])
        if len(alike[entry.label]) > 1
        else entry
        for entry in entries
    ]


def _entry(key: str, entry: Any, name: str) -> Entry:
    given = {field.lower(): text for field, text in entry.fields.items()}
    fields = {field: _plain(text) for field, text in given.items()}
    people = entry.persons.get("author") or entry.persons.get("editor") or []
    for needed in ("title", "year"):
        if not fields.get(needed) or not people:
            raise PageError(name, 1, f"`{key}` needs an author, a title and a year")

    def names(*parts: str) -> tuple[str, ...]:
        words = ([w for part in parts for w in one.get_part(part)] for one in people)
        return tuple(_plain(" ".join(some)) for some in words)

    doi = fields.get("doi", "")
    return Entry(
        key=key,
        names=names("first", "middle", "prelast", "last", "lineage"),
        surnames=names("prelast", "last"),
        year=fields["year"],
        title=fields["title"].rstrip("."),
        venue=_venue(fields),
        # An address stays as it is: in text "~" would be a space.
        url=f"https://doi.org/{doi}" if doi else given.get("url", ""),
    )


def _venue(fields: Mapping[str, str]) -> str:
    kinds = "journal", "booktitle", "publisher", "institution", "school", "howpublished"
    where = next((fields[kind] for kind in kinds if fields.get(kind)), "")
    if fields.get("type") and fields.get("number") and "journal" not in fields:
        where += f", {fields['type']} {fields['number']}"
    if fields.get("volume"):
        where += f" {fields['volume']}"
        if fields.get("number"):
            where += f"({fields['number']})"
    if fields.get("pages"):
        where += f", {fields['pages']}"
    return where + "." if where else ""


def _plain(text: str) -> str:
    """Convert BibTeX's text to Unicode: braces, accents and dashes resolved."""
    from pybtex.richtext import Text

    return str(Text.from_latex(text)).replace("--", "–")

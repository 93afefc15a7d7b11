"""How to cite the book: CITATION.cff as a sentence and as BibTeX."""

from __future__ import annotations

import html
from pathlib import Path
from typing import Any

import yaml

from .errors import PageError


def citation_html(path: Path) -> str:
    """The work's own entry; "" where there is no such file.

    Raises PageError where the file lacks its title, its authors or its version.
    """
    if not path.is_file():
        return ""
    card = yaml.safe_load(path.read_text(encoding="utf-8")) or {}
    for needed in ("title", "authors", "version", "license"):
        if not card.get(needed):
            raise PageError(path.name, 1, f"`{needed}` is missing: a citation needs it")
    people = [_name(person) for person in card["authors"]]
    sentence = (
        f"{html.escape(_and(people))}. <cite>{html.escape(card['title'])}</cite>."
        f" Version {html.escape(str(card['version']))}."
    )
    entry = html.escape(_bibtex(card, people), quote=False)
    return (
        f'<div class="lb-citation"><p>{sentence}</p>'
        f'<pre class="lb-text" tabindex="0">{entry}</pre></div>'
    )


def _name(person: dict[str, str]) -> str:
    given = (person.get("given-names", ""), person.get("family-names", ""))
    return person.get("name") or " ".join(filter(None, given))


def _and(names: list[str]) -> str:
    return names[0] if len(names) == 1 else f"{', '.join(names[:-1])} and {names[-1]}"


def _bibtex(card: dict[str, Any], people: list[str]) -> str:
    fields = {
        "author": " and ".join(f"{{{name}}}" for name in people),
        "title": card["title"],
        "version": card["version"],
        "url": card.get("url") or card.get("repository-code") or "",
    }
    lines = [f"  {name} = {{{text}}}," for name, text in fields.items() if text]
    return "\n".join(["@software{lookback,", *lines, "}"])

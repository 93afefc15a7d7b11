"""Write the chapters as an HTML list that CSS places on an axis of years.

The same HTML serves a desktop, a phone, paper, and a reader without style sheets.
"""

from __future__ import annotations

import html
from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass

from .cite import Entry
from .search import EXCLUDE

STEP = 10  # years from one line of the axis to the next
SHARED = 3  # chapters about one paper, from which on it has a line of its own


@dataclass(frozen=True)
class Chapter:
    """Hold what the timeline shows of a chapter."""

    title: str
    url: str
    question: str
    papers: Sequence[Entry]

    @property
    def years(self) -> str:
        """Format the span of its papers: `1948–1998`, or one year."""
        years = sorted({paper.year for paper in self.papers})
        return years[0] if len(years) == 1 else f"{years[0]}–{years[-1]}"


Parts = Sequence[tuple[str, Sequence[Chapter]]]


@dataclass(frozen=True)
class Axis:
    """Map years to percent, from a decade's first to two years after the last paper."""

    first: int
    last: int

    def place(self, year: int) -> str:
        """Place a year on the axis, in percent."""
        return f"{100 * (year - self.first) / (self.last - self.first):.2f}%"


def axis_of(papers: Sequence[Entry]) -> Axis:
    years = [int(paper.year) for paper in papers]
    return Axis(min(years) // STEP * STEP, max(years) + 2)


def timeline(parts: Parts) -> str:
    """List the chapters by part, with questions and a mark for each paper's year.

    A paper of several chapters is one line through all of them.
    """
    chapters = [chapter for _, some in parts for chapter in some]
    if not chapters:
        return ""
    axis = axis_of([paper for chapter in chapters for paper in chapter.papers])
    used = Counter(paper.key for chapter in chapters for paper in chapter.papers)
    shared = {key: n for key, n in used.items() if n >= SHARED}
    works = {paper.key: paper for chapter in chapters for paper in chapter.papers}
    common = [(works[key], n) for key, n in sorted(shared.items())]
    sections = "".join(_part(title, some, axis, shared) for title, some in parts)
    return (
        f'<div class="lb-timeline">{_notes(common)}{_scale(axis, common)}{sections}'
        "</div>"
    )


def _scale(axis: Axis, common: Sequence[tuple[Entry, int]]) -> str:
    """Write the years over the axis, and the lines that go down from them."""
    decades = range(axis.first, axis.last, STEP)
    years = "".join(
        f'<span style="--at:{axis.place(year)}">{year}</span>' for year in decades
    )
    lines = "".join(f'<i style="--at:{axis.place(year)}"></i>' for year in decades)
    lines += "".join(
        f'<i class="lb-one" style="--at:{axis.place(int(work.year))}"></i>'
        for work, _ in common
    )
    return (
        f'<div class="lb-scale" aria-hidden="true"><div {EXCLUDE}>{years}</div></div>'
        f'<div class="lb-axis" aria-hidden="true"><div {EXCLUDE}>{lines}</div></div>'
    )


def _part(
    title: str, chapters: Sequence[Chapter], axis: Axis, shared: dict[str, int]
) -> str:
    items = "".join(_chapter(chapter, axis, shared) for chapter in chapters)
    return f"<section {EXCLUDE}><h3>{html.escape(title)}</h3><ol>{items}</ol></section>"


def _chapter(chapter: Chapter, axis: Axis, shared: dict[str, int]) -> str:
    by_year: dict[int, list[Entry]] = {}
    for paper in chapter.papers:
        by_year.setdefault(int(paper.year), []).append(paper)
    marks = "".join(
        f'<i{_one(works, shared)} style="--at:{axis.place(year)}"'
        f' title="{html.escape(", ".join(work.label for work in works))}"></i>'
        for year, works in sorted(by_year.items())
    )
    works = ", ".join(paper.label for paper in chapter.papers)
    span = (
        f' style="--from:{axis.place(min(by_year))};--to:{axis.place(max(by_year))}"'
        if len(by_year) > 1
        else ""
    )
    return (
        f'<li><a href="{chapter.url}">{html.escape(chapter.title)}</a>'
        f'<span class="lb-years">{chapter.years}'
        f'<span class="lb-hidden">: {html.escape(works)}</span></span>'
        f"<p>{html.escape(chapter.question)}</p>"
        f'<span class="lb-track" aria-hidden="true"{span}>{marks}</span></li>'
    )


def _one(works: Sequence[Entry], shared: dict[str, int]) -> str:
    return ' class="lb-one"' if any(work.key in shared for work in works) else ""


def _notes(common: Sequence[tuple[Entry, int]]) -> str:
    """Explain the lines through several chapters."""
    words = "; ".join(
        f"{html.escape(work.label)} is one paper, in {n} chapters" for work, n in common
    )
    return f'<p class="lb-shared" {EXCLUDE}><i></i>{words}.</p>' if words else ""

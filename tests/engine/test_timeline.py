"""The line of history: true to the year, one line for one paper."""

import re

import pytest

from lookback.engine.cite import Entry
from lookback.engine.timeline import Axis, Chapter, axis_of, timeline


def work(key: str, year: str) -> Entry:
    return Entry(key, ("A. B.",), (key.title(),), year, "T", "J.", "")


OLD, MIDDLE, NEW = work("old", "1948"), work("middle", "1983"), work("new", "2018")
PARTS = [
    ("Counting", [Chapter("N & M", "ngram/", "Why <so>?", [MIDDLE, OLD])]),
    ("Attending", [Chapter(f"C{k}", f"c{k}/", "How?", [NEW]) for k in range(3)]),
]


def test_the_axis_begins_with_a_decade_and_ends_after_the_last_paper() -> None:
    assert axis_of([MIDDLE, NEW, OLD]) == Axis(1940, 2020)


@pytest.mark.parametrize(
    ("year", "place"), [(1940, "0.00%"), (1980, "50.00%"), (2000, "75.00%")]
)
def test_every_year_is_as_long_as_every_other(year: int, place: str) -> None:
    assert Axis(1940, 2020).place(year) == place


def test_a_chapter_spans_the_years_of_its_papers() -> None:
    page = timeline(PARTS)
    assert '<span class="lb-years">1948–1983' in page
    assert ": Middle 1983, Old 1948</span>" in page
    assert 'style="--from:10.00%;--to:53.75%"' in page
    assert '<i style="--at:10.00%" title="Old 1948"></i>' in page
    assert "N &amp; M</a>" in page and "Why &lt;so&gt;?" in page


def test_a_paper_of_three_chapters_is_one() -> None:
    page = timeline(PARTS)
    assert page.count('class="lb-one"') == 3 + 1  # in each chapter, and the line
    assert "New 2018 is one paper, in 3 chapters." in page
    two = [(PARTS[0][0], PARTS[0][1]), (PARTS[1][0], PARTS[1][1][:2])]
    assert "one paper" not in timeline(two) and "lb-one" not in timeline(two)


def test_parts_and_chapters_stand_in_the_order_given() -> None:
    page = timeline(PARTS)
    assert re.findall(r"<h3>(.*?)</h3>", page) == ["Counting", "Attending"]
    assert re.findall(r'<a href="(.*?)"', page) == ["ngram/", "c0/", "c1/", "c2/"]


def test_without_chapters_there_is_no_line() -> None:
    assert timeline([]) == timeline([("Counting", [])]) == ""

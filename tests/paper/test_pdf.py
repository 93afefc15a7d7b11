"""Print sites with Chromium: the pages that contents and index name are true."""

from __future__ import annotations

import os
import re
from pathlib import Path

import pytest
from pypdf import PdfReader

from lookback.paper import HOW, Volume, find_chromium, write_pdf
from lookback.paper.pdf import pages_of

ROOT = Path(__file__).parents[2]


@pytest.fixture
def chromium() -> None:
    if find_chromium() is None:
        if os.environ.get("LOOKBACK_REQUIRE_BROWSER") == "1":
            pytest.fail(HOW)
        pytest.skip(HOW)


@pytest.mark.usefixtures("chromium")
def test_contents_name_the_pages_on_which_chapters_stand(made: Path) -> None:
    target = made / "all.pdf"
    count = write_pdf(Volume(made, made / "site", "all"), target)
    pages = [page.extract_text() for page in PdfReader(target).pages]
    assert count == len(pages)
    lines = re.findall(r"(?m)^(?:\d\s)?(.+) (\d+)$", pages[1])
    contents = dict(reversed(lines))  # "One" is also a heading among the answers
    for title in ("One", "Two", "Glossary", "Works", "Index"):
        number, heading = pages[int(contents[title]) - 1].split("\n")[:2]
        assert number == contents[title] and heading.endswith(title)
    assert pages_of(target)["two--eq-1"] == int(contents["Two"])
    assert f"key {contents['Two']}, {contents['One']}" in pages[-1]
    solution = contents["Hints, solutions and answers"]
    assert f"Hint and solution, page {solution}" in pages[int(contents["Two"]) - 2]
    assert "".join(pages).count("000") == 0


@pytest.mark.usefixtures("chromium")
def test_chapters_of_the_book_are_printed_whole(site: Path, tmp_path: Path) -> None:
    """Each section begins on a page that has its title, and no page is empty."""
    volume, target = Volume(ROOT, site, "evening"), tmp_path / "evening.pdf"
    write_pdf(volume, target)
    texts = [page.extract_text() for page in PdfReader(target).pages]
    numbers = pages_of(target)
    assert [n for n, text in enumerate(texts, 1) if not text.strip()] == []
    for one in volume.sections:
        assert one.title.split()[0] in texts[numbers[one.id] - 1], one.title


def test_without_chromium_one_is_told_how_to_get_it(
    made: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("lookback.paper.pdf.find_chromium", lambda: None)
    with pytest.raises(ValueError, match="apt install chromium-headless-shell"):
        write_pdf(Volume(made, made / "site", "all"), made / "all.pdf")

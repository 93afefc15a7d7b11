"""Print a made site with Chromium: the pages that contents and index name are true."""

from __future__ import annotations

import os
import re
from pathlib import Path

import pytest
from pypdf import PdfReader

from lookback.paper import HOW, Volume, find_chromium, write_pdf
from lookback.paper.pdf import pages_of


def test_contents_name_the_pages_on_which_chapters_stand(made: Path) -> None:
    if find_chromium() is None:
        if os.environ.get("LOOKBACK_REQUIRE_BROWSER") == "1":
            pytest.fail(HOW)
        pytest.skip(HOW)
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


def test_without_chromium_one_is_told_how_to_get_it(
    made: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("lookback.paper.pdf.find_chromium", lambda: None)
    with pytest.raises(ValueError, match="apt install chromium-headless-shell"):
        write_pdf(Volume(made, made / "site", "all"), made / "all.pdf")

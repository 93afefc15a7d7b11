"""CITATION.cff as a sentence and as BibTeX."""

from pathlib import Path

import pytest

from lookback.engine.errors import PageError
from lookback.engine.howtocite import citation_html

CARD = """title: "A & B: a book"
version: 0.1.0
license: MIT
authors:
  - {given-names: Ada, family-names: Lovelace}
  - name: The maintainers
"""


def test_people_and_groups_are_named(tmp_path: Path) -> None:
    (tmp_path / "CITATION.cff").write_text(CARD)
    told = citation_html(tmp_path / "CITATION.cff")
    assert "Ada Lovelace and The maintainers. <cite>A &amp; B: a book</cite>" in told
    assert "author = {{Ada Lovelace} and {The maintainers}}," in told
    assert "version = {0.1.0}" in told and "url" not in told


def test_without_a_file_there_is_nothing(tmp_path: Path) -> None:
    assert citation_html(tmp_path / "CITATION.cff") == ""


@pytest.mark.parametrize("needed", ["title", "version", "license", "authors"])
def test_what_is_missing_is_named(tmp_path: Path, needed: str) -> None:
    path = tmp_path / "CITATION.cff"
    path.write_text(CARD.replace(f"{needed}:", f"no{needed}:"))
    with pytest.raises(PageError, match=rf"CITATION\.cff:1: `{needed}` is missing"):
        citation_html(path)

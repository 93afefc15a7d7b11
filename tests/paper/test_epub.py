"""Write sites as EPUB: epubcheck finds no fault, and formulas are MathML."""

from __future__ import annotations

import os
import shutil
import subprocess
import zipfile
from pathlib import Path

import pytest

from lookback import cli
from lookback.paper import Volume, write_epub

ROOT = Path(__file__).parents[2]
HOW = (
    "EPUBs are checked by epubcheck: `apt install epubcheck`, `brew install epubcheck`"
)


@pytest.fixture
def epub(made: Path) -> Path:
    target = made / "all.epub"
    assert write_epub(Volume(made, made / "site", "all"), target) == 6
    return target


def check(epub: Path) -> None:
    """Run epubcheck on a file; skip where it is not installed."""
    epubcheck = shutil.which("epubcheck")
    if epubcheck is None:
        if os.environ.get("LOOKBACK_REQUIRE_EPUBCHECK") == "1":
            pytest.fail(HOW)
        pytest.skip(HOW)
    # Debian's is a jar, which not every kernel starts by itself.
    java = ["java", "-jar"] if zipfile.is_zipfile(epubcheck) else []
    done = subprocess.run([*java, epubcheck, epub], capture_output=True, text=True)
    assert done.returncode == 0, done.stdout + done.stderr


def test_epubcheck_finds_no_fault_in_the_chapters(site: Path, tmp_path: Path) -> None:
    """Bind a path of the book itself; with LOOKBACK_ALL_PAGES=1 all chapters."""
    path = "everything" if os.environ.get("LOOKBACK_ALL_PAGES") == "1" else "evening"
    write_epub(Volume(ROOT, site, path), tmp_path / "book.epub")
    check(tmp_path / "book.epub")


def test_a_section_is_a_file_with_its_formulas_and_figures(epub: Path) -> None:
    with zipfile.ZipFile(epub) as file:
        assert file.namelist()[0] == "mimetype"
        assert file.infolist()[0].compress_type == zipfile.ZIP_STORED
        text = {name: file.read(name).decode() for name in file.namelist()}
    one, two = text["book/one.xhtml"], text["book/two.xhtml"]
    assert 'viewBox="0 0 9 9"' in one and "<clipPath" in one
    assert "stroke: #54595f; fill: #1b66c9" in one  # the values of variables
    assert "--lb-mark: #b84a00;" in text["book/volume.css"]
    assert 'href="two.xhtml#two--eq-1"' in one
    assert '<math display="block" xmlns="http://www.w3.org/1998/Math/MathML">' in two
    assert '<mstyle displaystyle="false"><mfrac>' in two
    contents = text["book/nav.xhtml"]
    assert '<a href="one.xhtml#one--sum">A sum</a>' in contents
    package = text["book/volume.opf"]
    assert 'id="s-one" href="one.xhtml"' in package
    assert 'properties="svg"' in package and 'properties="mathml"' in package


def test_the_command_writes_a_path_or_says_what_is_missing(
    made: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.chdir(made)
    assert cli.main(["book", "short", "--only", "epub"]) == 0
    assert "lookback-short.epub: 4 sections" in capsys.readouterr().out
    assert [one.name for one in Path("build/book").iterdir()] == ["lookback-short.epub"]
    assert cli.main(["book", "long"]) == 2
    assert "no path 'long': there is short, all" in capsys.readouterr().err
    assert cli.main(["book", "--site", "none"]) == 2
    assert "is not there: run `make site` first" in capsys.readouterr().err


def test_a_file_has_no_fault_and_comes_out_the_same(made: Path, epub: Path) -> None:
    check(epub)
    again = made / "again.epub"
    write_epub(Volume(made, made / "site", "all"), again)
    assert again.read_bytes() == epub.read_bytes()

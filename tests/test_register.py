"""What is made from the nav and the front matter, and what `lookback new` writes."""

import os
import re
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

from lookback import cli
from lookback.cli.register import CHAPTERS, NAV, PACKAGE, TABLE, registered

ROOT = Path(__file__).parents[1]


@pytest.mark.parametrize("name", [PACKAGE, "README.md"])
def test_a_file_is_what_the_nav_and_the_front_matter_say(name: str) -> None:
    stands = (ROOT / name).read_text(encoding="utf-8")
    assert registered(ROOT)[ROOT / name] == stands, "write it anew: lookback register"


@pytest.fixture
def book(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A small checkout in which one stands: two chapters, one without a module."""
    (tmp_path / "docs").mkdir()
    package = tmp_path / PACKAGE
    package.parent.mkdir(parents=True)
    package.write_text(f'"""All."""\n\n{CHAPTERS[0]}old\n{CHAPTERS[1]}')
    (package.parent / "a.py").write_text('__all__ = ["A", "a"]\n')
    (tmp_path / "README.md").write_text(f"above\n{TABLE[0]}old\n{TABLE[1]}below\n")
    (tmp_path / NAV).write_text(
        "emoji: !!python/name:a.b ''\nnav:\n  - index.md\n  - First: [a.md, b.md]\n"
        "  - Labs: [A lab: labs/l.py]\n  - Back: [c.md]\n"
    )
    for name, offers in (("a", "offers: [A, a]\n---\n"), ("b", "---\nmore\n---\n")):
        (tmp_path / f"docs/{name}.md").write_text(
            f"---\ntitle: '{name.upper()}: 1'\nquestion: What?\npapers: [x]\n{offers}"
        )
    (tmp_path / "docs/c.md").write_text("no front matter\n---\npapers: [x]\n---\n")
    monkeypatch.chdir(tmp_path)
    return tmp_path


def test_by_hand(book: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert cli.main(["register"]) == 0
    assert (book / PACKAGE).read_text() == (
        f'"""All."""\n\n{CHAPTERS[0]}CHAPTERS = {{\n    "a": ["A", "a"],\n}}\n'
        f'TITLES = {{\n    "a": "A: 1",\n}}\n{CHAPTERS[1]}'
    )
    assert (book / "README.md").read_text() == (
        f"above\n{TABLE[0]}"
        "| Part | Chapter | Its question |\n|---|---|---|\n"
        "| First | [A: 1](docs/a.md) | What? |\n"
        "|  | [B: 1](docs/b.md) | What? |\n"
        "\nLabs, to play with: [A lab](docs/labs/l.py).\n"
        f"{TABLE[1]}below\n"
    )
    assert len(capsys.readouterr().out.splitlines()) == 2
    assert cli.main(["register"]) == 0
    assert capsys.readouterr().out == ""  # nothing is left to write


@pytest.mark.parametrize(
    ("path", "text", "message"),
    [
        *(
            ("README.md", text, r"README\.md needs '.*start.*' and, below it, '.*end")
            for text in (TABLE[0], TABLE[1], TABLE[1] + TABLE[0])
        ),
        ("docs/a.md", "---\npapers: [x]\n---\n", r"a\.md: a chapter needs `title:`"),
        ("docs/a.md", "---\ntitle: A: 1\n---\n", r"docs/a\.md:2: front matter: "),
        (
            "docs/a.md",
            "---\ntitle: A\nquestion: Q\npapers: [x]\nneeds: [bb]\noffers: [A]\n---\n",
            r"docs/a\.md:5: needs: 'bb' is no chapter: did you mean 'b'",
        ),
        (
            "docs/a.md",
            "---\ntitle: A\nquestion: Q\npapers: [x]\noffers: [Aa]\n---\n",
            r"docs/a\.md:5: offers: 'Aa' is not in __all__ of a\.py",
        ),
        (NAV, "nav: [First: [d.md]]", r"mkdocs\.yml lists d\.md, and there is no"),
        (NAV, None, r"is no checkout of Lookback: it has no mkdocs\.yml"),
    ],
)
def test_refusals(
    book: Path,
    path: str,
    text: str | None,
    message: str,
    capsys: pytest.CaptureFixture[str],
) -> None:
    (book / path).unlink()
    if text is not None:
        (book / path).write_text(text)
    before = (book / PACKAGE).read_text(), (book / "README.md").read_text()
    assert cli.main(["register"]) == 2
    assert re.search(message, capsys.readouterr().err)
    assert ((book / PACKAGE).read_text(), (book / "README.md").read_text()) == before


@pytest.fixture
def copy(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A copy of the book without what is trained or measured, in which one stands."""
    big = shutil.ignore_patterns("*.safetensors", "*.json", "assets", "__pycache__")
    for name in ("src", "docs"):
        shutil.copytree(ROOT / name, tmp_path / name, ignore=big)
    for name in (NAV, "README.md", "pyproject.toml"):
        shutil.copy(ROOT / name, tmp_path)
    (tmp_path / "tests").mkdir(parents=True)
    monkeypatch.chdir(tmp_path)
    return tmp_path


def run(*words: str) -> None:
    """Run a module of Python in the folder in which one stands."""
    done = subprocess.run(
        [sys.executable, "-m", *words],
        env=os.environ | {"PYTHONPATH": "src"},
        capture_output=True,
        text=True,
    )
    assert done.returncode == 0, done.stdout + done.stderr


def test_a_new_chapter_is_whole_as_it_stands(copy: Path) -> None:
    given = ["new", "a_new_chapter", "--after", "gpt"]
    assert cli.main([*given, "--diagram", "--study", "--recipe"]) == 0
    assert "    - gpt.md\n      - a_new_chapter.md\n" in (copy / NAV).read_text()
    assert '    "a_new_chapter": ["ANewChapter"],\n' in (copy / PACKAGE).read_text()
    assert (copy / "src/lookback/studies/a_new_chapter.json").is_file()
    run("ruff", "check", "--no-cache", ".")
    run("ruff", "format", "--no-cache", "--check", ".")
    run("lookback", "run", "docs/a_new_chapter.md")
    run("pytest", "-q", "-p", "no:cacheprovider", "tests")
    assert cli.main(["register"]) == 0


@pytest.mark.parametrize(
    ("given", "message"),
    [
        (["bert"], r"docs/bert\.md exists: take another name"),
        (["text"], r"src/lookback/text exists: take another name"),
        (["class"], "'class' is a keyword of Python: take another name"),
        (["labs"], r"'labs' is a folder of docs/: take another name"),
        (["New-One"], "'New-One' is no name: small letters"),
        (["x", "--after", "brt"], r"no chapter 'brt': did you mean 'bert'\?"),
        (["x", "--title", "The", '"b"'], "'The \"b\"': leave out quotes"),
    ],
)
def test_what_cannot_begin(
    given: list[str],
    message: str,
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
) -> None:
    monkeypatch.chdir(ROOT)
    assert cli.main(["new", *given]) == 2
    assert re.search(message, capsys.readouterr().err)
    assert not (ROOT / "docs/x.md").exists()

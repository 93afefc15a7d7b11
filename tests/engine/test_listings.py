"""Test the pages of modules, and the files named at the foot of a chapter."""

import re
from html import unescape
from pathlib import Path

from lookback import checks
from lookback.engine.book import Book
from lookback.engine.listings import Listing, foot, listings

ROOT = Path(__file__).parents[2]
PACKAGE = ROOT / "src/lookback"
FILES = (
    "src/lookback/luong.py",
    "src/lookback/recipes/luong.py",
    "src/lookback/studies/luong.py",
    "src/lookback/studies/luongs.py",
    "tests/test_luong.py",
    "tests/studies/test_luong.py",
    "tests/studies/test_attention.py",
)
SHOWN = """# T

```{.python src="lookback.text.m:f"}
```

```{.python src="lookback.absent:f"}
```
"""


def test_foot_names_the_files_of_a_chapter_room_by_room(tmp_path: Path) -> None:
    for name in FILES:
        (tmp_path / name).parent.mkdir(parents=True, exist_ok=True)
        (tmp_path / name).touch()
    book = Book(tmp_path, tmp_path, tmp_path / "src/lookback")
    path = tmp_path / "src/lookback/luong.py"
    module = {"source/luong.md": Listing("lookback.luong", path)}
    html = foot(book, "luong.md", module, lambda page: f"{page}?b&c", "")
    rooms = dict(re.findall("<dt>(.*?)</dt><dd>(.*?)</dd>", html))
    assert {
        room: re.findall("<code>(.*?)</code>", dd) for room, dd in rooms.items()
    } == {
        "Module": ["src/lookback/luong.py"],
        "Recipe": ["src/lookback/recipes/luong.py"],
        "Study": ["src/lookback/studies/luong.py"],
        "Tests": ["tests/test_luong.py", "tests/studies/test_luong.py"],
    }
    assert re.findall('href="(.*?)"', html) == ["source/luong.md?b&amp;c"]
    html = foot(book, "luong.md", module, str, "https://forge/blob/1/")
    assert html.count('<a href="https://forge/blob/1/') == len(FILES) - 3
    assert foot(book, "bahdanau.md", {}, str, "") == ""


def test_listings_are_modules_of_chapters_and_of_excerpts(tmp_path: Path) -> None:
    for name in ("src/lookback/t.py", "src/lookback/u.py", "src/lookback/text/m.py"):
        (tmp_path / name).parent.mkdir(parents=True, exist_ok=True)
        (tmp_path / name).write_text("def f(): ...\n")
    (tmp_path / "t.md").write_text(SHOWN)
    book = Book(tmp_path, tmp_path, tmp_path / "src/lookback")
    book.read(["t.md"])
    found = listings(book, ["t.md"])
    assert {uri: (one.module, one.pages) for uri, one in found.items()} == {
        "source/t.md": ("lookback.t", ["t.md"]),
        "source/text/m.md": ("lookback.text.m", ["t.md"]),
    }


def test_listing_gives_each_line_an_id_and_leads_back(tmp_path: Path) -> None:
    path = tmp_path / "m.py"
    path.write_text("x = 1\n\n\ny = '<b>'\n")
    page = Listing("lookback.text.m", path, ["one.md"]).markdown(tmp_path, str)
    assert "title: lookback.text.m\n" in page and "of `m.py`, as" in page
    assert page.count("← Back to [one.md](../../one.md)") == 2  # above and below
    assert [f'id="L{n}"' in page for n in (1, 2, 3, 4, 5)] == [True] * 4 + [False]
    assert "&lt;b&gt;" in page


def test_built_listing_shows_the_whole_module(book) -> None:
    site = book(
        """
        # T

        ```{.python src="lookback.checks:shapes"}
        ```
        """
    )
    page = (site / "source/checks/index.html").read_text("utf-8")
    assert page.count('<a href="../../t/">T</a>') == 2
    (code,) = re.findall(r'<div class="lb-listing">(.*?)</div>', page, re.DOTALL)
    text = unescape(re.sub("<[^>]+>", "", code))
    assert text.strip() == Path(checks.__file__).read_text("utf-8").strip()

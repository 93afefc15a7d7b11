"""Where a chapter's code stands, told at its foot."""

from pathlib import Path

from lookback.engine.rooms import foot, rooms

ROOT = Path(__file__).parents[2]
FILES = (
    "src/lookback/luong.py",
    "src/lookback/recipes/luong.py",
    "src/lookback/studies/luong.py",
    "src/lookback/studies/luong_costs.py",
    "src/lookback/studies/luongs.py",
    "tests/test_luong.py",
    "tests/recipes/test_luong.py",
    "tests/studies/test_luong_costs.py",
    "tests/studies/test_attention.py",
)


def test_each_room_is_found_by_the_chapters_name(tmp_path: Path) -> None:
    for name in FILES:
        (tmp_path / name).parent.mkdir(parents=True, exist_ok=True)
        (tmp_path / name).touch()
    found = rooms(tmp_path, "luong")
    assert {room: [*map(str, paths)] for room, paths in found.items()} == {
        "Module": ["src/lookback/luong.py"],
        "Recipe": ["src/lookback/recipes/luong.py"],
        "Study": [
            "src/lookback/studies/luong.py",
            "src/lookback/studies/luong_costs.py",
        ],
        "Tests": [
            "tests/test_luong.py",
            "tests/recipes/test_luong.py",
            "tests/studies/test_luong_costs.py",
        ],
    }
    assert rooms(tmp_path, "bahdanau") == {}


def test_the_foot_links_every_file() -> None:
    html = foot(
        {"Module": [Path("src/a.py")], "Tests": [Path("t/a.py"), Path("t/b.py")]},
        lambda path: f"../{path.stem}/?x=1&y=2",
    )
    assert (
        '<dt>Module</dt><dd><a href="../a/?x=1&amp;y=2"><code>src/a.py</code>' in html
    )
    assert html.count("<a ") == 3
    assert foot({}, str) == ""


def test_a_chapter_of_the_book_has_all_its_rooms() -> None:
    assert [*rooms(ROOT, "luong")] == [
        "Module", "Drawings", "JavaScript", "Recipe", "Study", "Tests", "Benchmark"
    ]  # fmt: skip

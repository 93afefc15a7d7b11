"""Style sheets and scripts, joined in order under a name that says what they hold."""

from pathlib import Path

import pytest

from lookback.engine.joined import folder_of, join


@pytest.fixture
def files(tmp_path: Path) -> list[Path]:
    for name, text in (("a.css", "a { b: 1 }\n"), ("b.css", "a { b: 2 }\n")):
        (tmp_path / name).write_text(text)
    return [tmp_path / "a.css", tmp_path / "b.css"]


def test_files_follow_one_another(files: list[Path]) -> None:
    name, text = join(files, ".css")
    assert text == "/* a.css */\na { b: 1 }\n\n/* b.css */\na { b: 2 }\n"
    assert name.startswith("lookback.") and name.endswith(".css") and len(name) == 23


def test_the_name_follows_the_text(files: list[Path]) -> None:
    before = join(files, ".css")[0]
    assert join(files, ".css")[0] == before
    assert join(files[::-1], ".css")[0] != before
    files[0].write_text("a { b: 3 }")
    assert join(files, ".css")[0] != before


@pytest.mark.parametrize("rule", ['@import "c.css";', '@charset "utf-8";'])
def test_what_must_come_first_is_refused(files: list[Path], rule: str) -> None:
    files[1].write_text(rule)
    with pytest.raises(ValueError, match=r"b\.css holds @import or @charset"):
        join(files, ".css")
    assert rule in join(files, ".js")[1]


def test_addresses_inside_are_read_from_one_folder() -> None:
    assert folder_of(["assets/a.css", "assets/b.css"]) == "assets"
    assert folder_of(["a.css"]) == ""
    with pytest.raises(ValueError, match="stand in assets, live"):
        folder_of(["assets/a.css", "live/b.css"])

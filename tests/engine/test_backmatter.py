"""The stamp and the listings."""

from pathlib import Path

from lookback.engine.backmatter import (
    CODE,
    commit_of,
    git,
    listed,
    listing,
    stamp,
)
from lookback.engine.run import Run


def test_the_stamp_says_how_a_page_was_made() -> None:
    run = Run(
        "p", seconds=1.26, models=[{"model": "A<B", "parameters": "3", "cost": "1"}]
    )
    text = stamp(run, {"python": "3.11.7", "torch": "2.13.0"}, "abc123")
    for fact in (
        "<dt>Commit</dt><dd>abc123</dd>",
        "<dt>Python</dt><dd>3.11.7</dd>",
        "<dt>PyTorch</dt><dd>2.13.0</dd>",
        "<dt>model A&lt;B</dt><dd>parameters: 3, cost: 1</dd>",
    ):
        assert fact in text
    assert "Commit" not in stamp(run, {"python": "3", "torch": "2"}, "")


def test_the_stamp_holds_nothing_that_a_build_measures() -> None:
    found = {
        stamp(Run("p", seconds=seconds), {"python": "3", "torch": "2"}, "c")
        for seconds in (0.1, 90.0)
    }
    assert len(found) == 1


def test_the_commit_tells_of_later_edits(tmp_path: Path) -> None:
    assert commit_of(tmp_path) == ""
    git(tmp_path, "init", "-q")
    (tmp_path / "f").write_text("1")
    git(tmp_path, "add", "f")
    who = ["-c", "user.name=n", "-c", "user.email=e@x.org"]
    git(tmp_path, *who, "commit", "-q", "-m", "m")
    commit = git(tmp_path, "rev-parse", "--short=10", "HEAD")
    assert len(commit) == 10 and commit_of(tmp_path) == commit
    (tmp_path / "f").write_text("2")
    assert commit_of(tmp_path) == f"{commit} and later edits"


def test_a_listing_gives_each_line_an_address() -> None:
    page = listing("lookback.m", "lookback/m.py")
    assert page.startswith("---\ntitle: lookback.m\n")
    assert page.count(CODE) == 1
    code = listed("x = 1\n\n\ny = '<b>'\n")
    assert [f'id="L{n}"' in code for n in (1, 2, 3, 4, 5)] == [True] * 4 + [False]
    assert "&lt;b&gt;" in code


def test_a_listing_leads_back_to_its_pages() -> None:
    page = listing("lookback.m", "lookback/m.py", (("One", "../one.md"),))
    assert page.count("← Back to [One](../one.md)") == 2  # above and below
    assert "Back to" not in listing("lookback.m", "lookback/m.py")

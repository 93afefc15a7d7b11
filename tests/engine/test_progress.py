"""What a build says while it works."""

import io

import pytest

from lookback.engine.progress import Progress


def test_lines_where_nobody_watches() -> None:
    said: list[str] = []
    progress = Progress(2, said.append)
    for name in ("a.md", "b.md"):
        progress.report("start", name)
        progress.tick()
        progress.report("end", name)
    progress.close()
    assert [line.split(" took ")[0] for line in said] == [
        "Running the blocks of 2 pages",
        "1 of 2 pages: a.md",
        "2 of 2 pages: b.md",
    ]


def test_silence_where_nothing_runs() -> None:
    said: list[str] = []
    Progress(0, said.append).close()
    Progress(3, None).report("start", "a.md")
    assert said == []


def test_a_moving_line_on_a_terminal(monkeypatch: pytest.MonkeyPatch) -> None:
    terminal = io.StringIO()
    monkeypatch.setattr(terminal, "isatty", lambda: True, raising=False)
    monkeypatch.setattr("sys.stderr", terminal)
    progress = Progress(2, lambda line: None)
    progress.report("start", "a.md")
    progress.tick()
    assert "0 of 2 pages, 0 s: a.md" in terminal.getvalue()
    progress.report("end", "a.md")
    assert terminal.getvalue().endswith("\r\033[K")

"""The command line: what it prints, and that no failure is a bare traceback."""

import json
from pathlib import Path

import pytest

from lookback import cli


@pytest.fixture
def page(tmp_path: Path) -> Path:
    path = tmp_path / "p.md"
    path.write_text("# P\n\n```python\nprint('ran')\n2\n```\n\nSo {{ 1 + 1 }}.\n")
    return path


def test_run_shows_what_each_block_shows(page: Path, capsys) -> None:
    assert cli.main(["run", str(page)]) == 0
    assert capsys.readouterr().out == "p.md:3: ran\np.md:3: 2\np.md:8: 2\n"


def test_notebook_is_written_beside_the_page_or_elsewhere(page: Path, capsys) -> None:
    assert cli.main(["notebook", str(page)]) == 0
    target = page.with_suffix(".ipynb")
    assert capsys.readouterr().out == f"{target}\n"
    assert json.loads(target.read_text())["nbformat"] == 4
    other = page.parent / "deep" / "o.ipynb"
    assert cli.main(["notebook", str(page), "-o", str(other)]) == 0
    assert other.read_bytes() == target.read_bytes()


def test_a_failing_block_is_one_message(page: Path, capsys) -> None:
    page.write_text("```python\n1 / 0\n```\n")
    assert cli.main(["run", str(page)]) == 1
    captured = capsys.readouterr()
    assert captured.out == ""
    assert "lookback: p.md:2: block 1: ZeroDivisionError" in captured.err
    assert "worker.py" not in captured.err


@pytest.mark.parametrize("command", ["run", "notebook"])
def test_a_page_that_is_not_there_is_named(command: str, capsys) -> None:
    assert cli.main([command, "none.md"]) == 1
    assert "there is no page" in capsys.readouterr().err


@pytest.mark.parametrize("limit", ["0", "-1", "soon", "nan", "inf"])
def test_a_time_limit_is_a_positive_number(page: Path, limit: str, capsys) -> None:
    with pytest.raises(SystemExit) as stop:
        cli.main(["run", str(page), "--time-limit", limit])
    assert stop.value.code == 2
    assert "is no positive number of seconds" in capsys.readouterr().err


def test_without_the_sites_packages_it_says_what_to_install(
    page: Path, capsys, monkeypatch: pytest.MonkeyPatch
) -> None:
    def missing(words: object) -> int:
        raise ModuleNotFoundError("No module named 'yaml'", name="yaml")

    monkeypatch.setattr(cli, "_run", missing)
    assert cli.main(["run", str(page)]) == 1
    assert "lookback-attention[site]" in capsys.readouterr().err


def test_no_command_is_refused(capsys) -> None:
    with pytest.raises(SystemExit) as stop:
        cli.main([])
    assert stop.value.code == 2

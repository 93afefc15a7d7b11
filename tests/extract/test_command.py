"""`lookback extract`: what it prints and writes, and what it refuses."""

import subprocess
import sys
from pathlib import Path

import pytest

from lookback import cli
from lookback.extract import program


def test_a_program_is_printed_or_written(tmp_path: Path, capsys) -> None:
    assert cli.main(["extract", "attention"]) == 0
    assert capsys.readouterr().out == program("attention")
    path = tmp_path / "attention.py"
    path.write_text("what stood there before\n" * 99)
    assert cli.main(["extract", "attention", "-o", str(path)]) == 0
    assert path.read_text(encoding="utf-8") == program("attention")
    assert capsys.readouterr().out == f"{path}\n"


@pytest.mark.parametrize(
    ("name", "message"),
    [
        ("badhanau", "there is no chapter 'badhanau': did you mean 'bahdanau'?"),
        ("GPT", "there is no chapter 'GPT': did you mean 'gpt'?"),
        ("rnnsearch", "did you mean 'bahdanau'?"),
        ("", "there is no chapter '': there is ngram, rules"),
        ("../luong", "there is no chapter '../luong'"),
        ("checks", "there is no chapter 'checks': there is ngram, rules"),
    ],
)
def test_a_name_without_a_machine_is_refused(name: str, message: str, capsys) -> None:
    assert cli.main(["extract", name]) == 2
    out, err = capsys.readouterr()
    assert not out and err.count("\n") == 1 and message in err


def test_a_program_is_of_a_chapter() -> None:
    with pytest.raises(ValueError, match="'checks' is no chapter"):
        program("checks")


def test_a_file_that_cannot_be_written_is_one_message(tmp_path: Path, capsys) -> None:
    for path in (tmp_path, tmp_path / "none" / "here.py"):
        assert cli.main(["extract", "attention", "-o", str(path)]) == 2
        out, err = capsys.readouterr()
        assert not out
        assert err.startswith(f"lookback: {path}: cannot be written: ")


def test_it_reads_the_package_and_imports_nothing_of_it() -> None:
    script = "import sys; from lookback.extract import program; program('gpt')"
    loaded = "print({'torch', 'numpy', 'lookback.gpt'} & set(sys.modules))"
    words = [sys.executable, "-c", f"{script}; {loaded}"]
    done = subprocess.run(words, capture_output=True, text=True)
    assert (done.stdout, done.stderr) == ("set()\n", "")

"""Run pages in clean processes of their own."""

import os
import subprocess
import sys
from pathlib import Path

import pytest

from lookback.engine.blocks import parse
from lookback.engine.run import Pool, Run, run_pages
from lookback.engine.worker import Job


def job(text: str, name: str = "docs/p.md") -> Job:
    return Job(name, parse(text, name).running)


def python(*blocks: str) -> str:
    return "\n\n".join(f"```python\n{block}\n```" for block in blocks) + "\n"


def run(*blocks: str, time_limit: float = 60.0) -> Run:
    (done,) = run_pages([job(python(*blocks))], time_limit=time_limit)
    return done


def test_a_page_runs_and_says_how_long_it_took() -> None:
    done = run("print('a')", "1 + 1")
    assert done.outputs == [[{"text": "a\n"}], [{"text": "2\n"}]]
    assert done.error is None and done.seconds > 0


def test_pages_do_not_see_each_other() -> None:
    text = python("import sys\nsys.leak = getattr(sys, 'leak', 0) + 1\nsys.leak")
    jobs = [job(text, f"docs/{name}.md") for name in "abc"]
    runs = list(run_pages(jobs, processes=2))
    assert sorted(r.name for r in runs) == ["docs/a.md", "docs/b.md", "docs/c.md"]
    assert all(r.outputs == [[{"text": "1\n"}]] for r in runs)


THREADS = """\
import os, numpy, threadpoolctl, torch
assert {pool["num_threads"] for pool in threadpoolctl.threadpool_info()} == {1}
assert (torch.get_num_threads(), os.environ["PYTHONHASHSEED"]) == (1, "0")"""


def test_a_process_is_single_threaded_and_hashes_alike(tmp_path: Path) -> None:
    """Whatever the environment says in which the first one was started."""
    page = tmp_path / "page.md"
    page.write_text(python(THREADS))
    names = ("OMP", "MKL", "OPENBLAS")
    done = subprocess.run(
        [sys.executable, "-m", "lookback", "run", page],
        env=os.environ | {f"{name}_NUM_THREADS": "2" for name in names},
        capture_output=True,
        text=True,
    )
    assert done.returncode == 0, done.stderr


def test_warnings_are_errors() -> None:
    error = run("import warnings", "warnings.warn('old')").error
    assert str(error).startswith("docs/p.md:6: block 2: UserWarning: old")


@pytest.mark.parametrize(
    ("code", "words"),
    [
        ("assert False", "block 2: AssertionError"),
        ("raise SystemExit(3)", "block 2: SystemExit: 3"),
        (
            "import os\nos._exit(3)",
            "block 2: .* ended in this block with exit status 3",
        ),
        ("import os\nos.abort()", "block 2: .* killed by SIGABRT"),
        ("input()", "block 2: EOFError"),
    ],
)
def test_whatever_stops_a_block_is_told_with_its_line(code: str, words: str) -> None:
    done = run("x = 1", code, "y = 2")
    assert done.failed == 1 and done.error is not None
    assert done.error.line in (5, 6, 7)
    with pytest.raises(ValueError, match=words):
        raise done.error


def test_a_page_that_takes_too_long_is_stopped_and_its_block_named() -> None:
    pool = Pool()
    pool.start(job(python("x = 1", "while True:\n    pass")))
    (page,) = pool.active.values()
    while not page.run.outputs:
        assert not pool.ended()
    page.time_limit = 0.0  # not sooner: a busy machine may be long about block 1
    (done,) = pool.ended()
    assert str(done.error).startswith("docs/p.md:5: block 2: the page took longer than")


def test_a_thread_left_behind_does_not_hold_the_build(monkeypatch) -> None:
    code = (
        "import threading\n"
        "threading.Thread(target=threading.Event().wait).start()\nprint('done')"
    )
    monkeypatch.setattr("lookback.engine.run.PATIENCE", 0.2)
    assert run(code).outputs == [[{"text": "done\n"}]]


def test_an_error_in_a_thread_fails_its_block() -> None:
    code = "import threading\nt = threading.Thread(target=lambda: 1 / 0)\n"
    error = run(code + "t.start()\nt.join()").error
    assert str(error).startswith("docs/p.md:3: block 1: ZeroDivisionError")


def test_a_run_names_the_distributions_that_it_imported() -> None:
    plain = run("import sys").distributions
    assert "numpy" in plain and "PyYAML" not in plain  # the fork server has numpy
    assert set(run("import yaml").distributions) >= {*plain, "PyYAML"}


def test_an_edit_of_the_package_is_seen_by_the_next_page(tmp_path: Path) -> None:
    module = tmp_path / "freshly_edited.py"
    code = f"import sys\nsys.path.insert(0, {str(tmp_path)!r})\n"
    code += "import freshly_edited\nfreshly_edited.x"
    module.write_text("x = 1\n")
    assert run(code).outputs == [[{"text": "1\n"}]]
    module.write_text("x = 'changed'\n")
    assert run(code).outputs == [[{"text": "'changed'\n"}]]

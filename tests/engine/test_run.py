"""Run pages in clean processes of their own."""

import os
import select
import signal
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest

from lookback.engine.blocks import parse
from lookback.engine.output import Output
from lookback.engine.run import Pool, Run, environment, run_pages
from lookback.engine.worker import Job


def job(text: str, name: str = "docs/p.md") -> Job:
    return Job(name, parse(text, name).running)


def python(*blocks: str) -> str:
    return "\n\n".join(f"```python\n{block}\n```" for block in blocks) + "\n"


def run(*blocks: str, time_limit: float = 60.0) -> Run:
    (done,) = run_pages([job(python(*blocks))], time_limit=time_limit)
    return done


def test_pages_do_not_see_each_other() -> None:
    text = python("import sys\nsys.leak = getattr(sys, 'leak', 0) + 1\nsys.leak")
    jobs = [job(text, f"docs/{name}.md") for name in "abc"]
    runs = list(run_pages(jobs, processes=2))
    assert sorted(r.name for r in runs) == ["docs/a.md", "docs/b.md", "docs/c.md"]
    assert all(r.seconds > 0 and r.error is None for r in runs)
    assert all(r.outputs == [[Output("text", "1\n")]] for r in runs)


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


@pytest.mark.parametrize(
    ("code", "words"),
    [
        ("assert False", "block 2: AssertionError"),
        ("import warnings\nwarnings.warn('old')", "block 2: UserWarning: old"),
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
    monkeypatch.setattr("lookback.engine.run.JOIN_TIMEOUT", 0.2)
    assert run(code).outputs == [[Output("text", "done\n")]]


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
    assert run(code).outputs == [[Output("text", "1\n")]]
    module.write_text("x = 'changed'\n")
    assert run(code).outputs == [[Output("text", "'changed'\n")]]


def test_a_block_may_start_processes() -> None:
    done = run(
        "from multiprocessing import Pool\n"
        "def double(x):\n    return 2 * x\n"
        "with Pool(2) as pool:\n    print(pool.map(double, [1, 2]))",
        "from concurrent.futures import ProcessPoolExecutor\n"
        "with ProcessPoolExecutor(1) as pool:\n    print(*pool.map(double, [1, 2]))",
        "from torch.utils.data import DataLoader\n"
        "for batch in DataLoader(range(4), batch_size=2, num_workers=1):\n"
        "    print(batch.tolist())",
    )
    assert done.error is None
    texts = ["[2, 4]\n", "2 4\n", "[0, 1]\n[2, 3]\n"]
    assert done.outputs == [[Output("text", text)] for text in texts]


# ------------------------------------------------- what a page leaves behind, and where


class Life:
    """Tell from a named pipe whether a page, and what it started, are alive."""

    def __init__(self, path: Path) -> None:
        os.mkfifo(path)
        self.end = os.open(path, os.O_RDONLY | os.O_NONBLOCK)
        self.begins = (
            "import os, subprocess, sys\n"
            f"end = os.open({str(path)!r}, os.O_WRONLY)\n"
            "wait = [sys.executable, '-c', 'import signal; signal.pause()']\n"
            "child = subprocess.Popen(wait, pass_fds=[end])\n"
            "os.write(end, b'.')\n"
        )

    def read(self) -> bytes:
        """Wait for the byte that says that both run, or for the end of both."""
        assert select.select([self.end], [], [], 100)[0], "they run on"
        return os.read(self.end, 1)


@pytest.fixture
def life(tmp_path: Path) -> Iterator[Life]:
    made = Life(tmp_path / "life")
    yield made
    os.close(made.end)


@pytest.mark.parametrize("last", ["pass", "1 / 0", "os._exit(3)"])
def test_what_a_page_started_ends_with_the_page(life: Life, last: str) -> None:
    assert (run(life.begins + last).error is None) == (last == "pass")
    assert [life.read(), life.read()] == [b".", b""]


@pytest.mark.parametrize("name", ["p.md", "lab.py"])
def test_a_page_that_is_stopped_ends_with_all_it_started(life: Life, name: str) -> None:
    held = life.begins + "sum(range(10**15))"  # no other thread runs meanwhile
    pool = Pool()
    pool.start(job(python(held), name))
    assert life.read() == b"."
    pool.stop()
    assert life.read() == b""


@pytest.mark.parametrize(
    ("name", "status"), [("SIGINT", 130), ("SIGTERM", 143), ("SIGKILL", -9)]
)
def test_a_page_ends_with_the_command_that_runs_it(
    life: Life, name: str, status: int, tmp_path: Path
) -> None:
    page = tmp_path / "p.md"
    page.write_text(python(life.begins + "sum(range(10**15))"))
    command = [sys.executable, "-m", "lookback", "run", str(page)]
    with subprocess.Popen(command, stderr=subprocess.PIPE) as process:
        assert life.read() == b"."
        process.send_signal(signal.Signals[name])
        assert life.read() == b""
        assert process.stderr is not None
        lines = process.stderr.read().decode().splitlines()
    assert process.returncode == status
    said = ["lookback: interrupted"] * (name == "SIGINT")
    assert lines == ["Running the blocks of 1 page", *said]


def test_an_interrupt_waits_until_a_process_has_started() -> None:
    before = signal.pthread_sigmask(signal.SIG_BLOCK, [])
    with environment():
        assert signal.SIGINT in signal.pthread_sigmask(signal.SIG_BLOCK, [])
    assert signal.pthread_sigmask(signal.SIG_BLOCK, []) == before

"""How long an author waits: for `mkdocs build`, and for `mkdocs serve`.

    python bench/engine.py                  this checkout: a copy with its stored runs
    python bench/engine.py OTHER --quick    another checkout; builds are left out

A wait is measured from outside, from the moment a file is saved until the page that is
asked for again and again holds what was written, in seconds of the clock and, after it,
of the processor, the server's children included. What is stored is stored before: a
first `mkdocs build` runs what must run.
"""

import argparse
import os
import shutil
import socket
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable
from contextlib import suppress
from pathlib import Path
from urllib.error import URLError
from urllib.request import urlopen

import psutil

ROOT = Path(__file__).parents[1]
LEFT = {".git", ".venv", ".cache", "site", "build", "dist", ".mypy_cache"}
PATIENCE = 600.0  # seconds until a page that does not come ends the bench
Edit = Callable[[str], str]


class Project:
    """Copy a checkout, and run `mkdocs` there."""

    def __init__(self, root: Path, folder: Path) -> None:
        def left(at: str, names: list[str]) -> set[str]:
            return LEFT & set(names) if Path(at) == root else set()

        self.folder, self.site = folder / "project", folder / "site"
        shutil.copytree(root, self.folder, ignore=left, symlinks=True)
        if (root / ".cache" / "lookback").is_dir():  # where runs were stored once
            shutil.copytree(root / ".cache/lookback", self.folder / ".cache/lookback")
        self.environment = os.environ | {
            "PYTHONPATH": str(self.folder / "src"),
            "TMPDIR": str(folder),
            "NO_MKDOCS_2_WARNING": "1",
        }

    def start(self, *words: str) -> subprocess.Popen[str]:
        command = [sys.executable, "-m", "mkdocs", *words]
        log = (self.folder.parent / "log").open("w", encoding="utf-8")
        return subprocess.Popen(
            command, cwd=self.folder, env=self.environment, stderr=log, text=True
        )

    def log(self) -> str:
        return (self.folder.parent / "log").read_text(encoding="utf-8")[-4000:]

    def build(self) -> float:
        """Time `mkdocs build`, in seconds."""
        began = time.perf_counter()
        if self.start("build", "-d", str(self.site)).wait():
            raise SystemExit(f"the site does not build:\n{self.log()}")
        return time.perf_counter() - began


class Served:
    """Serve a project, and wait for pages."""

    def __init__(self, project: Project) -> None:
        with socket.socket() as free:
            free.bind(("127.0.0.1", 0))
            port = free.getsockname()[1]
        self.project, self.url = project, f"http://127.0.0.1:{port}/"
        self.began = time.perf_counter()
        self.process = project.start("serve", "-a", f"127.0.0.1:{port}")

    def seconds(self) -> float:
        """Add up what the server and its children have used of the processor."""
        total = 0.0
        server = psutil.Process(self.process.pid)
        for one in [server, *server.children(recursive=True)]:
            with suppress(psutil.NoSuchProcess):
                used = one.cpu_times()
                total += used.user + used.system
                total += used.children_user + used.children_system
        return total

    def wait(self, page: str, words: str, *, gone: bool = False) -> float:
        """Ask for a page until it holds the words, or no more; return the time."""
        end = time.perf_counter() + PATIENCE
        while time.perf_counter() < end:
            with suppress(URLError, ConnectionError, TimeoutError):
                shown = urlopen(self.url + page, timeout=60).read().decode("utf-8")
                if (words in shown) != gone:
                    return time.perf_counter()
            if self.process.poll() is not None:
                break
            time.sleep(0.05)
        raise SystemExit(f"{page} does not show {words!r}:\n{self.project.log()}")

    def edit(
        self,
        what: str,
        file: str,
        edit: Edit,
        page: str,
        words: str,
        *,
        gone: bool = False,
    ) -> None:
        """Save an edited file, and time how long its page takes to show it."""
        path = self.project.folder / file
        before = self.seconds()
        text = edit(path.read_text(encoding="utf-8"))
        began = time.perf_counter()
        path.write_text(text, encoding="utf-8")
        shown = self.wait(page, words, gone=gone) - began
        line(what, shown, self.seconds() - before)
        self.settle()

    def settle(self) -> None:
        """Wait until the server has been idle for two seconds."""
        used = self.seconds()
        while True:
            time.sleep(2)
            if (now := self.seconds()) - used < 0.1:
                return
            used = now

    def stop(self) -> None:
        self.process.terminate()
        self.process.wait()


def serve(project: Project) -> None:
    """Time what an author does, one edit after the other."""
    served = Served(project)
    try:
        first = served.wait("ngram/", "</html>") - served.began
        line("first page, everything stored", first, served.seconds())
        served.settle()
        page, text = (
            "docs/ngram.md",
            (project.folder / "docs/ngram.md").read_text("utf-8"),
        )
        block = "\n\n```python\nprint({})\n```\n"
        served.edit("a sentence", page, lambda t: t + "\n\nA new sentence.\n",
                    "ngram/", "A new sentence.")  # fmt: skip
        served.edit("a heading", page, lambda t: t + "\n\n## A new heading\n",
                    "ngram/", "A new heading")  # fmt: skip
        served.edit("undo", page, lambda t: text, "ngram/", "A new heading", gone=True)
        served.edit("a block that fails", page, lambda t: t + block.format("1 / 0"),
                    "ngram/", "ZeroDivisionError")  # fmt: skip
        served.edit("mended", page, lambda t: text + block.format("'me' + 'nded'"),
                    "ngram/", "mended")  # fmt: skip
        served.edit("undo", page, lambda t: text, "ngram/", "mended", gone=True)
        for what, module, old, new, shown in (
            ("a docstring of rules.py", "rules", '"""', '"""Edited. ', "source/rules/"),
            ("a line of attention.py", "attention", "scores", "scored", "attention/"),
        ):
            file = f"src/lookback/{module}.py"
            found = (project.folder / file).read_text("utf-8")
            count = 1 if '"' in old else -1
            words = new.strip('"').strip()
            edited = found.replace(old, new, count)
            served.edit(what, file, lambda t, e=edited: e, shown, words)
            served.edit("undo", file, lambda t, f=found: f, shown, words, gone=True)
    finally:
        served.stop()


def line(what: str, seconds: float, used: float | None = None) -> None:
    told = "" if used is None else f"{used:8.1f} s of the processor"
    print(f"{what:36}{seconds:8.1f} s{told}", flush=True)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("root", nargs="?", type=Path, default=ROOT)
    parser.add_argument("--quick", action="store_true", help="time serve alone")
    words = parser.parse_args()
    with tempfile.TemporaryDirectory(prefix="lookback-bench-") as folder:
        project = Project(words.root.resolve(), Path(folder))
        first = project.build()
        if not words.quick:
            line("build, everything stored", project.build())
            for stored in (".lookback", ".cache"):
                shutil.rmtree(project.folder / stored, ignore_errors=True)
            line("build, nothing stored", project.build())
        else:
            line("build before it", first)
        serve(project)


if __name__ == "__main__":
    main()

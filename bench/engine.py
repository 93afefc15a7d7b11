"""How long the site takes to build and to refresh, its weight and its memory.

It works on a copy of the project, which keeps the working tree and its cache as they
are. Each time is that of a process as a reader or an author starts it. A refresh is
counted from the edit of a file to the moment `mkdocs serve` tells the browsers to load
the page again, so that noticing the edit is part of it.
"""

import gzip
import os
import shutil
import socket
import subprocess
import sys
import tempfile
import time
from pathlib import Path

ROOT = Path(__file__).parents[1]
LEFT_BEHIND = {".git", ".venv", ".cache", "site", "build", "dist"}
CHAPTER, MODULE = "docs/ngram.md", "src/lookback/ngram.py"


class Project:
    """Copy the project in the state of the working tree, and run `mkdocs` there."""

    def __init__(self, folder: Path) -> None:
        def unwanted(folder: str, names: list[str]) -> set[str]:
            return LEFT_BEHIND & set(names) if Path(folder) == ROOT else set()

        self.folder, self.site = folder / "project", folder / "site"
        shutil.copytree(ROOT, self.folder, ignore=unwanted, symlinks=True)
        self.environment = os.environ | {
            "PYTHONPATH": str(self.folder / "src"),
            "TMPDIR": str(folder),
            "NO_MKDOCS_2_WARNING": "1",
        }

    def start(self, *words: str) -> subprocess.Popen[str]:
        return subprocess.Popen(
            [sys.executable, "-m", "mkdocs", *words],
            cwd=self.folder,
            env=self.environment,
            stderr=subprocess.PIPE,
            text=True,
            encoding="utf-8",
        )

    def build(self) -> float:
        """Time `mkdocs build`, in seconds."""
        began = time.perf_counter()
        process = self.start("build", "-d", str(self.site))
        _, log = process.communicate()
        if process.returncode:
            raise SystemExit(f"the site does not build:\n{log[-4000:]}")
        return time.perf_counter() - began

    def serve(self) -> None:
        """Time `mkdocs serve`, and how it shows an edited file."""
        with socket.socket() as free:
            free.bind(("127.0.0.1", 0))
            address = f"127.0.0.1:{free.getsockname()[1]}"
        began = time.perf_counter()
        server = self.start("serve", "-a", address)
        try:
            line("mkdocs serve, warm", wait(server, "Serving on") - began, "s")
            for name, mark in ((CHAPTER, "\n<!-- edited -->\n"), (MODULE, "\n# new\n")):
                path = self.folder / name
                text = path.read_text(encoding="utf-8") + mark
                began = time.perf_counter()
                path.write_text(text, encoding="utf-8")
                seconds = wait(server, "Reloading browsers") - began
                line(f"refresh after an edit of {name}", seconds, "s")
        finally:
            server.terminate()
            server.communicate()


def wait(server: subprocess.Popen[str], words: str) -> float:
    """Wait until the server logs these words; return the time."""
    assert server.stderr is not None
    log = []
    for told in server.stderr:
        log.append(told)
        if words in told:
            return time.perf_counter()
    raise SystemExit("mkdocs serve ended:\n" + "".join(log[-20:]))


def line(what: str, value: float, unit: str) -> None:
    print(f"{what:46}{value:8.1f} {unit}", flush=True)


def main() -> None:
    with tempfile.TemporaryDirectory(prefix="lookback-bench-") as folder:
        project = Project(Path(folder))
        line("build, cold", project.build(), "s")
        line("build, warm", project.build(), "s")
        project.serve()
        pages = sorted(project.site.rglob("*.html"), key=lambda p: p.stat().st_size)
        for page in pages[-3:]:
            data, name = page.read_bytes(), page.relative_to(project.site)
            line(f"{name}", len(data) / 1024, "KB")
            line(f"{name}, compressed", len(gzip.compress(data, 6)) / 1024, "KB")
    if sys.platform != "win32":
        import resource

        unit = 2**20 if sys.platform == "darwin" else 2**10
        most = resource.getrusage(resource.RUSAGE_CHILDREN).ru_maxrss / unit
        line("memory of the largest process", most, "MB")

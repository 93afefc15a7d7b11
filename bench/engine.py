"""Measure how long the site takes to build and refresh, its weight and its memory.

Run it with `python bench/engine.py`. It works on a copy of the project, which keeps the
working tree and its cache as they are. Every time is that of a process as a reader or
an author starts it; of several runs the middle one counts. A refresh is counted from
the edit of a file to the moment `mkdocs serve` tells the browsers to load the page
again, so that noticing the edit is part of it.
"""

import argparse
import gzip
import json
import os
import re
import shutil
import socket
import statistics
import subprocess
import sys
import tempfile
import threading
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import yaml

ROOT = Path(__file__).parents[1]
LEFT_BEHIND = {".venv", ".cache", "site", "build", "dist"}
KB = 1024
QUIET = {"NO_MKDOCS_2_WARNING": "1"}


class Settings(yaml.SafeLoader):
    """Read mkdocs.yml without obeying its tags."""


for tag in ("!", "tag:yaml.org,2002:python/"):
    Settings.add_multi_constructor(tag, lambda *_: None)


class Project:
    """Copy the project in the state of the working tree."""

    def __init__(self, folder: Path) -> None:
        self.folder, self.site = folder / "project", folder / "site"

        def unwanted(folder: str, names: list[str]) -> set[str]:
            return LEFT_BEHIND & set(names) if Path(folder) == ROOT else set()

        shutil.copytree(ROOT, self.folder, ignore=unwanted, symlinks=True)
        paths = {"PYTHONPATH": str(self.folder / "src"), "TMPDIR": str(folder)}
        self.environment = os.environ | QUIET | paths
        self.plain = self._settings("plain.yml", {"lookback", "mkdocs-jupyter"}, {})
        self.still = self._settings("still.yml", set(), {"execute": False})

    def _settings(self, name: str, without: set[str], options: dict[str, Any]) -> str:
        """Write settings that inherit the book's, with fewer or other plugins."""
        text = (self.folder / "mkdocs.yml").read_text(encoding="utf-8")
        plugins = []
        for item in yaml.load(text, Settings)["plugins"]:
            plugin, settings = next(iter(item.items())) if isinstance(item, dict) else (
                item, {})  # fmt: skip
            if plugin not in without:
                ours = options if plugin in ("lookback", "mkdocs-jupyter") else {}
                plugins.append({plugin: {**settings, **ours}})
        settings = yaml.safe_dump({"INHERIT": "mkdocs.yml", "plugins": plugins})
        (self.folder / name).write_text(settings, encoding="utf-8")
        return name

    def command(self, *words: str) -> dict[str, Any]:
        """Build the arguments by which `subprocess` runs `mkdocs` here."""
        arguments = [sys.executable, "-m", "mkdocs", *words]
        return {"args": arguments, "cwd": self.folder, "env": self.environment}

    def build(self, settings: str = "mkdocs.yml", cold: bool = False) -> float:
        """Time `mkdocs build`, in seconds."""
        if cold:
            shutil.rmtree(self.folder / ".cache", ignore_errors=True)
        words = self.command("build", "-f", settings, "-d", str(self.site))
        began = time.perf_counter()
        ended = subprocess.run(**words, capture_output=True, text=True)
        if ended.returncode:
            raise SystemExit(f"the site does not build:\n{ended.stderr[-4000:]}")
        return time.perf_counter() - began

    def blocks(self) -> tuple[float, int]:
        """Sum the seconds that the blocks ran; count the pages."""
        cache = self.folder / ".cache" / "lookback"
        ran = [
            json.loads(p.read_text())["run"]["seconds"] for p in cache.glob("*.json")
        ]
        own = [
            p for p in (self.folder / "docs").rglob("*") if p.suffix in (".md", ".py")
        ]
        return sum(ran), len(own)

    @contextmanager
    def served(self, settings: str) -> Iterator["Server"]:
        server = Server(self, settings)
        try:
            yield server
        finally:
            server.process.terminate()
            server.process.communicate()


class Server:
    """Start `mkdocs serve` on a free port; `seconds` is how long that took."""

    def __init__(self, project: Project, settings: str) -> None:
        with socket.socket() as free:
            free.bind(("127.0.0.1", 0))
            address = f"127.0.0.1:{free.getsockname()[1]}"
        began = time.perf_counter()
        self.process = subprocess.Popen(
            **project.command("serve", "-f", settings, "-a", address),
            stderr=subprocess.PIPE,
            text=True,
            encoding="utf-8",
        )
        self.log: list[str] = []
        self.seconds = self.wait("Serving on") - began

    def wait(self, words: str) -> float:
        """Wait until the server logs these words; return the time."""
        assert self.process.stderr is not None
        for line in self.process.stderr:
            self.log.append(line)
            if words in line:
                return time.perf_counter()
        raise SystemExit("mkdocs serve ended:\n" + "".join(self.log[-20:]))

    def refresh(self, path: Path, text: str) -> float:
        """Time from writing a file to the reload of the page, in seconds."""
        began = time.perf_counter()
        path.write_text(text, encoding="utf-8")
        return self.wait("Reloading browsers") - began


def memory(project: Project) -> tuple[float, str]:
    """Measure the peak memory of a cold build in MB: all processes, or the largest."""
    shutil.rmtree(project.folder / ".cache", ignore_errors=True)
    words = project.command("build", "-d", str(project.site))
    process = subprocess.Popen(**words, stderr=subprocess.DEVNULL)
    if not Path("/proc/self/smaps_rollup").is_file():
        import resource

        process.wait()
        unit = KB * KB if sys.platform == "darwin" else KB
        most = resource.getrusage(resource.RUSAGE_CHILDREN).ru_maxrss / unit
        return most, "the largest process"
    most, ended = 0.0, threading.Event()
    threading.Thread(target=lambda: (process.wait(), ended.set())).start()
    while not ended.wait(0.05):
        most = max(most, sum(map(proportional, family(process.pid))))
    return most / KB, "all processes, shared pages counted once"


def family(parent: int) -> list[int]:
    """List a process and its descendants."""
    found = [parent]
    for pid in found:
        for tasks in Path(f"/proc/{pid}/task").glob("*/children"):
            try:
                found += map(int, tasks.read_text().split())
            except OSError:
                continue  # it has ended
    return found


def proportional(pid: int) -> int:
    """Read a process's proportional memory (Pss) in KB."""
    try:
        text = Path(f"/proc/{pid}/smaps_rollup").read_text()
    except OSError:
        return 0
    return int(re.findall(r"^Pss:\s+(\d+)", text, re.MULTILINE)[0])


def transfer(site: Path, page: Path) -> dict[str, tuple[int, int]]:
    """Sum the bytes of what a page links to, raw and compressed, by kind of file."""
    text = page.read_text(encoding="utf-8")
    links = re.findall(r'(?:src|href)="([^":#]+\.(?:css|js))"', text)
    files = [page, *((page.parent / link).resolve() for link in dict.fromkeys(links))]
    files += sorted((site / "assets" / "fonts").glob("*.woff2"))
    found: dict[str, tuple[int, int]] = {}
    for file in filter(Path.is_file, files):
        data, kind = file.read_bytes(), file.suffix[1:]
        small = len(data) if kind == "woff2" else len(gzip.compress(data, 6))
        raw, packed = found.get(kind, (0, 0))
        found[kind] = raw + len(data), packed + small
    return found


def line(what: str, value: float, unit: str) -> None:
    print(f"{what:46}{value:8.1f} {unit}", flush=True)


def times(project: Project, runs: int) -> None:
    middle = statistics.median
    cold = middle(project.build(cold=True) for _ in range(runs))
    blocks, pages = project.blocks()
    warm = middle(project.build() for _ in range(runs))
    still = middle(project.build(project.still) for _ in range(runs))
    line("blocks and cells, run one after the other", blocks, "s")
    line("build, nothing executed", still, "s")
    line(f"build, cold ({pages} pages)", cold, "s")
    line("build, warm", warm, "s")


def serving(project: Project, runs: int) -> None:
    chapter = next(
        path
        for path in sorted((project.folder / "docs").glob("*.md"))
        if "\npapers:" in path.read_text(encoding="utf-8")
    )
    module = project.folder / "src" / "lookback" / f"{chapter.stem}.py"
    found: dict[Path, list[float]] = {chapter: [], module: []}
    plain, ours = [], []
    for _ in range(runs):
        with project.served(project.plain) as server:
            plain.append(server.seconds)
        with project.served("mkdocs.yml") as server:
            ours.append(server.seconds)
            for path, seconds in found.items():
                text = path.read_text(encoding="utf-8")
                mark = "\n<!-- edited -->\n" if path.suffix == ".md" else "\n# edited\n"
                seconds.append(server.refresh(path, text + mark))
                server.refresh(path, text)
    middle = statistics.median
    line("mkdocs serve without our plugins", middle(plain), "s")
    line("mkdocs serve, warm", middle(ours), "s")
    line("refresh after an edit of prose", middle(found[chapter]), "s")
    line("refresh after an edit of src", middle(found[module]), "s")


def weights(project: Project) -> None:
    papers = sorted(path.parent for path in project.site.glob("*/*.ipynb"))
    print(f"\n{'page: HTML as it is, and compressed':46}{'raw':>11}{'gzip':>8}")
    for page in sorted(project.site.rglob("*.html")):
        name = page.relative_to(project.site).as_posix()
        data = page.read_bytes()
        packed = len(gzip.compress(data, 6)) / KB
        print(f"{name:46}{len(data) / KB:8.1f} KB{packed:8.1f}")
    page = [*papers, project.site][0] / "index.html"
    print(f"\nall that {page.parent.name}/ can ask for, every font included")
    for kind, (raw, packed) in transfer(project.site, page).items():
        print(f"{kind:46}{raw / KB:8.1f} KB{packed / KB:8.1f}")


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--runs", type=int, default=3, help="runs; the middle counts")
    runs = parser.parse_args().runs
    with tempfile.TemporaryDirectory(prefix="lookback-bench-") as folder:
        project = Project(Path(folder))
        heading = f"middle of {runs} runs, {os.cpu_count()} cores"
        if hasattr(os, "getloadavg"):  # a busy machine makes every time longer
            heading += f", load {os.getloadavg()[0]:.1f}"
        print(heading, flush=True)
        times(project, runs)
        serving(project, runs)
        most, of_what = memory(project)
        line(f"most memory ({of_what})", most, "MB")
        weights(project)


if __name__ == "__main__":
    main()

"""Build the real site once for all tests, and small books for single ones.

`make test` runs a process for each core and keeps each file in one of them. The files
go in the order of collection, the pages first: the site is built from what they showed.
"""

from __future__ import annotations

import logging
import os
import re
import socket
import subprocess
import sys
import textwrap
from collections.abc import Callable, Iterator
from contextlib import nullcontext
from functools import cache
from pathlib import Path

import pytest
from filelock import FileLock
from hypothesis import settings
from mkdocs.commands.build import build
from mkdocs.config import load_config

from lookback.engine.run import ONE_THREAD

# Read by torch when it is first imported, here and in all that tests start. Threads of
# several processes would wait for each other; and the same sums come out everywhere.
os.environ |= ONE_THREAD

ROOT = Path(__file__).parents[1]

# Laws are tried on the same examples in each run, and no failure is kept for the next.
os.environ["HYPOTHESIS_STORAGE_DIRECTORY"] = str(ROOT / ".cache" / "hypothesis")
settings.register_profile(
    "lookback", derandomize=True, max_examples=40, deadline=None, database=None
)
settings.load_profile("lookback")

Mkdocs = Callable[..., "subprocess.CompletedProcess[str]"]


@pytest.fixture(scope="session")
def shared(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Name a folder for what one process of this run makes for all of them."""
    own = tmp_path_factory.getbasetemp()
    return own.parent if "PYTEST_XDIST_WORKER" in os.environ else own


@pytest.fixture(scope="session")
def mkdocs(shared: Path) -> Mkdocs:
    """Run `mkdocs` as a reader would: (words, variables of the environment).

    One build of the book at a time: each takes from the cache what another has run.
    """

    def run(*words: str | Path, **variables: str) -> subprocess.CompletedProcess[str]:
        settings = ("LOOKBACK_SITE_URL", "LOOKBACK_REPO_URL")
        clean = {k: v for k, v in os.environ.items() if k not in settings}
        book = nullcontext() if "-f" in words else FileLock(shared / "mkdocs.lock")
        with book:
            return subprocess.run(
                [sys.executable, "-m", "mkdocs", *map(str, words)],
                cwd=ROOT,
                env=clean | variables,
                capture_output=True,
                text=True,
                encoding="utf-8",
            )

    return run


@pytest.fixture(scope="session")
def site(mkdocs: Mkdocs, shared: Path) -> Path:
    """Build the real site once, strictly and without a site_url; return its folder."""
    folder = shared / "site"
    with FileLock(shared / "site.lock"):
        if not folder.exists():
            new = shared / "new-site"
            built = mkdocs("build", "--strict", "--site-dir", new)
            assert built.returncode == 0, f"it does not build:\n{built.stderr[-4000:]}"
            new.rename(folder)
    return folder


@cache
def _chapters() -> tuple[str, ...]:
    """List the pages whose front matter names papers, without `.md`."""
    pages = sorted((ROOT / "docs").glob("*.md"))
    papers = re.compile(r"---\n(?:.+\n)*?papers:")
    chapters = (p for p in pages if papers.match(p.read_text(encoding="utf-8")))
    return tuple(p.stem for p in chapters)


SHORT = ("recursive", "labs/cost")
"""Notebooks with outputs of every kind: figures, tables, drawings, frames, text."""


SLOW = (
    *("README.md", "docs/", "tests/browser/", "tests/paper/", "tests/studies/"),
    *(f"tests/engine/test_{name}.py" for name in ("doctests", "labs", "run", "serve")),
    "tests/recipes/test_shipped.py",
    "tests/test_register.py::test_a_new_chapter",
)
"""Tests that run chapters, labs or studies, open a browser, or measure models."""


def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    """Mark as slow what SLOW names and what needs the built site: see `make quick`."""
    for item in items:
        if item.nodeid.startswith(SLOW) or "site" in getattr(item, "fixturenames", ()):
            item.add_marker("slow")


def pytest_generate_tests(metafunc: pytest.Metafunc) -> None:
    """Parametrize tests over the pages of the book.

    chapter_name   each chapter and each lab
    notebook_name  SHORT
    pasted_name    those of SHORT; with LOOKBACK_ALL_PAGES=1 all
    """
    labs = [f"labs/{p.stem}" for p in sorted((ROOT / "docs/labs").glob("*.py"))]
    pasted = [page for page in SHORT if page in _chapters()]
    if os.environ.get("LOOKBACK_ALL_PAGES") == "1":
        pasted = [*_chapters()]
    pages = {
        "chapter_name": [*_chapters(), *labs],
        "notebook_name": SHORT,
        "pasted_name": pasted,
    }
    for name in pages.keys() & {*metafunc.fixturenames}:
        metafunc.parametrize(name, pages[name])


@pytest.fixture(scope="session")
def chapters() -> list[str]:
    return [*_chapters()]


CONFIG = """\
site_name: A book
site_description: About
nav: [t.md, bibliography.md]
theme: {{name: material, font: false, custom_dir: {overrides}}}
plugins:
  - mkdocs-jupyter: {{include: [labs/*.py], ignore: ["*.md"]}}
  - lookback: {{{options}}}
markdown_extensions:
  - admonition
  - attr_list
  - pymdownx.details
  - pymdownx.highlight
  - pymdownx.superfences
validation: {{anchors: warn}}
"""
REFERENCES = "@article{shannon1948, author={Shannon, C.}, title={T}, year=1948}\n"

Build = Callable[..., Path]


@pytest.fixture
def book(
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    caplog: pytest.LogCaptureFixture,
) -> Iterator[Build]:
    """Build a page `docs/t.md` in this process, whose fork server stays warm."""
    monkeypatch.setenv("SOURCE_DATE_EPOCH", "1700000000")
    (tmp_path / "docs" / "live").mkdir(parents=True)
    for script in ("folding", "preview"):  # what the engine's own HTML asks for
        (tmp_path / "docs" / "live" / f"{script}.js").touch()
    (tmp_path / "docs" / "references.bib").write_text(REFERENCES)
    (tmp_path / "docs" / "bibliography.md").write_text(
        "# Works\n\n<!-- lookback: bibliography -->\n"
    )

    def make(page: str, *, options: str = "", into: str = "site") -> Path:
        text = textwrap.dedent(page).lstrip("\n")
        (tmp_path / "docs" / "t.md").write_text(text, encoding="utf-8")
        (tmp_path / "mkdocs.yml").write_text(
            CONFIG.format(options=options, overrides=ROOT / "overrides")
        )
        config = load_config(
            str(tmp_path / "mkdocs.yml"), site_dir=str(tmp_path / into)
        )
        config.plugins.on_startup(command="build", dirty=False)
        try:
            build(config)
        finally:
            config.plugins.on_shutdown()
        return tmp_path / into

    with caplog.at_level(logging.INFO, "mkdocs"):
        yield make


# Pages of small books need neither torch nor matplotlib: to import them takes seconds.
LITTLE = """\
from lookback.engine.run import PRELOAD
from mkdocs.__main__ import cli

PRELOAD.clear()
cli()
"""


@pytest.fixture
def little() -> list[str]:
    """Return the words that start `mkdocs` for a small book."""
    return [sys.executable, "-c", LITTLE]


# The theme's scripts look for the palette and the search, as the book has them.
SERVED = """\
site_name: T
site_description: About
theme:
  name: material
  font: false
  custom_dir: {overrides}
  palette: {{scheme: default, toggle: {{icon: material/eye, name: Colours}}}}
plugins: [search, lookback]
"""


@pytest.fixture
def serve(
    tmp_path: Path, little: list[str]
) -> Iterator[Callable[[dict[str, str]], str]]:
    """Serve a small book, name → page, as its author would; return its address."""
    servers = []

    def start(pages: dict[str, str]) -> str:
        (tmp_path / "docs" / "live").mkdir(parents=True)
        (tmp_path / "docs" / "live" / "folding.js").touch()
        for name, text in pages.items():
            (tmp_path / "docs" / name).write_text(text)
        config = tmp_path / "mkdocs.yml"
        config.write_text(SERVED.format(overrides=ROOT / "overrides"))
        with socket.socket() as free:
            free.bind(("127.0.0.1", 0))
            address = f"127.0.0.1:{free.getsockname()[1]}"
        server = subprocess.Popen(
            [*little, "serve", "-f", str(config), "-a", address],
            stderr=subprocess.PIPE,
            text=True,
            encoding="utf-8",
            env=os.environ
            | {name: str(tmp_path) for name in ("TMPDIR", "TEMP", "TMP")},
        )
        servers.append(server)
        assert server.stderr is not None
        lines = []
        for line in server.stderr:
            lines.append(line)
            if "Serving on" in line:
                return f"http://{address}/"
        pytest.fail("".join(lines))

    yield start
    for server in servers:
        server.terminate()  # an interrupt is ignored where pytest is in the background
        server.communicate()


@pytest.fixture
def double() -> Iterator[None]:
    """Make new tensors 64 bits wide, and drawn from one seed, until the test ends."""
    import torch

    before = torch.get_default_dtype()
    torch.set_default_dtype(torch.float64)
    torch.manual_seed(0)
    yield
    torch.set_default_dtype(before)

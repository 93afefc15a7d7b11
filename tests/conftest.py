"""What several rooms of tests share: the real site built once, and small books.

Tests may run in several processes at once (`pytest -n logical`, as `make test` does):
each file stays in one of them, and what all need is made by one for all.
"""

from __future__ import annotations

import functools
import gc
import logging
import os
import re
import subprocess
import sys
import textwrap
from collections.abc import Callable, Generator, Iterator
from contextlib import nullcontext
from multiprocessing.util import Finalize
from pathlib import Path
from typing import Any
from unittest.mock import Mock

import pytest
from filelock import FileLock
from jinja2 import BytecodeCache, Environment, FileSystemLoader
from jinja2.bccache import Bucket
from mkdocs import utils
from mkdocs.commands.build import build
from mkdocs.config import load_config
from mkdocs.theme import Theme

from lookback.engine import plugin

# Read by torch when it is first imported, here and in all that tests start. Threads of
# several processes would wait for each other; and the same sums come out everywhere.
os.environ["OMP_NUM_THREADS"] = "1"

# A process that is done ends: to tidy away all it had imported took eight seconds. What
# multiprocessing leaves in a folder is removed before, at priority -100.
if "PYTEST_XDIST_WORKER" in os.environ:
    Finalize(None, os._exit, args=(0,), exitpriority=-101)

ROOT = Path(__file__).parents[1]
APART = ("browser/test_pages.py", "test_site.py", "test_study.py")
"""Files of minutes: each value of their parameter may run in another process."""
SHIPPED = "tests/recipes/test_shipped.py"
TOGETHER = (
    SHIPPED,
    "tests/recipes/test_gpt.py",
    "tests/studies/test_positions.py",
    "tests/studies/test_training.py",
)
"""Files that read the same tens of thousands of sentences: one process draws them."""

Mkdocs = Callable[..., "subprocess.CompletedProcess[str]"]


def unit(nodeid: str) -> str:
    """The tests that run together in one process: a file's, or those of one value."""
    file, _, test = nodeid.partition("::")
    if file in TOGETHER:
        return SHIPPED
    return file + test.partition("[")[2] if file.endswith(APART) else file


@pytest.hookimpl(optionalhook=True)  # without pytest-xdist there is one process
def pytest_xdist_make_scheduler(config: pytest.Config, log: Any) -> Any:
    """Files go as they are collected; unless another `--dist` is asked for.

    The pages first: the site is built from what they showed. While one process is at
    the last page another measures models; then the site is built, and what looks at it
    is long (see ORDER). Many short files come last, so that all processes end together.
    """
    from xdist.scheduler import LoadScopeScheduling

    class ByUnit(LoadScopeScheduling):
        def _split_scope(self, nodeid: str) -> str:
            return unit(nodeid)

    if config.getoption("dist") != "load":
        return None
    config.option.loadscopereorder = False
    return ByUnit(config, log)


ORDER = ("docs/", SHIPPED, "tests/browser/test_firefox.py", "tests/recipes/", "")


def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    items.sort(key=lambda item: [item.nodeid.startswith(o) for o in ORDER].index(True))


@pytest.hookimpl(wrapper=True)
def pytest_collection() -> Generator[None, object, object]:
    """What is collected stays, and there is much of it: rubbish is looked for later.

    Where nothing is compiled yet that is a third of the time.
    """
    gc.disable()
    try:
        return (yield)
    finally:
        gc.enable()


def pytest_collection_finish() -> None:
    """What was collected stays to the end: rubbish is not looked for in it, and seldom.

    Of tests that compute it was a tenth of the time.
    """
    gc.collect()
    gc.freeze()
    gc.set_threshold(50_000, 20, 20)


@pytest.fixture(scope="session")
def shared(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A folder for what one process of this run makes for all of them."""
    own = tmp_path_factory.getbasetemp()
    return own.parent if "PYTEST_XDIST_WORKER" in os.environ else own


@pytest.fixture(scope="session")
def mkdocs(shared: Path) -> Mkdocs:
    """Runs `mkdocs` as a reader would: (words, variables of the environment).

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
    """The folder of the real site, built strictly, for no address in particular."""
    folder = shared / "site"
    with FileLock(shared / "site.lock"):
        if not folder.exists():
            new = shared / "new-site"
            built = mkdocs("build", "--strict", "--site-dir", new)
            assert built.returncode == 0, f"it does not build:\n{built.stderr[-4000:]}"
            new.rename(folder)
    return folder


@functools.cache
def _chapters() -> tuple[str, ...]:
    """The pages whose front matter names papers, without `.md`."""
    pages = sorted((ROOT / "docs").glob("*.md"))
    papers = re.compile(r"---\n(?:.+\n)*?papers:")
    chapters = (p for p in pages if papers.match(p.read_text(encoding="utf-8")))
    return tuple(p.stem for p in chapters)


SHORT = ("pcfg", "recursive", "labs/cost")
"""Notebooks with outputs of every kind: figures, tables, drawings, frames, text."""


def pytest_generate_tests(metafunc: pytest.Metafunc) -> None:
    """A test that takes a `chapter_name` runs for each chapter and each lab.

    One that takes a `notebook_name` runs for SHORT, or for all of them where the
    environment says LOOKBACK_ALL_PAGES=1, as `.ci/run` does; and so does one that takes
    a `pasted_name`, for chapters alone.
    """
    asked = {"chapter_name", "notebook_name", "pasted_name"} & {*metafunc.fixturenames}
    if not asked:
        return
    labs = [f"labs/{p.stem}" for p in sorted((ROOT / "docs/labs").glob("*.py"))]
    every = [*_chapters(), *labs]
    if "chapter_name" in asked:
        metafunc.parametrize("chapter_name", every)
    for name, pages in (("notebook_name", every), ("pasted_name", _chapters())):
        if name in asked:
            whole = os.environ.get("LOOKBACK_ALL_PAGES") == "1"
            few = [page for page in SHORT if page in pages]
            metafunc.parametrize(name, pages if whole else few)


@pytest.fixture(scope="session")
def chapters() -> list[str]:
    return [*_chapters()]


CONFIG = """\
site_name: A book
nav: [t.md, bibliography.md]
theme: {{name: material, font: false}}
plugins:
  - lookback: {{{options}}}
markdown_extensions:
  - admonition
  - attr_list
  - footnotes
  - pymdownx.details
  - pymdownx.highlight
  - pymdownx.superfences
  - pymdownx.tabbed: {{alternate_style: true}}
validation: {{anchors: warn}}
"""
REFERENCES = "@article{shannon1948, author={Shannon, C.}, title={T}, year=1948}\n"

Build = Callable[..., Path]


class Kept(BytecodeCache):
    """Templates that were compiled for one book, for the next one."""

    def __init__(self) -> None:
        self.codes: dict[str, bytes] = {}

    def load_bytecode(self, bucket: Bucket) -> None:
        if bucket.key in self.codes:
            bucket.bytecode_from_string(self.codes[bucket.key])

    def dump_bytecode(self, bucket: Bucket) -> None:
        self.codes[bucket.key] = bucket.bytecode_to_string()


@functools.cache
def listed(folders: tuple[str, ...]) -> list[str]:
    """The files of a theme, without its 14 000 icons: MkDocs leaves them out, too."""
    names = FileSystemLoader(folders).list_templates()
    return [name for name in names if not name.startswith(".")]


@functools.cache
def _themes() -> dict[str, Any]:
    return utils.get_themes()


@pytest.fixture(scope="session")
def kept() -> Kept:
    return Kept()


@pytest.fixture
def theme(kept: Kept, monkeypatch: pytest.MonkeyPatch) -> None:
    """Themes are sought, listed and compiled once for all little books.

    MkDocs does so for each, which was more than half of its time.
    """
    plain, themes = Theme.get_env, _themes()

    def get_env(theme: Theme) -> Environment:
        env = plain(theme)
        vars(env.loader)["list_templates"] = lambda: listed(tuple(theme.dirs))
        return env

    monkeypatch.setattr(Theme, "get_env", get_env)
    monkeypatch.setattr(utils, "get_themes", Mock(return_value=themes))
    monkeypatch.setattr(plugin, "FileSystemBytecodeCache", lambda folder: kept)


@pytest.fixture
def book(
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    caplog: pytest.LogCaptureFixture,
    theme: None,
) -> Iterator[Build]:
    """Builds a page `docs/t.md`, in this process so that its workers stay warm."""
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
        (tmp_path / "mkdocs.yml").write_text(CONFIG.format(options=options))
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


@pytest.fixture
def double() -> Iterator[None]:
    """New tensors are of 64 bits, and drawn from one seed, until the test ends."""
    import torch

    before = torch.get_default_dtype()
    torch.set_default_dtype(torch.float64)
    torch.manual_seed(0)
    yield
    torch.set_default_dtype(before)

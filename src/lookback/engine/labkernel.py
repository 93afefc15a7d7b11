"""Where labs run: a kernel that is this very Python, drawing in the book's style.

mkdocs-jupyter finds kernel, style and template through Jupyter's own settings. They
are written to a folder of their own, named in the environment while a build lasts.
"""

from __future__ import annotations

import hashlib
import json
import math
import os
import shutil
import sys
from contextlib import ExitStack
from importlib import import_module
from pathlib import Path
from tempfile import TemporaryDirectory

from .cache import package_digest, versions, write_atomically
from .labrun import MARK, notebook_in

FORMAT = 1
"""Raised whenever what mkdocs-jupyter is told to keep changes."""

SEALS = "seals"  # no .json: mkdocs-jupyter clears away every .json it does not know
TEMPLATE = f'<script type="application/json" id="{MARK}">{{{{ nb | tojson }}}}</script>'
KERNEL = {
    "argv": [sys.executable, "-m", "ipykernel_launcher", "-f", "{connection_file}"],
    "display_name": "Python 3",
    "language": "python",
}
CONFIG = """\
from lookback.engine.labrun import note_start

c.NotebookClient.timeout = {limit:.0f}
c.NotebookClient.on_cell_start = note_start
"""
PROFILE = """\
c.HistoryManager.enabled = False
c.IPKernelApp.log_level = 40
c.InlineBackend.figure_formats = {"svg"}
c.InlineBackend.rc = {}
c.InlineBackend.print_figure_kwargs = {"metadata": {"Date": None}}
"""
STARTUP = """\
import warnings as _warnings

from lookback.engine.svg import use_style as _use_style

_use_style()
_warnings.filterwarnings("error", module=r"__main__|lookback(\\.|$)")
del _use_style, _warnings
"""


class LabKernel:
    """The settings of one site's labs.

    cache       the folder for everything that is kept between builds
    package     the import package's folder: its sources are part of the cache key
    time_limit  seconds a cell may take
    """

    def __init__(self, cache: Path, package: Path, time_limit: float = 120.0) -> None:
        self.folder = cache.resolve() / "labs"
        self.time_limit = time_limit
        key = json.dumps([FORMAT, sys.executable, package_digest(package), versions()])
        self.kept = self.folder / hashlib.sha256(key.encode()).hexdigest()[:16]
        self._undo = ExitStack()

    @property
    def cache_dir(self) -> str:
        """For mkdocs-jupyter's option of this name: another one for other sources."""
        return str(self.kept)

    def enter(self) -> None:
        """Before the first lab is read: settings in place, damaged entries gone."""
        self._undo.close()
        self._drop_what_cannot_be_believed()
        home = Path(self._undo.enter_context(TemporaryDirectory(prefix="lookback-")))
        _write_settings(home, self.time_limit)
        for name, value in {
            "JUPYTER_PATH": str(home / "jupyter"),
            "JUPYTER_CONFIG_DIR": str(home / "jupyter"),
            "JUPYTER_CONFIG_PATH": "",
        }.items():
            self._undo.callback(_set_variable, name, os.environ.get(name))
            _set_variable(name, value)
        settings = import_module("mkdocs_jupyter.config").settings
        self._undo.callback(setattr, settings, "templates_dir", settings.templates_dir)
        settings.templates_dir = str(home / "templates")
        self._undo.callback(self._seal_entries)

    def leave(self) -> None:
        """After a build, also one that failed: all as it was, entries sealed."""
        self._undo.close()

    def _seal_entries(self) -> None:
        seals = {path.name: _seal(path) for path in sorted(self.kept.glob("*.json"))}
        if seals:
            write_atomically(self.kept / SEALS, json.dumps(seals).encode())

    def _drop_what_cannot_be_believed(self) -> None:
        """mkdocs-jupyter reads an entry without a look, and forgets other sources'."""
        for old in self.folder.glob("[0-9a-f]" * 16):
            if old != self.kept:
                shutil.rmtree(old, ignore_errors=True)
        try:
            seals = json.loads((self.kept / SEALS).read_text(encoding="utf-8"))
        except (OSError, ValueError):
            seals = None
        for path in self.kept.glob("*.json"):
            if not isinstance(seals, dict) or seals.get(path.name) != _seal(path):
                path.unlink()


def _set_variable(name: str, value: str | None) -> None:
    if value is None:
        os.environ.pop(name, None)
    else:
        os.environ[name] = value


def _write_settings(home: Path, time_limit: float) -> None:
    """Kernel, style, time limit and template, where Jupyter looks for such."""
    profile = home / "ipython" / "profile_default"
    environment = {
        "IPYTHONDIR": str(home / "ipython"),
        "MPLBACKEND": "module://matplotlib_inline.backend_inline",
        "OMP_NUM_THREADS": "1",
        "PYDEVD_DISABLE_FILE_VALIDATION": "1",
        "PYTHONHASHSEED": "0",
    }
    jupyter, templates = home / "jupyter", home / "templates"
    kernel = KERNEL | {"env": environment}
    for path, text in {
        jupyter / "jupyter_nbconvert_config.py": CONFIG.format(limit=time_limit),
        jupyter / "kernels" / "python3" / "kernel.json": json.dumps(kernel),
        profile / "ipython_kernel_config.py": PROFILE,
        profile / "startup" / "00-lookback.py": STARTUP,
        templates / "mkdocs_html" / "notebook.html.j2": TEMPLATE,
        templates / "mkdocs_md" / "md-no-codecell.md.j2": "",
    }.items():
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text, encoding="utf-8")


def _seal(path: Path) -> str | float:
    """The hash of an entry that holds a notebook; for another what equals nothing."""
    data = path.read_bytes()
    try:
        notebook_in(json.loads(data)["content"])
    except (ValueError, KeyError, TypeError):
        return math.nan
    return hashlib.sha256(data).hexdigest()

"""Where labs run: a kernel that is this very Python, drawing in the book's style.

mkdocs-jupyter finds kernel, style and template through Jupyter's own settings. They
are written to a folder of their own, named in the environment while a build lasts. The
kernel writes there which files of the package it has read.
"""

from __future__ import annotations

import json
import os
import sys
from contextlib import ExitStack
from importlib import import_module
from pathlib import Path
from tempfile import TemporaryDirectory

from .labrun import MARK

OPENED = "opened.json"
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

from lookback.engine import opened as _opened, svg as _svg

_opened.watch()
_svg.use_style()
_warnings.filterwarnings("error", module=r"__main__|lookback(\\.|$)")
_shown = get_ipython().display_formatter.ipython_display_formatter
_shown.for_type_by_name("lookback.figures.drawing", "Drawing", _svg.show)
_shown.for_type_by_name("lookback.figures.frames", "Frames", _svg.show)
get_ipython().events.register(
    "post_run_cell", lambda result, write=_opened.write: write({path!r}, {package!r})
)
del _opened, _shown, _svg, _warnings
"""


class LabKernel:
    """The settings of one site's labs.

    package     the import package's folder: what a lab reads there is noted
    time_limit  seconds a cell may take
    """

    def __init__(self, package: Path, time_limit: float = 300.0) -> None:
        self.package, self.time_limit = package, time_limit
        self.home = Path()
        self._undo = ExitStack()

    def enter(self) -> None:
        """Before the first lab is run: settings in place."""
        self._undo.close()
        self.home = home = Path(
            self._undo.enter_context(TemporaryDirectory(prefix="lookback-"))
        )
        _write_settings(home, self.package, self.time_limit)
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

    def opened(self) -> list[str]:
        """The files of the package that the lab read which ran last."""
        path = self.home / OPENED
        files: list[str] = json.loads(path.read_text("utf-8")) if path.exists() else []
        path.unlink(missing_ok=True)
        return files

    def leave(self) -> None:
        """After a build, also one that failed: all as it was."""
        self._undo.close()


def _set_variable(name: str, value: str | None) -> None:
    if value is None:
        os.environ.pop(name, None)
    else:
        os.environ[name] = value


def _write_settings(home: Path, package: Path, time_limit: float) -> None:
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
    startup = STARTUP.format(path=str(home / OPENED), package=str(package))
    for path, text in {
        jupyter / "jupyter_nbconvert_config.py": CONFIG.format(limit=time_limit),
        jupyter / "kernels" / "python3" / "kernel.json": json.dumps(kernel),
        profile / "ipython_kernel_config.py": PROFILE,
        profile / "startup" / "00-lookback.py": startup,
        templates / "mkdocs_html" / "notebook.html.j2": TEMPLATE,
        templates / "mkdocs_md" / "md-no-codecell.md.j2": "",
    }.items():
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text, encoding="utf-8")

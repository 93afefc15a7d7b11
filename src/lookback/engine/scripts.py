"""Scripts as readers' browsers get them: without comments and indentation.

The scripts in `docs/live` run as they are written, and listings show them so. What the
site serves is a quarter smaller, and the same program: rJSmin takes away what is no
code, and renames nothing. It misreads a regular expression after `=>` or `yield`, and a
template literal inside another; a test holds the tokens of each script to those of its
source.
"""

from __future__ import annotations

from pathlib import Path

from mkdocs.config.defaults import MkDocsConfig
from mkdocs.structure.files import File, Files
from rjsmin import jsmin

FOLDER = "live/"


def served(text: str) -> str:
    """A script as the site serves it."""
    return str(jsmin(text))


def serve(files: Files, config: MkDocsConfig) -> None:
    """Put what is served in place of each script of FOLDER."""
    for file in [*files]:
        uri = file.src_uri
        if uri.startswith(FOLDER) and uri.endswith(".js") and file.abs_src_path:
            text = served(Path(file.abs_src_path).read_text(encoding="utf-8"))
            files.remove(file)
            files.append(File.generated(config, uri, content=text))

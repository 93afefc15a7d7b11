"""Style sheets and scripts of ours, joined: a reader asks for one file of each.

They are written in many files, one for each matter, and listed in mkdocs.yml. The
site serves one under a name with the hash of what it holds, so that a browser may
keep it for ever and never shows a page with the styles of another edition.
"""

from __future__ import annotations

import hashlib
import posixpath
from collections.abc import Sequence
from pathlib import Path


def join(paths: Sequence[Path], suffix: str) -> tuple[str, str]:
    """(name, text) of files one after the other, each under a line with its name.

    suffix  `.css` or `.js`, of the name `lookback.<hash><suffix>`
    Raises ValueError for a file that imports another: that would come too late.
    """
    parts = []
    for path in paths:
        text = path.read_text(encoding="utf-8").strip()
        if suffix == ".css" and ("@import" in text or "@charset" in text):
            raise ValueError(
                f"{path.name} holds @import or @charset, which count only at the top "
                "of a style sheet: name the file in mkdocs.yml instead"
            )
        parts.append(f"/* {path.name} */\n{text}\n")
    whole = "\n".join(parts)
    digest = hashlib.sha256(whole.encode()).hexdigest()[:10]
    return f"lookback.{digest}{suffix}", whole


def folder_of(uris: Sequence[str]) -> str:
    """The one folder of files to be joined, so that what they name is found from it.

    Raises ValueError where they stand in several.
    """
    folders = sorted({posixpath.dirname(uri) for uri in uris})
    if len(folders) != 1:
        raise ValueError(
            f"files to be joined stand in {', '.join(folders)}: expected one folder, "
            "since addresses inside them are read from where they stand"
        )
    return folders[0]

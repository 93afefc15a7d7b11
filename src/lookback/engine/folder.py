"""Write a woven book as a folder that any builder with Python-Markdown renders.

The folder holds `mkdocs.yml`, the pages and the files beside them under `docs/`, the
templates under `overrides/`, and `raw_html.py`, the one extension that pages need:
the builder must find it, `PYTHONPATH=FOLDER mkdocs build -f FOLDER/mkdocs.yml`.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping
from pathlib import Path, PurePosixPath
from typing import Any

import yaml
from yaml_env_tag import add_env_tag

from . import backmatter, raw_html
from .book import CACHE, Book
from .errors import PageError, read_text
from .opened import PACKAGE
from .weave import Site, Weaver, read_nav

EXTENSION = Path(raw_html.__file__)


def read_settings(path: Path) -> dict[str, Any]:
    """Read mkdocs.yml with its `!ENV` values. Raises PageError where it is no YAML."""
    loader = type("Loader", (yaml.SafeLoader,), {})
    add_env_tag(loader)
    try:
        found = yaml.load(read_text(path, path.name), loader)
    except yaml.YAMLError as error:
        mark = getattr(error, "problem_mark", None)
        raise PageError(path.name, mark.line + 1 if mark else 1, str(error)) from None
    if not isinstance(found, dict):
        raise PageError(path.name, 1, "expected `key: value` lines")
    return found


def weave(
    root: Path, folder: Path, *, from_source: bool = False, say: Callable[[str], None]
) -> int:
    """Run a project's book and write it; return how many files have changed.

    from_source  write links in raw HTML relative to the page's source, for builders
                 that rewrite them, as Zensical does
    Raises PageError, or ValueError where there is no book, or a folder of another one.
    """
    settings = root / "mkdocs.yml"
    if not settings.is_file():
        raise ValueError(f"{root} holds no mkdocs.yml: name the folder of a book")
    ours = not folder.is_dir() or (folder / EXTENSION.name).is_file()
    if not ours and any(folder.iterdir()):
        raise ValueError(f"{folder} holds other files: name a new or an empty folder")
    config, docs = read_settings(settings), root / "docs"
    static, uris = list[str](), list[str]()
    for path in sorted(docs.rglob("*"), key=lambda path: (len(path.parts), path)):
        uri = path.relative_to(docs).as_posix()
        if not path.is_file() or "__pycache__" in path.parts:
            continue
        if path.suffix == ".md" or path.match("labs/*.py"):
            uris.append(uri)
        elif path.suffix != ".py":  # programs that make what is there
            static.append(uri)
    book = Book(root, docs, PACKAGE, root / CACHE)
    book.read(uris)
    book.run(say=say)
    order, parts = read_nav(config.get("nav") or uris)
    repository = str(config.get("repo_url") or "").removesuffix(".git")
    weaver = Weaver()
    weaver.set_book(
        book,
        Site(
            order,
            parts,
            config.get("extra", {}).get("paths", {}),
            str(config.get("site_url") or ""),
            repository,
            repository and backmatter.blob(root, repository),
            from_source=from_source,
        ),
    )
    files: dict[str, str | Path] = {
        f"docs/{_markdown(uri)}": _links(weaver.page(uri), uris)
        for uri in [*book.pages, *weaver.listings]
    }
    files |= {f"docs/{uri}": path for uri, path in weaver.files().items()}
    for chapter in weaver.chapters:
        made = weaver.beside(chapter)
        files |= {f"docs/{uri}": text for uri, text in made.items()}
    files |= {f"docs/{uri}": docs / uri for uri in static}
    files |= {EXTENSION.name: EXTENSION}
    files["mkdocs.yml"] = _settings(config, backmatter.commit_of(root))
    if custom := config["theme"].get("custom_dir"):
        templates = [path for path in (root / custom).rglob("*") if path.is_file()]
        files |= {f"overrides/{p.relative_to(root / custom)}": p for p in templates}
    return _write(folder, files)


def _markdown(uri: str) -> str:
    """Name the woven page: that of a lab is Markdown, too."""
    return str(PurePosixPath(uri).with_suffix(".md"))


def _links(text: str, uris: list[str]) -> str:
    """Point links to labs at their woven pages."""
    labs = "|".join(PurePosixPath(uri).stem for uri in uris if uri.endswith(".py"))
    return re.sub(rf"(\]\([^)\s]*\b(?:{labs}))\.py\b", r"\1.md", text) if labs else text


def _settings(config: Mapping[str, Any], commit: str) -> str:
    """Write the settings of a builder that needs no plugin but its search."""

    def woven(nav: Any) -> Any:
        if isinstance(nav, str):
            return _markdown(nav)
        if isinstance(nav, list):
            return [woven(one) for one in nav]
        return {title: woven(inside) for title, inside in nav.items()}

    kept = {k: v for k, v in config.items() if k not in ("docs_dir", "exclude_docs")}
    kept["theme"] = {**config["theme"], "custom_dir": "overrides"}
    kept["plugins"] = [
        plugin
        for plugin in config.get("plugins", [])
        if plugin == "search" or (isinstance(plugin, dict) and "search" in plugin)
    ]
    kept["markdown_extensions"] = [EXTENSION.stem, *config["markdown_extensions"]]
    kept["extra"] = {**config.get("extra", {}), "commit": commit}
    kept["not_in_nav"] = "/source/\n"
    if "nav" in config:
        kept["nav"] = woven(config["nav"])
    text: str = yaml.safe_dump(kept, allow_unicode=True, sort_keys=False)
    return text


def _write(folder: Path, files: Mapping[str, str | Path]) -> int:
    """Write what has changed: a builder that watches renders no more than that."""
    changed = 0
    for name, content in files.items():
        path = folder / name
        data = content.read_bytes() if isinstance(content, Path) else content.encode()
        if path.is_file() and path.read_bytes() == data:
            continue
        path.parent.mkdir(parents=True, exist_ok=True)
        try:
            path.write_bytes(data)
        except OSError as error:
            error.filename = str(path)  # a full disk names no file
            raise
        changed += 1
    for path in folder.rglob("*"):
        if path.is_file() and path.relative_to(folder).as_posix() not in files:
            path.unlink()
            changed += 1
    return changed

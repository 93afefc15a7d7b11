"""What the engine needs to know of the site around a page: where everything is."""

from __future__ import annotations

import posixpath

from mkdocs.structure.files import File, Files
from mkdocs.utils import get_relative_url

from .book import Book
from .labels import Labels, diagram_target, labels
from .listings import uri_of
from .render import Setting
from .source import Source, find_source


def setting_of(file: File, book: Book, files: Files) -> Setting:
    """The addresses that the page of this file may ask for, seen from the page."""

    def source_url(source: Source) -> str:
        listing = files.get_file_from_path(uri_of(source.module))
        url = get_relative_url(listing.url, file.url) if listing else ""
        return f"{url}#L{source.first}" if url else ""

    def numbered(uri: str) -> tuple[Labels, str]:
        place = posixpath.normpath(posixpath.join(file.src_uri, "..", uri))
        other = files.get_file_from_path(place)
        if other is None or place not in book.pages:
            return Labels(), ""  # MkDocs says that there is no such page
        found = labels(book.pages[place])
        return found, get_relative_url(other.url, file.url)

    def link(target: str) -> str:
        kind, _, reference = target.partition(":")
        if kind == "source":
            return source_url(find_source(reference, book.package))
        uri, anchor = diagram_target(target, book.pages)
        there = files.get_file_from_path(uri)
        assert there is not None
        url = get_relative_url(there.url, file.url) if uri != file.src_uri else ""
        return f"{url}#{anchor}" if anchor else url

    up = "../" * file.src_uri.count("/")
    return Setting(
        package=book.package,
        bibliography=book.bibliography,
        bibliography_url=f"{up}bibliography.md",
        source_url=source_url,
        numbered=numbered,
        link=link,
    )

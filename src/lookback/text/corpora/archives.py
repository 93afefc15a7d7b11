"""Text out of what a data file holds: zip archives and gzipped lines."""

import gzip
import io
import zipfile
import zlib

from lookback.text.corpora.files import Content, DataError


def members(content: Content) -> dict[str, str]:
    """The plain files of a zip archive: name without folders → text."""
    try:
        with zipfile.ZipFile(io.BytesIO(content.data)) as archive:
            return {
                info.filename.rpartition("/")[2]: text(content, archive.read(info))
                for info in archive.infolist()
                if not info.is_dir() and not info.filename.startswith("__MACOSX/")
            }
    except (zipfile.BadZipFile, zlib.error, EOFError) as error:
        raise DataError(
            f"{content.path} is not used: no whole zip ({error})"
        ) from error


def member(content: Content, name: str) -> str:
    """One file of a zip archive as text."""
    found = members(content)
    if name not in found:
        raise DataError(
            f"{content.path} is not used: it holds no {name}, only {sorted(found)}"
        )
    return found[name]


def lines(content: Content) -> list[str]:
    """The lines of a gzipped text."""
    try:
        data = gzip.decompress(content.data)
    except (gzip.BadGzipFile, zlib.error, EOFError) as error:
        raise DataError(
            f"{content.path} is not used: no whole gzip ({error})"
        ) from error
    return rows(text(content, data))


def rows(plain: str) -> list[str]:
    """Its lines. Python's splitlines would also cut at marks inside of sentences."""
    return plain.removesuffix("\n").split("\n")


def text(content: Content, data: bytes) -> str:
    """What the bytes are in UTF-8, without the mark (BOM) that may begin it."""
    try:
        return data.decode("utf-8-sig")
    except UnicodeDecodeError as error:
        raise DataError(
            f"{content.path} is not used: its text is not UTF-8 ({error}): "
            "save it in that encoding"
        ) from error

"""Download a file: with a bar, resumable, and put in place only when it is right."""

import hashlib
import http.client
import urllib.error
import urllib.request
from collections.abc import Iterator, Mapping
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import Any

from lookback.text.corpora.files import DataError, DataFile, unknown

CHUNK = 1 << 16
PATIENCE = 30.0  # seconds without a byte
# Some hosts turn away the name under which urllib presents itself.
AGENT = "Mozilla/5.0 (compatible; lookback-attention)"


def fetch(file: DataFile, target: Path, accepted: Mapping[str, str]) -> Path:
    """Download `file` to `target`, and return it; `DataError` where that fails.

    What has come so far lies in `target`.part, and the next call goes on from there.
    A whole file that is not what was `accepted` ends as `target`.refused, unused.
    """
    part = target.with_name(target.name + ".part")
    target.parent.mkdir(parents=True, exist_ok=True)
    try:
        whole = receive(file, part)
    except urllib.error.HTTPError as error:
        error.close()
        raise failed(file, f"the server answers {error.code} {error.reason}") from error
    except (OSError, http.client.HTTPException) as error:
        raise failed(file, str(getattr(error, "reason", error) or error)) from error
    if not whole:
        raise failed(file, "the connection ended too soon. Call again to go on from "
                     f"the {part.stat().st_size:,} bytes in {part}")  # fmt: skip
    tag_of(part).unlink(missing_ok=True)
    with part.open("rb") as content:
        found = hashlib.file_digest(content, "sha256").hexdigest()
    if found not in accepted:
        refused = part.replace(target.with_name(target.name + ".refused"))
        raise DataError(unknown(file, refused, found))
    return part.replace(target)


def failed(file: DataFile, why: str) -> DataError:
    return DataError(f"{file.name} could not be downloaded: {why}. {file.options()}")


def receive(file: DataFile, part: Path) -> bool:
    """Add to `part` what it lacks; whether all has come."""
    have = part.stat().st_size if part.exists() else 0
    try:
        answer = urllib.request.urlopen(request(file.url, part, have), timeout=PATIENCE)
    except urllib.error.HTTPError as error:
        if error.code != 416 or not have:  # nothing lies behind what we have
            raise
        error.close()
        part.unlink()
        return receive(file, part)
    with answer:
        resumed = answer.status == 206 and starts_at(answer) == have
        if answer.status == 206 and not resumed:
            raise OSError(f"asked for byte {have} on, the server sent others")
        have *= resumed
        remember(answer, part)
        length = answer.headers.get("Content-Length")
        total = have + int(length) if length else None
        mode = "ab" if resumed else "wb"
        with (
            progress(file.name, have, total) as bar,
            part.open(mode) as out,
            suppress(http.client.IncompleteRead),  # the length below tells
        ):
            while chunk := answer.read(CHUNK):
                out.write(chunk)
                bar.update(len(chunk))
    return total is None or part.stat().st_size == total


def request(url: str, part: Path, have: int) -> urllib.request.Request:
    """Ask for the whole, or for the rest if that is still the rest of the same file."""
    headers = {"User-Agent": AGENT, "Accept-Encoding": "identity"}
    if have:
        headers["Range"] = f"bytes={have}-"
        if tag_of(part).exists() and (tag := tag_of(part).read_text("utf-8")):
            headers["If-Range"] = tag
    return urllib.request.Request(url, headers=headers)


def starts_at(answer: http.client.HTTPResponse) -> int | None:
    words = (answer.headers.get("Content-Range") or "").removeprefix("bytes ")
    first = words.partition("-")[0]
    return int(first) if first.isdigit() else None


def tag_of(part: Path) -> Path:
    """Where the server's name for this very version of the file is kept."""
    return part.with_name(part.name + ".tag")


def remember(answer: http.client.HTTPResponse, part: Path) -> None:
    tag = answer.headers.get("ETag") or "W/"
    if tag.startswith("W/"):  # weak: the same meaning, perhaps not the same bytes
        tag = answer.headers.get("Last-Modified") or ""
    tag_of(part).write_text(tag, encoding="utf-8")


@contextmanager
def progress(name: str, have: int, total: int | None) -> Iterator[Any]:
    """A bar in bytes, from where the download goes on."""
    try:
        from tqdm import tqdm
    except ModuleNotFoundError as error:
        raise ModuleNotFoundError(
            "a download needs tqdm, which is not installed: "
            "pip install 'lookback-attention[data]'",
            name=error.name,
        ) from error
    with tqdm(
        desc=name, initial=have, total=total, unit="B", unit_scale=True, leave=False
    ) as bar:
        yield bar

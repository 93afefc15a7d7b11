"""Files of real data: where a copy may be, its checksum, and how it is downloaded."""

import hashlib
import os
from collections.abc import Mapping
from dataclasses import dataclass
from importlib import import_module
from pathlib import Path

VARIABLE = "LOOKBACK_DATA"
PATIENCE = 30.0  # seconds without a byte
HEADERS = {
    # Some hosts refuse the name under which a Python library presents itself.
    "User-Agent": "Mozilla/5.0 (compatible; lookback-attention)",
    "Accept-Encoding": "identity",  # a .gz is wanted as it is, not unpacked on the way
}


class DataError(ValueError):
    """Real data is missing, incomplete or altered. The message says what to do.

    command  the same message with what to do at the command line
    """

    def __init__(self, message: str, command: str | None = None) -> None:
        super().__init__(message)
        self.command = message if command is None else command


@dataclass(frozen=True)
class DataFile:
    """One file that can be downloaded.

    name      what it is called on disk
    corpus    the function that reads it
    url       where it comes from
    editions  its known contents: SHA-256 → what that edition is; the URL has the first
    aliases   other names that a copy may have
    """

    name: str
    corpus: str
    url: str
    editions: Mapping[str, str]
    aliases: tuple[str, ...] = ()

    def missing(self, why: str) -> DataError:
        """What says why it is not here, and how to get it."""
        start = f"{self.name} {why}. It comes from {self.url}:"
        copy = f"or set {VARIABLE} to the folder of a copy"
        return DataError(
            f"{start} pass download=True to fetch it, or path= to name a copy, {copy}",
            f"{start} `lookback corpus {self.corpus} --download` fetches it, {copy}",
        )


@dataclass(frozen=True)
class Content:
    """The bytes of a file, read once: what was checked is what is used."""

    path: Path
    data: bytes
    edition: str


def read(
    file: DataFile,
    corpus: str,
    path: str | Path | None = None,
    *,
    download: bool = False,
    sha256: str | None = None,
) -> Content:
    """The content of `file`, checked; `DataError` where there is none to trust.

    corpus    the folder it has in the cache, and may have in that of LOOKBACK_DATA
    path      the copy, or its folder; without it LOOKBACK_DATA, then the cache
    download  fetch it into the cache where no copy is
    sha256    the hash of another edition that the caller trusts
    """
    accepted = dict(file.editions)
    if sha256 is not None:
        accepted[checked_hash(sha256)] = "an edition named by its hash"
    copy = find(file, corpus, path)
    if copy is None and download and path is None:
        known = next(iter(file.editions)) if sha256 is None else checked_hash(sha256)
        copy = fetch(file, cache_folder() / corpus, known)
    if copy is None:
        where = f"in {path}" if path is not None else "on this machine"
        raise file.missing(f"is not {where}")
    return verify(file, copy, accepted)


def find(file: DataFile, corpus: str, path: str | Path | None) -> Path | None:
    """The first copy there is: in `path`, or in the default folders in their order."""
    if path is not None and Path(path).is_file():
        return Path(path)
    folders = [Path(path)] if path is not None else default_folders()
    for folder in folders:
        for name in (file.name, *file.aliases):
            for candidate in (folder / corpus / name, folder / name):
                if candidate.is_file():
                    return candidate
    return None


def default_folders() -> list[Path]:
    """That of LOOKBACK_DATA, where it is set, and the cache where one can be."""
    named = os.environ.get(VARIABLE)
    folders = [Path(named).expanduser()] if named else []
    if named and not folders[0].is_dir():
        raise DataError(f"{VARIABLE} must name a folder, got {named!r}")
    try:
        return [*folders, cache_folder()]
    except ModuleNotFoundError:  # nothing was ever downloaded
        return folders


def cache_folder() -> Path:
    """Where downloads are stored: in the user's cache folder of this system."""
    try:
        from platformdirs import user_cache_path
    except ModuleNotFoundError as error:
        raise ModuleNotFoundError(
            "a download needs platformdirs, which is not installed: "
            "pip install 'lookback-attention[data]'",
            name=error.name,
        ) from error
    return user_cache_path("lookback") / "corpora"


def fetch(file: DataFile, folder: Path, sha256: str) -> Path:
    """Download `file` into `folder`, where its SHA-256 is that; else `DataError`."""
    try:
        pooch, _ = map(import_module, ("pooch", "tqdm"))  # which draws pooch's bar
    except ModuleNotFoundError as error:
        raise ModuleNotFoundError(
            f"a download needs {error.name}, which is not installed: "
            "pip install 'lookback-attention[data]'",
            name=error.name,
        ) from error
    pooch.get_logger().setLevel("WARNING")  # the bar says what it does
    downloader = pooch.HTTPDownloader(
        progressbar=True, timeout=PATIENCE, headers=HEADERS
    )
    try:
        pooch.retrieve(
            file.url, f"sha256:{sha256}", file.name, folder, downloader=downloader
        )
    except OSError as error:
        raise file.missing(f"could not be downloaded: {error}") from error
    except ValueError as error:  # another hash: pooch names both, and keeps nothing
        raise file.missing(
            f"is at its source another edition than Lookback knows ({error}). "
            "If you trust that one, pass its hash as sha256= where the loader takes it"
        ) from error
    return folder / file.name


def verify(file: DataFile, path: Path, accepted: Mapping[str, str]) -> Content:
    """Read `path` and compare its SHA-256 with those that are accepted."""
    data = path.read_bytes()
    digest = hashlib.sha256(data).hexdigest()
    if digest not in accepted:
        raise unknown(file, path, digest)
    return Content(path, data, f"{accepted[digest]}, SHA-256 {digest[:12]}…")


def unknown(file: DataFile, path: Path, digest: str) -> DataError:
    """What a file is refused with whose SHA-256 is not known."""
    known = "; ".join(f"{h} ({what})" for h, what in file.editions.items())
    start = (
        f"{path} is not used: it is incomplete, altered or an edition that Lookback "
        f"does not know. Its SHA-256 is {digest}, known is {known}. Delete it and "
        f"fetch it again from {file.url}"
    )
    trust = "or, if you trust it as it is,"
    return DataError(
        f"{start} (download=True), {trust} pass sha256={digest!r} where the loader "
        "takes that",
        f"{start} (`lookback corpus {file.corpus} --download`), {trust} read it by "
        f"`lookback corpus {file.corpus} --set path={path} sha256={digest}` where the "
        "corpus takes that",
    )


def checked_hash(sha256: str) -> str:
    digits = sha256.lower() if isinstance(sha256, str) else ""
    if len(digits) != 64 or set(digits) - set("0123456789abcdef"):
        raise ValueError(f"sha256 must be 64 hexadecimal digits, got {sha256!r}")
    return digits

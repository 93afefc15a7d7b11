"""Tatoeba: short sentences that volunteers wrote and translated."""

import hashlib
from pathlib import Path

from lookback.text.corpora.archives import member, rows
from lookback.text.corpora.files import Content, DataError, DataFile, read
from lookback.text.corpus import SPLITS, Pair, PairCorpus
from lookback.text.tokens import tokenize, tokenize_french

FILE = DataFile(
    name="fra-eng.zip",
    corpus="tatoeba",
    url="https://www.manythings.org/anki/fra-eng.zip",
    editions={
        "161c93f18da3a7e6df611ed961426613260de8af06ccf8c79c977afe5135ac44": (
            "the list of 2019-04-07, packed anew in 2023"
        ),
        "16c4f7d0df9e7c5e6c54cdb0447f3f4a18a55052ff5e2e0b27dd4a06c0e49d04": (
            "the list of 2017-09-29"
        ),
    },
    aliases=("tatoeba-fra-eng.zip",),
)
Words = tuple[str, ...]
HELD_OUT = 2  # percent of the English sentences, for validation and for test each


def tatoeba(
    path: str | Path | None = None,
    *,
    download: bool = False,
    sha256: str | None = None,
) -> PairCorpus:
    """English sentences of the Tatoeba project with their French translations.

    path      fra-eng.zip or its folder; without it LOOKBACK_DATA, then the cache
    download  fetch it where there is no copy
    sha256    the hash of an edition that Lookback does not know, but you trust
    →  a `PairCorpus` without links. All translations of an English sentence are in
       one split, which the hash of its words decides: 2 % test, 2 % validation

    The list at its source grows from month to month, and its hash with it. A download
    of today is therefore refused at first, and the error names its hash: pass that as
    `sha256`, with `download=True`, to use it. `version` says which edition was read.

    Licence: Creative Commons Attribution 2.0 France. Attribution: tatoeba.org and its
    contributors, as selected by www.manythings.org/anki. Raises `DataError` where there
    is no copy, or one that is incomplete or altered.
    """
    content = read(FILE, "tatoeba", path, download=download, sha256=sha256)
    splits: dict[str, list[Pair]] = {name: [] for name in SPLITS}
    for pair in pairs(content):
        splits[split_of(pair.source)].append(pair)
    train, validation, test = (tuple(splits[name]) for name in SPLITS)
    return PairCorpus("tatoeba", content.edition, train, validation, test)


def pairs(content: Content) -> list[Pair]:
    """Each pair of sentences once, in the order of the list."""
    return [Pair(*both) for both in published(content)]


def published(content: Content) -> dict[tuple[Words, Words], tuple[str, str]]:
    """Each pair of sentences, in words → the first in the list with these words."""
    found: dict[tuple[Words, Words], tuple[str, str]] = {}
    for number, line in enumerate(rows(member(content, "fra.txt")), 1):
        english, tab, rest = line.partition("\t")
        french = rest.partition("\t")[0]  # later lists add whose sentences they are
        both = tokenize(english), tokenize_french(french)
        if not tab or not all(both):
            raise DataError(
                f"{content.path} is not used: line {number} of fra.txt is no pair of "
                f"sentences: {line!r}"
            )
        found.setdefault(both, (english, french))
    return found


def split_of(source: Words) -> str:
    """The words of the English sentence alone decide."""
    digest = hashlib.sha256(" ".join(source).encode()).hexdigest()
    percent = int(digest, 16) % 100
    if percent < HELD_OUT:
        return "test"
    return "validation" if percent < 2 * HELD_OUT else "train"

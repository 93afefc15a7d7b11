"""Universal Dependencies English EWT: sentences of the web, tagged by people."""

from collections.abc import Iterator
from pathlib import Path

from lookback.text.corpora.archives import lines, rows, text
from lookback.text.corpora.files import Content, DataError, DataFile, read
from lookback.text.corpus import SPLITS, Tagged, TaggedCorpus

RELEASE = "2.16"
COMMIT = "4c89b5833a70aa5ed3a00bad2f23f57992cc7df8"  # that of this release
URL = (
    f"https://raw.githubusercontent.com/UniversalDependencies/UD_English-EWT/{COMMIT}/"
)
EDITIONS = (f"release {RELEASE}", f"release {RELEASE}, packed")

# SHA-256 of each file: as the repository holds it, and of a gzipped copy.
HASHES = {
    "train": (
        "3fb78e2b55482c8ee00caa653af436c88c9e5bc9a73ce26e4ae3ddc79d2b7e7b",
        "bd47e08c9e18ec12d319e84df2ccdb272ff6de1d0dba5761117d3caf8b358f7b",
    ),
    "dev": (
        "531a54ff90d6ab12201c5a50c3e78e6ddac4de69abc4bce5d275d3cd29efe2b6",
        "41086e3afc9ae572f899c9123f874d6d04a52e374a3d2ac7a6667ce48e3bf3e3",
    ),
    "test": (
        "e266e515a0a7547657ed3d90d9ba46487d6bd251f27ad4269d4e8a427c8555cd",
        "29c151eee8846d3f3ef7806c126ecac9932af2317c008c6d6b076c5e14950dbe",
    ),
}
FILES = {
    part: DataFile(
        name=f"en_ewt-ud-{part}.conllu",
        corpus="english_ewt",
        url=f"{URL}en_ewt-ud-{part}.conllu",
        editions=dict(zip(hashes, EDITIONS, strict=True)),
        aliases=(f"en_ewt-ud-{part}.conllu.gz",),
    )
    for part, hashes in HASHES.items()
}

UPOS = (
    *("ADJ", "ADP", "ADV", "AUX", "CCONJ", "DET", "INTJ", "NOUN", "NUM", "PART"),
    *("PRON", "PROPN", "PUNCT", "SCONJ", "SYM", "VERB", "X"),
)
"""The parts of speech of Universal Dependencies."""
COLUMNS = 10  # of CoNLL-U: ID, FORM, LEMMA, UPOS, …


def english_ewt(
    path: str | Path | None = None, *, download: bool = False
) -> TaggedCorpus:
    """English of weblogs, newsgroups, e-mails, reviews and answers, with its tags.

    path      the folder of en_ewt-ud-train.conllu and its like, each of them also as
              .gz; without it LOOKBACK_DATA or its folder ud-english-ewt, then the cache
    download  fetch what is missing
    →  a `TaggedCorpus` in its standard splits: 12 544 sentences of train, 2 001 of
       validation, 2 077 of test. The tags are the 17 of UPOS. They are left as
       published, although 94 sentences of test also stand in train, most of them short

    A contraction is the words that it stands for: *don't* is *do* and *n't*. What was
    left out and only added by an annotator is no word here.

    Silveira et al. 2014, https://github.com/UniversalDependencies/UD_English-EWT,
    release 2.16. Licence: Creative Commons Attribution-ShareAlike 4.0, annotations of
    Stanford University; the texts belong to their authors. Raises `DataError` where a
    file is missing, incomplete or altered.
    """
    contents = [
        read(file, "ud-english-ewt", path, download=download) for file in FILES.values()
    ]
    parts = (tuple(sentences(content)) for content in contents)
    return TaggedCorpus(
        "english_ewt", f"release {RELEASE}", **dict(zip(SPLITS, parts, strict=True))
    )


def sentences(content: Content) -> Iterator[Tagged]:
    """The sentences of a file in the format CoNLL-U, an empty line after each."""
    packed = content.data.startswith(b"\x1f\x8b")  # as every gzip does
    words, tags = list[str](), list[str]()
    found = lines(content) if packed else rows(text(content, content.data))
    for number, line in enumerate([*found, ""], 1):
        if not line and words:
            yield Tagged(tuple(words), tuple(tags))
            words, tags = [], []
        elif line and not line.startswith("#"):
            position, word, tag = columns(content, number, line)
            if not position.isdecimal():  # 8-9, a contraction; 8.1, an added word
                continue
            if int(position) != len(words) + 1:
                raise broken(content, number, f"word {len(words) + 1} expected", line)
            words.append(word)
            tags.append(tag)


def columns(content: Content, number: int, line: str) -> tuple[str, str, str]:
    """ID, FORM and UPOS of a line; `DataError` where it has none that are sound."""
    cells = line.split("\t")
    if len(cells) != COLUMNS:
        raise broken(content, number, f"{len(cells)} columns of {COLUMNS}", line)
    position, word, _, tag = cells[:4]
    if not position.replace("-", "", 1).replace(".", "", 1).isdecimal() or not word:
        raise broken(content, number, "no number or no word", line)
    if position.isdecimal() and tag not in UPOS:
        raise broken(content, number, f"no tag of UPOS: {tag!r}", line)
    return position, word, tag


def broken(content: Content, number: int, why: str, line: str) -> DataError:
    return DataError(f"{content.path} is not used: line {number}, {why}: {line!r}")

"""WikiText-2: good and featured articles of Wikipedia, rare words taken out."""

import csv
import hashlib
import io
import re
from collections.abc import Iterator
from pathlib import Path

from lookback.text.corpora.archives import members
from lookback.text.corpora.files import Content, DataError, DataFile, read
from lookback.text.corpus import (
    SPLITS,
    UNK,
    Corpus,
    Sentence,
    check_min_count,
    known_words,
)

FILE = DataFile(
    name="wikitext-2-v1.zip",
    corpus="wikitext2",
    url="https://wikitext.smerity.com/wikitext-2-v1.zip",
    editions={
        # Several public projects state this hash for the zip of the authors, whose own
        # server is gone. Lookback's authors have seen the texts in it, not the zip.
        "92675f1d63015c1c8b51f1656a52d5bdbc33aafa60cc47a218a66e7ee817488c": (
            "the original"
        ),
        "937b913ccf3677cab77e5c7678f59ca44cfdfea9665e3fd3a59ed6b3a8dbbd30": (
            "rows of two tables, packed in 2025"
        ),
    },
)
PARTS = {
    "train": "wiki.train.tokens",
    "validation": "wiki.valid.tokens",
    "test": "wiki.test.tokens",
}
TITLE = re.compile(r" = ([^=]+|[^=].*[^= ]) = ?")

Articles = dict[str, list[Sentence]]  # title → paragraphs


def wikitext2(
    path: str | Path | None = None,
    *,
    min_count: int = 1,
    download: bool = False,
    sha256: str | None = None,
) -> Corpus:
    """Paragraphs and headings of Wikipedia, one a sentence.   Merity et al. 2016.

    path       wikitext-2-v1.zip or its folder; without it LOOKBACK_DATA, then the
               cache
    min_count  how often a known word occurs in train, at least; the rest is <unk>.
               In the file itself, words that occur less than three times are <unk>
    download   fetch it where there is no copy
    sha256     the hash of an edition that Lookback does not know, but you trust
    →  a `Corpus` in its standard splits; its topics are articles. Headings that many
       articles share are in several splits, and empty lines in none

    Another edition is in use, the rows of two tables: its train is the standard one
    with the articles in another order, its "test" is the standard *validation*, the
    standard test is missing. Of that edition the articles of the second table are
    shared out between validation and test by the hash of their titles; `version` says
    so. Perplexities on it do not compare with published ones. Nor, quite, do those on
    the original: papers also count the ends of empty lines.

    Licence: Creative Commons Attribution-ShareAlike 3.0, text of Wikipedia's authors.
    Raises `DataError` where there is no copy, or one that is incomplete or altered.
    """
    check_min_count(min_count)
    content = read(FILE, "wikitext2", path, download=download, sha256=sha256)
    splits, shared = articles_of(content)
    known = known_words(
        (s for page in splits["train"].values() for s in page), min_count
    )
    words = frozenset(known)
    sentences = {
        split: tuple(
            tuple(w if w in words else UNK for w in sentence)
            for page in splits[split].values()
            for sentence in page
        )
        for split in SPLITS
    }
    return Corpus(
        "wikitext2",
        content.edition + shared,
        min_count,
        **sentences,
        vocabulary=known,
        topics={split: tuple(splits[split]) for split in SPLITS},
    )


def articles_of(content: Content) -> tuple[dict[str, Articles], str]:
    """The articles of each split, and what to say of how they were split."""
    files = members(content)
    if files.keys() >= set(PARTS.values()):
        return {s: articles(files[name]) for s, name in PARTS.items()}, ""
    if not files.keys() >= {PARTS["train"], PARTS["test"]}:
        raise DataError(
            f"{content.path} is not used: it holds {sorted(files)}, "
            f"expected {sorted(PARTS.values())}"
        )
    splits: dict[str, Articles] = {"validation": {}, "test": {}}
    for title, page in articles(rows(files[PARTS["test"]])).items():
        splits[half(title)][title] = page
    splits["train"] = articles(rows(files[PARTS["train"]]))
    return splits, "; validation and test are halves of the standard validation"


def rows(table: str) -> str:
    """The text of a table of one column, its quotation marks undone."""
    limit = csv.field_size_limit(len(table) + 1)  # an article may be long
    try:
        lines = csv.reader(io.StringIO(table, newline=""))
        return "".join(row[0] for row in lines if row)
    finally:
        csv.field_size_limit(limit)


def articles(text: str) -> Articles:
    """Cut a text at its titles, which are written between single equals signs."""
    found: Articles = {}
    for title, paragraph in titled(text):
        found.setdefault(title, []).append(tuple(paragraph.split()))
    return found


def titled(text: str) -> Iterator[tuple[str, str]]:
    title = ""
    for line in text.split("\n"):
        match = TITLE.fullmatch(line)
        title = match[1] if match else title
        if line.strip():
            yield title, line


def half(title: str) -> str:
    odd = int(hashlib.sha256(title.encode()).hexdigest(), 16) % 2
    return "test" if odd else "validation"

"""WikiText-2: good and featured articles of Wikipedia, rare words taken out."""

import csv
import hashlib
import io
import re
from pathlib import Path
from typing import NamedTuple

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


class Article(NamedTuple):
    """Its title, and its paragraphs and headings, the title's line being the first."""

    title: str
    sentences: list[Sentence]


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
    →  a `Corpus` in its standard splits, in the order of the file; its topics are the
       titles of its articles, 600 in train, of which some are equal. Headings that
       many articles share are in several splits, and empty lines in none

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
        (s for page in splits["train"] for s in page.sentences), min_count
    )
    words = frozenset(known)
    sentences = {
        split: tuple(
            tuple(w if w in words else UNK for w in sentence)
            for page in splits[split]
            for sentence in page.sentences
        )
        for split in SPLITS
    }
    return Corpus(
        "wikitext2",
        content.edition + shared,
        min_count,
        **sentences,
        vocabulary=known,
        topics={s: tuple(page.title for page in splits[s]) for s in SPLITS},
    )


def articles_of(content: Content) -> tuple[dict[str, list[Article]], str]:
    """The articles of each split, and what to say of how they were split."""
    files = members(content)
    if files.keys() >= set(PARTS.values()):
        return {s: articles(files[name]) for s, name in PARTS.items()}, ""
    if not files.keys() >= {PARTS["train"], PARTS["test"]}:
        raise DataError(
            f"{content.path} is not used: it holds {sorted(files)}, "
            f"expected {sorted(PARTS.values())}"
        )
    splits: dict[str, list[Article]] = {"validation": [], "test": []}
    for article in articles(rows(files[PARTS["test"]])):
        splits[half(article.title)].append(article)
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


def articles(text: str) -> list[Article]:
    """Cut a text at its titles: single equals signs around, empty lines on both sides.

    A legend, " = Played , W = ", has text before or after it.
    """
    found = list[Article]()
    lines = [line if line.strip() else "" for line in ("", *text.split("\n"), "")]
    for before, line, after in zip(lines, lines[1:], lines[2:], strict=False):
        title = TITLE.fullmatch(line)
        if title and not before and not after:
            found.append(Article(title[1], []))
        elif line and not found:
            found.append(Article("", []))
        if line:
            found[-1].sentences.append(tuple(line.split()))
    return found


def half(title: str) -> str:
    odd = int(hashlib.sha256(title.encode()).hexdigest(), 16) % 2
    return "test" if odd else "validation"

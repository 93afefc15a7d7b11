"""A study of ways to cut text into symbols: how many, and how many test has alone.

Sennrich, Haddow and Birch 2016, table 1, on captions that people wrote: what is counted
in train, and which symbols of test train has never shown.
"""

from collections import Counter
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import cache

from lookback.bpe import BPE
from lookback.workshop import Data, Row, Study, case, corpus, each, pairs

GRAMS = {"characters": 1, "character bigrams": 2, "character trigrams": 3}
LISTED = (1000, 2000, 4000, 8000, 16000)
"""How many words a list may hold, and into how many symbols words may be merged."""

Cutter = Callable[[str], list[str]]


@dataclass(frozen=True)
class Cut:
    """How which side of which pairs is cut.

    side  "source" or "target"
    kind  "words", "BPE", "joint BPE", which learns from both sides, or one of GRAMS
    size  of the vocabulary, for BPE alone
    """

    data: Data
    side: str
    kind: str
    size: int = 0


def sentences(data: Data, side: str, split: str) -> list[str]:
    """One side of a split, its words with spaces between them."""
    return [" ".join(getattr(pair, side)) for pair in pairs(corpus(data), split)]


def in_words(sentence: str) -> list[str]:
    return sentence.split()


def in_grams(sentence: str, n: int) -> list[str]:
    """Each word in pieces of n characters, from its front; · marks the last of them."""
    cut = [[w[i : i + n] for i in range(0, len(w), n)] for w in sentence.split()]
    return [piece for *front, last in cut for piece in (*front, last + "·")]


@cache
def learned(data: Data, sides: tuple[str, ...]) -> BPE:
    """With room for the largest vocabulary: smaller ones are its first symbols."""
    text = [s for side in sides for s in sentences(data, side, "train")]
    return BPE.train(text, LISTED[-1])


def cutter(cut: Cut) -> Cutter:
    if cut.kind == "words":
        return in_words
    if cut.kind in GRAMS:
        return lambda sentence: in_grams(sentence, GRAMS[cut.kind])
    joint = cut.kind == "joint BPE"
    whole = learned(cut.data, ("source", "target") if joint else (cut.side,))
    left_out = max(0, len(whole) - cut.size)
    return whole.first(len(whole.merges) - left_out).segment


def measured(cut: Cut) -> Row:
    """Symbols of train and test, the types among them, and those that are new.

    words    how many words of test hold a symbol that is new
    squares  the mean of n² over the sentences of n symbols of test: what attention
             within a sentence has to compare
    listed   for words: the share of test's that a list of train's most frequent lacks
    """
    split = cutter(cut)
    train = Counter(
        symbol
        for text in sentences(cut.data, cut.side, "train")
        for symbol in split(text)
    )
    test = [split(text) for text in sentences(cut.data, cut.side, "test")]
    new = sum(symbol not in train for row in test for symbol in row)
    read = (w for text in sentences(cut.data, cut.side, "test") for w in text.split())
    row: Row = {
        "tokens": train.total(),
        "types": len(train),
        "sentences": len(test),
        "test": sum(map(len, test)),
        "new": new,
        "words": sum(any(s not in train for s in split(word)) for word in read),
        "squares": round(sum(len(row) ** 2 for row in test) / len(test), 2),
    }
    if cut.kind == "words":
        row["listed"] = lacking(train, test)
    return row


def lacking(train: Counter[str], test: Sequence[Sequence[str]]) -> list[list[float]]:
    """[size, share of the words of test that are not among so many of train's]"""
    ranked = sorted(train, key=lambda word: (-train[word], word))
    rank = {word: k for k, word in enumerate(ranked)}
    ranks = [rank.get(word, len(ranked)) for row in test for word in row]
    sizes = [n for n in LISTED if n < len(ranked)] + [len(ranked)]
    return [[n, round(sum(k >= n for k in ranks) / len(ranks), 5)] for n in sizes]


def label(cut: Cut, language: str) -> str:
    """The name of the case: "German, joint BPE, 8000"."""
    return ", ".join((language, cut.kind, *([str(cut.size)] if cut.size else [])))


GERMAN = Data("multi30k", (("language", "de"),))
FRENCH = Data("multi30k")
QUICK = Data("grammar", (("pairs", 1000),))
SIDES = {
    "German": (GERMAN, "target"),
    "French": (FRENCH, "target"),
    "English": (FRENCH, "source"),
}
CUTS = {
    label(cut, language): cut
    for language, (data, side) in SIDES.items()
    for cut in [
        *(Cut(data, side, kind) for kind in ("words", *GRAMS)),
        *(Cut(data, side, "BPE", size) for size in LISTED),
        *(Cut(data, side, "joint BPE", size) for size in LISTED),
    ]
}
STUDY = Study(
    about="symbols in a text, by how words are cut, and how many test has alone",
    cases=each(
        measured,
        cut={
            **CUTS,
        },
    ),
    check=case(measured, cut=Cut(QUICK, "target", "joint BPE", 600)),
    version=2,
)

"""A study of ways to cut text into symbols: how many, and how many test has alone.

Sennrich, Haddow and Birch 2016, table 1, on captions that people wrote: what is counted
in train, and which symbols of test train has never shown.
"""

from collections import Counter
from collections.abc import Callable, Sequence
from functools import cache

from lookback.bpe import BPE
from lookback.trainer.data import corpus, pairs
from lookback.trainer.recipe import Data
from lookback.trainer.study import Experiment, Row, Setting, Study, grid

GRAMS = {"characters": 1, "character bigrams": 2, "character trigrams": 3}
LISTED = (1000, 2000, 4000, 8000, 16000)
"""How many words a list may hold, and into how many symbols words may be merged."""

Cutter = Callable[[str], list[str]]


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


def cutter(data: Data, side: str, kind: str, size: int = 0) -> Cutter:
    if kind == "words":
        return in_words
    if kind in GRAMS:
        return lambda sentence: in_grams(sentence, GRAMS[kind])
    whole = learned(data, ("source", "target") if kind == "joint BPE" else (side,))
    left_out = max(0, len(whole) - size)
    return whole.first(len(whole.merges) - left_out).segment


def measured(data: Data, side: str, kind: str, size: int = 0) -> Row:
    """Symbols of train and test, the types among them, and those that are new.

    side  "source" or "target"
    kind  "words", "BPE", "joint BPE", which learns from both sides, or one of GRAMS
    size  of the vocabulary, for BPE alone

    words    how many words of test hold a symbol that is new
    squares  the mean of n² over the sentences of n symbols of test: what attention
             within a sentence has to compare
    listed   for words: the share of test's that a list of train's most frequent lacks
    """
    split = cutter(data, side, kind, size)
    read, held = (sentences(data, side, name) for name in ("train", "test"))
    train = Counter(symbol for text in read for symbol in split(text))
    test = [split(text) for text in held]
    new = sum(symbol not in train for row in test for symbol in row)
    words = (word for text in held for word in text.split())
    row: Row = {
        "tokens": train.total(),
        "types": len(train),
        "new": new,
        "words": sum(any(s not in train for s in split(word)) for word in words),
        "squares": sum(len(row) ** 2 for row in test) / len(test),
    }
    if kind == "words":
        row["listed"] = lacking(train, test)
    return row


def lacking(train: Counter[str], test: Sequence[Sequence[str]]) -> list[list[float]]:
    """[size, share of the words of test that are not among so many of train's]"""
    ranked = sorted(train, key=lambda word: (-train[word], word))
    rank = {word: k for k, word in enumerate(ranked)}
    ranks = [rank.get(word, len(ranked)) for row in test for word in row]
    sizes = [n for n in LISTED if n < len(ranked)] + [len(ranked)]
    return [[n, sum(k >= n for k in ranks) / len(ranks)] for n in sizes]


GERMAN, FRENCH = Data("multi30k", (("language", "de"),)), Data("multi30k")
SIDES = {
    "German": (GERMAN, "target"),
    "French": (FRENCH, "target"),
    "English": (FRENCH, "source"),
}


def cut(language: str, kind: str, size: int = 0) -> Setting:
    data, side = SIDES[language]
    return {"data": data, "side": side, "kind": kind, "size": size}


STUDY = Study(
    "symbols in a text, by how words are cut, and how many test has alone",
    {
        "cuts": Experiment(
            measured,
            grid(language=SIDES, kind=["words"])
            + grid(language=["German"], kind=GRAMS)
            + grid(language=SIDES, kind=["BPE"], size=LISTED)
            + grid(language=["German"], kind=["joint BPE"], size=LISTED[-2:]),
            smoke={
                "data": Data("grammar", (("pairs", 1000),)),
                "side": "target",
                "kind": "joint BPE",
                "size": 600,
            },
            arguments=cut,
        )
    },
    version=2,
)

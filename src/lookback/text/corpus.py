"""A corpus: sentences in three splits, and the vocabulary of its training set."""

import hashlib
from collections import Counter
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from typing import Any

Sentence = tuple[str, ...]

SPLITS = ("train", "validation", "test")
UNK = "<unk>"


def one_split(corpus: object, name: str) -> Any:
    """What a corpus of any kind holds as `train`, `validation` or `test`."""
    if name not in SPLITS:
        raise ValueError(f"a split is one of {SPLITS}, got {name!r}")
    return getattr(corpus, name)


@dataclass(frozen=True)
class Corpus:
    """Text that is ready to be counted.

    name, version            what was read, and in which version of it
    min_count                how often a known word occurs in train, at least
    train, validation, test  sentences; a word that is not known is <unk>
    vocabulary               the known words and <unk>, the most frequent first
    topics                   for each split, the pages that its sentences come from
    """

    name: str
    version: str
    min_count: int
    train: tuple[Sentence, ...] = field(repr=False)
    validation: tuple[Sentence, ...] = field(repr=False)
    test: tuple[Sentence, ...] = field(repr=False)
    vocabulary: tuple[str, ...] = field(repr=False)
    topics: Mapping[str, tuple[str, ...]] = field(repr=False)

    def split(self, name: str) -> tuple[Sentence, ...]:
        """The sentences of `train`, `validation` or `test`."""
        sentences: tuple[Sentence, ...] = one_split(self, name)
        return sentences

    @property
    def counts(self) -> dict[str, dict[str, int]]:
        """For each split: how many topics, sentences, tokens and <unk> it holds."""
        return {
            name: {
                "topics": len(self.topics[name]),
                "sentences": len(self.split(name)),
                "tokens": sum(map(len, self.split(name))),
                UNK: sum(sentence.count(UNK) for sentence in self.split(name)),
            }
            for name in SPLITS
        }


def build(
    name: str, version: str, pages: Mapping[str, Iterable[Sentence]], min_count: int
) -> Corpus:
    """Split `pages` (topic → sentences) by topic, and learn the vocabulary from train.

    A sentence that several pages hold belongs to the first, in the order of their
    names. Once rare words are <unk>, a sentence of validation or test may have become
    one that an earlier split holds: it is left out. So no sentence is in two splits.
    """
    check_min_count(min_count)
    raw, topics = split_by_topic(pages)
    vocabulary = known_words(raw["train"], min_count)
    known, taken = frozenset(vocabulary), set[Sentence]()
    splits: dict[str, tuple[Sentence, ...]] = {}
    for split in SPLITS:
        mapped = [tuple(w if w in known else UNK for w in s) for s in raw[split]]
        splits[split] = tuple(s for s in mapped if s not in taken)
        taken.update(splits[split])
    return Corpus(
        name, version, min_count, **splits, vocabulary=vocabulary, topics=topics
    )


def check_min_count(min_count: int) -> None:
    if not isinstance(min_count, int) or isinstance(min_count, bool) or min_count < 1:
        raise ValueError(
            f"min_count must be an integer of 1 or more, got {min_count!r}"
        )


def split_by_topic(
    pages: Mapping[str, Iterable[Sentence]],
) -> tuple[dict[str, list[Sentence]], dict[str, tuple[str, ...]]]:
    """Give each sentence to the split of the first topic that holds it."""
    seen = set[Sentence]()
    raw: dict[str, list[Sentence]] = {split: [] for split in SPLITS}
    topics: dict[str, tuple[str, ...]] = dict.fromkeys(SPLITS, ())
    for topic in sorted(pages):
        new = [s for s in dict.fromkeys(pages[topic]) if s not in seen]
        seen.update(new)
        if new:
            raw[split_of(topic)] += new
            topics[split_of(topic)] += (topic,)
    return raw, topics


def split_of(topic: str) -> str:
    """About one topic in ten is test, one validation; the name alone decides."""
    digit = int(hashlib.sha256(topic.encode()).hexdigest(), 16) % 10
    return {0: "test", 1: "validation"}.get(digit, "train")


def known_words(train: Iterable[Sentence], min_count: int) -> tuple[str, ...]:
    """Words that train holds at least `min_count` times, and <unk>, by frequency."""
    count = Counter(word for sentence in train for word in sentence)
    known = {w: c for w, c in count.items() if c >= min_count and w != UNK}
    known[UNK] = count.total() - sum(known.values())
    return tuple(sorted(known, key=lambda word: (-known[word], word)))

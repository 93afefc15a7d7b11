"""What a corpus holds, in three splits: sentences, sentence pairs, tagged sentences."""

import hashlib
from collections import Counter
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from typing import Generic, NamedTuple, TypeAlias, TypeVar

T = TypeVar("T")
Words = tuple[str, ...]
Sentence = Words
Links = frozenset[tuple[int, int]]
Tree: TypeAlias = "tuple[str | Tree, ...]"

SPLITS = ("train", "validation", "test")
UNK = "<unk>"


class Splits(Generic[T]):
    """The three splits of a corpus of any kind."""

    train: tuple[T, ...]
    validation: tuple[T, ...]
    test: tuple[T, ...]

    def split(self, name: str) -> tuple[T, ...]:
        """What `train`, `validation` or `test` holds."""
        if name not in SPLITS:
            raise ValueError(f"a split is one of {SPLITS}, got {name!r}")
        found: tuple[T, ...] = getattr(self, name)
        return found


@dataclass(frozen=True)
class Corpus(Splits[Sentence]):
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


class Tags(NamedTuple):
    """One part of speech for each word of either sentence."""

    source: Words = ()
    target: Words = ()


UNTAGGED = Tags()


@dataclass(frozen=True, slots=True)
class Pair:
    """A sentence (English) and its translation (French).

    source, target   the words of either sentence
    sure             links (source index, target index) that everyone would draw
    possible         all sure links, and those that one may draw or leave out
    tags             parts of speech of both sentences
    tree             parse of the source: (label, child, …); a leaf is (tag, word)
    antecedents      (pronoun, noun): source indices of a pronoun and of the head of
                     what it stands for; one entry for each head
    What nobody annotated stays empty.
    """

    source: Words
    target: Words
    sure: Links = frozenset()
    possible: Links = frozenset()
    tags: Tags = UNTAGGED
    tree: Tree = ()
    antecedents: tuple[tuple[int, int], ...] = ()

    def __post_init__(self) -> None:
        if not self.sure <= self.possible:
            stray = sorted(self.sure - self.possible)
            raise ValueError(f"sure links must also be possible, {stray} are not")


@dataclass(frozen=True)
class PairCorpus(Splits[Pair]):
    """Pairs in three splits that share no source sentence.

    name, version            what was read or made, and in which version of it
    seed                     what its random choices followed; None where none fell
    train, validation, test  the pairs
    """

    name: str
    version: str
    train: tuple[Pair, ...] = field(repr=False)
    validation: tuple[Pair, ...] = field(repr=False)
    test: tuple[Pair, ...] = field(repr=False)
    seed: int | None = None

    @property
    def counts(self) -> dict[str, dict[str, int]]:
        """For each split: how many pairs, and words of either side, it holds."""
        return {
            name: {
                "pairs": len(self.split(name)),
                "source words": sum(len(pair.source) for pair in self.split(name)),
                "target words": sum(len(pair.target) for pair in self.split(name)),
            }
            for name in SPLITS
        }


class Tagged(NamedTuple):
    """The words of a sentence, and one part of speech for each of them."""

    words: Words
    tags: Words


@dataclass(frozen=True)
class TaggedCorpus(Splits[Tagged]):
    """Tagged sentences in three splits.

    name, version            what was read, and in which version of it
    train, validation, test  the sentences
    """

    name: str
    version: str
    train: tuple[Tagged, ...] = field(repr=False)
    validation: tuple[Tagged, ...] = field(repr=False)
    test: tuple[Tagged, ...] = field(repr=False)

    @property
    def tags(self) -> tuple[str, ...]:
        """The parts of speech that train has, in the order of the alphabet."""
        return tuple(sorted({tag for sentence in self.train for tag in sentence.tags}))

    @property
    def vocabulary(self) -> frozenset[str]:
        """The words of train; any other word is unknown."""
        return frozenset(word for sentence in self.train for word in sentence.words)

    @property
    def counts(self) -> dict[str, dict[str, int]]:
        """For each split: how many sentences, words and unknown words it holds.

        `in train` counts the sentences whose words also stand in train as a sentence.
        """
        known, read = self.vocabulary, {sentence.words for sentence in self.train}
        return {
            name: {
                "sentences": len(self.split(name)),
                "words": sum(len(s.words) for s in self.split(name)),
                "unknown": sum(w not in known for s in self.split(name) for w in s[0]),
                "in train": sum(s.words in read for s in self.split(name)),
            }
            for name in SPLITS
        }


def tagged(pairs: Iterable[Pair]) -> tuple[Tagged, ...]:
    """The source sentences of pairs that carry tags, such as those of the grammar."""
    found = tuple(Tagged(pair.source, pair.tags.source) for pair in pairs)
    for words, tags in found:
        if len(words) != len(tags):
            raise ValueError(f"{len(tags)} tags for {len(words)} words: {words}")
    return found


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

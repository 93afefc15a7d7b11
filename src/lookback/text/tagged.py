"""Sentences whose words carry a part of speech, and a corpus of such sentences."""

from collections.abc import Iterable
from dataclasses import dataclass, field
from typing import NamedTuple

from lookback.text.corpus import SPLITS, one_split
from lookback.text.pairs import Pair, Words


class Tagged(NamedTuple):
    """The words of a sentence, and one part of speech for each of them."""

    words: Words
    tags: Words


@dataclass(frozen=True)
class TaggedCorpus:
    """Tagged sentences in three splits.

    name, version            what was read, and in which version of it
    train, validation, test  the sentences
    """

    name: str
    version: str
    train: tuple[Tagged, ...] = field(repr=False)
    validation: tuple[Tagged, ...] = field(repr=False)
    test: tuple[Tagged, ...] = field(repr=False)

    def split(self, name: str) -> tuple[Tagged, ...]:
        """The sentences of `train`, `validation` or `test`."""
        sentences: tuple[Tagged, ...] = one_split(self, name)
        return sentences

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

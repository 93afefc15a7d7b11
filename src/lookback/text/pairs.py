"""A pair of sentences that mean the same, and a corpus of such pairs."""

from dataclasses import dataclass, field
from typing import NamedTuple, TypeAlias

from lookback.text.corpus import SPLITS, one_split

Words = tuple[str, ...]
Links = frozenset[tuple[int, int]]
Tree: TypeAlias = "tuple[str | Tree, ...]"


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
class PairCorpus:
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

    def split(self, name: str) -> tuple[Pair, ...]:
        """The pairs of `train`, `validation` or `test`."""
        pairs: tuple[Pair, ...] = one_split(self, name)
        return pairs

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

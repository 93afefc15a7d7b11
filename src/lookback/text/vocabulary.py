"""Vocabulary: the words of the training set, and the id of each."""

import json
from collections import Counter
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field
from functools import cached_property
from typing import ClassVar, Self

PAD, UNK, START, END = SPECIALS = ("<pad>", "<unk>", "<s>", "</s>")
FORMAT = "lookback vocabulary 1"


@dataclass(frozen=True)
class Vocabulary:
    """A list of words; a word's id is its index in it.

    entries   all words, the specials first, then the most frequent first
    specials  four of them, whose ids are `pad` (fills up a batch), `unk` (replaces
              an unknown word), `start` and `end` (of a sentence)
    """

    entries: tuple[str, ...] = field(repr=False)
    specials: tuple[str, ...] = SPECIALS

    pad: ClassVar[int] = 0
    unk: ClassVar[int] = 1
    start: ClassVar[int] = 2
    end: ClassVar[int] = 3

    def __post_init__(self) -> None:
        four = len(self.specials) == 4 and self.entries[:4] == self.specials
        if not four:
            raise ValueError(
                "a vocabulary is a list of words that begins with its four specials "
                f" {self.specials}, got {self.entries[:6]}"
            )
        if len(self._index) != len(self.entries):
            twice = [w for w, n in Counter(self.entries).items() if n > 1]
            raise ValueError(f"a vocabulary holds each word once, got twice {twice}")

    @classmethod
    def build(
        cls,
        sentences: Iterable[Sequence[str]],
        min_count: int = 1,
        specials: Sequence[str] = SPECIALS,
    ) -> Self:
        """Learn the words that `sentences` hold at least `min_count` times.

        Give it the sentences of train alone. Where they hold the special for unknown
        words, that is what it becomes; any other special in them raises `ValueError`.
        """
        four = tuple(specials)
        count = Counter(word for sentence in sentences for word in words_of(sentence))
        clash = [s for k, s in enumerate(four) if k != cls.unk and s in count]
        if clash:
            raise ValueError(f"{clash} are specials, but occur in the sentences")
        known = [w for w, c in count.items() if c >= min_count and w not in four]
        return cls((*four, *sorted(known, key=lambda w: (-count[w], w))), four)

    @cached_property
    def _index(self) -> dict[str, int]:
        return {word: i for i, word in enumerate(self.entries)}

    def __len__(self) -> int:
        return len(self.entries)

    def __contains__(self, word: object) -> bool:
        return word in self._index

    def ids(self, words: Sequence[str]) -> list[int]:
        """The id of each word; that of <unk> for a word it does not know."""
        return [self._index.get(word, self.unk) for word in words_of(words)]

    def words(self, ids: Iterable[int]) -> list[str]:
        """The word of each id; `ids` may be a tensor with one axis."""
        numbers = [int(i) for i in ids]
        strange = [i for i in numbers if not 0 <= i < len(self)]
        if strange:
            raise ValueError(f"ids must be from 0 to {len(self) - 1}, got {strange}")
        return [self.entries[i] for i in numbers]

    def dumps(self) -> str:
        """The vocabulary as one line of JSON, which `loads` reads."""
        content = {"format": FORMAT, "specials": self.specials, "words": self.entries}
        return json.dumps(content, ensure_ascii=False)

    @classmethod
    def loads(cls, text: str) -> Self:
        """The vocabulary that `dumps` wrote; `ValueError` for anything else."""
        content = json.loads(text)
        if content.get("format") != FORMAT:
            raise ValueError(f"not a vocabulary: it does not say {FORMAT!r}")
        return cls(tuple(content["words"]), tuple(content["specials"]))


def words_of(sentence: Sequence[str]) -> Sequence[str]:
    """The sentence; `ValueError` for a string, which holds letters, not words."""
    if isinstance(sentence, str):
        raise ValueError(
            f"expected a list of words, got the string {sentence!r}: split it, as in "
            "'the minister sleeps .'.split()"
        )
    return sentence

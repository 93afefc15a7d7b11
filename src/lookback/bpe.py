"""Subwords: frequent words stay whole, rare ones are split into known pieces.

Byte-pair encoding starts from characters. It merges the two symbols that are adjacent
most often, and begins again. Sennrich, Haddow and Birch 2016, after a scheme for
compressing files by Gage 1994.

A word is everything up to a space, and that space, which is the paper's end-of-word
symbol ·. After the last word one is added, and removed again by `decode`. Any white
space ends a word, and nothing is lost: `decode(encode(text))` is the text, whatever it
holds.
"""

import heapq
import operator
import re
from collections import Counter, defaultdict
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import cached_property
from itertools import chain, pairwise
from typing import ClassVar, Self

from lookback.ngram import END, START, UNK

__all__ = [
    "BPE",
    "BYTES",
    "SPECIALS",
    "Pairs",
    "learn_merges",
    "merge_pair",
    "words_of",
]

PAD = "<pad>"
SPECIALS = (PAD, UNK, START, END)
BYTES = tuple(f"<0x{byte:02X}>" for byte in range(256))
RESERVED = frozenset((*SPECIALS, *BYTES))  # no merge of characters may spell one
WORD = re.compile(r"\S*\s")
CACHE_SIZE = 100_000  # words whose ids are remembered

Pair = tuple[str, str]
Ids = tuple[int, int]


@dataclass(frozen=True)
class BPE:
    """A tokenizer: a list of symbols; a symbol's id is its index in `entries`.

    alphabet       the characters that it knows, by code point
    merges         pairs of symbols that become one, in the order of learning
    byte_fallback  whether a character outside the alphabet is written as its bytes in
                   UTF-8, a symbol each; else it is <unk>

    `pad`, `unk`, `start` and `end` are the ids of the four special tokens. No text has
    one of them among its ids, not even a text that spells them out; where characters
    fall back to bytes, nor has it `unk`.

    >>> bpe = BPE.train(["low low lower lowest"], size=270)
    >>> bpe.segment("low lowest")
    ['low', ' ', 'low', 'e', 's', 't', ' ']
    >>> bpe.decode(bpe.encode("lower"))
    'lower'
    """

    alphabet: tuple[str, ...] = field(repr=False)
    merges: tuple[Pair, ...] = field(repr=False)
    byte_fallback: bool = True

    pad: ClassVar[int] = 0
    unk: ClassVar[int] = 1
    start: ClassVar[int] = 2
    end: ClassVar[int] = 3

    def __post_init__(self) -> None:
        symbols = {*self.alphabet}
        if len(symbols) < len(self.alphabet) or any(len(c) != 1 for c in symbols):
            raise ValueError(
                "an alphabet holds single characters, each once, "
                f"got {self.alphabet[:9]}"
            )
        for left, right in self.merges:
            both = left + right
            if not {left, right} <= symbols or both in symbols or both in RESERVED:
                raise ValueError(
                    f"({left!r}, {right!r}) is no merge: expected two symbols that are "
                    "there already, and whose sum is new"
                )
            symbols.add(both)

    @classmethod
    def train(
        cls, sentences: Iterable[str], size: int, *, byte_fallback: bool = True
    ) -> Self:
        """Learn merges until there are `size` symbols, or nothing is left to merge.

        sentences  of the training set alone; their order does not matter
        size       of the vocabulary: special tokens, bytes, alphabet and merges

        Of pairs that are equally frequent, that of the older symbols goes first: the
        left one's id decides, then the right one's. The alphabet is older than all
        merges, in the order of code points.
        Raises `ValueError` for sentences without a character, and for a size that does
        not hold what there is before the first merge.
        """
        words = Counter(chain.from_iterable(map(words_of, check_sentences(sentences))))
        if words.keys() <= {" "}:
            raise ValueError(
                f"expected sentences with words, got {words.total()} empty"
            )
        bare = cls(tuple(sorted({*chain.from_iterable(words)})), (), byte_fallback)
        if not isinstance(size, int) or size < len(bare):
            held = len(SPECIALS), len(BYTES) * byte_fallback, len(bare.alphabet)
            parts = "{} specials, {} bytes and {} characters".format(*held)
            raise ValueError(f"size is {size!r}: expected {len(bare)} or more, {parts}")
        return replace(bare, merges=tuple(learn_merges(words, bare.entries, size)))

    @cached_property
    def entries(self) -> tuple[str, ...]:
        """All symbols: the specials, the bytes, the alphabet, one for each merge."""
        merged = (left + right for left, right in self.merges)
        return (*SPECIALS, *BYTES * self.byte_fallback, *self.alphabet, *merged)

    def __len__(self) -> int:
        return len(self.entries)

    def first(self, merges: int) -> Self:
        """The tokenizer with only the first merges, as if learnt at a smaller size."""
        if not 0 <= merges <= len(self.merges):
            raise ValueError(f"expected 0 to {len(self.merges)} merges, got {merges!r}")
        return replace(self, merges=self.merges[:merges])

    def encode(self, text: str) -> list[int]:
        """The ids of the symbols of `text`.

        What was computed for a word is remembered. A text without spaces is one word,
        whose cost grows with its length times the different merges in it.
        """
        known, ids = self._known, list[int]()
        for word in words_of(text):
            if word not in known:
                if len(known) >= CACHE_SIZE:
                    known.clear()
                known[word] = self._ids(word)
            ids += known[word]
        return ids

    def segment(self, text: str) -> list[str]:
        """The symbols themselves; a space in them ends a word."""
        return [self.entries[i] for i in self.encode(text)]

    def decode(self, ids: Iterable[int]) -> str:
        """The text that has these ids; `ids` may be a tensor with one axis.

        <pad>, <s> and </s> give no text, <unk> and bytes that are no UTF-8 become �.
        Raises `ValueError` for ids that no symbol has.
        """
        written = b"".join([self._bytes[i] for i in self._checked(ids)])
        try:
            text = written.decode(errors="surrogatepass")
        except UnicodeDecodeError:
            text = written.decode(errors="replace")
        return text.removesuffix(" ")  # which `words_of` added

    def _ids(self, word: str) -> list[int]:
        """Its characters; the pair that was learnt first is merged, then the next."""
        ids, merged = [i for c in word for i in self._character(c)], self._merged
        while True:
            pairs = [pair for pair in pairwise(ids) if pair in merged]
            if not pairs:
                return ids
            first = min(pairs, key=merged.__getitem__)
            ids = merge_pair(ids, first, merged[first])

    def _character(self, character: str) -> list[int]:
        if character in self._index:
            return [self._index[character]]
        if not self.byte_fallback:
            return [self.unk]
        written = character.encode(errors="surrogatepass")
        return [len(SPECIALS) + byte for byte in written]

    def _checked(self, ids: Iterable[int]) -> list[int]:
        try:
            numbers = [operator.index(i) for i in ids]
        except TypeError as error:
            raise ValueError(f"expected a list of ids, got {ids!r}") from error
        strange = [i for i in numbers if not 0 <= i < len(self)]
        if strange:
            raise ValueError(f"ids must be from 0 to {len(self) - 1}, got {strange}")
        return numbers

    @cached_property
    def _known(self) -> dict[str, list[int]]:
        return {}

    @cached_property
    def _index(self) -> dict[str, int]:
        bare = len(self) - len(self.alphabet) - len(self.merges)
        return {symbol: bare + k for k, symbol in enumerate(self.entries[bare:])}

    @cached_property
    def _merged(self) -> dict[Ids, int]:
        """Pair of ids → id of the merged symbol: the earlier learnt, the lower."""
        index = self._index
        return {(index[a], index[b]): index[a + b] for a, b in self.merges}

    @cached_property
    def _bytes(self) -> list[bytes]:
        """The text of each symbol, in UTF-8."""
        written = dict.fromkeys(SPECIALS, b"") | {UNK: "�".encode()}
        written |= {symbol: bytes([byte]) for byte, symbol in enumerate(BYTES)}
        return [
            written[s] if s in written else s.encode(errors="surrogatepass")
            for s in self.entries
        ]


def learn_merges(
    words: Mapping[str, int], symbols: Sequence[str], size: int
) -> list[Pair]:
    """The merges of words, given their counts: Sennrich et al. 2016, algorithm 1.

    As in their section 3.2 the pairs are counted once, and then updated.
    """
    names, merges = list(symbols), list[Pair]()
    index = {symbol: i for i, symbol in enumerate(names)}
    pairs = Pairs([[index[c] for c in word] for word in words], [*words.values()])
    while len(names) < size and (best := pairs.most_frequent()):
        left, right = names[best[0]], names[best[1]]
        if left + right not in RESERVED:
            pairs.merge(best, len(names))
            names.append(left + right)
            merges.append((left, right))
    return merges


class Pairs:
    """Which symbols are adjacent in words, how often, and in which words.

    words  lists of ids, which change as pairs merge
    times  how often each word occurs
    """

    def __init__(self, words: list[list[int]], times: list[int]) -> None:
        self.words, self.times = words, times
        self.count = Counter[Ids]()
        self.where = defaultdict[Ids, list[int]](list)
        for k, word in enumerate(words):
            for pair in pairwise(word):
                self.count[pair] += times[k]
                self.where[pair].append(k)
        self.heap = [(-n, pair) for pair, n in self.count.items()]
        heapq.heapify(self.heap)

    def most_frequent(self) -> Ids | None:
        """Take out the most frequent pair, the oldest of several; None if none is left.

        A count in the heap may be too high, for merges take pairs away. It is never too
        low: a pair that merges bring holds the new symbol, and is put in when all of
        its occurrences are counted.
        """
        while self.heap:
            negative, pair = heapq.heappop(self.heap)
            if self.count[pair] == -negative:
                return pair
            if self.count[pair]:
                heapq.heappush(self.heap, (-self.count[pair], pair))
        return None

    def merge(self, pair: Ids, new: int) -> None:
        """Replace `pair` by the symbol `new` wherever it occurs."""
        (left, right), brought = pair, set[Ids]()
        for k in self.where.pop(pair):
            word, i = self.words[k], 0
            while i + 1 < len(word):
                if word[i] == left and word[i + 1] == right:
                    word[i : i + 2] = [new]
                    if i:
                        before = word[i - 1]
                        brought.add(self._replaced(k, (before, left), (before, new)))
                    if i + 1 < len(word):
                        after = word[i + 1]
                        brought.add(self._replaced(k, (right, after), (new, after)))
                i += 1
        for now in brought:
            if self.count[now]:  # the next occurrence may have removed it again
                heapq.heappush(self.heap, (-self.count[now], now))

    def _replaced(self, k: int, old: Ids, now: Ids) -> Ids:
        """In word k one pair has given way to another."""
        self.count[old] -= self.times[k]
        self.count[now] += self.times[k]
        self.where[now].append(k)
        return now


def merge_pair(ids: Iterable[int], pair: Ids, new: int) -> list[int]:
    """The ids with `new` for each `pair`; of pairs that overlap the first is taken."""
    (left, right), out = pair, list[int]()
    for i in ids:
        if i == right and out and out[-1] == left:
            out[-1] = new
        else:
            out.append(i)
    return out


def words_of(text: str) -> list[str]:
    """The words of `text`, each with the white space after it."""
    if not isinstance(text, str):
        raise ValueError(f"a text must be a string, got {text!r}")
    return WORD.findall(text + " ")


def check_sentences(sentences: Iterable[str]) -> Iterable[str]:
    """The sentences; `ValueError` for a single string, and for what is no list."""
    if isinstance(sentences, str) or not hasattr(sentences, "__iter__"):
        raise ValueError(f"expected a list of sentences (strings), got {sentences!r}")
    return sentences

"""Subwords: frequent words stay whole, rare ones are split into known pieces.

Byte-pair encoding starts from characters. It merges the two symbols that are adjacent
most often, and begins again. Sennrich, Haddow and Birch 2016, after a scheme for
compressing files by Gage 1994. Equations have the numbers of this chapter's page.

A word is everything up to a space, and that space, which is the paper's end-of-word
symbol ·. After the last word one is added, and removed again by `decode`. Any white
space ends a word, and nothing is lost: `decode(encode(text))` is the text, whatever it
holds.
"""

import operator
import re
from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import cached_property
from itertools import pairwise
from typing import ClassVar, Self, TypeVar

from lookback.fast.bpe import learn_merges
from lookback.ngram import END, START, UNK

__all__ = [
    "BPE",
    "BYTES",
    "SPECIALS",
    "count_and_merge",
    "count_pairs",
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
Symbol = TypeVar("Symbol")


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
        check_merges(self.alphabet, self.merges)

    @classmethod
    def train(
        cls, sentences: Iterable[str], size: int, *, byte_fallback: bool = True
    ) -> Self:
        """Learn merges until there are `size` symbols, or none is left.

        sentences  of the training set alone; their order does not matter
        size       of the vocabulary: special tokens, bytes, alphabet and merges

        Of pairs that are equally frequent, that of the older symbols goes first: the
        left one's id decides, then the right one's. The alphabet is older than all
        merges, in the order of code points.
        Raises `ValueError` for sentences without a character, and for a size that does
        not hold what there is before the first merge.
        """
        words = Counter(word for text in sentences for word in words_of(text))
        if words.keys() <= {" "}:
            raise ValueError(f"expected sentences, got {words.total()} empty words")
        bare = cls(tuple(sorted({*"".join(words)})), (), byte_fallback)
        if size < len(bare):
            raise ValueError(
                f"size is {size!r}: expected {len(bare)} or more, the specials, bytes "
                "and characters"
            )
        merges = learn_merges(words, bare.entries, size, RESERVED)
        return replace(bare, merges=tuple(merges))

    @cached_property
    def entries(self) -> tuple[str, ...]:
        """All symbols: the specials, the bytes, the alphabet, one for each merge."""
        merged = (left + right for left, right in self.merges)
        return (*SPECIALS, *BYTES * self.byte_fallback, *self.alphabet, *merged)  # (3)

    def __len__(self) -> int:
        return len(self.entries)

    def first(self, merges: int) -> Self:
        """The tokenizer with only the first merges, as if of a smaller size."""
        if not 0 <= merges <= len(self.merges):
            raise ValueError(f"expected 0 to {len(self.merges)} merges, got {merges!r}")
        return replace(self, merges=self.merges[:merges])

    def cut(self, word: str) -> list[str]:
        """The symbols of a word: its characters, merged in the order of learning.

        The cost of a word grows with its length times the different merges in it.
        """
        symbols, rank = [s for c in word for s in self._character(c)], self._rank
        while pairs := [pair for pair in pairwise(symbols) if pair in rank]:
            first = min(pairs, key=rank.__getitem__)  # learnt first
            symbols = merge_pair(symbols, first, "".join(first))
        return symbols

    def segment(self, text: str) -> list[str]:
        """The symbols of `text`; a space in them ends a word."""
        return [self.entries[i] for i in self.encode(text)]

    def encode(self, text: str) -> list[int]:
        """The ids of the symbols of `text`; those of a word are remembered."""
        known, ids = self._known, list[int]()
        for word in words_of(text):
            if word not in known:
                if len(known) >= CACHE_SIZE:
                    known.clear()
                known[word] = [self._index[symbol] for symbol in self.cut(word)]
            ids += known[word]
        return ids

    def decode(self, ids: Iterable[int]) -> str:
        """The text that has these ids; `ids` may be a tensor with one axis.

        <pad>, <s> and </s> give no text, <unk> and bytes that are no UTF-8 become �.
        Raises `ValueError` for ids that no symbol has.
        """
        written = b"".join([self._bytes[i] for i in as_ids(ids, len(self))])
        try:
            text = written.decode(errors="surrogatepass")
        except UnicodeDecodeError:
            text = written.decode(errors="replace")
        return text.removesuffix(" ")  # which `words_of` added

    def _character(self, character: str) -> list[str]:
        """A character that is not in the alphabet is its bytes, or unknown."""
        if character in self._index:
            return [character]
        if not self.byte_fallback:
            return [UNK]
        return [BYTES[byte] for byte in character.encode(errors="surrogatepass")]

    @cached_property
    def _index(self) -> dict[str, int]:
        return {symbol: i for i, symbol in enumerate(self.entries)}

    @cached_property
    def _rank(self) -> dict[Pair, int]:
        """The earlier a pair was learnt, the lower."""
        return {pair: n for n, pair in enumerate(self.merges)}

    @cached_property
    def _known(self) -> dict[str, list[int]]:
        return {}

    @cached_property
    def _bytes(self) -> list[bytes]:
        """The text of each symbol, in UTF-8."""
        written = dict.fromkeys(SPECIALS, b"") | {UNK: "�".encode()}
        written |= {symbol: bytes([byte]) for byte, symbol in enumerate(BYTES)}
        return [
            written[s] if s in written else s.encode(errors="surrogatepass")
            for s in self.entries
        ]


def count_and_merge(
    times: Mapping[str, int], symbols: Sequence[str], size: int
) -> list[Pair]:
    """Count all pairs, merge the most frequent, begin again.   Algorithm 1.

    times    how often each word occurs
    symbols  what there is before the first merge, the oldest first
    size     how many symbols there are to be after the last merge
    →        the merges, in their order: those of `fast.bpe.learn_merges`
    """
    words = {word: [*word] for word in times}
    age, merges = {symbol: n for n, symbol in enumerate(symbols)}, list[Pair]()

    def precedence(pair: Pair) -> tuple[int, int, int]:
        left, right = pair
        return count[pair], -age[left], -age[right]

    while len(age) < size and (count := count_pairs(words, times)):
        best = max(count, key=precedence)  # (2)
        new = "".join(best)
        words = {word: merge_pair(cut, best, new) for word, cut in words.items()}
        age[new] = len(age)
        merges.append(best)
    return merges


def count_pairs(
    words: Mapping[str, Sequence[str]], times: Mapping[str, int]
) -> Counter[Pair]:
    """c(A, B) = Σ_w c(w) |{i: s_i = A, s_i+1 = B}|: how often they are adjacent.

    words  word w → its symbols s
    times  word w → c(w), how often it occurs
    """
    count = Counter[Pair]()
    for word, symbols in words.items():
        for left, right in pairwise(symbols):
            if left + right not in RESERVED:
                count[left, right] += times[word]  # (1)
    return count


def merge_pair(
    symbols: Iterable[Symbol], pair: tuple[Symbol, Symbol], new: Symbol
) -> list[Symbol]:
    """The symbols with `new` for each `pair`; where pairs overlap, for the first.

    Symbols may be strings or ids.
    """
    (left, right), out = pair, list[Symbol]()
    for symbol in symbols:
        if symbol == right and out and out[-1] == left:
            out[-1] = new
        else:
            out.append(symbol)
    return out


def words_of(text: str) -> list[str]:
    """The words of `text`, each with the white space after it."""
    if not isinstance(text, str):
        raise ValueError(f"a text must be a string, got {text!r}")
    return WORD.findall(text + " ")


def as_ids(ids: Iterable[int], size: int) -> list[int]:
    """Whole numbers of any type, also those of a tensor with one axis, as ids."""
    try:
        numbers = [operator.index(i) for i in ids]
    except TypeError as error:
        raise ValueError(f"expected a list of ids, got {ids!r}") from error
    if not all(0 <= i < size for i in numbers):
        raise ValueError(
            f"ids must be from 0 to {size - 1}, got "
            f"{[i for i in numbers if not 0 <= i < size]}"
        )
    return numbers


def check_merges(alphabet: Sequence[str], merges: Sequence[Pair]) -> None:
    """Each merge is of two symbols that are there already, and its symbol is new."""
    if len({*alphabet}) < len(alphabet) or any(len(c) != 1 for c in alphabet):
        raise ValueError(
            f"an alphabet holds single characters, each once, got {alphabet[:9]}"
        )
    symbols = {*alphabet}
    for left, right in merges:
        both = left + right
        if not {left, right} <= symbols or both in symbols or both in RESERVED:
            raise ValueError(
                f"{(left, right)} is no merge: expected two symbols that are there "
                "already, and whose sum is new"
            )
        symbols.add(both)

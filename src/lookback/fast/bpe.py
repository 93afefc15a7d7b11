"""Merges of byte-pair encoding from a heap of counts, of which few change at a time."""

import heapq
from collections import Counter, defaultdict
from collections.abc import Collection, Mapping, Sequence
from itertools import pairwise

__all__ = ["learn_merges"]

GONE = -1  # no symbol: its pair has become one
Ids = tuple[int, int]


def learn_merges(
    words: Mapping[str, int],
    symbols: Sequence[str],
    size: int,
    reserved: Collection[str],
) -> list[tuple[str, str]]:
    """The merges of `bpe.count_and_merge`, from counts that are only updated.

    reserved  symbols that no merge may spell

    As in section 3.2 of Sennrich et al. 2016 the pairs are counted once.
    """
    names, merges = list(symbols), list[tuple[str, str]]()
    index = {symbol: i for i, symbol in enumerate(names)}
    pairs = Pairs([[index[c] for c in word] for word in words], [*words.values()])
    while len(names) < size and (best := pairs.most_frequent()):
        left, right = names[best[0]], names[best[1]]
        if left + right not in reserved:
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
        """Take out the most frequent pair, of several the oldest; None if none is left.

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
        for k in dict.fromkeys(self.where.pop(pair)):
            word, i = self.words[k], 0
            while i + 1 < len(word):
                if word[i] == left and word[i + 1] == right:
                    word[i], word[i + 1] = GONE, new
                    if i:
                        before = word[i - 1]
                        brought.add(self._replaced(k, (before, left), (before, new)))
                    if i + 2 < len(word):
                        after = word[i + 2]
                        brought.add(self._replaced(k, (right, after), (new, after)))
                i += 1
            self.words[k] = [symbol for symbol in word if symbol != GONE]
        for now in brought:
            if self.count[now]:  # the next occurrence may have removed it again
                heapq.heappush(self.heap, (-self.count[now], now))

    def _replaced(self, k: int, old: Ids, now: Ids) -> Ids:
        """In word k one pair has given way to another."""
        self.count[old] -= self.times[k]
        self.count[now] += self.times[k]
        self.where[now].append(k)
        return now

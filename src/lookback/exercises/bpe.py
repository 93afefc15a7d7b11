"""A merge of byte-pair encoding."""

from collections import Counter
from collections.abc import Callable, Iterable, Mapping
from itertools import pairwise

from .judge import Case, Exercise

Symbols = tuple[str, ...]
Words = Mapping[Symbols, int]
Result = tuple[tuple[str, str], dict[Symbols, int]]


def merge_most_frequent(words: Words) -> Result:
    """Find the most frequent pair of adjacent symbols, and join it wherever it stands.

    words  tuple of symbols → how often the word occurs, as {("a", "t"): 3}
    Pairs are counted within words, each as often as its word occurs; in these cases one
    pair is the most frequent. Pairs that overlap are joined from the left.
    →  the pair; dict of the words afterwards
    """
    return with_pair(words, most_frequent(words), joined)


def most_frequent(words: Words, times: Callable[[int], int] = int) -> tuple[str, str]:
    counts = Counter[tuple[str, str]]()
    for symbols, n in words.items():
        for pair in pairwise(symbols):
            counts[pair] += times(n)
    return max(counts, key=counts.__getitem__)


def with_pair(
    words: Words, pair: tuple[str, str], join: Callable[..., Iterable[str]]
) -> Result:
    after = Counter[Symbols]()  # two words may become equal
    for symbols, n in words.items():
        after[tuple(join(symbols, pair))] += n
    return pair, dict(after)


def joined(symbols: Symbols, pair: tuple[str, str]) -> list[str]:
    out: list[str] = []
    for symbol in symbols:
        if out and (out[-1], symbol) == pair:
            out[-1] += symbol
        else:
            out.append(symbol)
    return out


def types_counted(words: Words) -> Result:
    """each word counts once: a pair counts as often as its word occurs"""
    return with_pair(words, most_frequent(words, bool), joined)


def once_a_word(words: Words) -> Result:
    """a pair that stands twice in a word is counted once there"""
    counts = Counter[tuple[str, str]]()
    for symbols, n in words.items():
        for pair in {*pairwise(symbols)}:
            counts[pair] += n
    return with_pair(words, max(counts, key=counts.__getitem__), joined)


def first_alone(words: Words) -> Result:
    """only the first place in a word is joined: join the pair wherever it stands"""

    def join(symbols: Symbols, pair: tuple[str, str]) -> list[str]:
        for n, two in enumerate(pairwise(symbols)):
            if two == pair:
                return [*symbols[:n], "".join(pair), *symbols[n + 2 :]]
        return [*symbols]

    return with_pair(words, most_frequent(words), join)


def as_text(words: Words) -> Result:
    """the pair is replaced in the text of the word, so that the end of a symbol, or the
    beginning of one, is taken for a symbol"""

    def join(symbols: Symbols, pair: tuple[str, str]) -> list[str]:
        return " ".join(symbols).replace(" ".join(pair), "".join(pair)).split(" ")

    return with_pair(words, most_frequent(words), join)


def from_the_right(words: Words) -> Result:
    """pairs that overlap are joined from the right: begin at the left"""

    def join(symbols: Symbols, pair: tuple[str, str]) -> list[str]:
        turned = joined(symbols[::-1], (pair[1], pair[0]))
        return ["".join(pair) if s == pair[1] + pair[0] else s for s in turned][::-1]

    return with_pair(words, most_frequent(words), join)


def cases() -> list[Case]:
    texts = {
        "low, lower, newest": {"l o w": 5, "l o w e r": 2, "n e w e s t": 6},
        "a frequent word": {"t h e": 9, "c a t": 2, "h a t": 2, "s a t": 2, "m a t": 2},
        "pairs that overlap": {"a a a a a": 2, "b a a": 1, "b c": 4},
        "frequent symbols": {"a x": 2, "a y": 2, "a z": 2, "b c": 3},
        "a full stop": {"r .": 3, "r s": 2},
        "words of one symbol": {"a": 5, "b c": 3},
        "words that become equal": {"a bc": 5, "ab c": 3, "abc": 2},
        "symbols merged before": {"x a b": 4, "xa b": 3, "a bc d": 3, "a b a b": 1},
    }
    return [
        Case(name, ({tuple(w.split()): n for w, n in words.items()},))
        for name, words in texts.items()
    ]


EXERCISE = Exercise(
    merge_most_frequent,
    ("the pair", "the words"),
    cases,
    [types_counted, once_a_word, first_alone, as_text, from_the_right],
)  # fmt: skip

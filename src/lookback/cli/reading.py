"""What somebody typed, as the words of a vocabulary."""

from __future__ import annotations

import math
import re
from collections.abc import Callable, Sequence
from functools import lru_cache
from itertools import pairwise
from typing import TYPE_CHECKING

from lookback.text.spelling import did_you_mean
from lookback.text.tokens import lower, normalize, write_french

if TYPE_CHECKING:
    from lookback.text.vocabulary import Vocabulary

Cut = Callable[[str], Sequence[str]]


def read(
    text: str, vocabulary: Vocabulary, keep: bool = False, cut: Cut | None = None
) -> list[str]:
    """The words of a text as the vocabulary has them; `ValueError` for unknown ones.

    Some corpora cut "l'arbre" into "l'" and "arbre", others do not: a piece that is no
    known word as it stands is cut into as few known ones as can be.

    keep  unknown words stay as they are, and nothing is raised
    cut   how the corpus itself was cut, where it was written by people
    """
    entries = frozenset(vocabulary.entries[len(vocabulary.specials) :])
    text, found = lower(text), list[str]()
    for special in vocabulary.specials if keep else ():  # it means nothing from outside
        text = text.replace(special, " ".join(re.findall(r"\w+|\W", special)))
    for piece in cut(text) if cut else text.split():
        if cut and keep:
            found.append(piece)
            continue
        known = around(piece, entries) if keep else pieces(piece, entries)
        if known is None:
            start, end = unknown_part(piece, entries)
            unknown = piece[start:end]
            hint = did_you_mean(unknown, entries)
            raise ValueError(f"the model does not know the word {unknown!r}{hint}")
        found += known
    if not found:
        raise ValueError("there are no words to read: the text is empty")
    return found


def spelt(words: Sequence[str], text: str) -> str:
    """French words as people write them.

    What has a capital inside the text, and stands in the translation too, is a name.
    """
    words_of_text = re.findall(r"\w+", normalize(text))
    capital = (word for word in words_of_text[1:] if word[0].isupper())
    names = {word.lower(): word for word in capital}
    names |= {f"[{word}]": f"[{name}]" for word, name in names.items()}
    return write_french([names.get(word, word) for word in words])


def around(piece: str, entries: frozenset[str]) -> list[str]:
    """A piece cut into what is known of it and what is not: "l'", "zebra", "."."""
    cut = pieces(piece, entries)
    if cut is not None:
        return cut
    start, end = unknown_part(piece, entries)
    before, after = pieces(piece[:start], entries), pieces(piece[end:], entries)
    return [*(before or []), piece[start:end], *(after or [])]


def unknown_part(piece: str, entries: frozenset[str]) -> tuple[int, int]:
    """Where the unknown begins and ends: "arbrex" of "l'arbrex" and of "arbrex."."""
    start, end, longest = 0, len(piece), _longest(entries)

    def known(first: int, last: int) -> bool:
        return last - first <= longest and piece[first:last] in entries

    while True:
        near_end = range(end - 1, max(start, end - 1 - longest), -1)
        near_start = range(min(near_end.stop, start + longest), start, -1)
        places = [n for n in (*near_end, *near_start) if _between(piece, n)]
        cut = next((n for n in places if known(start, n) or known(n, end)), None)
        if cut is None:
            return start, end
        start, end = (cut, end) if known(start, cut) else (start, cut)


def pieces(text: str, entries: frozenset[str]) -> list[str] | None:
    """`text` cut beside its marks into known words, the fewest; None where none fit."""
    size, longest = len(text), _longest(entries)
    fewest = [*[math.inf] * size, 0]  # words of the text from each place on
    following = [0] * size  # where the first of these words ends
    for start in reversed(range(size)):
        for end in range(start + 1, min(start + longest, size) + 1):
            word = (end == size or _between(text, end)) and text[start:end] in entries
            if word and fewest[end] + 1 < fewest[start]:
                fewest[start], following[start] = fewest[end] + 1, end
    if fewest[0] == math.inf:
        return None
    ends = [0]
    while ends[-1] < size:
        ends.append(following[ends[-1]])
    return [text[start:end] for start, end in pairwise(ends)]


def _between(text: str, place: int) -> bool:
    """May a word end here? Not between two letters."""
    return not (text[place - 1].isalnum() and text[place].isalnum())


@lru_cache(1)
def _longest(entries: frozenset[str]) -> int:
    """How many letters the longest word has."""
    return max(map(len, entries), default=0)

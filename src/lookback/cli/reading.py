"""What somebody typed, as the words of a vocabulary."""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence
from functools import cache
from typing import TYPE_CHECKING

from lookback.text.spelling import did_you_mean

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
    text, found = text.lower().replace("’", "'"), list[str]()
    for special in vocabulary.specials if keep else ():  # it means nothing from outside
        text = text.replace(special, " ".join(re.findall(r"\w+|\W", special)))
    for piece in cut(text) if cut else text.split():
        if cut and keep:
            found.append(piece)
            continue
        known = around(piece, entries) if keep else pieces(piece, entries)
        if known is None:
            unknown = bare(piece, entries)
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
    from lookback.text.tokens import write_french

    capital = (word for word in re.findall(r"\w+", text)[1:] if word[0].isupper())
    names = {word.lower(): word for word in capital}
    names |= {f"[{word}]": f"[{name}]" for word, name in names.items()}
    return write_french([names.get(word, word) for word in words])


def around(piece: str, entries: frozenset[str]) -> list[str]:
    """A piece cut into what is known of it and what is not: "l'", "zebra", "."."""
    cut = pieces(piece, entries)
    if cut is not None:
        return cut
    unknown = bare(piece, entries)
    before, _, after = piece.partition(unknown)
    return [
        *(around(before, entries) if before else []),
        unknown,
        *(around(after, entries) if after else []),
    ]


def bare(piece: str, entries: frozenset[str]) -> str:
    """What is unknown of a piece: "l'arbrex" and "arbrex." less what is known."""
    for end in range(len(piece) - 1, 0, -1):
        if _between(piece, end):
            if piece[:end] in entries:
                return bare(piece[end:], entries)
            if piece[end:] in entries:
                return bare(piece[:end], entries)
    return piece


def _between(text: str, place: int) -> bool:
    """May a word end here? Not between two letters."""
    return not (text[place - 1].isalnum() and text[place].isalnum())


def pieces(text: str, entries: frozenset[str]) -> list[str] | None:
    """`text` cut beside its marks into known words, the fewest; None where none fit."""

    @cache
    def best(start: int) -> tuple[str, ...] | None:
        if start == len(text):
            return ()
        found: list[tuple[str, ...]] = []
        for end in range(start + 1, len(text) + 1):
            if end < len(text) and not _between(text, end):
                continue
            rest = best(end) if text[start:end] in entries else None
            if rest is not None:
                found.append((text[start:end], *rest))
        return min(found, key=len, default=None)

    cut = best(0)
    return None if cut is None else list(cut)

"""Spelling: the name that somebody meant who typed another one."""

import difflib
import re
from collections.abc import Iterable

NEAR = 0.65
"""How alike two words are, at least, for one to be taken for a slip in the other.

The measure is the ratio of difflib. Of slips, "nwe" and "new" have 0.67, "trian" and
"train" 0.80; of words that mean something else, "nothing" and "luong" 0.50, "print" and
"train" 0.60.
"""
WORD = re.compile(r"[^\W_]+")  # letters and digits


def nearest(word: str, names: Iterable[str]) -> str:
    """The name that was meant, small and capital letters being the same; "" if none.

    It is one that holds the whole word, at best at its beginning, or else one that is
    spelt nearly like it.

    >>> names = ["additive, global", "dot, global", "dot, local"]
    >>> nearest("dot", names), nearest("dot, locla", names), nearest("global", names)
    ('dot, global', 'dot, local', 'additive, global')
    """
    names, asked = sorted(names), _words(word)
    if holding := [name for name in names if asked.strip() and asked in _words(name)]:
        return min(holding, key=lambda name: not _words(name).startswith(asked))
    folded = {name.casefold(): name for name in names}
    near = difflib.get_close_matches(word.casefold(), folded, n=1, cutoff=NEAR)
    return folded[near[0]] if near else ""


def did_you_mean(word: str, names: Iterable[str]) -> str:
    """The end of a message about a word that is none of the names; "" if none is near.

    >>> did_you_mean("trian", ["train", "list"]), did_you_mean("print", ["train"])
    (": did you mean 'train'?", '')
    """
    near = nearest(word, names)
    return f": did you mean {near!r}?" if near else ""


def listed(names: Iterable[str]) -> str:
    """Names in one line; those that hold commas, each in a line of its own.

    >>> listed(["gpt", "bert"]), listed([]), listed(["dot, local", "dot"])
    (' gpt, bert', ' none', '\\n  dot, local\\n  dot')
    """
    names = list(names)
    if any("," in name for name in names):
        return "".join(f"\n  {name}" for name in names)
    return f" {', '.join(names) or 'none'}"


def _words(text: str) -> str:
    """Its words without any signs, a space on both sides of each."""
    return f" {' '.join(WORD.findall(text.casefold()))} "

"""How well a parser finds phrases: labelled precision, recall and F1.

The measure of Black et al. 1991: a phrase is right where the parser found one with the
same label over the same words. A tree is (label, child, …), and a leaf (tag, word).
"""

from collections import Counter
from collections.abc import Sequence
from typing import Any, TypeAlias

import numpy as np
from numpy.typing import NDArray

Counts = NDArray[np.float64]
Tree: TypeAlias = tuple[Any, ...]


def brackets(tree: Tree) -> Counter[tuple[str, int, int]]:
    """(label, i, j) of every phrase, which has the words i to j - 1. Tags are none.

    Of the empty tree, which says that a parser found none: nothing.
    """
    found: Counter[tuple[str, int, int]] = Counter()

    def end(node: Tree, i: int) -> int:
        if isinstance(node[1], str):
            return i + 1
        j = i
        for child in node[1:]:
            j = end(child, j)
        found[node[0], i, j] += 1
        return j

    if tree:
        end(tree, 0)
    return found


def bracket_counts(
    gold: Sequence[Counter[Any]], guessed: Sequence[Counter[Any]]
) -> Counts:
    """What `bracket_f1` needs to know of each sentence.

    gold, guessed  phrases of N sentences, or any other things that are counted
    →  (N, 3): right ones that were found, gold ones, guessed ones
    """
    rows = [
        [(a & b).total(), a.total(), b.total()]
        for a, b in zip(gold, guessed, strict=True)
    ]
    return np.array(rows, dtype=float).reshape(-1, 3)


def bracket_f1(sums: Counts) -> float:
    """F1 = 2 P R / (P + R) in percent; `sums` (3,) adds up `bracket_counts`.

    NaN where there is nothing to find, and nothing was found.
    """
    found, gold, guessed = (float(n) for n in sums)
    return 200 * found / (gold + guessed) if gold + guessed else float("nan")

"""Show one query's attention step by step, in a table that a reader can change."""

import html
import json
from collections.abc import Sequence
from dataclasses import dataclass
from math import sqrt

import numpy as np
from numpy.typing import ArrayLike, NDArray

from lookback.figures.numerals import rounded

Numbers = NDArray[np.float64]
HEADS = ("", "key", "q · k", "score", "weight", "value")


@dataclass(frozen=True, repr=False)
class Query:
    """Compute softmax(q Kᵀ / √d_k) V for one query and show each step in a table.

    words   S words;  word  the word whose query it is
    query   (d_k,)  numbers;  keys (S, d_k);  values (S, d_v)
    The page's script lets a reader change query, keys, the divisor, a temperature and
    which words may be looked at; without it the table stands as it is.
    Raises ValueError for shapes that do not fit, and numbers that are not finite.
    """

    words: Sequence[str]
    query: ArrayLike
    keys: ArrayLike
    values: ArrayLike
    word: str = ""

    def __post_init__(self) -> None:
        q, K, V = self._arrays()
        S = len(self.words)
        for name, array, shape in (
            ("query", q, q.shape[:1]),
            ("keys", K, (S, *q.shape[:1])),
            ("values", V, (S, *V.shape[1:2])),
        ):
            if array.shape != shape or not array.size:
                raise ValueError(f"{name} have shape {array.shape}: expected {shape}")
            if not np.isfinite(array).all():
                raise ValueError(f"{name} hold numbers that are not finite")

    def _arrays(self) -> tuple[Numbers, Numbers, Numbers]:
        given = (self.query, self.keys, self.values)
        q, K, V = (np.asarray(array, dtype=float) for array in given)
        return q, K, V

    def steps(self) -> tuple[Numbers, Numbers, Numbers, Numbers]:
        """Compute products, scores and weights, each (S,), and the output z (d_v,)."""
        q, K, V = self._arrays()
        products = K @ q
        scores = products / sqrt(q.size)
        e = np.exp(scores - scores.max())
        weights = e / e.sum()
        return products, scores, weights, weights @ V

    def _repr_html_(self) -> str:
        q, K, V = self._arrays()
        products, scores, weights, z = self.steps()
        heads = "".join(
            f'<th scope="col">{head}</th>' if head else "<td></td>" for head in HEADS
        )
        rows = [
            f'<tr><th scope="row">{html.escape(word, quote=False)}</th>'
            f"<td>{_row(k)}</td><td>{rounded(p)}</td><td>{_three(s)}</td>"
            f'<td style="--lb-share:{w:.4f}"><span>{_three(w)}</span></td>'
            f"<td>{_row(v)}</td></tr>"
            for word, k, p, s, w, v in zip(
                self.words, K, products, scores, weights, V, strict=True
            )
        ]
        data = html.escape(
            json.dumps({"q": q.tolist(), "K": K.tolist(), "V": V.tolist()})
        )
        word = html.escape(self.word, quote=False)
        of = f" of <em>{word}</em>" if word else ""
        mixed = ", ".join(map(_three, z))
        return (
            f'<div class="lb-query" data-live="query" data-numbers="{data}">'
            f'<p>The query{of}: q = <span class="lb-q">{_row(q)}</span></p>'
            f'<table class="lb-table"><thead><tr>{heads}</tr></thead>'
            f"<tbody>{''.join(rows)}</tbody></table>"
            f"<p><output>z = ({mixed})</output></p></div>"
        )

    def __repr__(self) -> str:
        products, scores, weights, z = self.steps()
        lines = [("q·k", products), ("score", scores), ("weight", weights), ("z", z)]
        return "\n".join(
            f"{name:6} {' '.join(f'{number:8.3f}' for number in row)}"
            for name, row in lines
        )


def _row(numbers: Numbers) -> str:
    return " ".join(rounded(float(number)) for number in numbers)


def _three(number: float) -> str:
    return f"{number:.3f}".replace("-", "−")

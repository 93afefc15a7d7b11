"""Show attention as matrices: all numbers from the words to what each of them gets."""

import html
import json
from collections.abc import Sequence
from dataclasses import dataclass
from math import sqrt

import numpy as np
import torch
from numpy.typing import ArrayLike, NDArray

from lookback.attention import Head, causal_mask
from lookback.diagrams.truth import preserves_rng

Numbers = NDArray[np.float64]
NAMES = {  # of a grid → how it is written
    "X": "X",
    "WQ": "W<sup>Q</sup>",
    "WK": "W<sup>K</sup>",
    "WV": "W<sup>V</sup>",
    "KT": "K<sup>⊤</sup>",
    "S": "Q K<sup>⊤</sup>",
    "E": "Q K<sup>⊤</sup> / √d<sub>k</sub>",
    "A": "softmax",
    "Z": "Z",
}
PARTS = {"KT": "K"}  # of a grid → the part of the figure that a formula names
WHOLE = ("X", "WQ", "WK", "WV", "Q", "K", "V", "KT", "S")


@dataclass(frozen=True, repr=False)
class Matrices:
    """Compute softmax(X W^Q (X W^K)ᵀ / √d_k) X W^V, and show every matrix in it.

    words          T words, the rows of X;  word  the one whose row is framed at first
    X              (T, d_model)
    W_Q, W_K, W_V  (d_model, d_k) twice and (d_model, d_v), shared by all words
    The page's script lights the row and the column that make the number at the pointer,
    and says how; it can hide later words. The numbers are held against a run of Head.
    Raises ValueError for shapes that do not fit, and a word that is none of them.
    """

    words: Sequence[str]
    X: ArrayLike
    W_Q: ArrayLike
    W_K: ArrayLike
    W_V: ArrayLike
    word: str

    def __post_init__(self) -> None:
        X, *maps = self._given()
        if len(X) != len(self.words) or any(len(W) != X.shape[1] for W in maps):
            sizes = [one.shape for one in (X, *maps)]
            raise ValueError(
                f"X, W_Q, W_K, W_V have shapes {sizes}: expected a row of X for each "
                f"of {len(self.words)} words, and a row of each W for each column of X"
            )
        if self.word not in self.words:
            raise ValueError(f"word is {self.word!r}: expected one of {self.words}")
        hold(self.numbers(), self._given(), None)
        hold(self.numbers(causal=True), self._given(), causal_mask(len(X)))

    def _given(self) -> list[Numbers]:
        given = (self.X, self.W_Q, self.W_K, self.W_V)
        return [np.asarray(one, dtype=float) for one in given]

    def numbers(self, *, causal: bool = False) -> dict[str, Numbers]:
        """Compute every matrix by its name; causal: later words get the score −∞."""
        X, W_Q, W_K, W_V = self._given()
        Q, K, V = X @ W_Q, X @ W_K, X @ W_V
        S = Q @ K.T
        E = S / sqrt(Q.shape[1])
        if causal:
            E = np.where(np.tril(np.ones_like(E)) > 0, E, -np.inf)
        e = np.exp(E - E.max(axis=1, keepdims=True))
        A = e / e.sum(axis=1, keepdims=True)
        return {
            "X": X, "WQ": W_Q, "WK": W_K, "WV": W_V, "Q": Q, "K": K, "V": V,
            "KT": K.T, "S": S, "E": E, "A": A, "Z": A @ V,
        }  # fmt: skip

    def _repr_html_(self) -> str:
        n, d_k = self.numbers(), self._given()[1].shape[1]
        later = {
            name: [[_written(name, x) for x in row] for row in rows]
            for name, rows in self.numbers(causal=True).items()
            if name in ("E", "A", "Z")
        }
        grid = {name: self._grid(name, n[name]) for name in n}
        value = grid["V"].replace('data-grid="V"', 'data-grid="V2"')
        query = self._grid("Q", n["Q"], labels=True).replace(
            'data-grid="Q"', 'data-grid="Q2"'
        )
        parts = (
            ("project", "1. Project", "WQ WK WV X Q K V"),
            ("compare", "2. Compare", "KT Q2 S"),
            ("divide", "3. Divide by the root", "E"),
            ("mix", "4. Softmax, then mix", "V2 A Z"),
        )
        grid |= {"Q2": query, "V2": value}
        shown = "".join(
            f'<div class="lb-step lb-{kind}"><p>{title}</p>'
            f"{''.join(grid[name] for name in names.split())}</div>"
            for kind, title, names in parts
        )
        data = html.escape(json.dumps(later, ensure_ascii=False))
        return (
            f'<div class="lb-matrices" data-live="matrices" data-later="{data}" '
            f'data-root="{d_k}">{shown}</div>'
        )

    _repr_figure_ = _repr_html_

    def _grid(self, name: str, numbers: Numbers, *, labels: bool = False) -> str:
        """Write one matrix: words before its rows if its rows are words, or over it."""
        heads = ""
        if name in ("KT", "E", "A"):
            words = "".join(f'<th scope="col"><span>{_text(w)}</span></th>'
                            for w in self.words)  # fmt: skip
            heads = f"<thead><tr>{'<td></td>' * (name != 'KT')}{words}</tr></thead>"
        named = labels or name in ("X", "E", "A")
        lines = []
        for i, row in enumerate(numbers):
            word = self.words[i] if len(numbers) == len(self.words) else ""
            head = f'<th scope="row">{_text(word)}</th>' if named else ""
            cells = "".join(f"<td>{_written(name, x)}</td>" for x in row)
            kind = ' class="lb-lit"' if word == self.word and name != "KT" else ""
            lines.append(f"<tr{kind}>{head}{cells}</tr>")
        kind = "lb-whole" if name in WHOLE else "lb-parts"
        caption = f"<caption>{NAMES.get(name, name)}</caption>"
        return (
            f'<table class="lb-grid {kind}" data-grid="{name}" '
            f'data-part="{PARTS.get(name, name)}">{caption}{heads}'
            f"<tbody>{''.join(lines)}</tbody></table>"
        )

    def __repr__(self) -> str:
        return "\n".join(f"{name}\n{rows}" for name, rows in self.numbers().items())


@preserves_rng
def hold(
    numbers: dict[str, Numbers], given: Sequence[Numbers], mask: torch.Tensor | None
) -> None:
    """Raise ValueError unless a Head with these matrices gives these weights and Z."""
    X, *maps = (torch.from_numpy(one) for one in given)
    head = Head(X.size(1), maps[0].size(1), maps[2].size(1)).double()
    with torch.no_grad():
        for map_, W in zip((head.W_Q, head.W_K, head.W_V), maps, strict=True):
            map_.weight.copy_(W.T)
        Z, A = head(X, X, X, mask)
    for name, run in (("A", A), ("Z", Z)):
        if not np.allclose(numbers[name], run.numpy()):
            raise ValueError(f"{name} is drawn as {numbers[name]}, but it is {run}")


def _written(name: str, x: float) -> str:
    if x == -np.inf:
        return "−∞"
    return f"{x:.{0 if name in WHOLE and x == round(x) else 2}f}".replace("-", "−")


def _text(words: str) -> str:
    return html.escape(words, quote=False)

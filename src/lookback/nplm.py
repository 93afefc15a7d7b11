"""A neural probabilistic language model: words as vectors, learnt by predicting.

Each word has a vector of m numbers. The vectors of the n - 1 words before, one behind
the other, go through a small network that scores all words of the vocabulary. Vectors
and network are learnt together, so that words which are followed by like words come to
have like vectors: what is learnt of one then serves the other. Bengio, Ducharme,
Vincent and Jauvin 2003; the letters are theirs, and so is the order of the vectors,
the nearest word first.
"""

import difflib
import math
from collections.abc import Sequence
from dataclasses import dataclass

import torch
from torch import Tensor, nn
from torch.nn.functional import linear


@dataclass(frozen=True)
class NPLMConfig:
    """The sizes of a model.   Bengio et al. 2003, table 1.

    n       order: a word is predicted from the n - 1 before it
    m       features of a word: the length of its vector
    h       hidden units; 0 leaves none, which needs direct connections
    direct  whether the vectors are also connected with the output directly, by W
    """

    n: int
    m: int
    h: int
    direct: bool

    def __post_init__(self) -> None:
        for name, least in (("n", 2), ("m", 1), ("h", 0)):
            value = getattr(self, name)
            if type(value) is not int or value < least:
                raise ValueError(f"{name} must be a whole number ≥ {least}: {self}")
        if type(self.direct) is not bool:
            raise ValueError(f"direct must be True or False: {self}")
        if not (self.h or self.direct):
            raise ValueError(f"with h = 0 and no W the output sees no word: {self}")

    def parameters(self, V: int) -> int:
        """|V| (1 + n m + h) + h (1 + (n - 1) m): how many numbers are learnt.

        The first bracket holds b, then C and W together, m + (n - 1) m, then U; the
        second d and H. Without direct connections W's (n - 1) m fall away.
        """
        seen = (self.n - 1) * self.m
        return V * (1 + self.m + self.direct * seen + self.h) + self.h * (1 + seen)


class NPLM(nn.Module):
    """y = b + W x + U tanh(d + H x).   Bengio et al. 2003, equation 1.

    V  how many words there are to read and to predict

    C  (V, m)        a vector for each word, the same at every place of the context
    H  (h, (n-1) m)  from the vectors to the hidden units
    d  (h,)          their biases
    U  (V, h)        from the hidden units to the scores
    W  (V, (n-1) m)  from the vectors to the scores directly, or None
    b  (V,)          their biases
    """

    def __init__(self, config: NPLMConfig, V: int) -> None:
        super().__init__()
        if type(V) is not int or V < 1:
            raise ValueError(f"V must be a whole number ≥ 1, got {V!r}")
        m, h, seen = config.m, config.h, (config.n - 1) * config.m
        self.config = config
        self.C = nn.Parameter(drawn(V, m))
        self.H = nn.Parameter(drawn(h, seen))
        self.d = nn.Parameter(torch.zeros(h))
        self.U = nn.Parameter(drawn(V, h))
        self.W = nn.Parameter(drawn(V, seen)) if config.direct else None
        self.b = nn.Parameter(torch.zeros(V))

    def forward(self, context: Tensor) -> Tensor:
        """The scores y of every word; their softmax is P(w_t | w_{t-1}, …, w_{t-n+1}).

        context  (…, n-1)  ids of the words before, the nearest first
        →  (…, V)
        """
        x = self.C[self._checked(context)].flatten(-2)  # (…, n-1, m) → (…, (n-1) m)
        y = linear(torch.tanh(linear(x, self.H, self.d)), self.U, self.b)
        return y if self.W is None else y + linear(x, self.W)

    def _checked(self, context: Tensor) -> Tensor:
        """The context; `ValueError` where it is none that the model can read."""
        V, size = len(self.b), self.config.n - 1
        if context.dtype not in (torch.int64, torch.int32):
            raise ValueError(f"a context holds ids, whole numbers: {context.dtype}")
        if not context.ndim or context.size(-1) != size:
            raise ValueError(
                f"a model of order n = {size + 1} looks at {size} words: expected "
                f"contexts (…, {size}), got {tuple(context.shape)}"
            )
        if context.numel() and not 0 <= int(context.min()) <= int(context.max()) < V:
            low, high = int(context.min()), int(context.max())
            raise ValueError(f"ids must be from 0 to {V - 1}, got {low} to {high}")
        return context


def drawn(rows: int, columns: int) -> Tensor:
    """Weights (rows, columns), uniform between ± 1 / √columns."""
    return (2 * torch.rand(rows, columns) - 1) / math.sqrt(columns)


def contexts(ids: Tensor, n: int) -> Tensor:
    """The n - 1 words up to each place of a sentence, the nearest first.

    ids  (…, T)  sentences, which begin with <s>; at the beginning that is repeated
    →  (…, T, n-1), row t being the context of the word at t + 1
    """
    if type(n) is not int or n < 2:
        raise ValueError(f"n must be a whole number ≥ 2, got {n!r}")
    if not ids.ndim or not ids.size(-1):
        raise ValueError(f"expected ids (…, T) of T ≥ 1 words, got {tuple(ids.shape)}")
    front = ids[..., :1].expand(*ids.shape[:-1], n - 2)
    padded = torch.cat([front, ids], dim=-1)  # (…, n - 2 + T)
    return padded.unfold(-1, n - 1, 1).flip(-1)


def nearest(
    word: str, words: Sequence[str], vectors: Tensor, k: int = 5
) -> list[tuple[str, float]]:
    """The k words whose vectors point most nearly where that of `word` does.

    words    V different words; row i of `vectors` belongs to words[i]
    vectors  (V, m), none of them 0, which points nowhere
    →  (word, cosine of the angle), the nearest first, without `word` itself
    """
    place = {other: row for row, other in enumerate(words)}
    shapes = len(place), len(words), *vectors.shape[:-1]
    if vectors.ndim != 2 or not place or len(set(shapes)) > 1:
        raise ValueError(
            "each word, once, needs a row of vectors: got "
            f"{len(words)} words, {len(place)} different, and {tuple(vectors.shape)}"
        )
    if word not in place:
        near = difflib.get_close_matches(word, words, n=1, cutoff=0)
        raise ValueError(f"{word!r} has no vector; the nearest spelling is {near[0]!r}")
    if type(k) is not int or not 1 <= k < len(words):
        raise ValueError(f"k must be from 1 to {len(words) - 1}, got {k!r}")
    length = vectors.detach().norm(dim=1)
    if not bool((length > 0).all()):
        zero = [words[int(row)] for row in torch.nonzero(~(length > 0)).flatten()[:3]]
        raise ValueError(f"a vector of 0 points nowhere: that of {', '.join(zero)}")
    unit = vectors.detach() / length.unsqueeze(1)
    cosine = unit @ unit[place[word]]
    best = [int(row) for row in cosine.topk(k + 1).indices if int(row) != place[word]]
    return [(words[row], float(cosine[row])) for row in best[:k]]

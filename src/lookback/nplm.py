"""A neural probabilistic language model: words as vectors, learnt by predicting.

Each word has a vector of m numbers. The vectors of the n - 1 words before are
concatenated and go through a small network that scores all words of the vocabulary.
Vectors and network are learnt together, so that words which are followed by similar
words come to have similar vectors: what is learnt of one then serves the other. Bengio,
Ducharme, Vincent and Jauvin 2003; the letters are theirs, and so is the order of the
vectors, the nearest word first.
"""

import difflib
import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass

import torch
from torch import Tensor, nn
from torch.nn.functional import linear

from lookback.checks import between, ids, shapes, whole

__all__ = [
    "NPLM",
    "NPLMConfig",
    "contexts",
    "nearest",
    "row_of",
    "uniform",
    "unit_vectors",
]


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
        whole(2, n=self.n)
        whole(m=self.m)
        whole(0 if self.direct else 1, h=self.h)  # without either y knows no word

    def parameters(self, V: int) -> int:
        """|V| (1 + n m + h) + h (1 + (n - 1) m): how many numbers are learnt.

        The first bracket holds b, then C and W together, m + (n - 1) m, then U; the
        second d and H. Without direct connections W's (n - 1) m fall away.
        """
        x = (self.n - 1) * self.m
        return V * (1 + self.m + self.direct * x + self.h) + self.h * (1 + x)  # (5)


class NPLM(nn.Module):
    """y = b + W x + U tanh(d + H x).   Bengio et al. 2003, equation 1.

    V  how many words there are to read and to predict

    C  (V, m)        a vector for each word, the same at every position of the context
    H  (h, (n-1) m)  from the vectors to the hidden units
    d  (h,)          their biases
    U  (V, h)        from the hidden units to the scores
    W  (V, (n-1) m)  from the vectors to the scores directly, or None
    b  (V,)          their biases

    >>> model = NPLM(NPLMConfig(n=3, m=2, h=4, direct=True), V=10)
    >>> model(torch.tensor([[7, 2], [0, 7]])).shape  # two contexts of two words
    torch.Size([2, 10])
    """

    def __init__(self, config: NPLMConfig, V: int) -> None:
        super().__init__()
        whole(V=V)
        m, h, x = config.m, config.h, (config.n - 1) * config.m
        self.config = config
        self.C = nn.Parameter(uniform(V, m))
        self.H = nn.Parameter(uniform(h, x))
        self.d = nn.Parameter(torch.zeros(h))
        self.U = nn.Parameter(uniform(V, h))
        self.W = nn.Parameter(uniform(V, x)) if config.direct else None
        self.b = nn.Parameter(torch.zeros(V))

    def forward(self, context: Tensor) -> Tensor:
        """The scores y of all words: softmax(y) is P(w_t | w_{t-1}, …, w_{t-n+1}).

        context  (…, n-1)  ids of the words before, the nearest first
        →  (…, V)
        """
        shapes(context=(context, f"… {self.config.n - 1}"))
        ids(len(self.b), context=context)
        x = self.C[context].flatten(-2)  # (2), (…, n-1, m) → (…, (n-1) m)
        hidden = torch.tanh(linear(x, self.H, self.d))  # tanh(d + H x)
        y = linear(hidden, self.U, self.b)
        return y if self.W is None else y + linear(x, self.W)  # (1)


def uniform(rows: int, columns: int) -> Tensor:
    """Weights (rows, columns), uniform between ± 1 / √columns."""
    return (2 * torch.rand(rows, columns) - 1) / math.sqrt(columns)


def contexts(ids: Tensor, n: int) -> Tensor:
    """The n - 1 words up to each position of a sentence, the nearest first.

    ids  (…, T)  sentences, which begin with <s>; at the beginning that is repeated
    →  (…, T, n-1), row t being the context of the word at t + 1
    """
    whole(2, n=n)
    shapes(ids=(ids, "… T"))
    front = ids[..., :1].expand(*ids.shape[:-1], n - 2)
    padded = torch.cat([front, ids], dim=-1)  # (…, n - 2 + T)
    return padded.unfold(-1, n - 1, 1).flip(-1)


def nearest(
    word: str, words: Sequence[str], vectors: Tensor, k: int = 5
) -> list[tuple[str, float]]:
    """The k words whose vectors have the largest cosines with that of `word`.

    words    V different words; row i of `vectors` belongs to words[i]
    vectors  (V, m), none of them 0
    →  (word, cosine of the angle), the nearest first, without `word` itself
    """
    rows, unit = unit_vectors(words, vectors)
    own = row_of(word, rows)
    between(1, len(words) - 1, k=k)
    cosine = unit @ unit[own]
    best = [int(row) for row in cosine.topk(k + 1).indices if int(row) != own]
    return [(words[row], float(cosine[row])) for row in best[:k]]


def unit_vectors(
    words: Sequence[str], vectors: Tensor
) -> tuple[dict[str, int], Tensor]:
    """The row of each word, and all vectors (V, m) divided by their lengths.

    Refuses words that are not all different, and a vector of 0: it has no direction.
    """
    shapes(vectors=(vectors, f"{len(words)} m"))
    rows = {word: row for row, word in enumerate(words)}
    length = vectors.detach().norm(dim=1, keepdim=True)  # (V, 1)
    if len(rows) < len(words):
        raise ValueError(f"got {len(words)} words, {len(rows)} different: expected all")
    if not bool((length > 0).all()):
        raise ValueError(f"the vector of {words[int(length.argmin())]!r} is 0 or NaN")
    return rows, vectors.detach() / length


def row_of(word: str, rows: Mapping[str, int]) -> int:
    """The row of a word.

    Refuses a word that has none, and names the nearest spelling.
    """
    if word not in rows:
        raise ValueError(_unknown(word, rows))
    return rows[word]


def _unknown(word: str, rows: Mapping[str, int]) -> str:
    (near,) = difflib.get_close_matches(word, rows, n=1, cutoff=0)
    return f"{word!r} has no vector; the nearest spelling is {near!r}"

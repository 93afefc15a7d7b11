"""BERT: the encoder alone, trained to predict masked words from both sides.

`BERT` is an `Encoder` under three tables: of words, of positions and of segments. It is
pre-trained on two tasks: some words are masked and have to be predicted, and the state
of the first token, [CLS], says whether the second sentence followed the first.
`TokenClassifier` and `SentenceClassifier` are a pre-trained BERT with one more matrix.
Devlin et al. 2019. Equations have the numbers of this chapter's page.

Sizes: B sequences of S tokens; d_model features of a position; h heads; V words.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import NamedTuple

import torch
from torch import Tensor, nn
from torch.nn.functional import cross_entropy, linear

from lookback.checks import ids, shapes
from lookback.encoder import Encoder, EncoderLayer, FeedForward, LayerConfig
from lookback.gpt import init_weights
from lookback.layernorm import LayerNorm
from lookback.positions import LearnedPositions

__all__ = [
    "BASE",
    "BERT",
    "KINDS",
    "LARGE",
    "SHARE",
    "BERTConfig",
    "BERTEncoder",
    "BERTLayer",
    "ExactGELU",
    "Masked",
    "SentenceClassifier",
    "TokenClassifier",
    "join",
    "mask_words",
    "pretraining_loss",
]

SHARE = 0.15
"""Of the words of a sequence, how many are chosen to be predicted."""
KINDS = (0.8, 0.1, 0.1)
"""Of those, how many are read as [MASK], as a random word, and as they are."""


class ExactGELU(FeedForward):
    """gelu(x W_1 + b_1) W_2 + b_2 at each position alone, with the exact GELU.

    gelu(a) = a Φ(a) = ½ a (1 + erf(a / √2)).   Hendrycks and Gimpel 2016

    GPT has the approximation with the tanh; BERT's first release has this.
    """

    def forward(self, x: Tensor) -> Tensor:
        """x (…, d_model) → the same shape."""
        x = nn.functional.gelu(self.W_1(x))
        return self.W_2(x)  # type: ignore[no-any-return]


@dataclass(frozen=True, kw_only=True)
class BERTConfig(LayerConfig):
    """The sizes of a BERT: those of a layer, and these.

    N              layers
    max_positions  learned positional embeddings: how long a sequence may be
    segments       how many kinds of sentence a sequence may hold: first and second
    init           σ of the normal distribution that matrices begin with
    eps            ε of the layer norms
    """

    N: int
    max_positions: int
    segments: int = 2
    init: float = 0.02
    eps: float = 1e-12
    bias: bool = True


BASE = BERTConfig(N=12, d_model=768, h=12, d_ff=3072, max_positions=512, dropout=0.1)
"""BERT's smaller size. V: 30 522."""
LARGE = BERTConfig(N=24, d_model=1024, h=16, d_ff=4096, max_positions=512, dropout=0.1)
"""BERT's larger size. V: 30 522."""


class BERTLayer(EncoderLayer):
    """An `EncoderLayer` with GELU, and an ε of its own."""

    def __init__(self, config: BERTConfig) -> None:
        super().__init__(config)
        self.feed_forward = ExactGELU(config.d_model, config.d_ff)
        self.norm_self_attention = LayerNorm(config.d_model, config.eps)
        self.norm_feed_forward = LayerNorm(config.d_model, config.eps)


class BERTEncoder(Encoder):
    """N layers of BERT."""

    def __init__(self, config: BERTConfig) -> None:
        super().__init__(config, config.N)
        self.layers = nn.ModuleList(BERTLayer(config) for _ in range(config.N))


class BERT(nn.Module):
    """P(word | all words that are not masked), and P(the second sentence followed).

    Devlin et al. 2019, section 3

    e (V, d_model)              the embedding of each word, which also scores it
    p (max_positions, d_model)  the embedding of each position
    s (segments, d_model)       the embedding of each segment
    W_T, b                      a last layer before the scores, and a bias for each word
    W_P, W_N                    a layer on the state of [CLS], and the two scores of
                                "the second sentence followed"

    >>> config = BERTConfig(N=2, d_model=6, h=3, d_ff=8, max_positions=9)
    >>> bert, words = BERT(config, vocab_size=5), torch.tensor([[2, 4, 1]])
    >>> logits, following, weights = bert(words)
    >>> logits.shape, following.shape, len(weights)
    (torch.Size([1, 3, 5]), torch.Size([1, 2]), 2)
    """

    def __init__(self, config: BERTConfig, vocab_size: int) -> None:
        super().__init__()
        d = config.d_model
        self.config = config
        self.e = nn.Embedding(vocab_size, d)
        self.p = LearnedPositions(config.max_positions, d)
        self.s = nn.Embedding(config.segments, d)
        self.norm = LayerNorm(d, config.eps)
        self.dropout = nn.Dropout(config.dropout)
        self.encoder = BERTEncoder(config)
        self.W_T, self.norm_T = nn.Linear(d, d), LayerNorm(d, config.eps)
        self.b = nn.Parameter(torch.zeros(vocab_size))
        self.W_P, self.W_N = nn.Linear(d, d), nn.Linear(d, 2)
        init_weights(self, config.init)

    def forward(
        self, words: Tensor, mask: Tensor | None = None, segments: Tensor | None = None
    ) -> tuple[Tensor, Tensor, tuple[Tensor, ...]]:
        """words (B, S), ids, the first of them that of [CLS].

        mask      (B, S), bool, True on words and False on padding; without it all True
        segments  (B, S), 0 in the first sentence and 1 in the second; without it all 0
        →  logits (B, S, V), those at s for the word at s; scores (B, 2), of which the
           second says that the second sentence followed; the weights of each layer
        Raises `ValueError` for ids outside the vocabulary, segments that there are not,
        no words, and more positions than were learned.
        """
        x, weights = self.states(words, mask, segments)
        return self.scores(x), self.W_N(self.pooled(x)), weights

    def states(
        self, words: Tensor, mask: Tensor | None = None, segments: Tensor | None = None
    ) -> tuple[Tensor, tuple[Tensor, ...]]:
        """`forward` without what is made of the states: x (B, S, d_model), weights."""
        if mask is None:
            mask = torch.ones_like(words, dtype=torch.bool)
        x = self.embed(words, segments)
        return self.encoder(x, mask)  # type: ignore[no-any-return]  # (1)

    def embed(self, words: Tensor, segments: Tensor | None = None) -> Tensor:
        """norm(e[words] + p + s[segments]): (B, S) → (B, S, d_model)."""
        if segments is None:
            segments = torch.zeros_like(words)
        shapes(words=(words, "B S"), segments=(segments, "B S"))
        ids(self.e.num_embeddings, words=words)
        ids(self.s.num_embeddings, segments=segments)
        x = self.e(words) + self.p(words.size(1)) + self.s(segments)
        return self.dropout(self.norm(x))  # type: ignore[no-any-return]

    def scores(self, x: Tensor) -> Tensor:
        """norm(gelu(x W_T)) times each word's embedding: (…, d_model) → (…, V)."""
        y = self.norm_T(nn.functional.gelu(self.W_T(x)))
        return linear(y, self.e.weight, self.b)  # (2)

    def pooled(self, x: Tensor) -> Tensor:
        """tanh(x_1 W_P), x_1 the state of [CLS]: (B, S, d_model) → (B, d_model)."""
        return torch.tanh(self.W_P(x[:, 0]))  # (3)


class Masked(NamedTuple):
    """What a masked language model is given.

    read    (B, S)  ids, some of them masked or replaced
    chosen  (B, S)  bool, True where the word has to be predicted
    """

    read: Tensor
    chosen: Tensor


def mask_words(
    words: Tensor,
    may: Tensor,
    *,
    mask_id: int,
    first: int,
    V: int,
    generator: torch.Generator,
    share_chosen: float = SHARE,
    kinds: tuple[float, float, float] = KINDS,
) -> Masked:
    """Choose 15 % of the words; 80 % of them become [MASK], 10 % a random word.

    Devlin et al. 2019, section 3.1, and appendix A.1. 10 % of the chosen words stay.

    words, may  (B, S)  ids; True where a word may be chosen: on no [CLS], no padding
    mask_id     the id of [MASK]
    first, V    random words have ids from `first` to V - 1
    →  of n words that may be chosen, round(.15 n) are, and at least one
    """
    shapes(words=(words, "B S"), may=(may, "B S"))
    if not bool(may.any(dim=1).all()):
        raise ValueError("may is False in a whole row: expected a word to be chosen")
    drawn = torch.rand(words.shape, generator=generator).masked_fill(~may, 2.0)
    rank = drawn.argsort(dim=1).argsort(dim=1)  # 0 for the smallest number of a row
    n = (share_chosen * may.sum(dim=1, keepdim=True)).round().clamp(min=1)
    chosen = rank < n
    kind = torch.rand(words.shape, generator=generator)
    other = torch.randint(first, V, words.shape, generator=generator)
    masked, replaced = kind < kinds[0], kind < kinds[0] + kinds[1]
    read = torch.where(chosen & replaced, other, words)
    return Masked(read.masked_fill(chosen & masked, mask_id), chosen)


def join(
    first: Sequence[int], second: Sequence[int] = (), *, start: int, end: int
) -> tuple[list[int], list[int]]:
    """[CLS] first [SEP] second [SEP], and the segment of each token.

    start, end  the ids of [CLS] and [SEP]; without a second sentence there is one [SEP]

    >>> join([7, 8], [9], start=2, end=3)
    ([2, 7, 8, 3, 9, 3], [0, 0, 0, 0, 1, 1])
    """
    ids_of = [start, *first, end]
    segments = [0] * len(ids_of)
    if len(second):
        ids_of += [*second, end]
        segments += [1] * (len(second) + 1)
    return ids_of, segments


def pretraining_loss(
    bert: BERT,
    words: Tensor,
    masked: Masked,
    mask: Tensor | None = None,
    segments: Tensor | None = None,
    follows: Tensor | None = None,
) -> tuple[Tensor, Tensor]:
    """The mean of -ln P(word) over the chosen, and of -ln P(follows) over sequences.

    words (B, S), what should be predicted; follows (B,), 1 where the second sentence
    followed the first and 0 where it did not: without it the second loss is 0. Only
    chosen words are scored: V numbers for 15 % of the positions.
    """
    shapes(words=(words, "B S"), read=(masked.read, "B S"), follows=(follows, "B"))
    x, _ = bert.states(masked.read, mask, segments)
    of_words = cross_entropy(bert.scores(x[masked.chosen]), words[masked.chosen])  # (4)
    if follows is None:
        return of_words, torch.zeros_like(of_words)
    ids(2, follows=follows)
    return of_words, cross_entropy(bert.W_N(bert.pooled(x)), follows)


class TokenClassifier(nn.Module):
    """softmax(T_i W_y + b_y), T_i the state of each token: tagging, by fine-tuning.

    >>> config = BERTConfig(N=2, d_model=6, h=3, d_ff=8, max_positions=9)
    >>> TokenClassifier(BERT(config, vocab_size=5), 4)(torch.tensor([[2, 4, 1]])).shape
    torch.Size([1, 3, 4])
    """

    def __init__(self, bert: BERT, classes: int) -> None:
        super().__init__()
        self.bert = bert
        self.dropout = nn.Dropout(bert.config.dropout)
        self.W_y = nn.Linear(bert.config.d_model, classes)
        nn.init.normal_(self.W_y.weight, std=bert.config.init)
        nn.init.zeros_(self.W_y.bias)

    def forward(self, words: Tensor, mask: Tensor | None = None) -> Tensor:
        """words (B, S), mask (B, S) as for `BERT` → scores (B, S, classes)."""
        x, _ = self.bert.states(words, mask)
        return self.W_y(self.dropout(x))  # type: ignore[no-any-return]


class SentenceClassifier(TokenClassifier):
    """softmax(C W_y + b_y), C what `BERT.pooled` makes of the state of [CLS]."""

    def forward(
        self, words: Tensor, mask: Tensor | None = None, segments: Tensor | None = None
    ) -> Tensor:
        """words, mask, segments (B, S) as for `BERT` → scores (B, classes)."""
        x, _ = self.bert.states(words, mask, segments)
        return self.W_y(self.dropout(self.bert.pooled(x)))  # type: ignore[no-any-return]

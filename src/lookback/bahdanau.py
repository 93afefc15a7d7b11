"""Additive attention: before each word the decoder weighs all words of the source.

`masked_softmax` makes attention weights of scores. `AdditiveAttention` scores every
position of the source against the decoder's state; the context is the mean of the
annotations with these weights. `RNNSearch` is the translator around it: no sentence
has to pass through one vector any longer. Bahdanau, Cho and Bengio 2014; (4) to (7) are
the paper's numbers, (8) to (10) the chapter's for equations of its appendix A. Biases
are left out of the paper's formulas, not of its model, and have no letters here either.

Sizes: B sentences of S source and T target words, m of a word's vector, n of a state.
"""

import math
from dataclasses import dataclass
from typing import NamedTuple

import torch
from torch import Tensor, nn

from lookback.checks import shapes, share, whole
from lookback.encdec import check_source, check_target, maxout
from lookback.lstm import GRUCell
from lookback.masking import masked_softmax
from lookback.recurrent import hidden, unroll

__all__ = [
    "AdditiveAttention",
    "BidirectionalEncoder",
    "Decoder",
    "RNNSearch",
    "RNNSearchConfig",
    "State",
    "reading_mask",
]


def reading_mask(mask: Tensor) -> Tensor:
    """(B, S) bool, True up to the last position that may be attended to.

    A mask is False on the padding after the words. Where it is False on a word, that
    word is hidden: the encoder reads it, and the decoder does not attend to it.

    >>> reading_mask(torch.tensor([[True, False, True, False]]))
    tensor([[ True,  True,  True, False]])
    """
    return mask.flip(1).cumsum(1).flip(1) > 0


class AdditiveAttention(nn.Module):
    """e_j = vᵀ tanh(W s + U h_j), α = softmax(e), c = Σ_j α_j h_j.

    Bahdanau et al. 2014, appendix A.1.2; W, U and v are W_a, U_a and v_a there.

    W (k, n), with a bias  maps the state s, the query;  n is the query's size
    U (k, d)               maps the annotations h_j;     d is theirs
    v (k,)                 makes one score of the two

    >>> attention = AdditiveAttention(query=4, annotation=6, hidden=5)
    >>> s, h = torch.randn(2, 4), torch.randn(2, 3, 6)  # two sentences of three words
    >>> mask = torch.ones(2, 3, dtype=torch.bool)
    >>> context, weights = attention(s, attention.keys(h), h, mask)
    >>> context.shape, weights.shape
    (torch.Size([2, 6]), torch.Size([2, 3]))
    """

    def __init__(self, *, query: int, annotation: int, hidden: int) -> None:
        super().__init__()
        whole(query=query, annotation=annotation, hidden=hidden)
        self.W = nn.Linear(query, hidden)
        self.U = nn.Linear(annotation, hidden, bias=False)
        bound = 1 / math.sqrt(hidden)
        self.v = nn.Parameter(torch.empty(hidden).uniform_(-bound, bound))

    def keys(self, annotations: Tensor) -> Tensor:
        """U h_j: (B, S, d) → (B, S, k). No state enters: once for a sentence."""
        return self.U(annotations)  # type: ignore[no-any-return]

    def scores(self, query: Tensor, keys: Tensor) -> Tensor:
        """How well h_j fits the query: (B, n), keys U h_j (B, S, k) → (B, S)."""
        return torch.tanh(self.W(query).unsqueeze(1) + keys) @ self.v  # (8)

    def forward(
        self, query: Tensor, keys: Tensor, values: Tensor, mask: Tensor
    ) -> tuple[Tensor, Tensor]:
        """The attention weights of one query, and the context that they give.

        query   (B, n)
        keys    (B, S, k)  from `keys`
        values  (B, S, d)  what is averaged: the annotations
        mask    (B, S)     bool, True on words
        →  context (B, d), the mean of the values; weights (B, S), which weigh them
        """
        shapes(query=(query, "B n"), keys=(keys, "B S k"), values=(values, "B S d"))
        weights = masked_softmax(self.scores(query, keys), mask)  # (6)
        return (weights.unsqueeze(1) @ values).squeeze(1), weights  # (5)


@dataclass(frozen=True)
class RNNSearchConfig:
    """The sizes of RNNsearch; the paper's: m 620, n 1000, k 1000, l 500.

    m        of a word's vector, on either side
    n        of a state: of each direction of the encoder, and of the decoder
    k        of the hidden layer of the alignment model; n' in the paper
    l        of the output of the maxout
    dropout  the share of a word's vector, and of the output of the maxout, that is
             left out in training
    """

    m: int
    n: int
    k: int
    l: int  # noqa: E741  the paper's symbol
    dropout: float = 0.0

    def __post_init__(self) -> None:
        whole(m=self.m, n=self.n, k=self.k, l=self.l)
        share(dropout=self.dropout)


class BidirectionalEncoder(nn.Module):
    """h_j = [→h_j ; ←h_j]: the annotation of word j knows the words on either side.

    Equation 7. →h reads from the first word to the last, ←h from the last to the first.
    """

    def __init__(self, config: RNNSearchConfig, vocab_size: int) -> None:
        super().__init__()
        self.e = nn.Embedding(vocab_size, config.m)
        self.forwards = GRUCell(config.m, config.n)
        self.backwards = GRUCell(config.m, config.n)
        self.dropout = nn.Dropout(config.dropout)

    def forward(self, source: Tensor, mask: Tensor) -> Tensor:
        """source (B, S) ids, mask (B, S) bool → annotations (B, S, 2 n)."""
        check_source(source, mask, self.e.num_embeddings)
        x = self.dropout(self.e(source))
        ahead = hidden(unroll(self.forwards, x))  # padding at the end reaches no word
        # Backwards it comes before the words: there the state stays 0.
        read = reading_mask(mask).flip(1)
        back = hidden(unroll(self.backwards, x.flip(1), read)).flip(1)
        return torch.cat([ahead, back], dim=-1)  # (7)


class State(NamedTuple):
    """The decoder's state, and what it attends to.

    s            (B, n)    s_i
    c            (B, 2 n)  c_i, the context that s_i has read; before the first word: 0
    weights      (B, S)    α_i, which gave c_i; before the first word: 0
    annotations  (B, S, 2 n)  every h_j;  keys (B, S, k)  U h_j;  mask (B, S)
    """

    s: Tensor
    c: Tensor
    weights: Tensor
    annotations: Tensor
    keys: Tensor
    mask: Tensor


class Decoder(nn.Module):
    """s_i = GRU([e(y_{i-1}) ; c_i], s_{i-1}), the query for c_i being s_{i-1}.

    s_0 = tanh(W_s ←h_1)
    P(y_i | …) = softmax(W_o t_i), t_i = the larger of each pair of
    t̃_i = U_o s_i + V_o e(y_{i-1}) + C_o c_i
    In t̃_i equation 4 of the paper has s_i, its appendix A.2.2 s_{i-1}: see the chapter.
    """

    def __init__(self, config: RNNSearchConfig, vocab_size: int) -> None:
        super().__init__()
        m, n, l = config.m, config.n, config.l  # noqa: E741
        self.n = n
        self.e = nn.Embedding(vocab_size, m)
        self.attention = AdditiveAttention(query=n, annotation=2 * n, hidden=config.k)
        self.cell = GRUCell(m + 2 * n, n)  # W and C of the paper, concatenated
        self.W_s = nn.Linear(n, n)
        self.U_o = nn.Linear(n, 2 * l)
        self.V_o = nn.Linear(m, 2 * l, bias=False)
        self.C_o = nn.Linear(2 * n, 2 * l, bias=False)
        self.W_o = nn.Linear(l, vocab_size)
        self.dropout = nn.Dropout(config.dropout)

    def start(self, annotations: Tensor, mask: Tensor) -> State:
        """The state before the first word; annotations (B, S, 2 n), mask (B, S)."""
        s = torch.tanh(self.W_s(annotations[:, 0, self.n :]))  # (9): s_0, from ←h_1
        c, weights = torch.zeros_like(annotations[:, 0]), torch.zeros_like(mask).to(s)
        return State(s, c, weights, annotations, self.attention.keys(annotations), mask)

    def next(self, y: Tensor, state: State) -> State:
        """s_i = f(y_{i-1}, c_i, s_{i-1}); y (B, m) is e(y_{i-1}), the last word."""
        s, _, _, h, keys, mask = state
        c, weights = self.attention(s, keys, h, mask)  # (5), with the old state
        s = self.cell.step(torch.cat([y, c], dim=-1), s)  # (9)
        return state._replace(s=s, c=c, weights=weights)

    def output(self, s: Tensor, y: Tensor, c: Tensor) -> Tensor:
        """s_i, e(y_{i-1}) and c_i → logits (…, V) of y_i; their softmax is (4)."""
        t = self.U_o(s) + self.V_o(y) + self.C_o(c)  # (10)
        return self.W_o(self.dropout(maxout(t)))  # type: ignore[no-any-return]

    def forward(self, target: Tensor, state: State) -> tuple[Tensor, Tensor, State]:
        """target (B, T) ids → logits (B, T, V), weights (B, T, S), the last state.

        logits[:, t] score the word after target[:, t].
        Teacher forcing: the decoder reads every word as the target has it. The output
        is computed for all words at once, since no step waits for it.
        """
        check_target(target, len(state.s), self.e.num_embeddings)
        y = self.dropout(self.e(target))
        states: list[State] = []
        for word in y.unbind(dim=1):  # T × (B, m)
            state = self.next(word, state)
            states.append(state)
        s = torch.stack([each.s for each in states], dim=1)
        c = torch.stack([each.c for each in states], dim=1)
        weights = torch.stack([each.weights for each in states], dim=1)
        return self.output(s, y, c), weights, state


class RNNSearch(nn.Module):
    """P(target | source), with a context of its own for every target word.

    A source is ids of words and </s>, a target begins with <s> and ends with </s>;
    masks are True on all but the padding, which comes last, and hidden words: see
    `reading_mask`.

    >>> config = RNNSearchConfig(m=4, n=5, k=6, l=3)
    >>> model = RNNSearch(config, source_vocab_size=10, target_vocab_size=12)
    >>> source, target = torch.tensor([[4, 7, 3]]), torch.tensor([[2, 5]])
    >>> logits, weights = model(source, torch.ones_like(source).bool(), target)
    >>> logits.shape, weights.shape
    (torch.Size([1, 2, 12]), torch.Size([1, 2, 3]))
    """

    def __init__(
        self, config: RNNSearchConfig, source_vocab_size: int, target_vocab_size: int
    ) -> None:
        super().__init__()
        self.config = config
        self.encoder = BidirectionalEncoder(config, source_vocab_size)
        self.decoder = Decoder(config, target_vocab_size)

    def forward(
        self, source: Tensor, mask: Tensor, target: Tensor
    ) -> tuple[Tensor, Tensor]:
        """source, mask (B, S); target (B, T), from <s> on.

        →  logits (B, T, V), which score the word at t + 1
           weights (B, T, S), the attention weights with which it was predicted
        Raises `ValueError` for ids that are no words, shapes that do not fit, and a
        source that is empty or all padding.
        """
        logits, weights, _ = self.decoder(target, self.start(source, mask))
        return logits, weights

    def start(self, source: Tensor, mask: Tensor) -> State:
        """Read the source, mask (B, S): the state before the first target word."""
        return self.decoder.start(self.encoder(source, mask), mask)

    def step(self, token: Tensor, state: State) -> tuple[Tensor, State]:
        """token (B,), the last word → logits (B, V) of the next; the new state."""
        logits, _, state = self.decoder(token.unsqueeze(-1), state)
        return logits.squeeze(1), state

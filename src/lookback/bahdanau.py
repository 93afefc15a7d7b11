"""Aligning: the decoder looks at the source, where it likes, before each word.

`masked_softmax` makes weights of scores. `AdditiveAttention` scores every place of the
source against the decoder's state and blends what stands there. `RNNSearch` is the
translator around it: no word has to pass through one vector any more. Bahdanau, Cho
and Bengio 2014, appendix A; biases are left out of the paper's formulas, not of its
model, and have no letters here either.

Sizes: B sentences of S source and T target words, m of a word's vector, n of a state.
"""

import math
from dataclasses import dataclass
from typing import NamedTuple

import torch
from torch import Tensor, nn
from torch.nn.functional import linear

from lookback.encdec import check_source, check_target, maxout
from lookback.recurrent import GRUCell, hidden, unroll


def masked_softmax(scores: Tensor, mask: Tensor | None = None) -> Tensor:
    """exp(e_j) / Σ_k exp(e_k), j and k being places that may be looked at.

    scores  (…, S)
    mask    (…, S)  bool, True where one may look; of the shape of scores, or one that
                    broadcasts to it; without one: everywhere
    →  weights (…, S): exactly 0 where mask is False, each row sums to 1
    Raises `ValueError` for a row that may look nowhere, and for masks that do not fit.
    """
    if mask is None:
        return scores.softmax(dim=-1)
    sizes = zip(reversed(mask.shape), reversed(scores.shape), strict=False)
    fits = mask.dim() <= scores.dim() and all(a in (1, b) for a, b in sizes)
    if mask.dtype != torch.bool or not fits:
        raise ValueError(
            f"mask is {mask.dtype} of shape {tuple(mask.shape)}: expected torch.bool "
            f"of shape {tuple(scores.shape)}, as the scores have"
        )
    if not bool(mask.any(dim=-1).all()):
        nowhere = (~mask.any(dim=-1)).nonzero().tolist()
        raise ValueError(f"mask lets rows {nowhere} look nowhere: expected one True")
    return scores.masked_fill(~mask, -math.inf).softmax(dim=-1)


class AdditiveAttention(nn.Module):
    """e_j = vᵀ tanh(W s + U h_j), α = softmax(e), c = Σ_j α_j h_j.

    Bahdanau et al. 2014, appendix A.1.2; W, U and v are W_a, U_a and v_a there.

    W (k, n), with a bias  reads the state s, the query;  n is the query's size
    U (k, d)               reads the annotations h_j;     d is theirs
    v (k,)                 makes a number of the two
    """

    def __init__(self, *, query: int, annotation: int, hidden: int) -> None:
        super().__init__()
        self.W = nn.Linear(query, hidden)
        self.U = nn.Linear(annotation, hidden, bias=False)
        bound = 1 / math.sqrt(hidden)
        self.v = nn.Parameter(torch.empty(hidden).uniform_(-bound, bound))

    def keys(self, annotations: Tensor) -> Tensor:
        """U h_j: (B, S, d) → (B, S, k). It knows no state: once for a sentence."""
        keys: Tensor = self.U(annotations)
        return keys

    def scores(self, query: Tensor, keys: Tensor) -> Tensor:
        """e_j, how well the source around j fits the query: (B, n), (B, S, k) → (B, S).

        Raises `ValueError` where they are of different batches.
        """
        if query.size(0) != keys.size(0):
            raise ValueError(
                f"the query is of {query.size(0)} sentences, the keys of "
                f"{keys.size(0)}: expected as many"
            )
        return torch.tanh(self.W(query).unsqueeze(1) + keys) @ self.v

    def forward(
        self, query: Tensor, keys: Tensor, values: Tensor, mask: Tensor
    ) -> tuple[Tensor, Tensor]:
        """Where to look, and what is seen there.

        query   (B, n)
        keys    (B, S, k)  from `keys`
        values  (B, S, d)  what can be seen: the annotations, or a linear map of them
        mask    (B, S)     bool, True on words
        →  context (B, d), the mean of the values; weights (B, S), which weigh them
        """
        weights = masked_softmax(self.scores(query, keys), mask)
        return (weights.unsqueeze(1) @ values).squeeze(1), weights


@dataclass(frozen=True)
class RNNSearchConfig:
    """The sizes of RNNsearch; the paper's: m 620, n 1000, k 1000, l 500.

    m        of a word's vector, on either side
    n        of a state: of each direction of the encoder, and of the decoder
    k        of what is inside the alignment model; n' in the paper
    l        of what the maxout leaves
    dropout  the share of a word's vector, and of what the maxout leaves, that is left
             out in training
    """

    m: int
    n: int
    k: int
    l: int  # noqa: E741  the paper's symbol
    dropout: float = 0.0

    def __post_init__(self) -> None:
        for name in ("m", "n", "k", "l"):
            size = getattr(self, name)
            if not isinstance(size, int) or isinstance(size, bool) or size < 1:
                raise ValueError(f"{name} must be a whole number ≥ 1, got {size!r}")
        if not 0 <= self.dropout < 1:
            raise ValueError(f"dropout must be ≥ 0 and < 1, got {self.dropout!r}")


class BidirectionalEncoder(nn.Module):
    """h_j = [→h_j ; ←h_j]: the annotation of word j knows what stands on either side.

    Equation 7. →h reads from the first word to the last, ←h from the last to the first.
    """

    def __init__(self, config: RNNSearchConfig, words: int) -> None:
        super().__init__()
        self.e = nn.Embedding(words, config.m)
        self.forwards = GRUCell(config.m, config.n)
        self.backwards = GRUCell(config.m, config.n)
        self.dropout = nn.Dropout(config.dropout)

    def forward(self, source: Tensor, mask: Tensor) -> Tensor:
        """source (B, S) ids, mask (B, S) bool → annotations (B, S, 2 n)."""
        check_source(source, mask, self.e.num_embeddings)
        x = self.dropout(self.e(source))
        there = hidden(unroll(self.forwards, x))  # padding behind reaches no word
        # From the other side it stands in front: there the state stays 0.
        back = hidden(unroll(self.backwards, x.flip(1), mask.flip(1))).flip(1)
        return torch.cat([there, back], dim=-1)


class State(NamedTuple):
    """Where the decoder stands, and what it looks at.

    s            (B, n)
    annotations  (B, S, 2 n);  mask (B, S)
    keys         (B, S, k)  U h_j;  values (B, S, 3 n)  C h_j
    weights      (B, S)  how it looked at its last step; before the first: 0
    """

    s: Tensor
    annotations: Tensor
    keys: Tensor
    values: Tensor
    mask: Tensor
    weights: Tensor


class Decoder(nn.Module):
    """s_i = GRU([e(y_{i-1}) ; c_i], s_{i-1}), c_i found with s_{i-1}, the state before.

    s_0 = tanh(W_s ←h_1)
    P(y_i | …) = softmax(W_o t_i), t_i = the larger of each pair of
    t̃_i = U_o s_i + V_o e(y_{i-1}) + C_o c_i
    In t̃_i equation 4 of the paper has s_i, its appendix A.2.2 s_{i-1}: see the chapter.
    """

    def __init__(self, config: RNNSearchConfig, words: int) -> None:
        super().__init__()
        m, n, l = config.m, config.n, config.l  # noqa: E741
        self.m, self.n = m, n
        self.e = nn.Embedding(words, m)
        self.attention = AdditiveAttention(query=n, annotation=2 * n, hidden=config.k)
        self.cell = GRUCell(m + 2 * n, n)  # W and C of the paper side by side
        self.W_s = nn.Linear(n, n)
        self.U_o = nn.Linear(n, 2 * l)
        self.V_o = nn.Linear(m, 2 * l, bias=False)
        self.C_o = nn.Linear(2 * n, 2 * l, bias=False)
        self.W_o = nn.Linear(l, words)
        self.dropout = nn.Dropout(config.dropout)

    def start(self, annotations: Tensor, mask: Tensor) -> State:
        """The state before the first word; annotations (B, S, 2 n), mask (B, S)."""
        s = torch.tanh(self.W_s(annotations[:, 0, self.n :]))  # ←h_1
        keys = self.attention.keys(annotations)
        values = linear(annotations, self.cell.W[:, self.m :])  # C h_j
        weights = torch.zeros_like(mask, dtype=annotations.dtype)
        return State(s, annotations, keys, values, mask, weights)

    def steps(self, reads: Tensor, state: State) -> tuple[Tensor, Tensor, State]:
        """reads (B, T, 3 n), W e(y_{i-1}) + b of each step.

        →  the states s_i (B, T, n); how each s_{i-1} looked (B, T, S); and the state
           behind the last
        """
        s, states, looked = state.s, [], []
        for read in reads.unbind(dim=1):  # T × (B, 3 n)
            c, weights = self.attention(s, state.keys, state.values, state.mask)
            s = self.next(read + c, s)  # c is C c_i here: C has read the annotations
            states.append(s)
            looked.append(weights)
        state = state._replace(s=s, weights=weights)
        return torch.stack(states, dim=1), torch.stack(looked, dim=1), state

    def next(self, read: Tensor, s: Tensor) -> Tensor:
        """s_i of W e(y_{i-1}) + C c_i + b and s_{i-1}."""
        new = self.cell.step(read, s)
        assert isinstance(new, Tensor)
        return new

    def forward(self, target: Tensor, state: State) -> tuple[Tensor, Tensor, State]:
        """target (B, T) ids, each behind the last → of what follows each:

        logits (B, T, V); weights (B, T, S); and the state behind the last.
        Teacher forcing: every word is read as the target has it.
        """
        check_target(target, len(state.s), self.e.num_embeddings)
        y = self.dropout(self.e(target))
        reads = linear(y, self.cell.W[:, : self.m], self.cell.b)
        s, weights, state = self.steps(reads, state)
        t = self.U_o(s) + self.V_o(y) + self.C_o(weights @ state.annotations)
        return self.W_o(self.dropout(maxout(t))), weights, state


class RNNSearch(nn.Module):
    """P(target | source), the source being looked at again for every word.

    A source is ids of words and </s>, a target begins with <s> and ends with </s>;
    masks are True on all but the padding behind.
    """

    def __init__(
        self, config: RNNSearchConfig, source_words: int, target_words: int
    ) -> None:
        super().__init__()
        self.config = config
        self.encoder = BidirectionalEncoder(config, source_words)
        self.decoder = Decoder(config, target_words)

    def forward(
        self, source: Tensor, mask: Tensor, target: Tensor
    ) -> tuple[Tensor, Tensor]:
        """source, mask (B, S); target (B, T), from <s> on.

        →  logits (B, T, V), which score what stands at t + 1
           weights (B, T, S), how the source was looked at for that
        Raises `ValueError` for ids that are no words, shapes that do not fit, and a
        source that is empty or all padding.
        """
        logits, weights, _ = self.decoder(target, self.start(source, mask))
        return logits, weights

    def start(self, source: Tensor, mask: Tensor) -> State:
        """Read the source, mask (B, S): the state before the first target word."""
        return self.decoder.start(self.encoder(source, mask), mask)

    def step(self, token: Tensor, state: State) -> tuple[Tensor, State]:
        """token (B,), the last word written → logits (B, V) of the next; the state."""
        logits, _, state = self.decoder(token.unsqueeze(-1), state)
        return logits.squeeze(1), state

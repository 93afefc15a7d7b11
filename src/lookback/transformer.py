"""The Transformer: a translator that does nothing but look and think.

`Transformer` puts words and places in, lets the encoder and the decoder look, and asks
the word vectors themselves which word comes next. Vaswani et al. 2017.

Sizes: B sentences of S source and T target words, d_model numbers a place.
"""

import math
from dataclasses import dataclass
from typing import NamedTuple

import torch
from torch import Tensor, nn
from torch.nn.functional import linear

from lookback.attention import check_size
from lookback.decoder import Decoder, Kept, Looked
from lookback.encdec import check_source, check_target
from lookback.encoder import Encoder, LayerConfig
from lookback.positions import LearnedPositions, SinusoidalPositions


@dataclass(frozen=True, kw_only=True)
class TransformerConfig(LayerConfig):
    """The sizes of a Transformer: those of a layer, and these.

    N       layers of the encoder, and as many of the decoder
    shared  have both sides one vocabulary? Then one matrix serves for the vectors of
            either side and for the scores (section 3.4); otherwise for the target's
            vectors and the scores
    places  so many learned positions (Table 3, row E); None: sinusoidal ones
    """

    N: int
    shared: bool = False
    places: int | None = None

    def __post_init__(self) -> None:
        super().__post_init__()
        check_size("N", self.N)


BASE = TransformerConfig(
    N=6, d_model=512, d_ff=2048, h=8, d_k=64, d_v=64, dropout=0.1, shared=True
)
"""The base model of Vaswani et al. 2017, Table 3."""

BIG = TransformerConfig(
    N=6, d_model=1024, d_ff=4096, h=16, d_k=64, d_v=64, dropout=0.3, shared=True
)
"""The big model, the last row of Table 3."""


class Looks(NamedTuple):
    """Where every layer looked, the lowest first.

    encoder  (B, h, S, S) of each layer: the source at itself
    decoder  `Looked` of each layer: the target back at itself, and across at the source
    """

    encoder: tuple[Tensor, ...]
    decoder: tuple[Looked, ...]


class State(NamedTuple):
    """Where a translation stands.

    source  what each layer of the decoder keeps of the source;  mask (B, S)
    past    what it keeps of the words written so far; before the first: None
    """

    source: tuple[Kept, ...]
    mask: Tensor
    past: tuple[Kept, ...] | None


class Embedding(nn.Module):
    """√d_model times a row of the table, and the vector of its place; section 3.4.

    table (V, d_model)  begins with variance 1 / d_model: times √d_model that is 1
    """

    def __init__(self, words: int, d_model: int) -> None:
        super().__init__()
        self.table = nn.Parameter(torch.randn(words, d_model) / math.sqrt(d_model))

    def forward(self, ids: Tensor, places: Tensor) -> Tensor:
        """ids (B, T), places (T, d_model) → (B, T, d_model)."""
        return self.table[ids] * math.sqrt(self.table.size(1)) + places

    def scores(self, x: Tensor) -> Tensor:
        """How well each word fits: x (B, T, d_model) → logits (B, T, V)."""
        return linear(x, self.table)


class Transformer(nn.Module):
    """P(target | source), all places at once.   Vaswani et al. 2017, figure 1

    A source is ids of words and </s>, a target begins with <s> and ends with </s>;
    masks are True on all but the padding behind.
    """

    def __init__(
        self, config: TransformerConfig, source_words: int, target_words: int
    ) -> None:
        super().__init__()
        if config.shared and source_words != target_words:
            raise ValueError(
                f"one matrix cannot serve {source_words} source and {target_words} "
                "target words: expected one vocabulary, or shared=False"
            )
        self.config, d_model = config, config.d_model
        self.e_target = Embedding(target_words, d_model)
        self.e_source = (
            self.e_target if config.shared else Embedding(source_words, d_model)
        )
        self.words = source_words, target_words
        self.positions = (
            LearnedPositions(config.places, d_model)
            if config.places is not None
            else SinusoidalPositions(d_model)
        )
        self.dropout = nn.Dropout(config.dropout)
        self.encoder = Encoder(config, config.N)
        self.decoder = Decoder(config, config.N)

    def forward(
        self, source: Tensor, mask: Tensor, target: Tensor
    ) -> tuple[Tensor, Looks]:
        """source, mask (B, S); target (B, T), from <s> on.

        →  logits (B, T, V), which score what stands at t + 1; where every layer looked
        Raises `ValueError` for ids that are no words, shapes that do not fit, a source
        that is empty or all padding, and places that were not learnt.
        """
        state, looked = self.read(source, mask)
        logits, across, _ = self.write(target, state)
        return logits, Looks(looked, across)

    def read(self, source: Tensor, mask: Tensor) -> tuple[State, tuple[Tensor, ...]]:
        """source, mask (B, S) → the state before the first word; how it was read."""
        check_source(source, mask, self.words[0])
        x = self.e_source(source, self.positions(source.size(1)))
        memory, looked = self.encoder(self.dropout(x), mask)
        return State(self.decoder.read(memory), mask, None), looked

    def write(
        self, target: Tensor, state: State
    ) -> tuple[Tensor, tuple[Looked, ...], State]:
        """target (B, T), each behind the last → of what follows each:

        logits (B, T, V); where each layer looked; the state behind the last.
        """
        check_target(target, len(state.mask), self.words[1])
        written = state.past[0].K.size(2) if state.past else 0
        x = self.e_target(target, self.positions(target.size(1), written))
        x, looked, past = self.decoder(
            self.dropout(x), state.source, state.mask, state.past
        )
        return self.e_target.scores(x), looked, state._replace(past=past)

    def start(self, source: Tensor, mask: Tensor) -> State:
        """Read the source, mask (B, S): the state before the first target word."""
        return self.read(source, mask)[0]

    def step(self, token: Tensor, state: State) -> tuple[Tensor, State]:
        """token (B,), the last word written → logits (B, V) of the next; the state."""
        logits, _, state = self.write(token.unsqueeze(1), state)
        return logits.squeeze(1), state

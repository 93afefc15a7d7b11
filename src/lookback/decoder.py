"""The right half of the Transformer: words are written while two things are looked at.

A `DecoderLayer` looks at what was written so far, at the source, and then thinks; a
`Decoder` is a stack of them. What was read once is kept, so that a word costs the work
of one place. Vaswani et al. 2017, sections 3.1 and 3.2.3.

Sizes: B sentences of S source words; T words are written behind P that were; h heads.
"""

from typing import NamedTuple

import torch
from torch import Tensor, nn

from lookback.attention import causal_mask, check_size
from lookback.encoder import LayerConfig, check_places, check_words
from lookback.layernorm import LayerNorm


class Kept(NamedTuple):
    """What `MultiHeadAttention.project` made of some places.

    K (B, h, places, d_k), by which each is found;  V (B, h, places, d_v), what it tells
    """

    K: Tensor
    V: Tensor


class Looked(NamedTuple):
    """Where a layer looked.

    back    (B, h, T, P + T)  at what was written
    across  (B, h, T, S)      at the source
    """

    back: Tensor
    across: Tensor


class DecoderLayer(nn.Module):
    """Look back, look across, think; a way around each of the three.

    Vaswani et al. 2017, section 3.1
    """

    def __init__(self, config: LayerConfig) -> None:
        super().__init__()
        self.back = config.attention()
        self.around_back = config.residual()
        self.across = config.attention()
        self.around_across = config.residual()
        self.feed_forward = config.feed_forward()
        self.around_feed_forward = config.residual()

    def forward(
        self, x: Tensor, source: Kept, mask: Tensor | None, past: Kept | None = None
    ) -> tuple[Tensor, Looked, Kept]:
        """x (B, T, d_model), the places that are written now.

        source  what `across` has read of the memory;  mask (B, 1, S), True on words
        past    what `back` has read of the P places before; without it P is 0
        →  (B, T, d_model); where it looked; the past of the next place
        Raises `ValueError` for shapes that do not fit and for an empty batch.
        """
        check_places(x, self.back.d_model)
        read = self.around_back.into(x)
        past = joined(past, Kept(*self.back.project(read, read)))
        found, back = self.back.attend(read, *past, self.seen(past, x))
        x = self.around_back.out(x, found)
        found, across = self.across.attend(self.around_across.into(x), *source, mask)
        x = self.around_across.out(x, found)
        thought = self.feed_forward(self.around_feed_forward.into(x))
        x = self.around_feed_forward.out(x, thought)
        return x, Looked(back, across), past

    def seen(self, written: Kept, x: Tensor) -> Tensor:
        """(T, P + T), True where one of the T places of x may look at what is written.

        The causal mask of all P + T, and of that the last T rows.
        """
        return causal_mask(written.K.size(2), device=x.device)[-x.size(1) :]


def joined(past: Kept | None, now: Kept) -> Kept:
    """The places that were read before, and those that are read now."""
    if past is None:
        return now
    sizes = [[*kept.shape[:2], kept.size(3)] for kept in (*past, *now)]
    if sizes[:2] != sizes[2:]:
        raise ValueError(
            f"past has K {tuple(past.K.shape)} and V {tuple(past.V.shape)}, x makes K "
            f"{tuple(now.K.shape)} and V {tuple(now.V.shape)}: expected (B, h, places, "
            "numbers), alike but for the places"
        )
    return Kept(*(torch.cat(both, dim=2) for both in zip(past, now, strict=True)))


class Decoder(nn.Module):
    """N layers, each looking at the same memory of the source."""

    def __init__(self, config: LayerConfig, N: int) -> None:
        super().__init__()
        check_size("N", N)
        self.d_model, self.N = config.d_model, N
        self.layers = nn.ModuleList(DecoderLayer(config) for _ in range(N))
        self.norm = LayerNorm(config.d_model) if config.norm_first else nn.Identity()

    def read(self, memory: Tensor) -> tuple[Kept, ...]:
        """memory (B, S, d_model) → what each layer keeps of it, once for a sentence."""
        return tuple(Kept(*each.across.project(memory, memory)) for each in self.each())

    def forward(
        self,
        x: Tensor,
        source: tuple[Kept, ...],
        mask: Tensor,
        past: tuple[Kept, ...] | None = None,
    ) -> tuple[Tensor, tuple[Looked, ...], tuple[Kept, ...]]:
        """x (B, T, d_model); source from `read`; mask (B, S), True on words.

        past  what the last call gave back: the P places before these; without it none
        →  (B, T, d_model); where each layer looked; the past of the next call
        Raises `ValueError` for shapes that do not fit, a mask that is not bool, an
        empty batch, and a source that is all padding.
        """
        self._check(x, source, mask, past)
        looked, kept = [], []
        for n, layer in enumerate(self.layers):
            before = past[n] if past is not None else None
            x, weights, now = layer(x, source[n], mask.unsqueeze(1), before)
            looked.append(weights)
            kept.append(now)
        return self.norm(x), tuple(looked), tuple(kept)

    def _check(
        self,
        x: Tensor,
        source: tuple[Kept, ...],
        mask: Tensor,
        past: tuple[Kept, ...] | None,
    ) -> None:
        check_places(x, self.d_model)
        for name, kept in (("source", source), ("past", past)):
            if kept is not None and len(kept) != self.N:
                raise ValueError(
                    f"{name} is of {len(kept)} layers: expected {self.N}, one each"
                )
        B, S = source[0].K.size(0), source[0].K.size(2)
        if x.size(0) != B:
            raise ValueError(
                f"x has shape {tuple(x.shape)}, the source is of {B} sentences: "
                "expected as many of either"
            )
        check_words(mask, B, S)

    def each(self) -> list[DecoderLayer]:
        """The lowest first."""
        return [layer for layer in self.layers if isinstance(layer, DecoderLayer)]

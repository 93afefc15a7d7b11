"""Batches: sentences of similar length, padded to rectangles of ids, with their masks.

A mask is bool, True on a real token and False on padding.
"""

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from typing import Protocol

import torch
from torch import Tensor

from lookback.text.vocabulary import Vocabulary

Length = int | tuple[int, ...]


class HasBothSides(Protocol):
    """What `pair_batches` needs of a pair: its words on either side."""

    @property
    def source(self) -> Sequence[str]: ...
    @property
    def target(self) -> Sequence[str]: ...


@dataclass(frozen=True)
class Batch:
    """Sentences, or pairs of them, as tensors. Sentences alone are targets.

    rows         (B,)      the indices of its sentences
    target       (B, T)    ids: <s> words </s>, then padding
    target_mask  (B, T)    bool, True on all but the padding
    source       (B, S)    ids: words </s>, then padding; (B, 0) for sentences alone
    source_mask  (B, S)    bool, True on all but the padding
    """

    rows: Tensor
    target: Tensor
    target_mask: Tensor
    source: Tensor
    source_mask: Tensor

    def __len__(self) -> int:
        return len(self.rows)

    @property
    def tokens(self) -> int:
        """How many tokens of the target a model predicts: all real ones but <s>."""
        return int(self.target_mask.sum()) - len(self)

    def to(self, device: torch.device | str) -> "Batch":
        """The same batch on `device`."""
        return Batch(*(t.to(device) for t in vars(self).values()))


def pad(rows: Sequence[Sequence[int]], value: int) -> tuple[Tensor, Tensor]:
    """Pad rows of ids to the longest with `value`.

    →  ids (B, S); mask (B, S), bool, True on the real tokens
    """
    if not len(rows):
        raise ValueError("a batch must hold at least one sentence, got none")
    lengths = torch.tensor([len(row) for row in rows])
    ids = torch.full((len(rows), int(lengths.max())), value)
    mask = torch.arange(ids.size(1)) < lengths.unsqueeze(1)  # (1, S) < (B, 1)
    ids[mask] = torch.tensor([i for row in rows for i in row], dtype=torch.long)
    return ids, mask


def batches(
    lengths: Sequence[Length],
    *,
    tokens: int | None = None,
    sentences: int | None = None,
    generator: torch.Generator | None = None,
) -> list[list[int]]:
    """Group sentences of similar length: lists of their indices in `lengths`.

    lengths    tokens of each sentence, or (source, target) tokens of each pair
    tokens     what a batch may hold, padding included, on its longer side
    sentences  or: how many sentences a batch may hold
    generator  shuffles equal lengths and the order of batches; None leaves both

    Each sentence is in exactly one batch. Raises `ValueError` for a sentence that is
    longer than `tokens` alone, for both limits together, and for none.
    """
    limit = sentences if tokens is None else tokens
    if limit is None or None not in (tokens, sentences):
        raise ValueError(
            "a batch has one limit, tokens or sentences, "
            f"got tokens={tokens!r} and sentences={sentences!r}"
        )
    sizes = [n if isinstance(n, tuple) else (n,) for n in lengths]
    order = sorted(shuffled(len(sizes), generator), key=sizes.__getitem__)
    cut, longest = list[list[int]](), 0
    for i in order:
        size = 1 if tokens is None else max(sizes[i])
        if size > limit:
            raise ValueError(f"sentence {i} has {size} tokens, more than {limit}")
        longest = max(longest, size)
        if cut and longest * (len(cut[-1]) + 1) <= limit:
            cut[-1].append(i)
        else:
            cut.append([i])
            longest = size
    return [cut[k] for k in shuffled(len(cut), generator)]


def shuffled(n: int, generator: torch.Generator | None) -> list[int]:
    if generator is None:
        return list(range(n))
    return [int(k) for k in torch.randperm(n, generator=generator)]


def pair_batches(
    pairs: Sequence[HasBothSides],
    source: Vocabulary,
    target: Vocabulary,
    *,
    tokens: int | None = None,
    sentences: int | None = None,
    generator: torch.Generator | None = None,
) -> Iterator[Batch]:
    """Batches of pairs, limited and shuffled as by `batches`.

    source, target   the vocabularies of either side
    """
    left = [[*source.ids(pair.source), source.end] for pair in pairs]
    right = [framed(pair.target, target) for pair in pairs]
    lengths = [(len(s), len(t)) for s, t in zip(left, right, strict=True)]
    for rows in batches(
        lengths, tokens=tokens, sentences=sentences, generator=generator
    ):
        yield Batch(
            torch.tensor(rows),
            *pad([right[row] for row in rows], target.pad),
            *pad([left[row] for row in rows], source.pad),
        )


def sentence_batches(
    text: Iterable[Sequence[str]],
    vocabulary: Vocabulary,
    *,
    tokens: int | None = None,
    sentences: int | None = None,
    generator: torch.Generator | None = None,
) -> Iterator[Batch]:
    """Batches of sentences for a language model: their source is empty."""
    ids = [framed(sentence, vocabulary) for sentence in text]
    lengths = [len(row) for row in ids]
    for rows in batches(
        lengths, tokens=tokens, sentences=sentences, generator=generator
    ):
        target, mask = pad([ids[row] for row in rows], vocabulary.pad)
        yield Batch(torch.tensor(rows), target, mask, target[:, :0], mask[:, :0])


def framed(words: Sequence[str], vocabulary: Vocabulary) -> list[int]:
    return [vocabulary.start, *vocabulary.ids(words), vocabulary.end]

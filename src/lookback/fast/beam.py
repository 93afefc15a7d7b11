"""Beam search of many sentences at once, one step for all their hypotheses.

`lookback.decoding.plain_beam_search` is the same for one sentence. A beam of five is
some twenty times as fast like this.

Sizes: B sources of S words, K hypotheses for each, V words to choose from.
"""

import math
from collections.abc import Callable, Sequence
from typing import Any

import torch
from torch import Tensor

Finished = tuple[list[int], float, float]
"""The words after <s>, ln P, and what it is divided by."""


@torch.no_grad()
def search(
    model: Any,
    source: Tensor,
    mask: Tensor,
    *,
    begin: int,
    end: int,
    divisors: Sequence[float],
    size: int,
    count: int,
    check: Callable[[Tensor, int, int], None],
) -> list[list[Finished]]:
    """What is finished for each source when none of the best `count` can change.

    divisors  the penalties of 1 … longest words
    check     refuses the logits of the first step where they do not fit
    """
    rows = torch.arange(source.size(0), device=source.device)  # sources still searched
    state = select(model.start(source, mask), rows.repeat_interleave(size))
    words = torch.full((len(rows), size, 1), begin, device=source.device)
    log_p = torch.full((len(rows), size), -math.inf, device=source.device)
    log_p[:, 0] = 0.0  # one hypothesis, the empty one
    finished: list[list[Finished]] = [[] for _ in rows]
    for n, divisor in enumerate(divisors, 1):
        logits, state = model.step(words[:, :, -1].flatten(), state)
        if n == 1:
            check(logits, log_p.numel(), end)
        log_p, parents, new = extended(log_p, logits)  # each (B, K)
        prefixes = words.gather(1, parents.unsqueeze(-1).expand_as(words))
        words = torch.cat([prefixes, new.unsqueeze(-1)], dim=-1)
        ended = (new == end) | (n == len(divisors))
        for b, k in (ended & (log_p > -math.inf)).nonzero().tolist():
            some = words[b, k, 1:].tolist(), float(log_p[b, k]), divisor
            finished[int(rows[b])].append(some)
        log_p = log_p.masked_fill(ended, -math.inf)
        to_beat = [score_to_beat(finished[row], count) for row in rows.tolist()]
        # ln P can only fall, and is at most divided by the largest penalty to come
        bound = log_p.amax(dim=1) / max(divisors[n:], default=1.0)
        active = bound > log_p.new_tensor(to_beat)  # (B,)
        first = torch.arange(len(rows), device=source.device).unsqueeze(1) * size
        state = select(state, (first + parents)[active].flatten())
        rows, words, log_p = rows[active], words[active], log_p[active]
        if not len(rows):
            break
    return finished


def extended(log_p: Tensor, logits: Tensor) -> tuple[Tensor, Tensor, Tensor]:
    """The K best of all K · V ways to go on.

    log_p (B, K), logits (B K, V) → each (B, K), the best first: ln P of the longer
    hypotheses, which of the K it extends, and its new word
    """
    B, K = log_p.shape
    wide = torch.promote_types(logits.dtype, log_p.dtype)  # sums need more than half
    each = logits.log_softmax(dim=-1, dtype=wide).view(B, K, -1) + log_p.unsqueeze(-1)
    best, indices = each.flatten(1).topk(K, dim=-1)  # of (B, K V)
    V = logits.size(-1)
    return best, indices // V, indices % V


def score_to_beat(finished: Sequence[Finished], count: int) -> float:
    """The score that a hypothesis has to beat to be among the best `count`."""
    scores = sorted((log_p / divisor for _, log_p, divisor in finished), reverse=True)
    return scores[count - 1] if len(scores) >= count else -math.inf


def select(state: Any, rows: Tensor) -> Any:
    """The state of these rows of the batch, the first axis of every tensor in it."""
    if isinstance(state, Tensor):
        return state[rows]
    if isinstance(state, tuple):
        parts = [select(part, rows) for part in state]
        return type(state)(*parts) if hasattr(state, "_fields") else tuple(parts)
    if state is None:
        return None
    raise ValueError(f"a state is tensors and tuples of them, got {type(state)}")

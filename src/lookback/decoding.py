"""Decoding: search for a likely sentence, whatever model says how likely words are.

`greedy` takes the likeliest word at each step, `sample` draws one. `beam_search` keeps
the K likeliest beginnings, and finds sentences that begin with a less likely word. All
ask for two methods, `start` and `step`, and for nothing else: they decode models that
were not invented when they were written.

Sizes: B sources of S words, K hypotheses kept for each, V words to choose from.
"""

import math
from collections.abc import Callable, Sequence
from typing import Any, NamedTuple, Protocol, TypeVar

import torch
from torch import Tensor

S = TypeVar("S")

Penalty = Callable[[int], float]
"""What ln P of so many predicted words, the end included, is divided by."""


class Model(Protocol[S]):
    """What can be decoded: it reads sources once, then takes word after word.

    start  source (B, S) ids, mask (B, S) → the state in front of the first word: a
           tensor with B in front, or a tuple of states
    step   token (B,), the last word; the state → logits (B, V) of the next word; the
           state behind the last one
    """

    def start(self, source: Tensor, mask: Tensor) -> S: ...
    def step(self, token: Tensor, state: S) -> tuple[Tensor, S]: ...


class Hypothesis(NamedTuple):
    """A sentence that may be the right one.

    ids    its words, without the end
    log_p  ln P of the words, and of the end if it has one
    score  log_p divided by the penalty of its length: the higher the better
    ended  False where `longest` cut it off
    """

    ids: tuple[int, ...]
    log_p: float
    score: float
    ended: bool


def per_word(length: int) -> float:
    """ln P(y) / |y|: the mean of the words.   Graves 2012, algorithm 1"""
    return float(length)


def length_penalty(alpha: float) -> Penalty:
    """lp(y) = (5 + |y|)^α / (5 + 1)^α.   Wu et al. 2016, equation 14; α = 0: none"""
    if not 0 <= alpha < math.inf:
        raise ValueError(f"alpha must be a number ≥ 0, got {alpha!r}")
    return lambda length: ((5 + length) / (5 + 1)) ** alpha


@torch.no_grad()
def greedy(
    model: Model[Any],
    source: Tensor,
    mask: Tensor,
    *,
    begin: int,
    end: int,
    longest: int,
) -> list[list[int]]:
    """The likeliest word at each step, until `end` or `longest` words: B lists of ids.

    source, mask (B, S); begin and end are the ids of <s> and </s>.
    Raises `ValueError` for sources that hold nothing, and for masks of another shape.
    """
    told = {"begin": begin, "end": end, "longest": longest}
    return _written(model, source, mask, lambda logits: logits.argmax(dim=-1), **told)


@torch.no_grad()
def sample(
    model: Model[Any],
    source: Tensor,
    mask: Tensor,
    *,
    begin: int,
    end: int,
    longest: int,
    temperature: float,
    generator: torch.Generator,
) -> list[list[int]]:
    """A word drawn at each step from softmax(logits / τ): B lists of ids.

    temperature  τ: 1 draws as the model says, towards 0 it becomes greedy, above 1 all
                 words become more alike
    generator    where chance comes from
    Raises `ValueError` as `greedy` does, and for a temperature that is not above 0.
    """
    if not 0 < temperature < math.inf:
        raise ValueError(f"temperature must be a number > 0, got {temperature!r}")

    def drawn(logits: Tensor) -> Tensor:
        p = (logits / temperature).softmax(dim=-1)
        return p.multinomial(1, generator=generator).squeeze(1)

    told = {"begin": begin, "end": end, "longest": longest}
    return _written(model, source, mask, drawn, **told)


def _written(
    model: Model[Any],
    source: Tensor,
    mask: Tensor,
    choose: Callable[[Tensor], Tensor],
    *,
    begin: int,
    end: int,
    longest: int,
) -> list[list[int]]:
    """Word after word as `choose` says, of logits (B, V), until all have ended."""
    check(source, mask, longest)
    state = model.start(source, mask)
    token = torch.full((source.size(0),), begin, device=source.device)
    words, done = [], torch.zeros_like(token, dtype=torch.bool)
    for _ in range(longest):
        logits, state = model.step(token, state)
        check_logits(logits, len(token), end)
        token = choose(logits)
        words.append(token)
        done = done | (token == end)  # what is written behind an end is cut off below
        if bool(done.all()):
            break
    return [until(row, end) for row in torch.stack(words, dim=1).tolist()]


@torch.no_grad()
def beam_search(
    model: Model[Any],
    source: Tensor,
    mask: Tensor,
    *,
    begin: int,
    end: int,
    longest: int,
    size: int,
    penalty: Penalty | None = None,
    count: int = 1,
) -> list[list[Hypothesis]]:
    """The best sentences that are found with `size` hypotheses at a time.

    Each step extends every hypothesis with every word and keeps the `size` likeliest.
    Those that ended leave the beam and wait.   Sutskever et al. 2014, section 3.2

    source, mask, begin, end, longest  as for `greedy`
    penalty  by which hypotheses of different lengths are compared; None: by ln P
    count    how many are wanted, at most `size`
    →  for each source up to `count` hypotheses, the best first; those that were cut
       off stand behind those that ended
    Raises `ValueError` as `greedy` does, and for a penalty that is not above 0.
    """
    check(source, mask, longest)
    if not 1 <= count <= size:
        raise ValueError(f"expected 1 ≤ count ≤ size, got count {count}, size {size}")
    divisors = penalties(penalty or length_penalty(0), longest)
    rows = torch.arange(source.size(0), device=source.device)  # those still searched
    state = select(model.start(source, mask), rows.repeat_interleave(size))
    words = torch.full((len(rows), size, 1), begin, device=source.device)
    log_p = torch.full((len(rows), size), -math.inf, device=source.device)
    log_p[:, 0] = 0.0  # one hypothesis, the empty one
    found: list[list[Hypothesis]] = [[] for _ in rows]
    for n in range(1, longest + 1):
        logits, state = model.step(words[:, :, -1].flatten(), state)
        check_logits(logits, log_p.numel(), end)
        log_p, parents, new = extended(log_p, logits)  # each (B, K)
        words = torch.cat([kept(words, parents), new.unsqueeze(-1)], dim=-1)
        over = (new == end) | (n == longest)
        for b, k in (over & (log_p > -math.inf)).nonzero().tolist():
            ids, p = words[b, k, 1:].tolist(), float(log_p[b, k])
            found[int(rows[b])].append(hypothesis(ids, p, divisors[n - 1], end))
        log_p = log_p.masked_fill(over, -math.inf)
        to_beat = [worst(found[row], count) for row in rows.tolist()]
        going = hopes(log_p, divisors[n:]) > log_p.new_tensor(to_beat)  # (B,)
        state = select(state, in_batch(parents)[going].flatten())
        rows, words, log_p = rows[going], words[going], log_p[going]
        if not len(rows):
            break
    return [ranked(some)[:count] for some in found]


def extended(log_p: Tensor, logits: Tensor) -> tuple[Tensor, Tensor, Tensor]:
    """The K best of all K · V ways to go on.

    log_p (B, K), logits (B K, V) → each (B, K), the best first: ln P of the longer
    hypotheses, which of the K it goes on from, and its new word
    """
    B, K = log_p.shape
    each = logits.log_softmax(dim=-1).view(B, K, -1) + log_p.unsqueeze(-1)
    best, places = each.flatten(1).topk(K, dim=-1)  # of (B, K V)
    V = logits.size(-1)
    return best, places // V, places % V


def kept(words: Tensor, parents: Tensor) -> Tensor:
    """The words of the hypotheses that are gone on from: words (B, K, n)."""
    return words.gather(1, parents.unsqueeze(-1).expand_as(words))


def in_batch(parents: Tensor) -> Tensor:
    """Where in a batch of B K rows the parents (B, K) stand."""
    B, K = parents.shape
    return torch.arange(B, device=parents.device).unsqueeze(1) * K + parents


def hypothesis(ids: list[int], log_p: float, divisor: float, end: int) -> Hypothesis:
    """The predicted words `ids` as a hypothesis, without an end if they have one."""
    words = tuple(until(ids, end))
    return Hypothesis(words, log_p, log_p / divisor, ended=len(words) < len(ids))


def hopes(log_p: Tensor, divisors: Sequence[float]) -> Tensor:
    """The best score that each beam (B, K) may still come to: (B,).

    ln P can only fall, and it is at most divided by the largest penalty to come.
    """
    return log_p.amax(dim=1) / max(divisors, default=1.0)


def worst(found: Sequence[Hypothesis], count: int) -> float:
    """The score that a hypothesis has to beat to be among the best `count`."""
    scores = sorted((h.score for h in found), reverse=True)
    return scores[count - 1] if len(scores) >= count else -math.inf


def ranked(found: Sequence[Hypothesis]) -> list[Hypothesis]:
    """The best first; what was cut off behind what ended."""
    return sorted(found, key=lambda h: (h.ended, h.score), reverse=True)


def select(state: Any, rows: Tensor) -> Any:
    """The state of these rows of the batch: every tensor in it has B in front."""
    if isinstance(state, Tensor):
        return state[rows]
    if isinstance(state, tuple):
        parts = [select(part, rows) for part in state]
        return type(state)(*parts) if hasattr(state, "_fields") else tuple(parts)
    if state is None:
        return None
    raise ValueError(f"a state is tensors and tuples of them, got {type(state)}")


def until(ids: Sequence[int], end: int) -> list[int]:
    """The ids in front of the first `end`."""
    return list(ids[: ids.index(end)] if end in ids else ids)


def penalties(penalty: Penalty, longest: int) -> list[float]:
    """The penalties of 1 … longest words; `ValueError` for one that is not above 0."""
    found = [float(penalty(length)) for length in range(1, longest + 1)]
    for length, value in enumerate(found, start=1):
        if not 0 < value < math.inf:
            raise ValueError(f"the penalty of {length} words is {value}: expected > 0")
    return found


def check(source: Tensor, mask: Tensor, longest: int) -> None:
    if source.dim() != 2 or not source.numel():
        raise ValueError(
            f"source has shape {tuple(source.shape)}: expected (B, S), B and S ≥ 1"
        )
    if mask.dtype != torch.bool or mask.shape != source.shape:
        raise ValueError(
            f"mask is {mask.dtype} of shape {tuple(mask.shape)}: expected torch.bool "
            f"of shape {tuple(source.shape)}, as source has"
        )
    empty = (~mask.any(dim=1)).nonzero().flatten().tolist()
    if empty:
        raise ValueError(f"sources {empty} are empty: expected at least one word")
    if longest < 1:
        raise ValueError(f"longest must be 1 or more, got {longest}")


def check_logits(logits: Tensor, rows: int, end: int) -> None:
    if logits.dim() != 2 or logits.size(0) != rows:
        raise ValueError(
            f"step returned logits {tuple(logits.shape)}: expected ({rows}, V)"
        )
    if not 0 <= end < logits.size(1):
        raise ValueError(f"end is {end}: expected an id below {logits.size(1)}")
    if not bool(logits.amax(dim=1).isfinite().all()):
        raise ValueError("step returned logits whose largest is no finite number")

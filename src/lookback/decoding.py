"""Decoding: search for a likely sentence, whatever model says how likely words are.

`greedy` takes the likeliest word at each step, `sample` draws one. `beam_search` keeps
the K likeliest prefixes, and finds sentences that begin with a less likely word;
`plain_beam_search` is the same for one sentence, as it is read. All need two methods of
a model, `start` and `step`, and nothing else. So they also decode the models of later
chapters. Equations are numbered as in the chapter.

Sizes: B sources of S words, K hypotheses for each, V words to choose from.
"""

import math
from collections.abc import Callable, Sequence
from typing import Any, NamedTuple, Protocol, TypeVar

import torch
from torch import Tensor

from lookback.checks import (
    above,
    at_least,
    between,
    finite,
    may_attend,
    shapes,
    whole,
)
from lookback.fast.beam import search

__all__ = [
    "Hypothesis",
    "Model",
    "Penalty",
    "beam_search",
    "greedy",
    "length_penalty",
    "per_word",
    "plain_beam_search",
    "sample",
    "truncated",
    "until",
    "write",
]

S = TypeVar("S")

Penalty = Callable[[int], float]
"""What ln P of so many predicted words, the end included, is divided by."""


class Model(Protocol[S]):
    """What can be decoded: it reads sources once, then takes word after word.

    start  source (B, S) ids, mask (B, S) → the state before the first word: a tensor
           whose first axis is B, or a tuple of states
    step   token (B,), the last word; the state → logits (B, V) of the next word; the
           next state
    """

    def start(self, source: Tensor, mask: Tensor) -> S: ...
    def step(self, token: Tensor, state: S) -> tuple[Tensor, S]: ...


class Hypothesis(NamedTuple):
    """A sentence that may be the right one.

    ids    its words, without the end
    log_p  ln P of the words, and of the end if it has one
    score  log_p divided by the penalty of its length: the higher the better
    ended  False if it was cut off at `longest`
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
    at_least(0, alpha=alpha)
    return lambda length: ((5 + length) / (5 + 1)) ** alpha


@torch.no_grad()
def write(
    model: Model[Any],
    source: Tensor,
    mask: Tensor,
    choose: Callable[[Tensor], Tensor],
    *,
    begin: int,
    end: int,
    longest: int,
) -> list[list[int]]:
    """Choose word after word from the logits, until `end`: B lists of ids.

    source, mask (B, S); begin and end are the ids of <s> and </s>; no list has more
    than `longest` words
    choose  logits (B, V) → the next words (B, 1)
    Raises `ValueError` for sources that hold nothing, and for masks of another shape.
    """
    check_sources(source, mask, longest)
    state = model.start(source, mask)
    words = torch.full((len(source), 1), begin, device=source.device)
    for n in range(longest):
        logits, state = model.step(words[:, -1], state)
        if n == 0:
            check_logits(logits, len(words), end)
        words = torch.cat([words, choose(logits)], dim=1)
        if (words[:, 1:] == end).any(dim=1).all():
            break
    return [until(row, end) for row in words[:, 1:].tolist()]


def greedy(
    model: Model[Any],
    source: Tensor,
    mask: Tensor,
    *,
    begin: int,
    end: int,
    longest: int,
) -> list[list[int]]:
    """The likeliest word at each step, until `end`; arguments as of `write`.

    >>> class Count:  # after the word n the likeliest is the word n + 1
    ...     def start(self, source, mask): return source[:, 0]
    ...     def step(self, token, state): return torch.eye(9)[token + 1], state
    >>> source = torch.tensor([[1, 1]])
    >>> greedy(Count(), source, source > 0, begin=2, end=6, longest=8)
    [[3, 4, 5]]
    """
    return write(model, source, mask, likeliest, begin=begin, end=end, longest=longest)


def likeliest(logits: Tensor) -> Tensor:
    """logits (B, V) → the word of the highest score (B, 1)."""
    return logits.argmax(dim=-1, keepdim=True)  # (2)


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
    top_k: int | None = None,
    top_p: float = 1.0,
) -> list[list[int]]:
    """A word drawn at each step from softmax(logits / τ): B lists of ids.

    temperature   τ: 1 draws as the model says, towards 0 it becomes greedy, above 1 all
                  words become more alike
    generator     the random number generator
    top_k, top_p  as of `truncated`: from the likeliest words alone
    All else is as of `write`. Raises `ValueError` as it does, and for a temperature
    that is not above 0.
    """
    above(0, temperature=temperature)

    def drawn(logits: Tensor) -> Tensor:
        logits = logits.float() / temperature  # half precision has no 1e5
        p = truncated(logits, top_k, top_p).softmax(dim=-1)  # (6)
        return p.multinomial(1, generator=generator)

    return write(model, source, mask, drawn, begin=begin, end=end, longest=longest)


def truncated(logits: Tensor, top_k: int | None = None, top_p: float = 1.0) -> Tensor:
    """logits (…, V) with -∞ for all but the likeliest words.

    top_k  as many of them; None: all   Fan et al. 2018
    top_p  as few as have this probability together: the nucleus   Holtzman et al. 2020
    Raises `ValueError` for a top_k that is no size, a top_p outside (0, 1], and a row
    whose largest number is not finite.
    """
    ordered, order = logits.sort(dim=-1, descending=True)
    finite("the largest of every row", logits=ordered[..., 0])
    if top_k is not None:
        whole(top_k=top_k)
        ordered[..., top_k:] = -math.inf
    if not 0 < top_p <= 1:
        raise ValueError(f"top_p must be > 0 and ≤ 1, got {top_p!r}")
    p = ordered.softmax(dim=-1, dtype=torch.float32)
    before = p.cumsum(dim=-1) - p  # of all that are likelier
    if top_p < 1:
        ordered = ordered.masked_fill(before >= top_p, -math.inf)
    return torch.empty_like(logits).scatter(-1, order, ordered)


@torch.no_grad()
def plain_beam_search(
    model: Model[Any],
    source: Tensor,
    mask: Tensor,
    *,
    begin: int,
    end: int,
    longest: int,
    size: int,
    penalty: Penalty | None = None,
) -> list[Hypothesis]:
    """Beam search of one sentence, one hypothesis after the other.

    source, mask (1, S); all else is as of `beam_search`, which finds the same and takes
    one step for all hypotheses of a batch at once.
    →  what has been finished when nothing better can come, the best first
    """
    check_sources(source, mask, longest)
    whole(size=size)
    divisors = penalties(penalty or length_penalty(0), longest)
    kept = [(0.0, [begin], model.start(source, mask))]
    finished: list[Hypothesis] = []
    for n in range(1, longest + 1):
        candidates = []
        for log_p, words, before in kept:
            logits, state = model.step(torch.tensor(words[-1:]), before)
            if n == 1:
                check_logits(logits, 1, end)
            each = log_p + logits[0].double().log_softmax(dim=0)
            for word in each.topk(min(size, len(each))).indices.tolist():
                candidates.append((float(each[word]), [*words, word], state))
        candidates.sort(key=lambda candidate: candidate[0], reverse=True)
        kept = []
        for log_p, words, state in candidates[:size]:  # (3)
            if log_p == -math.inf:
                break  # the others are impossible, too
            if words[-1] == end or n == longest:
                finished.append(hypothesis(words[1:], log_p, divisors[n - 1], end))
            else:
                kept.append((log_p, words, state))
        to_beat = max((h.score for h in finished), default=-math.inf)
        if not kept or kept[0][0] / max(divisors[n:]) <= to_beat:
            break  # ln P can only fall: nothing better can come
    return ranked(finished)


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
    """The best sentences of a search with `size` hypotheses at a time.

    Each step extends every hypothesis with every word and keeps the `size` likeliest.
    Those that ended leave the beam.   Sutskever et al. 2014, section 3.2

    source, mask, begin, end, longest  as for `greedy`
    penalty  by which hypotheses of different lengths are compared; None: by ln P
    count    how many to return, at most `size`
    →  for each source up to `count` hypotheses, the best first; those that were cut
       off come after those that ended
    Raises `ValueError` as `greedy` does, and for a penalty that is not above 0.

    >>> P = torch.tensor([[0, 0.6, 0.4], [0.5, 0.5, 0], [1, 0, 0]])
    >>> class Bigram:  # P[last word, next word]; 0 is both <s> and </s>
    ...     def start(self, source, mask): return source[:, 0]
    ...     def step(self, token, state): return P[token].log(), state
    >>> given = Bigram(), torch.tensor([[1]]), torch.tensor([[True]])
    >>> greedy(*given, begin=0, end=0, longest=5)  # P = 0.6 · 0.5
    [[1]]
    >>> beam_search(*given, begin=0, end=0, longest=5, size=2)[0][0].ids  # 0.4 · 1
    (2,)
    """
    check_sources(source, mask, longest)
    whole(size=size)
    between(1, size, count=count)
    divisors = penalties(penalty or length_penalty(0), longest)
    found = search(
        model, source, mask, begin=begin, end=end, divisors=divisors, size=size,
        count=count, check=check_logits,
    )  # fmt: skip
    return [ranked([hypothesis(*each, end) for each in row])[:count] for row in found]


def hypothesis(ids: list[int], log_p: float, divisor: float, end: int) -> Hypothesis:
    """The predicted words `ids` as a hypothesis, without an end if they have one."""
    words = tuple(until(ids, end))
    return Hypothesis(words, log_p, log_p / divisor, ended=len(words) < len(ids))


def ranked(hypotheses: Sequence[Hypothesis]) -> list[Hypothesis]:
    """The best first; what was cut off after what ended."""
    return sorted(hypotheses, key=lambda h: (h.ended, h.score), reverse=True)


def until(ids: Sequence[int], end: int) -> list[int]:
    """The ids before the first `end`."""
    return list(ids[: ids.index(end)] if end in ids else ids)


def penalties(penalty: Penalty, longest: int) -> list[float]:
    """The penalties of 1 … longest words; `ValueError` for one that is not above 0."""
    values = {f"penalty_of_{n}_words": penalty(n) for n in range(1, longest + 1)}
    above(0, **values)
    return [float(value) for value in values.values()]


def check_sources(source: Tensor, mask: Tensor, longest: int) -> None:
    shapes(source=(source, "B S"), mask=(mask, "B S"))
    may_attend(mask, source)
    whole(longest=longest)


def check_logits(logits: Tensor, rows: int, end: int) -> None:
    shapes(logits=(logits, f"{rows} V"))
    between(0, logits.size(1) - 1, end=end)
    finite("the largest of every row", logits=logits.amax(dim=1))

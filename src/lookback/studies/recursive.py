"""Nested truth values: trees, sequences and bags, deeper than in training.

"( T and ( not F ) )" is true. Networks learn from expressions of depth 1 to 4 and are
tested on deeper ones *of the same length*, so that only the nesting is new.
"""

import time
from collections.abc import Callable, Sequence
from random import Random
from typing import Any, TypeAlias

import torch
from torch import Tensor, nn
from torch.nn.functional import cross_entropy

from lookback.recursive import (
    Composition,
    Forest,
    RecursiveNetwork,
    TensorNetwork,
    Tree,
    TreeLSTM,
)
from lookback.workshop import Row, Study, case, known, practise

Expression: TypeAlias = (
    "str | tuple[str, Expression] | tuple[Expression, str, Expression]"
)
"""A value T or F; ("not", e); or (e, "and" or "or", e)."""

WORDS = ("", "T", "F", "and", "or", "not", "(", ")")
IDS = {word: n for n, word in enumerate(WORDS)}
TRAINED, DEPTHS = 4, (2, 3, 4, 5, 6, 7, 8, 9, 10)
BRACKETS, NOTS = 12, 3
"""Of every expression of the test that is as deep as 4, or deeper."""
LENGTH = 1 + 4 * (BRACKETS - NOTS) + 3 * NOTS
TESTS = 300
NOT = 0.25


def fits(depth: int, brackets: int) -> bool:
    """Can so many pairs of brackets be nested so deep, and no deeper?"""
    return depth <= brackets < (1 << depth)


def drawn(random: Random, depth: int, brackets: int, value: bool) -> Expression:
    """An expression of exactly this depth, with so many brackets and this value.

    Both connectives are as likely for either value, so that none betrays it.
    """
    if not depth:
        return "T" if value else "F"
    if fits(depth - 1, brackets - 1) and random.random() < NOT:
        return ("not", drawn(random, depth - 1, brackets - 1, not value))
    most = 2 ** (depth - 1) - 1
    deep = [n for n in range(depth - 1, min(brackets - 1, most) + 1)
            if brackets - 1 - n <= most]  # fmt: skip
    first = random.choice(deep)
    rest = brackets - 1 - first
    other = random.choice([d for d in range(depth) if fits(d, rest)])
    sizes = [(depth - 1, first), (other, rest)]
    random.shuffle(sizes)
    word = random.choice(("and", "or"))
    decisive = word == "or"  # the value that one side alone can force
    if value != decisive:
        values = (value, value)
    else:
        values = random.choice(
            ((decisive, decisive), (decisive, not decisive), (not decisive, decisive))
        )
    left, right = (
        drawn(random, d, n, v) for (d, n), v in zip(sizes, values, strict=True)
    )
    return (left, word, right)


def truth(e: Expression) -> bool:
    """What it comes to."""
    if isinstance(e, str):
        return e == "T"
    if len(e) == 2:
        return not truth(e[1])
    left, right = truth(e[0]), truth(e[2])
    return (left and right) if e[1] == "and" else (left or right)


def tokens(e: Expression) -> list[str]:
    """Its words, brackets and all: what a reader of sequences gets."""
    if isinstance(e, str):
        return [e]
    parts = [[p] if p in IDS else tokens(p) for p in e]
    return ["(", *(word for part in parts for word in part), ")"]


def binary(e: Expression) -> Tree:
    """Its tree, in pairs: (not, e), and (e, (and, e)). It needs no brackets."""
    if isinstance(e, str):
        return IDS[e]
    if len(e) == 2:
        return IDS["not"], binary(e[1])
    return binary(e[0]), (IDS[e[1]], binary(e[2]))


def nots(e: Expression) -> int:
    return tokens(e).count("not")


def examples(depth: int, n: int = TESTS) -> list[Expression]:
    """Half are true. From TRAINED on all have BRACKETS and NOTS, so the same LENGTH."""
    random, found = Random(2015 + depth), list[Expression]()
    while len(found) < n:
        brackets = min(BRACKETS, 2**depth - 1)
        e = drawn(random, depth, brackets, value=len(found) % 2 == 0)
        if depth < TRAINED or nots(e) == NOTS:
            found.append(e)
    return found


def training(random: Random, n: int) -> list[Expression]:
    """New ones of depth 1 to 4, with 1 to 12 brackets."""
    found = []
    for _ in range(n):
        depth = random.randint(1, TRAINED)
        brackets = random.randint(depth, min(BRACKETS, 2**depth - 1))
        found.append(drawn(random, depth, brackets, random.random() < 0.5))
    return found


class TreeReader(nn.Module):
    """A composition, and the scores of two answers at the root."""

    def __init__(self, network: Composition) -> None:
        super().__init__()
        self.network = network
        self.out = nn.Linear(network.n, 2)

    def forward(self, trees: Sequence[Tree]) -> Tensor:
        forest = Forest(trees)
        states = self.network(forest)
        scores: Tensor = self.out(self.network.h(states[forest.roots]))
        return scores


class SequenceReader(nn.Module):
    """Sentences of ids → the scores of two answers.

    kind  "GRU": the last state; "bag": the mean of the words' vectors, and one hidden
          layer
    """

    def __init__(self, kind: str, V: int, n: int) -> None:
        super().__init__()
        self.kind, self.E = kind, nn.Embedding(V, n)
        if kind == "GRU":
            self.gru = nn.GRU(n, n, batch_first=True)  # `lookback.lstm`'s, but faster
        else:
            known("kind", kind, ("bag",))
            self.hidden = nn.Sequential(nn.Linear(n, n), nn.Tanh())
        self.out = nn.Linear(n, 2)

    def forward(self, sentences: Sequence[Sequence[int]]) -> Tensor:
        rows = [torch.tensor([*s]) for s in sentences]
        x = nn.utils.rnn.pad_sequence(rows, batch_first=True)
        mask, vectors = x != 0, self.E(x)
        if self.kind == "GRU":
            states, _ = self.gru(vectors)
            read = states[torch.arange(len(x)), mask.sum(dim=1) - 1]
        else:
            mean = (vectors * mask.unsqueeze(2)).sum(1) / mask.sum(1, keepdim=True)
            read = self.hidden(mean)
        scores: Tensor = self.out(read)
        return scores


TREES: dict[str, Callable[[int, int], Composition]] = {
    "recursive": RecursiveNetwork,
    "tensor": TensorNetwork,
    "TreeLSTM": lambda V, n: TreeLSTM(V, n, n),
}


def network(reader: str, V: int, n: int) -> nn.Module:
    """One of TREES, or a reader of sequences, "GRU" or "bag"."""
    if reader in TREES:
        return TreeReader(TREES[reader](V, n))
    return SequenceReader(reader, V, n)


def inputs(model: nn.Module, expressions: Sequence[Expression]) -> list[Any]:
    """Their trees, for a reader of trees; else their ids, brackets and all."""
    if isinstance(model, TreeReader):
        return [binary(e) for e in expressions]
    return [[IDS[word] for word in tokens(e)] for e in expressions]


def truths(expressions: Sequence[Expression]) -> Tensor:
    return torch.tensor([int(truth(e)) for e in expressions])


def learned(
    reader: str, n: int, rate: float, steps: int, seed: int, batch: int = 64
) -> nn.Module:
    """The reader after its training; the rate falls to 0."""
    random = Random(seed)

    def loss(model: nn.Module, _: torch.Generator) -> Tensor:
        some = training(random, batch)
        return cross_entropy(model(inputs(model, some)), truths(some))

    model, _ = practise(
        lambda: network(reader, len(WORDS), n), loss,
        seed=seed, steps=steps, rate=rate, falls=True, clip=1.0,
    )  # fmt: skip
    return model


@torch.no_grad()
def right(model: nn.Module, given: Sequence[Any], answers: Tensor) -> float:
    """The percentage of answers that the reader gives."""
    said = [model(given[k : k + 100]) for k in range(0, len(given), 100)]
    hits = torch.cat(said).argmax(dim=1) == answers
    return 100 * float(hits.double().mean())


def measured(reader: str, n: int, rate: float, steps: int, seed: int) -> Row:
    """What is right, for each depth of DEPTHS."""
    began = time.process_time()
    model = learned(reader, n, rate, steps, seed)
    seconds = time.process_time() - began
    tests = [examples(depth) for depth in DEPTHS]
    return {
        "parameters": sum(p.numel() for p in model.parameters()),
        "seconds": seconds,
        "right": [right(model, inputs(model, some), truths(some)) for some in tests],
    }


SEEDS, LONGER = (0, 1, 2), 4
SETTINGS: dict[str, dict[str, Any]] = {
    "recursive": {"reader": "recursive", "n": 24, "rate": 5e-3, "steps": 500},
    "tensor": {"reader": "tensor", "n": 12, "rate": 5e-3, "steps": 500},
    "TreeLSTM": {"reader": "TreeLSTM", "n": 24, "rate": 5e-3, "steps": 500},
    "GRU": {"reader": "GRU", "n": 64, "rate": 3e-3, "steps": 600},
    "bag": {"reader": "bag", "n": 64, "rate": 3e-3, "steps": 250},
    "GRU, longer": {"reader": "GRU", "n": 64, "rate": 3e-3, "steps": LONGER * 600},
}

STUDY = Study(
    about="truth values nested deeper than in training: tree, sequence and bag",
    cases={
        f"{name}, seed {seed}": case(measured, **setting, seed=seed)
        for name, setting in SETTINGS.items()
        for seed in SEEDS
    },
    check=case(measured, reader="recursive", n=12, rate=2e-2, steps=60, seed=0),
)

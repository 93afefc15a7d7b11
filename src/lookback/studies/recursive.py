"""Nested truth values: trees, sequences and bags, deeper than in training.

"( T and ( not F ) )" is true. Networks learn from expressions of depth 1 to 4 and are
tested on deeper ones *of the same length*, so that only the nesting is new.
"""

import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from random import Random
from typing import TypeAlias

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
from lookback.workshop import Row, Study, case, each, known, seeds

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
    """Ids (B, S), 0 being padding → the scores of two answers.

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

    def forward(self, x: Tensor) -> Tensor:
        mask, vectors = x != 0, self.E(x)
        if self.kind == "GRU":
            states, _ = self.gru(vectors)
            read = states[torch.arange(len(x)), mask.sum(dim=1) - 1]
        else:
            mean = (vectors * mask.unsqueeze(2)).sum(1) / mask.sum(1, keepdim=True)
            read = self.hidden(mean)
        scores: Tensor = self.out(read)
        return scores


def padded(sentences: Sequence[Sequence[int]]) -> Tensor:
    """(B, S); shorter ones end in 0."""
    rows = [torch.tensor([*s]) for s in sentences]
    return nn.utils.rnn.pad_sequence(rows, batch_first=True)


@dataclass(frozen=True)
class Setting:
    """A reader, its width, and how long it learns; Adam, its rate falling to 0."""

    reader: str
    n: int
    rate: float
    steps: int
    seed: int
    batch: int = 64

    def network(self, V: int) -> nn.Module:
        """It, its weights drawn from the seed."""
        with seeds.seeded(self.seed):
            if self.reader in TREES:
                return TreeReader(TREES[self.reader](V, self.n))
            return SequenceReader(self.reader, V, self.n)

    def optimiser(self, model: nn.Module) -> torch.optim.Optimizer:
        return torch.optim.Adam(model.parameters(), lr=self.rate)


TREES: dict[str, Callable[[int, int], Composition]] = {
    "recursive": RecursiveNetwork,
    "tensor": TensorNetwork,
    "TreeLSTM": lambda V, n: TreeLSTM(V, n, n),
}


def scores_of(model: nn.Module, expressions: Sequence[Expression]) -> Tensor:
    if isinstance(model, TreeReader):
        scores: Tensor = model([binary(e) for e in expressions])
    else:
        scores = model(padded([[IDS[w] for w in tokens(e)] for e in expressions]))
    return scores


def learned(setting: Setting) -> nn.Module:
    """The reader after its training."""
    random, model = Random(setting.seed), setting.network(len(WORDS))
    optimiser = setting.optimiser(model)
    for step in range(setting.steps):
        optimiser.param_groups[0]["lr"] = setting.rate * (1 - step / setting.steps)
        some = training(random, setting.batch)
        wanted = torch.tensor([int(truth(e)) for e in some])
        loss = cross_entropy(scores_of(model, some), wanted)
        optimiser.zero_grad()
        loss.backward()  # type: ignore[no-untyped-call]
        nn.utils.clip_grad_norm_(model.parameters(), 1.0)
        optimiser.step()
    return model.eval()


@torch.no_grad()
def right(model: nn.Module, expressions: Sequence[Expression]) -> float:
    """The percentage whose value the reader says."""
    said = scores_of(model, expressions).argmax(dim=1).bool().tolist()
    pairs = zip(said, expressions, strict=True)
    hits = [answer == truth(e) for answer, e in pairs]
    return float(round(100 * sum(hits) / len(hits), 2))


def measured(setting: Setting) -> Row:
    """What is right, for each depth of DEPTHS."""
    began = time.process_time()
    model = learned(setting)
    seconds = time.process_time() - began
    return {
        "parameters": sum(p.numel() for p in model.parameters()),
        "seconds": round(seconds, 1),
        "right": [right(model, examples(depth)) for depth in DEPTHS],
    }


SEEDS, LONGER = (0, 1, 2), 4
SETTINGS: dict[str, tuple[int, float, int]] = {
    "recursive": (24, 5e-3, 500),
    "tensor": (12, 5e-3, 500),
    "TreeLSTM": (24, 5e-3, 500),
    "GRU": (64, 3e-3, 600),
    "bag": (64, 3e-3, 250),
}
"""Reader → its width, rate and steps."""
_n, _rate, _steps = SETTINGS["GRU"]

STUDY = Study(
    about="truth values nested deeper than in training: tree, sequence and bag",
    cases=each(
        measured,
        setting={
            **{
                f"{name}, seed {seed}": Setting(name, *sizes, seed)
                for name, sizes in SETTINGS.items()
                for seed in SEEDS
            },
            **{
                f"GRU, longer, seed {seed}": Setting(
                    "GRU", _n, _rate, LONGER * _steps, seed
                )
                for seed in SEEDS
            },
        },
    ),
    check=case(measured, setting=Setting("recursive", 12, 2e-2, 60, 0)),
)

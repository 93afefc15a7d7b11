"""Trees and sequences: truth values nested deeper than in training, and sentences.

"( T and ( not F ) )" is true. Networks learn from expressions of depth 1 to 4 and are
tested on deeper ones *of the same length*, so that only the nesting is new.

"john says that mary did not come ." is affirmed: its "not" belongs to another clause.
Networks learn from sentences of up to 15 words along their trees, and are tested with
46 to 66, along those trees and along trees that parsers find. Each sentence has a "not"
somewhere, and its first "not" is at the same place in as many affirmed sentences as
others, so that no place betrays the answer.
"""

from collections import defaultdict
from collections.abc import Callable, Sequence
from functools import cache
from random import Random
from typing import Any, NamedTuple, TypeAlias

import torch
from torch import Tensor, nn
from torch.nn.functional import cross_entropy

from lookback.pcfg import PCFG
from lookback.recursive import (
    Composition,
    Forest,
    GreedyParser,
    RecursiveNetwork,
    TensorNetwork,
    Tree,
    TreeLSTM,
    spans,
)
from lookback.text.corpora import Lengths, Pair, PairCorpus, grammar
from lookback.trainer.recipe import check_choice
from lookback.trainer.study import Experiment, Row, Setting, Study, grid
from lookback.trainer.toys import train_toy
from lookback.trees import annotate_parents, binarise

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
            check_choice("kind", kind, ("bag",))
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


def written(model: nn.Module, expressions: Sequence[Expression]) -> list[Any]:
    """Their trees, for a reader of trees; else their ids, brackets and all."""
    if isinstance(model, TreeReader):
        return [binary(e) for e in expressions]
    return [[IDS[word] for word in tokens(e)] for e in expressions]


def truths(expressions: Sequence[Expression]) -> Tensor:
    return torch.tensor([int(truth(e)) for e in expressions])


@torch.no_grad()
def right(model: nn.Module, given: Sequence[Any], answers: Tensor) -> float:
    """The percentage of answers that the reader gives."""
    said = [model(given[k : k + 100]) for k in range(0, len(given), 100)]
    hits = torch.cat(said).argmax(dim=1) == answers
    return 100 * float(hits.double().mean())


def measured(reader: str, n: int, rate: float, steps: int, seed: int) -> Row:
    """What is right, for each depth of DEPTHS; the rate falls to 0."""
    random = Random(seed)

    def loss(model: nn.Module, _: torch.Generator) -> Tensor:
        some = training(random, 64)
        return cross_entropy(model(written(model, some)), truths(some))

    model, _ = train_toy(
        lambda: network(reader, len(WORDS), n), loss,
        seed=seed, steps=steps, rate=rate, falls=True, clip=1.0,
    )  # fmt: skip
    tests = [examples(depth) for depth in DEPTHS]
    return {
        "parameters": sum(p.numel() for p in model.parameters()),
        "right": [right(model, written(model, some), truths(some)) for some in tests],
    }


# --- sentences -----------------------------------------------------------------------

Labelled: TypeAlias = "tuple[str | Labelled, ...]"
Words = tuple[str, ...]

SHORT = Lengths(uniform=1, low=11, high=15)
LONG = Lengths(uniform=1, low=46, high=66)
PAIRS = (40000, 6000)
"""How many pairs of the grammar are read, in SHORT and in LONG sentences."""
PARSES, MARKOV = 6000, 2
UNKNOWN = 1
LINE = range(1000)


class Clause(NamedTuple):
    """A sentence, its tree in pairs of numbers of words, and the answer."""

    words: Words
    tree: Tree
    affirmed: bool


def main_clause(tree: Labelled) -> Labelled:
    """The first clause of a sentence: of "S and S" the one on the left."""
    first = tree[1]
    assert isinstance(first, tuple)
    return main_clause(first) if first[0] == "S" else tree


def affirmed(tree: Labelled) -> bool | None:
    """Has the verb of the main clause no "not"? None if it has two verbs."""
    verb = main_clause(tree)[-1]
    assert isinstance(verb, tuple)
    if any(child[0] == "VP" for child in verb[1:]):
        return None
    return not any(child[1] == "not" for child in verb[1:])


def in_pairs(tree: Labelled) -> Tree:
    """The same tree with two children a node, the words numbered from left to right.

    A node of three children, a b c, becomes (a, (b, c)); one of one child is that.
    """
    number = iter(LINE)

    def pairs(node: Labelled) -> Tree:
        if isinstance(node[1], str):
            return next(number)
        return branched([pairs(child) for child in node[1:]])  # type: ignore[arg-type]

    return pairs(tree)


def branched(trees: Sequence[Tree]) -> Tree:
    """(a, (b, (c, …))): branching to the right."""
    first, *rest = trees
    return (first, branched(rest)) if rest else first


def filled(tree: Tree, ids: Sequence[int]) -> Tree:
    """A tree of numbers of words with the ids of those words."""
    if isinstance(tree, int):
        return ids[tree]
    return filled(tree[0], ids), filled(tree[1], ids)


def matched(pairs: Sequence[Pair]) -> list[Clause]:
    """As many affirmed as not, for each place of the first "not"; others left out."""
    groups = defaultdict[tuple[int, bool], list[Clause]](list)
    for pair in pairs:
        answer = affirmed(pair.tree) if "not" in pair.source else None
        if answer is not None:
            clause = Clause(pair.source, in_pairs(pair.tree), answer)
            groups[pair.source.index("not"), answer].append(clause)
    found = list[Clause]()
    for place in sorted({place for place, _ in groups}):
        yes, no = groups[place, True], groups[place, False]
        both = min(len(yes), len(no))
        found += [*yes[:both], *no[:both]]
    Random(0).shuffle(found)
    return found


@cache
def drawn_pairs(short: int, long: int) -> tuple[PairCorpus, PairCorpus]:
    """The short sentences, and the long ones."""
    return grammar(short, lengths=SHORT), grammar(long, seed=1, lengths=LONG)


@cache
def sentences(pairs: tuple[int, int] = PAIRS) -> dict[str, list[Clause]]:
    """train, short and long; and what the parser learns from, with "not" or without."""
    some, more = drawn_pairs(*pairs)
    parses = [Clause(p.source, in_pairs(p.tree), True) for p in some.train[:PARSES]]
    return {
        "parses": parses,
        "train": matched(some.train),
        "short": matched([*some.validation, *some.test]),
        "long": matched([*more.train, *more.validation, *more.test]),
    }


@cache
def vocabulary(pairs: tuple[int, int] = PAIRS) -> dict[str, int]:
    """Ids of the words that are learned from; 0 is padding, 1 any other word."""
    read = sorted({word for c in sentences(pairs)["parses"] for word in c.words})
    return {word: n for n, word in enumerate(read, 2)}


def ids(clause: Clause, pairs: tuple[int, int]) -> list[int]:
    table = vocabulary(pairs)
    return [table.get(word, UNKNOWN) for word in clause.words]


# --- trees that are found ------------------------------------------------------------


@cache
def parser(
    seed: int, pairs: tuple[int, int] = PAIRS, steps: int = 200, n: int = 24
) -> GreedyParser:
    """A greedy parser that has learned with a margin of 0.1 for each wrong node."""
    random, train = Random(seed), sentences(pairs)["parses"]
    V = len(vocabulary(pairs)) + 2

    def loss(model: GreedyParser, _: torch.Generator) -> Tensor:
        some = random.sample(train, 32)
        return model.loss([filled(c.tree, ids(c, pairs)) for c in some], kappa=0.1)

    model, _ = train_toy(
        lambda: GreedyParser(TreeLSTM(V, n, n)), loss,
        seed=seed, steps=steps, rate=5e-3, falls=True, clip=1.0,
    )  # fmt: skip
    return model


def parsed(seed: int, pairs: tuple[int, int]) -> list[Tree]:
    """The trees of a greedy parser for the long sentences."""
    model = parser(seed, pairs)
    rows = [ids(c, pairs) for c in sentences(pairs)["long"]]
    batches = (rows[k : k + 100] for k in range(0, len(rows), 100))
    return [numbered(tree) for some in batches for tree in model.parse(some)]


@cache
def charted(pairs: tuple[int, int]) -> list[Tree]:
    """The likeliest trees by a grammar that was counted from the same PARSES trees.

    A sentence without any parse gets a tree that branches to the right.
    """
    trees = [pair.tree for pair in drawn_pairs(*pairs)[0].train[:PARSES]]
    model = PCFG().fit(binarise(annotate_parents(tree), MARKOV) for tree in trees)
    found = []
    for clause in sentences(pairs)["long"]:
        tree, numbers = model.cky(clause.words).tree, range(len(clause.words))
        shape = (branched(numbers[:-1]), numbers[-1])
        found.append(in_pairs(tree) if tree else shape)
    return found


def numbered(tree: Tree) -> Tree:
    """The tree with the numbers of words in place of ids."""
    number = iter(LINE)

    def renew(node: Tree) -> Tree:
        return (
            next(number) if isinstance(node, int) else (renew(node[0]), renew(node[1]))
        )

    return renew(tree)


def agreement(found: Sequence[Tree], gold: Sequence[Tree]) -> float:
    """The percentage of nodes that are in the gold tree, the root not counted."""
    hits = total = 0
    for a, b in zip(found, gold, strict=True):
        right = spans(b)
        hits += len(spans(a) & right) - 1
        total += len(right) - 1
    return 100 * hits / total


# --- what is measured ----------------------------------------------------------------


def answers(clauses: Sequence[Clause]) -> Tensor:
    return torch.tensor([int(c.affirmed) for c in clauses])


def along(
    trees: Sequence[Tree], clauses: Sequence[Clause], pairs: tuple[int, int]
) -> list[Any]:
    """The ids of the words in trees of their numbers."""
    both = zip(trees, clauses, strict=True)
    return [filled(tree, ids(clause, pairs)) for tree, clause in both]


def inputs(trees: str, clauses: Sequence[Clause], pairs: tuple[int, int]) -> list[Any]:
    """Ids along "gold" trees; or in order, if "backwards" from the last word."""
    if trees == "gold":
        return along([c.tree for c in clauses], clauses, pairs)
    return [ids(c, pairs)[:: -1 if trees == "backwards" else 1] for c in clauses]


def read(
    reader: str, trees: str, n: int, rate: float, seed: int,
    steps: int = 300, pairs: tuple[int, int] = PAIRS,
) -> Row:  # fmt: skip
    """What is right on short and long sentences; after gold trees, also on others.

    parsed  trees of the greedy parser;  chart  those of the grammar's chart
    """
    random, train = Random(seed), sentences(pairs)["train"]
    given, wanted = inputs(trees, train, pairs), answers(train)

    def loss(model: nn.Module, _: torch.Generator) -> Tensor:
        rows = random.sample(range(len(given)), min(64, len(given)))
        return cross_entropy(model([given[k] for k in rows]), wanted[rows])

    model, _ = train_toy(
        lambda: network(reader, len(vocabulary(pairs)) + 2, n), loss,
        seed=seed, steps=steps, rate=rate, falls=True, clip=1.0,
    )  # fmt: skip
    row = {
        part: right(model, inputs(trees, clauses, pairs), answers(clauses))
        for part in ("short", "long")
        for clauses in [sentences(pairs)[part]]
    }
    if trees == "gold":
        clauses = sentences(pairs)["long"]
        for name, found in (("parsed", parsed(seed, pairs)), ("chart", charted(pairs))):
            given = along(found, clauses, pairs)
            row[f"long, {name}"] = right(model, given, answers(clauses))
    return row


def parse(seed: int | None, pairs: tuple[int, int] = PAIRS) -> Row:
    """The percentage of nodes of long gold trees that a parser finds; None: a chart."""
    found = charted(pairs) if seed is None else parsed(seed, pairs)
    return {"long": agreement(found, [c.tree for c in sentences(pairs)["long"]])}


def counted(pairs: tuple[int, int] = PAIRS) -> Row:
    """How many sentences there are."""
    return {part: len(some) for part, some in sentences(pairs).items()}


SEEDS, LONGER = (0, 1, 2), 4
DEEP: dict[str, Setting] = {
    "recursive": {"reader": "recursive", "n": 24, "rate": 5e-3, "steps": 500},
    "GRU": {"reader": "GRU", "n": 64, "rate": 3e-3, "steps": 600},
    "bag": {"reader": "bag", "n": 64, "rate": 3e-3, "steps": 250},
    "GRU, longer": {"reader": "GRU", "n": 64, "rate": 3e-3, "steps": LONGER * 600},
}
READERS: dict[str, Setting] = {
    "recursive": {"reader": "recursive", "trees": "gold", "n": 32, "rate": 3e-3},
    "TreeLSTM": {"reader": "TreeLSTM", "trees": "gold", "n": 32, "rate": 1e-2},
    "GRU": {"reader": "GRU", "trees": "", "n": 48, "rate": 3e-3},
    "GRU, backwards": {"reader": "GRU", "trees": "backwards", "n": 48, "rate": 1e-2},
}
"""With the better of the rates 0.003 and 0.01 on other long sentences, two seeds each;
the GRU that reads forwards is no better with 0.01."""
FEW = (800, 200)


STUDY = Study(
    "truth values nested deeper than in training; clauses along gold and found trees",
    {
        "depth": Experiment(
            measured,
            grid(name=DEEP, seed=SEEDS),
            smoke={"reader": "recursive", "n": 12, "rate": 2e-2, "steps": 9, "seed": 0},
            arguments=lambda name, seed: {**DEEP[name], "seed": seed},
        ),
        "sentences": Experiment(counted, smoke={"pairs": FEW}),
        "parsers": Experiment(parse, grid(seed=[*SEEDS, None])),
        "clauses": Experiment(
            read,
            grid(name=READERS, seed=SEEDS),
            smoke={**READERS["GRU"], "seed": 0, "steps": 2, "pairs": FEW},
            arguments=lambda name, seed: {**READERS[name], "seed": seed},
        ),
    },
)

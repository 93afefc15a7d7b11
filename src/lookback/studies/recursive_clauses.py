"""Is the main clause affirmed? Sentences of the grammar along their trees.

"john says that mary did not come ." is affirmed: its "not" belongs to another clause.
Networks learn from sentences of up to 15 words, and are tested with 46 to 66. Each
sentence has a "not" somewhere, and its first "not" is at the same place in as many
affirmed sentences as others, so that no place betrays the answer.
"""

import time
from collections import defaultdict
from collections.abc import Callable, Sequence
from functools import cache
from random import Random
from typing import Any, NamedTuple, TypeAlias

import torch
from torch import Tensor, nn
from torch.nn.functional import cross_entropy

from lookback.pcfg import PCFG, annotate_parents, binarise
from lookback.recursive import Forest, GreedyParser, Tree, TreeLSTM, spans
from lookback.text.corpora import Lengths, Pair, PairCorpus, grammar
from lookback.workshop import Case, Row, Study, case, grid, practise

from .recursive import network, right

Labelled: TypeAlias = "tuple[str | Labelled, ...]"
Words = tuple[str, ...]

SHORT = Lengths(uniform=1, low=11, high=15)
LONG = Lengths(uniform=1, low=46, high=66)
PARTS = ("short", "long")
PAIRS = (40000, 6000)
"""How many pairs of the grammar are read, in SHORT and in LONG sentences."""
SEEDS = (0, 1, 2)
PARSES, MARKOV = 6000, 2
SHOWN = 3
"""Sentences of the short test that are shown while they are parsed: the first ones."""
VALIDATION = 12000
"""Pairs of the grammar for the choice of rates; none of them is in the test."""
RATES, RATE_SEEDS = (3e-3, 1e-2), (10, 11)
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


def balanced(trees: Sequence[Tree]) -> Tree:
    """((a, b), (c, d)): halves of halves."""
    half = len(trees) // 2
    return (balanced(trees[:half]), balanced(trees[half:])) if half else trees[0]


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

    model, _ = practise(
        lambda: GreedyParser(TreeLSTM(V, n, n)), loss,
        seed=seed, steps=steps, rate=5e-3, falls=True, clip=1.0,
    )  # fmt: skip
    return model


Trees: TypeAlias = dict[str, list[Tree]]
"""Of each part, those of its sentences, with the numbers of words."""


def parsed(model: GreedyParser, pairs: tuple[int, int] = PAIRS) -> Trees:
    """The trees of a greedy parser."""
    found: Trees = {}
    for part in PARTS:
        rows = [ids(c, pairs) for c in sentences(pairs)[part]]
        batches = (rows[k : k + 100] for k in range(0, len(rows), 100))
        found[part] = [numbered(tree) for some in batches for tree in model.parse(some)]
    return found


@cache
def charted(pairs: tuple[int, int] = PAIRS) -> Trees:
    """The likeliest trees by a grammar that was counted from the same PARSES trees.

    A sentence without any parse gets a tree that branches to the right.
    """
    trees = [pair.tree for pair in drawn_pairs(*pairs)[0].train[:PARSES]]
    model = PCFG().fit(binarise(annotate_parents(tree), MARKOV) for tree in trees)
    found: Trees = {}
    for part in PARTS:
        found[part] = []
        for clause in sentences(pairs)[part]:
            tree = model.cky(clause.words).tree
            shape = SHAPES["right"](range(len(clause.words)))
            found[part].append(in_pairs(tree) if tree else shape)
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


SHAPES: dict[str, Callable[[Sequence[Tree]], Tree]] = {
    "right": lambda words: (branched(words[:-1]), words[-1]),
    "balanced": lambda words: (balanced(words[:-1]), words[-1]),
}
"""Trees that need no parser; the full stop is apart, as in the grammar's."""


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


def learned(
    reader: str, trees: str, n: int, rate: float, seed: int,
    steps: int = 300, pairs: tuple[int, int] = PAIRS,
) -> nn.Module:  # fmt: skip
    """A reader of clauses after its training; the rate falls to 0."""
    random, train = Random(seed), sentences(pairs)["train"]
    given, wanted = inputs(trees, train, pairs), answers(train)

    def loss(model: nn.Module, _: torch.Generator) -> Tensor:
        rows = random.sample(range(len(given)), 64)
        return cross_entropy(model([given[k] for k in rows]), wanted[rows])

    model, _ = practise(
        lambda: network(reader, len(vocabulary(pairs)) + 2, n), loss,
        seed=seed, steps=steps, rate=rate, falls=True, clip=1.0,
    )  # fmt: skip
    return model


def read(reader: str, trees: str, n: int, rate: float, seed: int) -> Row:
    """What is right on short and long sentences; after gold trees, also on others.

    parsed  trees of the greedy parser;  chart  those of the grammar's chart
    """
    began = time.process_time()
    model = learned(reader, trees, n, rate, seed)
    row: Row = {
        "parameters": sum(p.numel() for p in model.parameters()),
        "seconds": time.process_time() - began,
    }
    gold = trees == "gold"
    others = {"parsed": parsed(parser(seed)), "chart": charted()} if gold else {}
    for part in PARTS:
        clauses = sentences()[part]
        wanted = answers(clauses)
        row[part] = right(model, inputs(trees, clauses, PAIRS), wanted)
        for name, found in others.items():
            given = along(found[part], clauses, PAIRS)
            row[f"{part}, {name}"] = right(model, given, wanted)
    return row


@torch.no_grad()
def merged(model: GreedyParser, clause: Clause, pairs: tuple[int, int]) -> Row:
    """A sentence while it is parsed: each merge with its score, by words from … to."""
    steps = [*model.merges(ids(clause, pairs))]
    lengths = [[Forest([t]).words.numel() for t in side] for side, _ in steps]
    merges = []
    for sizes, (_, scores) in zip(lengths[:-1], steps, strict=False):
        k = int(scores.argmax())
        begin = sum(sizes[:k])
        end = begin + sizes[k] + sizes[k + 1]
        merges.append([begin, end, float(scores[k])])
    gold = sorted([begin, end] for begin, end in spans(clause.tree))
    return {"words": list(clause.words), "merges": merges, "gold": gold}


def parse(seed: int) -> Row:
    """How many nodes of a greedy parser are in the gold trees, beside fixed shapes."""
    began = time.process_time()
    model = parser(seed)
    trees = parsed(model)
    row: Row = {"seconds": time.process_time() - began}
    for part in PARTS:
        clauses = sentences()[part]
        gold = [c.tree for c in clauses]
        row[part] = agreement(trees[part], gold)
        for name, shape in SHAPES.items():
            flat = [shape(range(len(c.words))) for c in clauses]
            row[f"{part}, {name}"] = agreement(flat, gold)
    row["shown"] = [merged(model, c, PAIRS) for c in sentences()["short"][:SHOWN]]
    return row


def chart() -> Row:
    """How many nodes the chart finds, and in how many sentences it finds all."""
    began = time.process_time()
    trees = charted()
    row: Row = {"seconds": time.process_time() - began}
    for part in PARTS:
        gold = [c.tree for c in sentences()[part]]
        row[part] = agreement(trees[part], gold)
        same = sum(a == b for a, b in zip(trees[part], gold, strict=True))
        row[f"{part}, whole"] = 100 * same / len(gold)
    return row


def described(pairs: tuple[int, int]) -> Row:
    """How many sentences there are, how long, and how often with "not"."""
    row: Row = {}
    table = vocabulary(pairs)
    for name, some in sentences(pairs).items():
        words = [word for c in some for word in c.words]
        row[name] = {
            "sentences": len(some),
            "words": len(words) / len(some),
            "nots": words.count("not") / len(some),
            "unknown": sum(word not in table for word in words),
            "affirmed": sum(c.affirmed for c in some),
        }
    return row


@cache
def validation(pairs: tuple[int, int] = PAIRS, drawn: int = VALIDATION) -> list[Clause]:
    """As the long test sentences, and none of those."""
    more = grammar(drawn, seed=2, lengths=LONG)
    test = {c.words for c in sentences(pairs)["long"]}
    found = matched([*more.train, *more.validation, *more.test])
    return [c for c in found if c.words not in test]


def rates(reader: str, trees: str, n: int) -> Row:
    """What is right on `validation` for each rate, seed by seed."""
    clauses = validation()
    given, wanted = inputs(trees, clauses, PAIRS), answers(clauses)
    found = [
        [
            right(learned(reader, trees, n, rate, seed), given, wanted)
            for seed in RATE_SEEDS
        ]
        for rate in RATES
    ]
    return {"rates": list(RATES), "right": found, "sentences": len(clauses)}


READERS: dict[str, tuple[str, str, int, float]] = {
    "recursive": ("recursive", "gold", 32, 3e-3),
    "GRU": ("GRU", "", 48, 3e-3),
    "GRU, backwards": ("GRU", "backwards", 48, 1e-2),
    "bag": ("bag", "", 48, 3e-3),
    "TreeLSTM": ("TreeLSTM", "gold", 32, 1e-2),
}
"""Name → reader, trees, width and rate, which was chosen by `rates` for three."""
CHOSEN = ("TreeLSTM", "recursive", "GRU, backwards")


def rates_of(name: str) -> Case:
    reader, trees, n, _ = READERS[name]
    return case(rates, reader=reader, trees=trees, n=n)


STUDY = Study(
    about="is the main clause affirmed? Gold trees, parsed ones, sequences and bags",
    cases={
        "data": case(described, pairs=PAIRS),
        "chart": case(chart),
        **{f"rates, {name}": rates_of(name) for name in CHOSEN},
        **grid("parser, seed {seed}", parse, seed=SEEDS),
        **{
            f"{name}, seed {seed}": case(
                read, reader=reader, trees=trees, n=n, rate=rate, seed=seed
            )
            for name, (reader, trees, n, rate) in READERS.items()
            for seed in SEEDS
        },
    },
    check=case(described, pairs=(1500, 400)),
)

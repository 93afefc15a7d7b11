"""Is the main clause affirmed? Sentences of the grammar along their trees.

"john says that mary did not come ." is affirmed: its "not" belongs to another clause.
Networks learn from sentences of up to 15 words, and are tested with 46 to 66. Each
sentence has a "not" somewhere, and its first "not" is at the same place in as many
affirmed sentences as others, so that no place betrays the answer.
"""

import time
from collections import defaultdict
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import cache
from random import Random
from typing import Any, NamedTuple, TypeAlias, cast

import torch
from torch import Tensor, nn
from torch.nn.functional import cross_entropy

from lookback.pcfg import PCFG, annotate_parents, binarise
from lookback.recursive import Forest, GreedyParser, Tree, TreeLSTM, spans
from lookback.text.corpora import Lengths, Pair, PairCorpus, grammar
from lookback.workshop import Row, Study, case, each, known, seeds

from .recursive import Setting, TreeReader, padded

Labelled: TypeAlias = "tuple[str | Labelled, ...]"
Words = tuple[str, ...]

SHORT, LONG = (11, 15), (46, 66)
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


@dataclass(frozen=True)
class Data:
    """How many pairs of the grammar are read, in SHORT and in LONG sentences."""

    short: int = 40000
    long: int = 6000


@cache
def drawn_pairs(data: Data) -> tuple[PairCorpus, PairCorpus]:
    """The short sentences, and the long ones."""
    (low, high), (longer, longest) = SHORT, LONG
    return (
        grammar(data.short, lengths=Lengths(uniform=1, low=low, high=high)),
        grammar(
            data.long, seed=1, lengths=Lengths(uniform=1, low=longer, high=longest)
        ),
    )


@cache
def sentences(data: Data) -> dict[str, list[Clause]]:
    """train, short and long; and what the parser learns from, with "not" or without."""
    some, more = drawn_pairs(data)
    parses = [Clause(p.source, in_pairs(p.tree), True) for p in some.train[:PARSES]]
    return {
        "parses": parses,
        "train": matched(some.train),
        "short": matched([*some.validation, *some.test]),
        "long": matched([*more.train, *more.validation, *more.test]),
    }


PARTS = ("short", "long")
PARSES, MARKOV = 6000, 2


@cache
def vocabulary(data: Data) -> dict[str, int]:
    """Ids of the words that are learned from; 0 is padding, 1 any other word."""
    read = sorted({word for c in sentences(data)["parses"] for word in c.words})
    return {word: n for n, word in enumerate(read, 2)}


def ids(words: Words, data: Data) -> list[int]:
    table = vocabulary(data)
    return [table.get(word, UNKNOWN) for word in words]


@dataclass(frozen=True)
class Parser:
    """How a greedy parser learns: a margin of kappa for each wrong node."""

    n: int
    rate: float
    steps: int
    seed: int
    data: Data
    kappa: float = 0.1
    batch: int = 32

    def learned(self) -> GreedyParser:
        random, train = Random(self.seed), sentences(self.data)["parses"]
        with seeds.seeded(self.seed):
            network = TreeLSTM(len(vocabulary(self.data)) + 2, self.n, self.n)
            parser = GreedyParser(network)
        optimiser = torch.optim.Adam(parser.parameters())
        for step in range(self.steps):
            optimiser.param_groups[0]["lr"] = self.rate * (1 - step / self.steps)
            some = random.sample(train, self.batch)
            trees = [filled(c.tree, ids(c.words, self.data)) for c in some]
            loss = parser.loss(trees, self.kappa)
            optimiser.zero_grad()
            loss.backward()  # type: ignore[no-untyped-call]
            nn.utils.clip_grad_norm_(parser.parameters(), 1.0)
            optimiser.step()
        return parser


@cache
def learned(parser: Parser) -> GreedyParser:
    return parser.learned()


@cache
def parsed(parser: Parser) -> dict[str, list[Tree]]:
    """The parser's trees, with the numbers of words, of each part of the data."""
    model = learned(parser)
    found = dict[str, list[Tree]]()
    for name in ("train", *PARTS):
        rows = [ids(c.words, parser.data) for c in sentences(parser.data)[name]]
        trees = list[Tree]()
        for start in range(0, len(rows), 100):
            trees += model.parse(rows[start : start + 100])
        found[name] = [numbered(tree) for tree in trees]
    return found


@cache
def charted(data: Data) -> dict[str, list[Tree]]:
    """The likeliest trees by a grammar that was counted from the same PARSES trees.

    A sentence without any parse gets a tree that branches to the right.
    """
    trees = [pair.tree for pair in drawn_pairs(data)[0].train[:PARSES]]
    model = PCFG().fit(binarise(annotate_parents(tree), MARKOV) for tree in trees)
    found = dict[str, list[Tree]]()
    for name in PARTS:
        found[name] = []
        for clause in sentences(data)[name]:
            tree = model.cky(clause.words).tree
            shape = SHAPES["right"](range(len(clause.words)))
            found[name].append(in_pairs(tree) if tree else shape)
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
    return round(100 * hits / total, 2)


SHAPES: dict[str, Callable[[Sequence[Tree]], Tree]] = {
    "right": lambda words: (branched(words[:-1]), words[-1]),
    "balanced": lambda words: (balanced(words[:-1]), words[-1]),
}
"""Trees that need no parser; the full stop is apart, as in the grammar's."""


@dataclass(frozen=True)
class Reading:
    """A reader of clauses, and the trees that it learns from.

    trees  "gold", "parsed", "right" or "balanced"; "" for readers of sequences, and
           "backwards" for one that begins at the last word
    """

    reader: Setting
    trees: str
    parser: Parser

    @property
    def data(self) -> Data:
        return self.parser.data

    def __post_init__(self) -> None:
        known("trees", self.trees, ("gold", "parsed", *SHAPES, "", "backwards"))

    def inputs(self, part: str, trees: str) -> list[Any]:
        """What a reader gets of each sentence of a part: a tree, or ids in order."""
        clauses = sentences(self.data)[part]
        if trees in ("", "backwards"):
            step = -1 if trees else 1
            return [ids(c.words, self.data)[::step] for c in clauses]
        if trees == "parsed":
            numbers = parsed(self.parser)[part]
        elif trees == "chart":
            numbers = charted(self.data)[part]
        elif trees == "gold":
            numbers = [c.tree for c in clauses]
        else:
            numbers = [SHAPES[trees](range(len(c.words))) for c in clauses]
        return self.in_trees(numbers, clauses)

    def given(self, clauses: Sequence[Clause]) -> list[Any]:
        """The same for sentences of no part, along gold trees or in order."""
        if self.trees == "gold":
            return self.in_trees([c.tree for c in clauses], clauses)
        step = -1 if self.trees else 1
        return [ids(c.words, self.data)[::step] for c in clauses]

    def in_trees(self, numbers: Sequence[Tree], clauses: Sequence[Clause]) -> list[Any]:
        """The words' ids in trees of their numbers."""
        return [
            filled(tree, ids(c.words, self.data))
            for tree, c in zip(numbers, clauses, strict=True)
        ]

    def answers(self, part: str) -> Tensor:
        return torch.tensor([int(c.affirmed) for c in sentences(self.data)[part]])

    def learned(self) -> nn.Module:
        """The reader after its training."""
        setting, random = self.reader, Random(self.reader.seed)
        model = setting.network(len(vocabulary(self.data)) + 2)
        optimiser = setting.optimiser(model)
        given, answers = self.inputs("train", self.trees), self.answers("train")
        for step in range(setting.steps):
            optimiser.param_groups[0]["lr"] = setting.rate * (1 - step / setting.steps)
            rows = random.sample(range(len(given)), setting.batch)
            scores = scores_of(model, [given[k] for k in rows])
            loss = cross_entropy(scores, answers[rows])
            optimiser.zero_grad()
            loss.backward()  # type: ignore[no-untyped-call]
            nn.utils.clip_grad_norm_(model.parameters(), 1.0)
            optimiser.step()
        return model.eval()


def scores_of(model: nn.Module, given: Sequence[Any]) -> Tensor:
    """(B, 2), of trees or of sequences of ids."""
    if not isinstance(model, TreeReader):
        given = [padded(given)]
        return cast(Tensor, model(*given))
    return cast(Tensor, model(given))


@torch.no_grad()
def right(model: nn.Module, given: Sequence[Any], answers: Tensor) -> float:
    """The percentage that is right."""
    said = [scores_of(model, given[k : k + 100]) for k in range(0, len(given), 100)]
    hits = torch.cat(said).argmax(dim=1) == answers
    return round(100 * float(hits.double().mean()), 2)


def read(case: Reading) -> Row:
    """What is right on short and long sentences; after gold trees, also on others.

    parsed  trees of the greedy parser;  chart  those of the grammar's chart
    """
    began = time.process_time()
    model = case.learned()
    row: Row = {
        "parameters": sum(p.numel() for p in model.parameters()),
        "seconds": round(time.process_time() - began, 1),
    }
    for part in PARTS:
        answers = case.answers(part)
        row[part] = right(model, case.inputs(part, case.trees), answers)
        if case.trees == "gold":
            for trees in ("parsed", "chart"):
                given = case.inputs(part, trees)
                row[f"{part}, {trees}"] = right(model, given, answers)
    return row


@torch.no_grad()
def merged(case: Parser, clause: Clause) -> Row:
    """A sentence while it is parsed: each merge with its score, by words from … to."""
    steps = [*learned(case).merges(ids(clause.words, case.data))]
    lengths = [[Forest([t]).words.numel() for t in side] for side, _ in steps]
    merges = []
    for sizes, (_, scores) in zip(lengths[:-1], steps, strict=False):
        k = int(scores.argmax())
        begin = sum(sizes[:k])
        end = begin + sizes[k] + sizes[k + 1]
        merges.append([begin, end, round(float(scores[k]), 2)])
    gold = sorted([begin, end] for begin, end in spans(clause.tree))
    return {"words": list(clause.words), "merges": merges, "gold": gold}


SHOWN = 3
"""Sentences of the short test that are shown while they are parsed: the first ones."""


def parse(case: Parser) -> Row:
    """How many of its nodes are in the gold trees, beside trees of one shape."""
    began = time.process_time()
    trees = parsed(case)
    row: Row = {"seconds": round(time.process_time() - began, 1)}
    for part in PARTS:
        clauses = sentences(case.data)[part]
        gold = [c.tree for c in clauses]
        row[part] = agreement(trees[part], gold)
        for name, shape in SHAPES.items():
            flat = [shape(range(len(c.words))) for c in clauses]
            row[f"{part}, {name}"] = agreement(flat, gold)
    row["shown"] = [merged(case, c) for c in sentences(case.data)["short"][:SHOWN]]
    return row


@dataclass(frozen=True)
class Chart:
    """The chart parser, on the same sentences."""

    data: Data


def chart(case: Chart) -> Row:
    """How many nodes it finds, and in how many sentences it finds all."""
    began = time.process_time()
    trees = charted(case.data)
    row: Row = {"seconds": round(time.process_time() - began, 1)}
    for part in PARTS:
        gold = [c.tree for c in sentences(case.data)[part]]
        row[part] = agreement(trees[part], gold)
        same = sum(a == b for a, b in zip(trees[part], gold, strict=True))
        row[f"{part}, whole"] = round(100 * same / len(gold), 2)
    return row


def described(data: Data) -> Row:
    """How many sentences there are, how long, and how often with "not"."""
    row: Row = {}
    known_words = vocabulary(data)
    for name, some in sentences(data).items():
        words = [word for c in some for word in c.words]
        row[name] = {
            "sentences": len(some),
            "words": round(len(words) / len(some), 1),
            "nots": round(words.count("not") / len(some), 2),
            "unknown": sum(word not in known_words for word in words),
            "affirmed": sum(c.affirmed for c in some),
        }
    return row


@dataclass(frozen=True)
class Rates:
    """Which learning rate is best for a reader, on long sentences for validation.

    pairs  of the grammar that are read for them; none of them is in the test
    """

    reader: str
    rates: tuple[float, ...] = (3e-3, 1e-2)
    seeds: tuple[int, ...] = (10, 11)
    pairs: int = 12000


@cache
def validation(data: Data, pairs: int) -> list[Clause]:
    """As the long test sentences, and none of those."""
    low, high = LONG
    drawn = grammar(pairs, seed=2, lengths=Lengths(uniform=1, low=low, high=high))
    test = {c.words for c in sentences(data)["long"]}
    found = matched([*drawn.train, *drawn.validation, *drawn.test])
    return [c for c in found if c.words not in test]


def compared(case: Rates) -> Row:
    """What is right for each rate, seed by seed."""
    kind, trees, n, _, steps = READERS[case.reader]
    row: Row = {"rates": [*case.rates], "right": []}
    for rate in case.rates:
        found = []
        for seed in case.seeds:
            setting = Setting(kind, n, rate, steps, seed)
            reading = Reading(setting, trees, PARSERS[0])
            clauses = validation(reading.data, case.pairs)
            answers = torch.tensor([int(c.affirmed) for c in clauses])
            given = reading.given(clauses)
            found.append(right(reading.learned(), given, answers))
        row["right"].append(found)
    row["sentences"] = len(answers)
    return row


def measured(case: Reading | Parser | Chart | Data | Rates) -> Row:
    """What the case asks for."""
    if isinstance(case, Chart):
        return chart(case)
    if isinstance(case, Data):
        return described(case)
    if isinstance(case, Rates):
        return compared(case)
    return parse(case) if isinstance(case, Parser) else read(case)


SEEDS = (0, 1, 2)
READERS: dict[str, tuple[str, str, int, float, int]] = {
    "recursive": ("recursive", "gold", 32, 3e-3, 300),
    "GRU": ("GRU", "", 48, 3e-3, 300),
    "GRU, backwards": ("GRU", "backwards", 48, 1e-2, 300),
    "bag": ("bag", "", 48, 3e-3, 300),
    "TreeLSTM": ("TreeLSTM", "gold", 32, 1e-2, 300),
}
"""Name → reader, trees, width, rate and steps. Rates were chosen by `Rates`."""

QUICK = ("recursive", "GRU, backwards")
PARSERS = {seed: Parser(24, 5e-3, 200, seed, Data()) for seed in SEEDS}
STUDY = Study(
    about="is the main clause affirmed? Gold trees, parsed ones, sequences and bags",
    cases=each(
        measured,
        case={
            "data": Data(),
            "chart": Chart(Data()),
            **{f"rates, {name}": Rates(name) for name in ("TreeLSTM", *QUICK)},
            **{f"parser, seed {seed}": parser for seed, parser in PARSERS.items()},
            **{
                f"{name}, seed {seed}": Reading(
                    Setting(kind, n, rate, steps, seed), trees, PARSERS[seed]
                )
                for name, (kind, trees, n, rate, steps) in READERS.items()
                for seed in SEEDS
            },
        },
    ),
    check=case(measured, case=Data(1500, 400)),
)

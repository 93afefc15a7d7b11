"""Parsing by probabilistic grammars: what they get wrong, and what EM finds alone."""

import math
from collections import Counter
from collections.abc import Callable, Iterator, Sequence
from itertools import product

import numpy as np

from lookback.measure import (
    bootstrap,
    bracket_counts,
    bracket_f1,
    brackets,
    paired_bootstrap,
)
from lookback.ngram import KneserNey, NgramModel
from lookback.pcfg import PCFG
from lookback.text.corpora import Pair, PairCorpus, grammar
from lookback.trainer import seeds
from lookback.trainer.learner import Weights
from lookback.trainer.study import Experiment, Row, Study, grid
from lookback.trees import (
    Tree,
    annotate_parents,
    binarise,
    is_leaf,
    leaves,
    restore,
)

PAIRS = 5000  # of our grammar
H = 2  # children that a Markovised rule remembers
STEPS = 200  # of inside–outside
LONGEST, PHRASES = 10, 8  # tags of a sentence, and symbols that may become phrases
SEEDS = (0, 1, 2, 3, 4)
ORDERS = {"bigrams": 2, "trigrams": 3, "5-grams": 5}  # beside the grammars
Spans = Counter[tuple[str, int, int]]


# --- trees ---------------------------------------------------------------------------


KINDS: dict[str, Callable[[Tree], Tree]] = {
    "plain": lambda tree: binarise(tree, H),
    "parents": lambda tree: binarise(annotate_parents(tree), H),
}
"""What is done to each tree before its rules are counted."""


def constructs(tree: Tree) -> Spans:
    """(construct, i, j): phrases by what they are and what they hang from."""
    found: Spans = Counter()

    def end(node: Tree, above: str, i: int) -> int:
        if is_leaf(node):
            return i + 1
        j = i
        for child in node[1:]:
            j = end(child, str(node[0]), j)  # type: ignore[arg-type]
        found.update((name, i, j) for name in named(node, above))
        return j

    if tree:
        end(tree, "", 0)
    return found


def named(node: Tree, above: str) -> Iterator[str]:
    """What a phrase is, if it is one of the constructs."""
    label, below = node[0], [child[0] for child in node[1:]]
    if label == "SBAR" and above in ("NP", "VP"):
        yield "relative clause" if above == "NP" else "clause after a verb"
    if label == "PP" and above in ("NP", "VP"):
        yield "PP in a noun phrase" if above == "NP" else "PP in a verb phrase"
    if label in ("S", "NP", "VP") and {"CCONJ", "SCONJ"} & {*below}:
        kind = {"S": "clauses", "NP": "noun phrases", "VP": "verb phrases"}[str(label)]
        yield f"joined {kind}"
    if label == "NP" and all(is_leaf(child) for child in node[1:]):  # type: ignore[arg-type]
        yield "simple noun phrase"


# --- parsing -------------------------------------------------------------------------


def parsed(model: PCFG, sentences: Sequence[Sequence[str]]) -> list[Tree]:
    """The best tree of each, as it would be in a treebank; () where there is none."""
    trees = [model.cky(words).tree for words in sentences]
    return [restore(tree) if tree else () for tree in trees]


def scores(counts: Weights) -> list[float]:
    """F1 and its 95 % interval by resampling sentences."""
    found = bootstrap(bracket_f1, counts, generator=seeds.generator(0))
    return [found.value, found.low, found.high]


def parsers(pairs: int) -> Row:
    """The grammars on the test: F1 in all and by construct, and their difference."""
    corpus = grammar(pairs=pairs)
    test = known(corpus)
    gold = [pair.tree for pair in test]
    row: Row = {"train": len(corpus.train), "test": len(test)}
    every: dict[str, Weights] = {}
    for name, kind in KINDS.items():
        model = PCFG().fit(kind(pair.tree) for pair in corpus.train)
        trees = parsed(model, [pair.source for pair in test])
        every[name] = counted(brackets, gold, trees)
        row[name] = {**judged(gold, trees, every[name]), "rules": model.parameters}
    found = paired_bootstrap(
        bracket_f1, every["parents"], every["plain"], generator=seeds.generator(0)
    )
    row["better"] = [found.value, found.low, found.high]
    return row


def known(corpus: PairCorpus) -> list[Pair]:
    """The sentences of the test whose words all occur in train."""
    words = {word for pair in corpus.train for word in pair.source}
    return [pair for pair in corpus.test if words >= {*pair.source}]


def counted(
    things: Callable[[Tree], Spans], gold: Sequence[Tree], trees: Sequence[Tree]
) -> Weights:
    return bracket_counts([*map(things, gold)], [*map(things, trees)])


def judged(gold: Sequence[Tree], trees: Sequence[Tree], counts: Weights) -> Row:
    """All that is said of a parser's trees."""
    found, every_one, guessed = counts.sum(axis=0).tolist()
    row: Row = {
        "F1": scores(counts),
        "precision": 100 * found / guessed,
        "recall": 100 * found / every_one,
        "no tree": sum(not tree for tree in trees),
        "exact": sum(a == b for a, b in zip(gold, trees, strict=True)),
    }
    row["constructs"] = {}
    every = {name for tree in gold for name, _, _ in constructs(tree)}
    for name in sorted(every):
        one = counted(lambda tree, name=name: only(tree, name), gold, trees)  # type: ignore[misc]
        row["constructs"][name] = [bracket_f1(one.sum(axis=0)), int(one[:, 1].sum())]
    return row


def only(tree: Tree, name: str) -> Spans:
    return Counter({key: n for key, n in constructs(tree).items() if key[0] == name})


# --- as language models --------------------------------------------------------------


def language(pairs: int) -> Row:
    """Perplexity of words and of tags, beside n-grams.

    Of the test sentences of which each grammar has a tree. Their ends, too, are
    predicted, as they are by a grammar that stops.
    """
    corpus = grammar(pairs=pairs)
    row: Row = {}
    for what, of in (("words", lambda tree: tree), ("tags", of_tags)):
        train = [of(pair.tree) for pair in corpus.train]
        every = [of(pair.tree) for pair in known(corpus)]
        texts, read = (
            [tuple(word for _, word in leaves(tree)) for tree in trees]
            for trees in (every, train)
        )
        logs: Weights = np.array([
            [model.log_likelihood([words]) for words in texts]
            for kind in KINDS.values()
            for model in [PCFG().fit(map(kind, train))]
        ])  # fmt: skip
        kept = np.flatnonzero((logs > -math.inf).all(axis=0))
        some = [texts[n] for n in kept]
        size = sum(len(words) + 1 for words in some)
        found = {
            name: NgramModel(n, KneserNey()).fit(read).perplexity(some)
            for name, n in ORDERS.items()
        }
        for name, log in zip(KINDS, logs[:, kept].sum(axis=1), strict=True):
            found[name] = math.exp(-log / size)
        row[what] = {"sentences": len(some), "perplexity": found}
    return row


def of_tags(tree: Tree) -> Tree:
    """The tree with the tag of each word in the word's place."""
    if is_leaf(tree):
        return (tree[0], tree[0])
    return (tree[0], *(of_tags(child) for child in tree[1:]))  # type: ignore[arg-type]


# --- without trees -------------------------------------------------------------------


def tagged(pairs: Sequence[Pair], longest: int) -> list[tuple[tuple[str, ...], Tree]]:
    """The tags of each short sentence without its full stop, and its tree."""
    trees = [of_tags(pair.tree[1]) for pair in pairs]  # type: ignore[arg-type]
    every = [(tuple(tag for tag, _ in leaves(tree)), tree) for tree in trees]
    return [(tags, tree) for tags, tree in every if 3 <= len(tags) <= longest]


def unlabelled(tree: Tree) -> Spans:
    """("", i, j) of phrases of two words and more, each span once, but the whole."""
    n = len(leaves(tree)) if tree else 0
    spans = {(i, j) for _, i, j in brackets(tree) if 1 < j - i < n}
    return Counter(("", i, j) for i, j in spans)


def right(n: int) -> Spans:
    """The phrases of n words if each branches to the right."""
    return Counter(("", i, n) for i in range(1, n - 1))


def baselines(pairs: int, longest: int = LONGEST) -> Row:
    """Unlabelled F1 on short sentences of the test."""
    corpus = grammar(pairs=pairs)
    test = tagged(corpus.test, longest)
    gold = [unlabelled(tree) for _, tree in test]
    model = PCFG().fit(binarise(tree, H) for _, tree in tagged(corpus.train, longest))
    guesses = {
        "right-branching": [right(len(tags)) for tags, _ in test],
        "trees counted, binary": [unlabelled(model.cky(tags).tree) for tags, _ in test],
        "gold trees, made binary": [unlabelled(binarise(tree)) for _, tree in test],
    }
    row: Row = {"test": len(test), "train": len(tagged(corpus.train, longest))}
    row["F1"] = {
        name: bracket_f1(bracket_counts(gold, found).sum(axis=0))
        for name, found in guesses.items()
    }
    return row


def random_grammar(tags: Sequence[str], phrases: int, seed: int) -> PCFG:
    """Every phrase becomes any two phrases, or any tag: random numbers of one size."""
    random = np.random.default_rng(seed)
    names = [f"X{n}" for n in range(phrases)]
    rules: dict[tuple[str, ...], float] = {}
    lexicon: dict[tuple[str, str], float] = {}
    for A in names:
        twos = random.random(phrases**2) + 0.5
        ones = random.random(len(tags)) + 0.5
        for (b, c), p in zip(product(names, repeat=2), twos, strict=True):
            rules[A, b, c] = p / twos.sum() / 2
        for tag, p in zip(tags, ones, strict=True):
            lexicon[A, tag] = p / ones.sum() / 2
    return PCFG.from_parameters(rules, lexicon, "X0")


def alone(
    seed: int,
    pairs: int,
    longest: int = LONGEST,
    phrases: int = PHRASES,
    steps: int = STEPS,
) -> Row:
    """Unlabelled F1 of the best trees by the rules that EM finds without trees."""
    corpus = grammar(pairs=pairs)
    train, test = (tagged(s, longest) for s in (corpus.train, corpus.test))
    read = [tags for tags, _ in train]
    every = sorted({tag for tags in read for tag in tags})
    test = [(tags, tree) for tags, tree in test if {*every} >= {*tags}]
    model = random_grammar(every, phrases, seed)
    model.inside_outside(read, steps)
    trees = {tags: unlabelled(model.cky(tags).tree) for tags, _ in test}
    gold = [unlabelled(tree) for _, tree in test]
    found = bracket_counts(gold, [trees[tags] for tags, _ in test])
    return {"F1": bracket_f1(found.sum(axis=0))}


STUDY = Study(
    "what grammars with probabilities parse wrongly, and what they learn alone",
    {
        "parsers": Experiment(parsers, grid(pairs=[PAIRS]), smoke={"pairs": 200}),
        "language": Experiment(language, grid(pairs=[PAIRS]), smoke={"pairs": 200}),
        "baselines": Experiment(baselines, grid(pairs=[PAIRS]), smoke={"pairs": 200}),
        "alone": Experiment(
            alone,
            grid(seed=SEEDS, pairs=[PAIRS]),
            smoke={"seed": 0, "pairs": 200, "longest": 7, "phrases": 3, "steps": 20},
        ),
    },
)

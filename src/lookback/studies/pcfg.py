"""Parsing by probabilistic grammars: what they get wrong, and what EM finds alone."""

import math
from collections import Counter
from collections.abc import Callable, Iterator, Sequence
from itertools import pairwise, product

import numpy as np

from lookback.hmm import HiddenMarkovModel
from lookback.measure import (
    bootstrap,
    bracket_counts,
    bracket_f1,
    brackets,
    paired_bootstrap,
)
from lookback.ngram import KneserNey, NgramModel
from lookback.pcfg import (
    PCFG,
    Tree,
    annotate_parents,
    binarise,
    children,
    is_leaf,
    leaves,
    restore,
)
from lookback.text.corpora import grammar
from lookback.text.pairs import Pair
from lookback.workshop import Row, Study, Weights, case, grid, seeds

PAIRS = 5000  # of our grammar
H = 2  # children that a Markovised rule remembers
STEPS, EVERY = 200, 20  # of inside–outside, and after how many the trees are scored
LONGEST, PHRASES = 10, 8  # tags of a sentence, and symbols that may become phrases
SEEDS = (0, 1, 2, 3, 4)
ORDERS = (2, 3, 4, 5, 6)  # of the n-grams beside the grammars
Spans = Counter[tuple[str, int, int]]


# --- trees ---------------------------------------------------------------------------


def split_prepositions(tree: Tree) -> Tree:
    """PP and its ADP become PP~of and ADP~of, by the word; `joined` undoes it.

    Both, or else a PP~in could begin with *of*.
    """
    if is_leaf(tree):
        return tree
    label, below = str(tree[0]), [*map(split_prepositions, children(tree))]
    if label == "PP":
        tag, word = below[0]
        label, below[0] = f"PP~{word}", (f"{tag}~{word}", word)
    return (label, *below)


def joined(tree: Tree) -> Tree:
    if not tree:
        return tree
    label = str(tree[0]).split("~")[0]
    return (label, *(tree[1:] if is_leaf(tree) else map(joined, children(tree))))


def nothing(tree: Tree) -> Tree:
    return tree


KINDS: dict[str, Callable[[Tree], Tree]] = {
    "plain, h = 2": lambda tree: binarise(tree, H),
    "parents, h = 2": lambda tree: binarise(annotate_parents(tree), H),
    "parents and prepositions, h = 2": lambda tree: binarise(
        annotate_parents(split_prepositions(tree)), H
    ),
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


def attachments(tree: Tree) -> dict[tuple[int, int], tuple[str, str]]:
    """(i, j) of each PP under NP or VP → its preposition, and where it hangs."""
    words = [word for _, word in leaves(tree)] if tree else []
    places = {"PP in a noun phrase": "NP", "PP in a verb phrase": "VP"}
    return {
        (i, j): (words[i], places[name])
        for name, i, j in constructs(tree)
        if name in places
    }


# --- parsing -------------------------------------------------------------------------


def parsed(model: PCFG, sentences: Sequence[Sequence[str]]) -> list[Tree]:
    """The best tree of each, as it would be in a treebank; () where there is none."""
    trees = [model.cky(words).tree for words in sentences]
    return [joined(restore(tree)) if tree else () for tree in trees]


def scores(counts: Weights) -> list[float]:
    """F1 and its 95 % interval by resampling sentences."""
    found = bootstrap(bracket_f1, counts, generator=seeds.generator(0))
    return [found.value, found.low, found.high]


def parsers(pairs: int) -> Row:
    """Each grammar on the test: F1 in all and by construct, and attachment."""
    corpus = grammar(pairs=pairs)
    known = {word for pair in corpus.train for word in pair.source}
    test = [pair for pair in corpus.test if known >= {*pair.source}]
    gold = [pair.tree for pair in test]
    row: Row = {"train": len(corpus.train), "test": len(corpus.test), "kinds": {}}
    row["unknown"] = len(corpus.test) - len(test)
    every: dict[str, Weights] = {}
    for name, kind in KINDS.items():
        model = PCFG().fit(kind(pair.tree) for pair in corpus.train)
        trees = parsed(model, [pair.source for pair in test])
        every[name] = counted(brackets, gold, trees)
        row["kinds"][name] = judged(gold, trees, every[name])
        row["kinds"][name] |= {
            "rules": model.parameters,
            "symbols": len(model.symbols),
        }
    names = [*KINDS]
    row["better"] = {
        f"{b} against {a}": better(every[b], every[a]) for a, b in pairwise(names)
    }
    return row


def better(counts: Weights, other: Weights) -> list[float]:
    found = paired_bootstrap(bracket_f1, counts, other, generator=seeds.generator(0))
    return [found.value, found.low, found.high]


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
        row["constructs"][name] = [*scores(one), int(one[:, 1].sum())]
    row["attached"] = attached(gold, trees)
    return row


def only(tree: Tree, name: str) -> Spans:
    return Counter({key: n for key, n in constructs(tree).items() if key[0] == name})


def attached(gold: Sequence[Tree], trees: Sequence[Tree]) -> dict[str, list[int]]:
    """Preposition → of its PPs, how many hang from NP and from VP; right; misplaced.

    Right: the same words are a PP in the parser's tree, and hang from the same label.
    Misplaced: they are one, and hang from the other. The rest are no PP there.
    """
    found: dict[str, list[int]] = {}
    for a, b in zip(gold, trees, strict=True):
        guessed = attachments(b)
        for span, (word, place) in attachments(a).items():
            of = found.setdefault(word, [0, 0, 0, 0])
            of[("NP", "VP").index(place)] += 1
            of[2] += guessed.get(span) == (word, place)
            of[3] += span in guessed and guessed[span][1] != place
    return dict(sorted(found.items(), key=lambda item: -sum(item[1][:2])))


# --- as language models --------------------------------------------------------------


def language(pairs: int, orders: Sequence[int] = ORDERS) -> Row:
    """Perplexity on the test sentences of which each grammar has a tree; their ends,
    too, are predicted, as they are by a grammar that stops."""
    corpus = grammar(pairs=pairs)
    known = {word for pair in corpus.train for word in pair.source}
    test = [pair for pair in corpus.test if known >= {*pair.source}]
    row: Row = {"test": len(corpus.test), "perplexity": {}}
    for what, of in (("words", nothing), ("tags", of_tags)):
        train = [of(pair.tree) for pair in corpus.train]
        grammars = {
            name: PCFG().fit(map(KINDS[name], train))
            for name in ("plain, h = 2", "parents, h = 2")
        }
        every = [of(pair.tree) for pair in test]
        texts = [tuple(word for _, word in leaves(tree)) for tree in every]
        total = {
            name: [model.log_likelihood([words]) for words in texts]
            for name, model in grammars.items()
        }
        kept = [
            n
            for n in range(len(texts))
            if all(t[n] > -math.inf for t in total.values())
        ]
        some = [texts[n] for n in kept]
        size = sum(len(words) + 1 for words in some)
        read = [tuple(word for _, word in leaves(tree)) for tree in train]
        found = {}
        for n in orders:
            name = {2: "bigrams", 3: "trigrams"}.get(n, f"{n}-grams")
            model = NgramModel(n, KneserNey()).fit(read)
            found[f"{name}, Kneser–Ney"] = model.perplexity(some)
        if what == "words":
            tags = [tuple(tag for tag, _ in leaves(tree)) for tree in train]
            hmm = HiddenMarkovModel(2).fit(zip(read, tags, strict=True))
            found["HMM, bigrams of tags"] = math.exp(-hmm.log_likelihood(some) / size)
        for name, logs in total.items():
            found[f"PCFG, {name}"] = math.exp(-sum(logs[n] for n in kept) / size)
        row["perplexity"][what] = found
        row[f"sentences of {what}"] = len(some)
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


def at_random(n: int, random: np.random.Generator) -> Spans:
    """The phrases of n words if each is cut in two anywhere."""
    spans: Spans = Counter()

    def cut(i: int, j: int) -> None:
        if 1 < j - i < n:
            spans["", i, j] += 1
        if j - i > 1:
            k = int(random.integers(i + 1, j))
            cut(i, k)
            cut(k, j)

    cut(0, n)
    return spans


def baselines(pairs: int, longest: int = LONGEST) -> Row:
    """Unlabelled F1 on short sentences of the test."""
    corpus = grammar(pairs=pairs)
    test = tagged(corpus.test, longest)
    gold = [unlabelled(tree) for _, tree in test]
    random = np.random.default_rng(0)
    model = PCFG().fit(binarise(tree, H) for _, tree in tagged(corpus.train, longest))
    guesses = {
        "right-branching": [right(len(tags)) for tags, _ in test],
        "random trees": [at_random(len(tags), random) for tags, _ in test],
        "trees counted, binary": [unlabelled(model.cky(tags).tree) for tags, _ in test],
        "gold trees, made binary": [unlabelled(binarise(tree)) for _, tree in test],
    }
    row: Row = {"test": len(test), "train": len(tagged(corpus.train, longest))}
    row["F1"] = {
        name: scores(bracket_counts(gold, found)) for name, found in guesses.items()
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
    return PCFG.of(rules, lexicon, "X0")


def alone(
    seed: int,
    pairs: int,
    longest: int = LONGEST,
    phrases: int = PHRASES,
    steps: int = STEPS,
) -> Row:
    """The likelihood by steps, and unlabelled F1 of the best trees every ten steps."""
    corpus = grammar(pairs=pairs)
    train, test = (tagged(s, longest) for s in (corpus.train, corpus.test))
    read = [tags for tags, _ in train]
    every = sorted({tag for tags in read for tag in tags})
    test = [(tags, tree) for tags, tree in test if {*every} >= {*tags}]
    gold = [unlabelled(tree) for _, tree in test]
    model = random_grammar(every, phrases, seed)
    words = sum(map(len, read)) * math.log(2)
    row: Row = {"bits": [], "F1": []}
    different = {tags for tags, _ in test}
    for n in range(0, steps + 1, EVERY):
        if n:
            row["bits"] += model.inside_outside(read, EVERY)[n > EVERY :]
        trees = {tags: unlabelled(model.cky(tags).tree) for tags in different}
        found = [trees[tags] for tags, _ in test]
        row["F1"].append(scores(bracket_counts(gold, found)))
    row["bits"] = [total / words for total in row["bits"]]
    return row


STUDY = Study(
    about="what grammars with probabilities parse wrongly, and what they learn alone",
    cases={
        "parsers": case(parsers, pairs=PAIRS),
        "language": case(language, pairs=PAIRS),
        "baselines": case(baselines, pairs=PAIRS),
        **grid("alone, seed {seed}", alone, seed=SEEDS, pairs=[PAIRS]),
    },
    check=case(alone, seed=0, pairs=200, longest=7, phrases=3, steps=20),
)

"""Grammars with probabilities: by hand, against all trees and NLTK, laws, refusals."""

import math
import random
from collections import Counter
from itertools import product

import nltk
import numpy as np
import pytest

from lookback import pcfg
from lookback.pcfg import (
    PCFG,
    Parse,
    annotate_parents,
    binarise,
    cky,
    em_iteration,
    inside,
    leaves,
    nodes,
    outside,
    restore,
)
from lookback.text.corpora import grammar

# The example of the chapter: *with forks* belongs to the verb with 1/2, to *fish* with
# 1/4, whatever the words are.
RULES = {
    ("S", "NP", "VP"): 1.0,
    ("VP", "V", "NP"): 1 / 2,
    ("VP", "VP", "PP"): 1 / 2,
    ("NP", "NP", "PP"): 1 / 4,
    ("PP", "P", "NP"): 1.0,
}
LEXICON = {
    ("NP", "she"): 1 / 4,
    ("NP", "fish"): 1 / 4,
    ("NP", "forks"): 1 / 4,
    ("V", "eats"): 1.0,
    ("P", "with"): 1.0,
}
TOY = PCFG.of(RULES, LEXICON)
SENTENCE = ["she", "eats", "fish", "with", "forks"]
VERB = (
    "S",
    ("NP", "she"),
    (
        "VP",
        ("VP", ("V", "eats"), ("NP", "fish")),
        ("PP", ("P", "with"), ("NP", "forks")),
    ),
)
NOUN = (
    "S",
    ("NP", "she"),
    (
        "VP",
        ("V", "eats"),
        ("NP", ("NP", "fish"), ("PP", ("P", "with"), ("NP", "forks"))),
    ),
)


def all_trees(model, words, symbol=None):
    """Every tree of the words, by brute force."""
    symbol = symbol or model.start
    found = [
        (symbol, words[0])
        for tag, word in model.lexicon
        if len(words) == 1 and (tag, word) == (symbol, words[0])
    ]
    for A, *below in model.rules:
        if symbol != A:
            continue
        if len(below) == 1:
            found += [(A, tree) for tree in all_trees(model, words, below[0])]
            continue
        for k in range(1, len(words)):
            left = all_trees(model, words[:k], below[0])
            right = all_trees(model, words[k:], below[1]) if left else []
            found += [(A, *pair) for pair in product(left, right)]
    return found


def random_grammar(seed, ones=True):
    """A grammar of random numbers: two phrases, A and B, two tags, and rules A → B."""
    draw = random.Random(seed)
    rules, lexicon = {}, {}
    for symbol in ("S", "A", "B"):
        pairs = [*product(("S", "A", "B", "T", "U"), repeat=2)]
        keys = [(symbol, *pair) for pair in draw.sample(pairs, 2)]
        keys += [("S", "A"), ("S", "U")] if symbol == "S" and ones else []
        keys += [("A", "B"), ("A", "T")] if symbol == "A" and ones else []
        keys += [(symbol, symbol.lower())]
        shares = [draw.random() + 0.1 for _ in keys]
        for key, share in zip(keys, shares, strict=True):
            table = lexicon if key[-1].islower() else rules
            table[key] = share / sum(shares)
    for tag, words in (("T", "xy"), ("U", "yz")):
        lexicon |= {(tag, words[0]): 0.3, (tag, words[1]): 0.7}
    for symbol in ("A", "B", "T", "U"):  # each is reached from S
        rules["S", symbol, symbol] = rules.get(("S", symbol, symbol), 0) + 0.2
    total = sum(p for key, p in (*rules.items(), *lexicon.items()) if key[0] == "S")
    rules = {k: p / total if k[0] == "S" else p for k, p in rules.items()}
    lexicon = {k: p / total if k[0] == "S" else p for k, p in lexicon.items()}
    return PCFG.of(rules, lexicon)


def in_nltk(model):
    lines = [f"{A} -> {' '.join(b)} [{p!r}]" for (A, *b), p in model.rules.items()]
    lines += [f"{A} -> '{word}' [{p!r}]" for (A, word), p in model.lexicon.items()]
    first = [line for line in lines if line.startswith(f"{model.start} ")]
    return nltk.PCFG.fromstring(first + [line for line in lines if line not in first])


TEXTS = [["s"], ["x"], ["x", "y"], ["y", "z", "s"], ["a", "y", "x", "z"]]


# --- by hand -------------------------------------------------------------------------


def test_inside_by_hand() -> None:
    table = np.exp(TOY.inside(SENTENCE))
    at = {symbol: n for n, symbol in enumerate(TOY.symbols)}
    assert table[0, 1, at["NP"]] == pytest.approx(1 / 4)
    assert table[1, 3, at["VP"]] == pytest.approx(1 / 8)  # eats fish
    assert table[3, 5, at["PP"]] == pytest.approx(1 / 4)  # with forks
    assert table[2, 5, at["NP"]] == pytest.approx(1 / 4 * 1 / 4 * 1 / 4)
    # eats fish with forks: 1/2 · 1 · 1/64 with the noun, 1/2 · 1/8 · 1/4 with the verb
    assert table[1, 5, at["VP"]] == pytest.approx(1 / 128 + 1 / 64)
    assert table[0, 5, at["S"]] == pytest.approx(3 / 512)
    assert TOY.log_likelihood([SENTENCE]) == pytest.approx(math.log(3 / 512))
    assert table[0, 3, at["S"]] == pytest.approx(1 / 32)  # she eats fish
    assert (table[0, 2] == 0).all() and table.shape == (5, 6, 6)


def test_the_toy_by_hand_in_dictionaries() -> None:
    alpha = inside(SENTENCE, RULES, LEXICON)
    assert alpha[1, 3] == {"VP": 1 / 8} and alpha[3, 5] == {"PP": 1 / 4}
    assert alpha[2, 5] == {"NP": 1 / 64} and alpha[0, 3] == {"S": 1 / 32}
    assert alpha[1, 5] == {"VP": 3 / 128} and alpha[0, 5] == {"S": 3 / 512}
    assert not alpha[0, 2] and not alpha[2, 4]
    beta = outside(SENTENCE, RULES, alpha, "S")
    assert beta[0, 5] == {"S": 1} and beta[1, 5] == {"VP": 1 / 4}
    assert beta[3, 5] == {"PP": 1 / 128 + 1 / 64}
    assert cky(SENTENCE, RULES, LEXICON) == Parse(VERB, pytest.approx(-math.log(256)))
    assert cky(["she", "fish"], RULES, LEXICON) == Parse((), -math.inf)
    rules, lexicon = em_iteration([SENTENCE], RULES, LEXICON)
    assert rules["VP", "V", "NP"] == pytest.approx(1 / (1 + 2 / 3))
    assert rules["NP", "NP", "PP"] == pytest.approx((1 / 3) / (3 + 1 / 3))
    assert lexicon["NP", "she"] == pytest.approx(1 / (3 + 1 / 3))
    with pytest.raises(ValueError, match="no tree for 'she fish'"):
        em_iteration([["she", "fish"]], RULES, LEXICON)


def test_the_best_tree_by_hand() -> None:
    assert TOY.cky(SENTENCE) == Parse(VERB, pytest.approx(math.log(1 / 256)))
    assert TOY.log_joint(VERB) == pytest.approx(math.log(1 / 256))
    assert TOY.log_joint(NOUN) == pytest.approx(math.log(1 / 512))
    assert TOY.cky(["she", "fish"]) == Parse((), -math.inf)
    assert TOY.log_joint(("VP", ("V", "eats"), ("NP", "fish"))) == -math.inf
    assert TOY.log_joint(("S", ("NP", "she"), ("V", "eats"))) == -math.inf


def test_outside_and_posterior_by_hand() -> None:
    at = {symbol: n for n, symbol in enumerate(TOY.symbols)}
    outside = np.exp(TOY.outside(SENTENCE))
    assert outside[0, 5, at["S"]] == pytest.approx(1)
    assert outside[1, 5, at["VP"]] == pytest.approx(1 / 4)  # she
    # with forks: next to *fish*, 1/4 · 1/2 · 1/16, or to *eats fish*, 1/4 · 1/2 · 1/8
    assert outside[3, 5, at["PP"]] == pytest.approx(1 / 128 + 1 / 64)
    found = TOY.posterior(SENTENCE)
    assert found[2, 5, at["NP"]] == pytest.approx(1 / 3)
    assert found[1, 3, at["VP"]] == pytest.approx(2 / 3)
    assert found[3, 5, at["PP"]] == pytest.approx(1)


def test_one_step_of_inside_outside_by_hand() -> None:
    # VP → V NP occurs once in either tree, VP → VP PP with 2/3, NP → NP PP with 1/3.
    model = PCFG.of(RULES, LEXICON)
    before, after = model.inside_outside([SENTENCE])
    assert before == pytest.approx(math.log(3 / 512)) and after > before
    assert model.rules["VP", "V", "NP"] == pytest.approx(1 / (1 + 2 / 3))
    assert model.rules["NP", "NP", "PP"] == pytest.approx((1 / 3) / (3 + 1 / 3))
    assert model.lexicon["NP", "she"] == pytest.approx(1 / (3 + 1 / 3))
    assert model.lexicon["V", "eats"] == pytest.approx(1)


def test_counts_by_hand() -> None:
    model = PCFG().fit([VERB, VERB, NOUN])
    assert model.start == "S" and {*model.words} == {*SENTENCE}
    assert model.rules["VP", "V", "NP"] == pytest.approx(3 / 5)
    assert model.rules["NP", "NP", "PP"] == pytest.approx(1 / 10)
    assert model.lexicon["NP", "fish"] == pytest.approx(3 / 10)
    assert model.parameters == 5 + 5
    assert PCFG.of(model.rules, model.lexicon).rules == pytest.approx(model.rules)


def test_binarised_by_hand() -> None:
    a, b, c, d = (("T", x) for x in "abcd")
    tree = ("A", a, ("B", b, c), c, d)
    assert binarise(tree) == (
        "A", a, ("A|T", ("B", b, c), ("A|T-B", c, d)),
    )  # fmt: skip
    assert binarise(tree, 1) == ("A", a, ("A|T", ("B", b, c), ("A|B", c, d)))
    assert binarise(tree, 0) == ("A", a, ("A|", ("B", b, c), ("A|", c, d)))
    assert binarise(a) == a and binarise(("A", a)) == ("A", a)
    deep = annotate_parents(("A", ("B", a), ("B", ("C", b, c), d)))
    assert deep == ("A", ("B^A", a), ("B^A", ("C^B", b, c), d))
    assert annotate_parents(a) == a
    both = binarise(annotate_parents(("S", ("A", a), ("B", b), ("C", c))))
    assert both == ("S", ("A^S", a), ("S|A", ("B^S", b), ("C^S", c)))
    assert leaves(tree) == (a, b, c, c, d)


# --- against all trees, and NLTK -----------------------------------------------------


@pytest.mark.parametrize("seed", range(4))
@pytest.mark.parametrize("words", TEXTS, ids=" ".join)
def test_all_trees_and_nltk(seed: int, words: list[str]) -> None:
    model = random_grammar(seed)
    trees = {tree: model.log_joint(tree) for tree in all_trees(model, words)}
    total = np.logaddexp.reduce([*trees.values()]) if trees else -math.inf
    assert model.log_likelihood([words]) == pytest.approx(total)
    best = model.cky(words)
    assert best.log_prob == pytest.approx(max(trees.values(), default=-math.inf))
    if not trees:
        assert best.tree == ()
        return
    assert best.tree in trees and trees[best.tree] == pytest.approx(best.log_prob)
    theirs = in_nltk(model)
    (viterbi,) = nltk.ViterbiParser(theirs).parse(words)
    assert math.log(viterbi.prob()) == pytest.approx(best.log_prob)
    charted = nltk.InsideChartParser(theirs).parse(words)
    assert math.log(next(charted).prob()) == pytest.approx(best.log_prob)


@pytest.mark.parametrize("seed", range(4))
def test_arrays_compute_what_dictionaries_say(seed: int) -> None:
    model = random_grammar(seed, ones=False)
    tables = model.rules, model.lexicon
    every = [[*w] for n in (1, 3, 5) for w in product("sabxyz", repeat=n)]
    text = possible(model, every[::37])
    assert len(text) > 2 and max(map(len, text)) > 3
    for words in text:
        alpha = inside(words, *tables)
        beta = outside(words, model.rules, alpha, "S")
        n, arrays = len(words), (model.inside(words), model.outside(words))
        for chart, table in zip((alpha, beta), np.exp(arrays), strict=True):
            dense = np.zeros(table.shape)
            for (i, j), cell in chart.items():
                for A, p in cell.items():
                    dense[i, j, model.symbols.index(A)] = p
            known = table * (np.exp(arrays[0]) > 0)  # outside of what has a tree
            assert dense == pytest.approx(known if chart is beta else table)
        best = cky(words, *tables)
        assert best.log_prob == pytest.approx(model.cky(words).log_prob)
        assert model.log_joint(best.tree) == pytest.approx(best.log_prob)
        assert math.log(alpha[0, n]["S"]) == pytest.approx(
            model.log_likelihood([words])
        )
    rules, lexicon = em_iteration(text, *tables)
    model.inside_outside(text)
    used = {A for A, *_ in (*rules, *lexicon)}
    assert rules == pytest.approx(
        {r: p for r, p in model.rules.items() if r[0] in used}
    )
    kept = {pair: p for pair, p in model.lexicon.items() if pair[0] in used}
    assert lexicon == pytest.approx(kept)


@pytest.mark.parametrize("seed", range(3))
def test_posterior_of_every_span_against_all_trees(seed: int) -> None:
    model, words = random_grammar(seed), ["y", "x", "z", "y"]
    trees = [
        (tree, math.exp(model.log_joint(tree))) for tree in all_trees(model, words)
    ]
    total = sum(p for _, p in trees)
    expected = np.zeros((4, 5, len(model.symbols)))
    for tree, p in trees:
        for label, i, j in spans(tree):
            expected[i, j, model.symbols.index(label)] += p / total
    assert len(trees) > 10
    assert model.posterior(words) == pytest.approx(expected)


@pytest.mark.parametrize("seed", range(3))
def test_one_step_against_all_trees(seed: int) -> None:
    model, counts = random_grammar(seed), Counter()
    text = [*possible(model, TEXTS[2:5]), TEXTS[2]]
    for words in text:
        trees = all_trees(model, words)
        p = np.exp([model.log_joint(tree) for tree in trees])
        for tree, share in zip(trees, p / p.sum(), strict=True):
            for node in nodes(tree):
                below = [n if isinstance(n, str) else n[0] for n in node[1:]]
                counts[node[0], *below] += share
    used = {key[0] for key in counts}
    total = {A: sum(n for key, n in counts.items() if key[0] == A) for A in used}
    model.inside_outside(text)
    found = {**model.rules, **model.lexicon}
    for key, n in counts.items():
        assert found[key] == pytest.approx(n / total[key[0]]), key


def possible(model, texts):
    return [words for words in texts if model.cky(words).tree]


def spans(tree, i=0):
    """(label, i, j) of every node."""
    if isinstance(tree[1], str):
        return [(tree[0], i, i + 1)]
    found, j = [], i
    for child in tree[1:]:
        below = spans(child, j)
        j = below[0][2]
        found += below
    return [(tree[0], i, j), *found]


# --- laws ----------------------------------------------------------------------------


def test_the_likelihood_never_falls() -> None:
    model = random_grammar(1)
    text = possible(model, TEXTS)
    found = model.inside_outside(text, 8)
    assert len(found) == 9 and (np.diff(found) > -1e-9).all()
    assert found[-1] == pytest.approx(model.log_likelihood(text))
    for A in model.symbols:
        p = [
            p
            for key, p in (*model.rules.items(), *model.lexicon.items())
            if key[0] == A
        ]
        assert sum(p) == pytest.approx(1)


def test_a_symbol_that_no_tree_uses_keeps_its_rules() -> None:
    model = PCFG.of(RULES, LEXICON)
    model.inside_outside([["she", "eats", "fish"]])
    assert model.rules["PP", "P", "NP"] == 1 and model.lexicon["P", "with"] == 1
    assert model.rules["VP", "V", "NP"] == pytest.approx(1)
    assert ("VP", "VP", "PP") not in model.rules


def test_sentences_of_one_length_do_not_disturb_each_other(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    model = random_grammar(2)
    text = possible(model, [*TEXTS, ["y", "x"], ["z", "z"], ["y", "x"]])
    assert len({len(words) for words in text}) < len(text) - 1
    total = sum(model.log_likelihood([words]) for words in text)
    assert model.log_likelihood(text) == pytest.approx(total)
    monkeypatch.setattr(pcfg, "BATCH", 1)
    other = random_grammar(2)
    assert other.inside_outside(text, 2) == pytest.approx(model.inside_outside(text, 2))
    assert other.rules == pytest.approx(model.rules)


def test_long_sentences_do_not_vanish() -> None:
    # 1e-4 for each of 120 words, and 1/2 for each of 119 rules: 1e-516.
    lexicon = {("S", f"w{n}"): 0.5e-4 for n in range(10_000)}
    model = PCFG.of({("S", "S", "S"): 0.5}, lexicon)
    words = ["w0", "w1", "w2"] * 40
    n = len(words)
    log_catalan = math.lgamma(2 * n - 1) - math.lgamma(n) - math.lgamma(n + 1)
    one = n * math.log(0.5e-4) + (n - 1) * math.log(0.5)
    assert one < -500 * math.log(10)
    assert model.log_likelihood([words]) == pytest.approx(one + log_catalan)
    assert model.cky(words).log_prob == pytest.approx(one)
    assert model.posterior(words)[0, n, 0] == pytest.approx(1)
    assert model.posterior(words)[5, 6, 0] == pytest.approx(1)


def test_rules_of_a_treebank_and_back() -> None:
    trees = [pair.tree for pair in grammar(pairs=120).train]
    for h in (None, 0, 1, 2):
        for tree in trees:
            marked = binarise(annotate_parents(tree), h)
            assert restore(marked) == restore(binarise(tree, h)) == tree
            assert leaves(marked) == leaves(tree)
            assert all(len(node) <= 3 for node in nodes(marked))


def test_binarised_rules_have_the_probability_of_whole_ones() -> None:
    trees = [pair.tree for pair in grammar(pairs=120).train]
    counts: Counter[tuple[str, ...]] = Counter()
    for tree in trees:
        for node in nodes(tree):
            below = [n if isinstance(n, str) else n[0] for n in node[1:]]
            counts[node[0], *below] += 1
    total: Counter[str] = Counter()
    for key, n in counts.items():
        total[key[0]] += n
    model = PCFG().fit(map(binarise, trees))
    for tree in trees[:20]:
        direct = sum(
            math.log(counts[key] / total[key[0]])
            for node in nodes(tree)
            for key in [
                (node[0], *[n if isinstance(n, str) else n[0] for n in node[1:]])
            ]
        )
        assert model.log_joint(binarise(tree)) == pytest.approx(direct)


def test_an_unknown_word_is_read_as_unk() -> None:
    strange = ("S", ("N", "<unk>"), ("V", "<unk>"))
    model = PCFG().fit([("S", ("N", "fish"), ("V", "swim")), strange])
    best = model.cky(["sharks", "swim"])
    assert best.tree == ("S", ("N", "sharks"), ("V", "swim"))
    assert best.log_prob == pytest.approx(math.log(1 / 4))
    assert model.log_joint(best.tree) == pytest.approx(math.log(1 / 4))


def test_a_grammar_of_one_word() -> None:
    model = PCFG().fit([("S", ("N", "fish"))])
    assert model.cky(["fish"]) == Parse(("S", ("N", "fish")), 0.0)
    assert model.cky(["fish", "fish"]).tree == ()
    assert model.log_likelihood([["fish"], ["fish", "fish"]]) == -math.inf


# --- refusals ------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("rules", "lexicon", "says"),
    [
        ({("S", "A"): 1}, {("A", "a"): 1, ("B", "b"): 1}, "'B' cannot be reached"),
        ({("S", "A"): 0.5, ("A", "S"): 1}, {("S", "s"): 0.5}, "circle: "),
        ({("S", "S"): 0.5}, {("S", "s"): 0.5}, "circle: S → S"),
        ({("S", "A", "B"): 1}, {("A", "a"): 1}, "'B' has no rules"),
        ({("X", "A", "A"): 1}, {("A", "a"): 1}, "'S' has no rules"),
        ({("S", "A", "A"): 0.9}, {("A", "a"): 1}, "'S' sum to 0.9: expected 1"),
        ({("S", "A", "A"): 0.0}, {("A", "a"): 1}, "probability 0"),
        ({("S", "A", "A", "A"): 1}, {("A", "a"): 1}, r"\('S', 'A', 'A', 'A'\)"),
        ({("S", "A", "A"): 1}, {("A", "a", "b"): 1}, r"\('A', 'a', 'b'\)"),
    ],
)  # fmt: skip
def test_grammars_that_are_none(rules, lexicon, says: str) -> None:
    with pytest.raises(ValueError, match=says):
        PCFG.of(rules, lexicon)


def test_trees_that_are_none() -> None:
    n = ("N", "n")
    with pytest.raises(ValueError, match=r"'S' has 3 children.*binarise"):
        PCFG().fit([("S", n, n, n)])
    with pytest.raises(ValueError, match="circle: A → A"):
        PCFG().fit([("S", ("A", ("A", n)))])
    with pytest.raises(ValueError, match=r"one label, got \['S', 'X'\]"):
        PCFG().fit([("S", n), ("X", n)])
    with pytest.raises(ValueError, match=r"one label, got \[\]"):
        PCFG().fit([])
    for tree in ((), ("S",), "S", ("S", n, "n"), ("S", ("N", 3)), (1, n), ("S", ())):
        with pytest.raises(ValueError, match="is no tree"):
            PCFG().fit([tree])
        with pytest.raises(ValueError, match="is no tree"):
            binarise(tree)
    with pytest.raises(ValueError, match=r"'A\|B' holds '\|'"):
        binarise(("A|B", n, n))
    with pytest.raises(ValueError, match=r"'A\^B' holds '\^'"):
        annotate_parents(("S", ("A^B", n)))
    with pytest.raises(ValueError, match="h must be a whole number ≥ 0"):
        binarise(("S", n), -1)


def test_sentences_that_are_none() -> None:
    ways = (TOY.cky, TOY.inside, TOY.outside, TOY.posterior)
    for way in (*ways, lambda words: TOY.inside_outside([words])):
        with pytest.raises(ValueError, match="no words: expected at least one"):
            way([])
        with pytest.raises(ValueError, match="'him' was never read"):
            way(["she", "eats", "him"])
        with pytest.raises(ValueError, match="list of words"):
            way("she eats fish")
    for way in (TOY.posterior, lambda words: TOY.inside_outside([words, SENTENCE])):
        with pytest.raises(ValueError, match="no tree for 'she fish'"):
            way(["she", "fish"])
    with pytest.raises(ValueError, match="no rules yet"):
        PCFG().cky(["she"])
    with pytest.raises(ValueError, match="expected sentences, got none"):
        TOY.inside_outside([])
    with pytest.raises(ValueError, match="steps must be"):
        TOY.inside_outside([SENTENCE], -1)

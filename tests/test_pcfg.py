"""Grammars with probabilities: by hand, against all trees and NLTK, laws, refusals."""

import math
import random
from collections import Counter
from itertools import product

import nltk
import numpy as np
import pytest

from lookback.fast import pcfg as fast
from lookback.pcfg import PCFG, Parse, cky, em_iteration, inside, outside
from lookback.text.corpora import grammar
from lookback.trees import annotate_parents, binarise, leaves, nodes, restore

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
TOY = PCFG.from_parameters(RULES, LEXICON)
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
    draw, table, total = random.Random(seed), {}, Counter()
    for symbol in ("S", "A", "B"):
        pairs = [*product(("S", "A", "B", "T", "U"), repeat=2)]
        keys = [(symbol, *pair) for pair in draw.sample(pairs, 2)]
        keys += [("S", "A"), ("S", "U")] if symbol == "S" and ones else []
        keys += [("A", "B"), ("A", "T")] if symbol == "A" and ones else []
        keys += [(symbol, symbol.lower())]
        numbers = [draw.random() + 0.1 for _ in keys]
        shares = (p / sum(numbers) for p in numbers)
        table |= dict(zip(keys, shares, strict=True))
    for tag, words in (("T", "xy"), ("U", "yz")):
        table |= {(tag, words[0]): 0.3, (tag, words[1]): 0.7}
    for symbol in ("A", "B", "T", "U"):  # each is reached from S
        table["S", symbol, symbol] = table.get(("S", symbol, symbol), 0) + 0.2
    for (symbol, *_), p in table.items():
        total[symbol] += p
    rules, lexicon = (
        {k: p / total[k[0]] for k, p in table.items() if k[-1].islower() == written}
        for written in (False, True)
    )
    return PCFG.from_parameters(rules, lexicon)


def in_nltk(model):
    lines = [f"{A} -> {' '.join(b)} [{p!r}]" for (A, *b), p in model.rules.items()]
    lines += [f"{A} -> '{word}' [{p!r}]" for (A, word), p in model.lexicon.items()]
    first = [line for line in lines if line.startswith(f"{model.start} ")]
    return nltk.PCFG.fromstring(first + [line for line in lines if line not in first])


TEXTS = [["s"], ["x"], ["x", "y"], ["y", "z", "s"], ["a", "y", "x", "z"]]


# --- by hand -------------------------------------------------------------------------


def test_the_toy_by_hand() -> None:
    alpha = inside(SENTENCE, RULES, LEXICON)
    assert alpha[1, 3] == {"VP": 1 / 8} and alpha[3, 5] == {"PP": 1 / 4}
    assert alpha[2, 5] == {"NP": 1 / 64} and alpha[0, 3] == {"S": 1 / 32}
    assert alpha[1, 5] == {"VP": 3 / 128} and alpha[0, 5] == {"S": 3 / 512}
    assert not alpha[0, 2] and not alpha[2, 4]
    beta = outside(SENTENCE, RULES, alpha, "S")
    assert beta[0, 5] == {"S": 1} and beta[1, 5] == {"VP": 1 / 4}
    assert beta[3, 5] == {"PP": 1 / 128 + 1 / 64}
    assert alpha[2, 5]["NP"] * beta[2, 5]["NP"] / (3 / 512) == pytest.approx(1 / 3)
    assert cky(SENTENCE, RULES, LEXICON) == Parse(VERB, pytest.approx(-math.log(256)))
    assert cky(["she", "fish"], RULES, LEXICON) == Parse((), -math.inf)
    rules, lexicon = em_iteration([SENTENCE], RULES, LEXICON)
    assert rules["VP", "V", "NP"] == pytest.approx(1 / (1 + 2 / 3))
    assert rules["NP", "NP", "PP"] == pytest.approx((1 / 3) / (3 + 1 / 3))
    assert lexicon["NP", "she"] == pytest.approx(1 / (3 + 1 / 3))
    with pytest.raises(ValueError, match="no tree for 'she fish'"):
        em_iteration([["she", "fish"]], RULES, LEXICON)


def test_trees_and_one_step_of_the_class_by_hand() -> None:
    assert TOY.cky(SENTENCE) == Parse(VERB, pytest.approx(math.log(1 / 256)))
    assert TOY.cky(["she", "fish"]) == Parse((), -math.inf)
    assert TOY.log_joint(VERB) == pytest.approx(math.log(1 / 256))
    assert TOY.log_joint(NOUN) == pytest.approx(math.log(1 / 512))
    assert TOY.log_joint(("VP", ("V", "eats"), ("NP", "fish"))) == -math.inf
    assert TOY.log_joint(("S", ("NP", "she"), ("V", "eats"))) == -math.inf
    # VP → V NP occurs once in either tree, VP → VP PP with 2/3, NP → NP PP with 1/3.
    model = PCFG.from_parameters(RULES, LEXICON)
    before, after = model.inside_outside([SENTENCE])
    assert before == pytest.approx(math.log(3 / 512)) and after > before
    assert model.rules["VP", "V", "NP"] == pytest.approx(1 / (1 + 2 / 3))
    # The PP is in no tree of this one: it keeps its rules, and VP → VP PP goes.
    model.inside_outside([["she", "eats", "fish"]])
    assert model.rules["PP", "P", "NP"] == 1 and model.lexicon["P", "with"] == 1
    assert model.rules["VP", "V", "NP"] == pytest.approx(1)
    assert ("VP", "VP", "PP") not in model.rules


def test_counts_by_hand() -> None:
    model = PCFG().fit([VERB, VERB, NOUN])
    assert model.start == "S"
    assert model.rules["VP", "V", "NP"] == pytest.approx(3 / 5)
    assert model.rules["NP", "NP", "PP"] == pytest.approx(1 / 10)
    assert model.lexicon["NP", "fish"] == pytest.approx(3 / 10)
    assert model.parameters == 5 + 5


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
def test_arrays_compute_what_dictionaries_say(
    seed: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    model = random_grammar(seed, ones=False)
    tables = model.rules, model.lexicon
    every = [[*w] for n in (1, 3, 5) for w in product("sabxyz", repeat=n)]
    text = possible(model, every[::37])
    assert len(text) > 2 and max(map(len, text)) > 3
    logs = [math.log(inside(words, *tables)[0, len(words)]["S"]) for words in text]
    for words, log in zip(text, logs, strict=True):
        best = cky(words, *tables)
        assert best.log_prob == pytest.approx(model.cky(words).log_prob)
        assert model.log_joint(best.tree) == pytest.approx(best.log_prob)
        assert model.log_likelihood([words]) == pytest.approx(log)
    text += text[:2]  # a sentence that occurs twice counts twice
    rules, lexicon = em_iteration(text, *tables)
    found = []
    for size in (fast.BATCH, 1):  # and sentences of one length do not mix
        monkeypatch.setattr(fast, "BATCH", size)
        model = random_grammar(seed, ones=False)
        assert model.inside_outside(text)[0] == pytest.approx(sum(logs + logs[:2]))
        found.append({**model.rules, **model.lexicon})
    assert found[0] == pytest.approx(found[1])
    used = {A for A, *_ in (*rules, *lexicon)}
    kept = {key: p for key, p in found[0].items() if key[0] in used}
    assert {**rules, **lexicon} == pytest.approx(kept)


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


# --- laws ----------------------------------------------------------------------------


def test_the_likelihood_never_falls() -> None:
    model = random_grammar(1)
    text = possible(model, TEXTS)
    found = model.inside_outside(text, 8)
    assert len(found) == 9 and (np.diff(found) > -1e-9).all()
    assert found[-1] == pytest.approx(model.log_likelihood(text))
    for A in ("S", "A", "B", "T", "U"):
        p = [
            p
            for key, p in (*model.rules.items(), *model.lexicon.items())
            if key[0] == A
        ]
        assert sum(p) == pytest.approx(1)


def test_long_sentences_do_not_vanish() -> None:
    # 1e-4 for each of 120 words, and 1/2 for each of 119 rules: 1e-516.
    lexicon = {("S", f"w{n}"): 0.5e-4 for n in range(10_000)}
    model = PCFG.from_parameters({("S", "S", "S"): 0.5}, lexicon)
    words = ["w0", "w1", "w2"] * 40
    n = len(words)
    log_catalan = math.lgamma(2 * n - 1) - math.lgamma(n) - math.lgamma(n + 1)
    one = n * math.log(0.5e-4) + (n - 1) * math.log(0.5)
    assert one < -500 * math.log(10)
    assert model.log_likelihood([words]) == pytest.approx(one + log_catalan)
    assert model.cky(words).log_prob == pytest.approx(one)


def test_rules_of_a_treebank_and_back() -> None:
    trees = [pair.tree for pair in grammar(pairs=120).train]
    for h in (None, 0, 1, 2):
        for tree in trees:
            marked = binarise(annotate_parents(tree), h)
            assert restore(marked) == restore(binarise(tree, h)) == tree
            assert leaves(marked) == leaves(tree)
            assert all(len(node) <= 3 for node in nodes(marked))


def test_a_grammar_of_one_word() -> None:
    model = PCFG().fit([("S", ("N", "fish"))])
    assert model.cky(["fish"]) == Parse(("S", ("N", "fish")), 0.0)
    assert model.cky(["fish", "fish"]).tree == ()
    assert model.log_likelihood([["fish"], ["fish", "fish"]]) == -math.inf


# --- refusals ------------------------------------------------------------------------

N = ("N", "n")


@pytest.mark.parametrize(
    ("call", "says"),
    [
        (lambda: made({("S", "A"): 0.5, ("A", "S"): 1}, {("S", "s"): 0.5}), "cycle"),
        (lambda: made({("S", "A", "B"): 1}, {("A", "a"): 1}), "'B' sum to 0: "),
        (lambda: made({("X", "A", "A"): 1}, {("A", "a"): 1}), "'S' sum to 0: "),
        (lambda: made({("S", "A", "A"): 0.9}, {("A", "a"): 1}), "'S' sum to 0.9: "),
        (lambda: PCFG().fit([("S", N, N, N)]), r"'S' has 3 children.*binarise"),
        (lambda: PCFG().fit([("S", ("A", ("A", N)))]), "cycle"),
        (lambda: PCFG().fit([("S", N), ("X", N)]), r"roots \['S', 'X'\]: "),
        (lambda: PCFG().fit([]), r"roots \[\]: expected one label"),
        (lambda: binarise(("A|B", N, N)), r"'A\|B' holds '\|'"),
        (lambda: annotate_parents(("S", ("A^B", N))), r"'A\^B' holds '\^'"),
        (lambda: TOY.cky([]), "no words: expected at least one"),
        (lambda: TOY.cky(["she", "eats", "him"]), "'him' was never read"),
        (lambda: TOY.cky("she eats fish"), "list of words"),
        (lambda: TOY.inside_outside([["she", "fish"], SENTENCE]), "for 'she fish'"),
        (lambda: TOY.inside_outside([]), "expected sentences, got none"),
        (lambda: TOY.inside_outside([SENTENCE], -1), "steps must be"),
        (lambda: PCFG().cky(["she"]), "no rules yet"),
    ],
)  # fmt: skip
def test_input_validation(call, says: str) -> None:
    with pytest.raises(ValueError, match=says):
        call()


@pytest.mark.parametrize(
    "tree", [(), ("S",), "S", ("S", N, "n"), ("S", ("N", 3)), (1, N), ("S", ())]
)
def test_trees_that_are_none(tree) -> None:
    for call in (binarise, lambda tree: PCFG().fit([tree])):
        with pytest.raises(ValueError, match="is no tree"):
            call(tree)


def made(rules, lexicon):
    return PCFG.from_parameters(rules, lexicon)

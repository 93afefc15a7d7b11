"""Probabilistic context-free grammars: trees are hidden, words are observed.

A tree begins with one symbol. A rule replaces a symbol by one or two others, or by a
word. The probability of a rule depends on that symbol alone, not on what is around it.
The sums over all trees of a sentence are computed for short spans of words first, and
then for longer and longer ones. Booth and Thompson 1973 (the probabilities), Kasami
1965 and Younger 1967 (the table of spans), Baker 1979 (inside and outside), Johnson
1998 (the label of the parent; `lookback.trees` changes labels).

`inside`, `outside`, `cky` and `em_iteration` say this in dictionaries, for rules of two
symbols. `PCFG` has rules of one symbol, too, and computes in arrays, which
`lookback.fast.pcfg` holds.
"""

import math
from collections import Counter, defaultdict
from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import NamedTuple, Self

from lookback.checks import whole
from lookback.fast.pcfg import Charts
from lookback.ngram import as_words
from lookback.trees import Tree, children, label_of, nodes

__all__ = ["PCFG", "Parse", "cky", "em_iteration", "inside", "outside"]

Rule = tuple[str, ...]  # (A, B, C) or (A, B)
Rules = Mapping[Rule, float]
Lexicon = Mapping[tuple[str, str], float]  # (A, word) → P(A → word)
Spans = defaultdict[tuple[int, int], defaultdict[str, float]]  # (i, j) → A → a number


class Parse(NamedTuple):
    """A tree of a sentence and its log probability; () and -inf if none."""

    tree: Tree
    log_prob: float


def splits(n: int) -> Iterator[tuple[int, int, int]]:
    """i < k < j: every way to cut words i + 1 … j in two, short spans first."""
    for width in range(2, n + 1):
        for i in range(n - width + 1):
            for k in range(i + 1, i + width):
                yield i, k, i + width


def lexical_spans(words: Sequence[str], lexicon: Lexicon) -> Spans:
    """The chart of single words: (i - 1, i) → A → P(A → w_i)."""
    chart: Spans = defaultdict(lambda: defaultdict(float))
    for i, word in enumerate(words):
        for (A, w), p in lexicon.items():
            if w == word:
                chart[i, i + 1][A] = p
    return chart


def inside(words: Sequence[str], rules: Rules, lexicon: Lexicon) -> Spans:
    """α_ij(A) = P(A ⇒ w_{i+1} … w_j), all trees together.   Baker 1979

    rules  (A, B, C) → P(A → B C);  lexicon  (A, word) → P(A → word)
    →  (i, j) → A → α, where it is not 0
    """
    alpha = lexical_spans(words, lexicon)
    for i, k, j in splits(len(words)):
        for (A, B, C), p in rules.items():
            if B in alpha[i, k] and C in alpha[k, j]:
                alpha[i, j][A] += p * alpha[i, k][B] * alpha[k, j][C]  # (2)
    return alpha


def outside(words: Sequence[str], rules: Rules, alpha: Spans, start: str) -> Spans:
    """β_ij(A) = P(start ⇒ w_1 … w_i A w_{j+1} … w_n).   Baker 1979

    alpha  what `inside` found
    """
    beta: Spans = defaultdict(lambda: defaultdict(float))
    beta[0, len(words)][start] = 1
    for i, k, j in reversed([*splits(len(words))]):  # the longest span first
        for (A, B, C), p in rules.items():
            if A in beta[i, j] and B in alpha[i, k] and C in alpha[k, j]:
                beta[i, k][B] += beta[i, j][A] * p * alpha[k, j][C]  # (4), left child
                beta[k, j][C] += beta[i, j][A] * p * alpha[i, k][B]  # and right child
    return beta


def cky(
    words: Sequence[str], rules: Rules, lexicon: Lexicon, start: str = "S"
) -> Parse:
    """The likeliest tree: a maximum for each span and symbol.   Younger 1967"""
    delta, n = lexical_spans(words, lexicon), len(words)
    back: dict[tuple[int, int, str], tuple[int, str, str]] = {}
    for i, k, j in splits(n):
        for (A, B, C), p in rules.items():
            if B in delta[i, k] and C in delta[k, j]:
                value = p * delta[i, k][B] * delta[k, j][C]
                if value > delta[i, j].get(A, 0):
                    delta[i, j][A], back[i, j, A] = value, (k, B, C)  # (3)

    def tree(i: int, j: int, A: str) -> Tree:
        if j == i + 1:
            return (A, words[i])
        k, B, C = back[i, j, A]
        return (A, tree(i, k, B), tree(k, j, C))

    if start not in delta[0, n]:
        return Parse((), -math.inf)
    return Parse(tree(0, n, start), math.log(delta[0, n][start]))


def em_iteration(
    text: Iterable[Sequence[str]], rules: Rules, lexicon: Lexicon, start: str = "S"
) -> tuple[Rules, Lexicon]:
    """New probabilities of all rules from their expected counts.   Baker 1979

    A symbol that no tree uses loses its rules.
    """
    used: defaultdict[Rule, float] = defaultdict(float)
    written: defaultdict[tuple[str, str], float] = defaultdict(float)
    for words in text:
        alpha = inside(words, rules, lexicon)
        beta = outside(words, rules, alpha, start)
        P = alpha[0, len(words)][start]
        if not P:
            raise ValueError(f"the grammar has no tree for {' '.join(words)!r}")
        for i, k, j in splits(len(words)):
            for (A, B, C), p in rules.items():
                if A in beta[i, j] and B in alpha[i, k] and C in alpha[k, j]:
                    both = alpha[i, k][B] * alpha[k, j][C]
                    used[A, B, C] += beta[i, j][A] * p * both / P  # (5)
        for i, word in enumerate(words):
            for A, outer in beta[i, i + 1].items():
                written[A, word] += outer * alpha[i, i + 1][A] / P
    return relative_frequencies(used, written)


def relative_frequencies(rules: Rules, lexicon: Lexicon) -> tuple[Rules, Lexicon]:
    """The counts of each symbol's rules, divided by their sum."""
    total: defaultdict[str, float] = defaultdict(float)
    for (A, *_), n in (*rules.items(), *lexicon.items()):
        total[A] += n
    return (
        {key: n / total[key[0]] for key, n in rules.items()},
        {key: n / total[key[0]] for key, n in lexicon.items()},
    )


class PCFG:
    """P(tree) = ∏ P(rule | its left side), and P(w) = Σ P(tree).   (1)

    rules    (A, B, C) → P(A → B C), or (A, B) → P(A → B), without circles
    lexicon  (A, word) → P(A → word)
    start    the label of every root

    A word that was never read is refused.

    >>> model = PCFG().fit([("S", ("N", "fish"), ("V", "swim"))])
    >>> model.cky(["fish", "swim"]).tree
    ('S', ('N', 'fish'), ('V', 'swim'))
    """

    def __init__(self) -> None:
        self.rules: Rules = {}
        self.lexicon: Lexicon = {}
        self.start = ""

    @classmethod
    def from_parameters(cls, rules: Rules, lexicon: Lexicon, start: str = "S") -> Self:
        """Make a grammar of these rules.

        Raises ValueError where the probabilities of a left side do not sum to 1, for a
        symbol without rules, and for a circle of rules A → B.
        """
        total: defaultdict[str, float] = defaultdict(float)
        for (A, *_), p in (*rules.items(), *lexicon.items()):
            total[A] += p
        for A in dict.fromkeys([start, *(A for rule in rules for A in rule)]):
            if not math.isclose(total[A], 1, abs_tol=1e-6):
                raise ValueError(f"rules of {A!r} sum to {total[A]:.6g}: expected 1")
        model = cls()
        model._enter(rules, lexicon, start)
        return model

    def fit(self, trees: Iterable[Tree]) -> Self:
        """Count the rules of trees: P(A → β) = count(A → β) / count(A).

        Raises ValueError for no trees, roots of several labels, a node of more than
        two children (`binarise` comes first), and a circle of rules A → B.
        """
        rules, lexicon = Counter[Rule](), Counter[tuple[str, str]]()
        roots = set[str]()
        for tree in trees:
            for node in nodes(tree):
                below = tuple(map(label_of, children(node)))
                if len(below) > 2:
                    raise ValueError(
                        f"node {label_of(node)!r} has {len(below)} children: expected "
                        "one or two; call binarise(tree) first"
                    )
                if below:
                    rules[label_of(node), *below] += 1
                else:
                    lexicon[node] += 1  # type: ignore[index]
            roots.add(label_of(tree))
        if len(roots) != 1:
            raise ValueError(f"trees have roots {sorted(roots)}: expected one label")
        self._enter(*relative_frequencies(rules, lexicon), *roots)
        return self

    @property
    def parameters(self) -> int:
        """How many rules there are, those of words too."""
        return len(self.rules) + len(self.lexicon)

    def log_likelihood(self, sentences: Iterable[Sequence[str]]) -> float:
        """Σ log P(w), over all trees; -inf if one sentence has no tree."""
        text = [self._read(words) for words in sentences]
        return self._charts.log_likelihood(text)

    def cky(self, words: Sequence[str]) -> Parse:
        """The likeliest tree, and log P of it and the sentence."""
        read = self._read(words)
        return Parse(*self._charts.cky(read))

    def log_joint(self, tree: Tree) -> float:
        """log P(tree): the sum over its rules; -inf if the grammar lacks one."""
        found = [1.0 if label_of(tree) == self.start else 0.0]
        for node in nodes(tree):
            below = children(node)
            rule = (label_of(node), *map(label_of, below))
            p = self.rules.get(rule, 0.0) if below else self.lexicon.get(node, 0.0)  # type: ignore[arg-type]
            found.append(p)
        return math.fsum(math.log(p) if p else -math.inf for p in found)

    def inside_outside(
        self, sentences: Iterable[Sequence[str]], steps: int = 1
    ) -> list[float]:
        """Re-estimate the rules from words alone; they change.   Baker 1979

        A rule of probability 0 keeps it. A symbol that no tree uses keeps its rules.
        →  Σ log P(w) before each step, and after the last: steps + 1 numbers
        """
        whole(0, steps=steps)
        text = [self._read(words) for words in sentences]
        if not text:
            raise ValueError("expected sentences, got none")
        found = [self._charts.em_iteration(text) for _ in range(steps)]
        self.rules, self.lexicon = self._charts.tables()
        return [*found, self.log_likelihood(text)]

    def _enter(self, rules: Rules, lexicon: Lexicon, start: str) -> None:
        self.rules, self.lexicon, self.start = rules, lexicon, start
        self._charts = Charts(rules, lexicon, start)

    def _read(self, words: Sequence[str]) -> tuple[str, ...]:
        """The words, each of which the grammar knows."""
        if not self.lexicon:
            raise ValueError("this grammar has no rules yet: call fit(…) first")
        read = as_words(words)
        if not read:
            raise ValueError("the sentence has no words: expected at least one")
        for word in read:
            if word not in self._charts.words:
                raise ValueError(f"word {word!r} was never read")
        return read

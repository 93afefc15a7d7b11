"""Probabilistic context-free grammars: trees are hidden, words are observed.

A tree begins with one symbol. A rule replaces a symbol by one or two others, or by a
word. The probability of a rule depends on that symbol alone, not on what is around it.
The sums over all trees of a sentence are computed for short spans of words first, and
then for longer and longer ones. Booth and Thompson 1973 (the probabilities), Kasami
1965 and Younger 1967 (the table of spans), Baker 1979 (inside and outside), Johnson
1998 (the label of the parent).

`inside`, `outside`, `cky` and `em_iteration` say this in dictionaries, for rules of two
symbols. `PCFG` computes the same with arrays, and has rules of one symbol, too.
"""

import math
from collections import Counter, defaultdict
from collections.abc import Iterable, Iterator, Mapping, Sequence
from graphlib import CycleError, TopologicalSorter
from typing import NamedTuple, Self, TypeAlias

import numpy as np
from numpy.typing import NDArray

from lookback.checks import whole
from lookback.ngram import as_words

__all__ = [
    "PCFG",
    "Parse",
    "annotate_parents",
    "binarise",
    "cky",
    "em_iteration",
    "inside",
    "leaves",
    "outside",
    "restore",
]

UNKNOWN = "<unk>"  # replaces each word never read, if the grammar has a rule for it
PARENT, BEFORE = "^", "|"  # NP^S: an NP in an S;  VP|AUX: the rest of a VP after AUX
BATCH = 1_000_000  # numbers of one width of a chart that are computed at once

Tree: TypeAlias = "tuple[str | Tree, ...]"  # (label, child, …); a leaf is (tag, word)
Rule = tuple[str, ...]  # (A, B, C) or (A, B)
Rules = Mapping[Rule, float]
Lexicon = Mapping[tuple[str, str], float]  # (A, word) → P(A → word)
Spans = defaultdict[tuple[int, int], defaultdict[str, float]]  # (i, j) → A → a number
Words = tuple[str, ...]
Numbers = NDArray[np.float64]
Indices = NDArray[np.int64]


class Parse(NamedTuple):
    """A tree of a sentence and its log probability; () and -inf if none."""

    tree: Tree
    log_prob: float


# --- trees ---------------------------------------------------------------------------


def is_node(tree: object) -> bool:
    return isinstance(tree, tuple) and len(tree) > 0 and isinstance(tree[0], str)


def is_leaf(tree: Tree) -> bool:
    return len(tree) == 2 and isinstance(tree[1], str)


def children(tree: Tree) -> tuple[Tree, ...]:
    """The trees under a node.

    Raises ValueError for what is no tree.
    """
    if (
        not is_node(tree)
        or len(tree) < 2
        or not (is_leaf(tree) or all(map(is_node, tree[1:])))
    ):
        raise ValueError(
            f"{tree!r} is no tree: expected (label, child, …), or (tag, word)"
        )
    return () if is_leaf(tree) else tree[1:]  # type: ignore[return-value]


def label_of(tree: Tree) -> str:
    return str(tree[0])


def leaves(tree: Tree) -> tuple[tuple[str, str], ...]:
    """(tag, word) of every leaf, from left to right."""
    below = children(tree)
    if not below:
        return (tree,)  # type: ignore[return-value]
    return tuple(leaf for child in below for leaf in leaves(child))


def binarise(tree: Tree, h: int | None = None) -> Tree:
    """The tree with at most two children a node; `restore` undoes it.

    A → B C D  becomes  A → B A|B,  A|B → C D. The new label A|B says that A is the
    parent and that its child B came before. With h it holds only the last h children
    (Markovisation, Klein and Manning 2003), so that rules that were never seen get a
    probability, too; None: all of them.

    >>> binarise(("VP", ("V", "gave"), ("N", "her"), ("N", "fish")))
    ('VP', ('V', 'gave'), ('VP|V', ('N', 'her'), ('N', 'fish')))
    """
    if h is not None:
        whole(0, h=h)
    below = [binarise(child, h) for child in children(tree)]
    if not below:
        return tree
    check_mark(tree, BEFORE)
    label = label_of(tree)
    if len(below) <= 2:
        return (label, *below)
    names = [label_of(child).split(PARENT)[0] for child in below]
    last = below[-1]
    for i in range(len(below) - 2, 0, -1):
        seen = names[:i] if h is None else names[max(0, i - h) : i]
        last = (label + BEFORE + "-".join(seen), below[i], last)
    return (label, below[0], last)


def annotate_parents(tree: Tree) -> Tree:
    """The tree with the label of its parent at each phrase; `restore` undoes it.

    An NP under S becomes NP^S. The root and the tags stay as they are. Johnson 1998.
    """
    label = label_of(tree)
    check_mark(tree, PARENT)
    below: list[Tree] = []
    for child in children(tree):
        if is_leaf(child):
            below.append(child)
        else:
            _, *rest = annotate_parents(child)
            below.append((f"{label_of(child)}{PARENT}{label}", *rest))
    return (label, *below) if below else tree


def check_mark(tree: Tree, mark: str) -> None:
    """Refuse a tree whose label holds a mark that is written only later."""
    if mark in label_of(tree):
        raise ValueError(
            f"label {label_of(tree)!r} holds {mark!r}, which binarise and "
            "annotate_parents write: expected labels without it"
        )


def restore(tree: Tree) -> Tree:
    """The tree without what `binarise` and `annotate_parents` did to it."""
    below: list[Tree] = []
    for child in children(tree):
        whole_child = restore(child)
        cut = BEFORE in label_of(child)
        below += whole_child[1:] if cut else [whole_child]  # type: ignore[arg-type]
    return (label_of(tree).split(PARENT)[0], *below) if below else tree


# --- in dictionaries -----------------------------------------------------------------


def cuts(n: int) -> Iterator[tuple[int, int, int]]:
    """i < k < j: every way to cut words i + 1 … j in two, short spans first."""
    for width in range(2, n + 1):
        for i in range(n - width + 1):
            for k in range(i + 1, i + width):
                yield i, k, i + width


def single_words(words: Sequence[str], lexicon: Lexicon) -> Spans:
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
    alpha = single_words(words, lexicon)
    for i, k, j in cuts(len(words)):
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
    for i, k, j in reversed([*cuts(len(words))]):  # the longest span first
        for (A, B, C), p in rules.items():
            if A in beta[i, j] and B in alpha[i, k] and C in alpha[k, j]:
                beta[i, k][B] += beta[i, j][A] * p * alpha[k, j][C]  # (4), left child
                beta[k, j][C] += beta[i, j][A] * p * alpha[i, k][B]  # and right child
    return beta


def cky(
    words: Sequence[str], rules: Rules, lexicon: Lexicon, start: str = "S"
) -> Parse:
    """The likeliest tree: a maximum for each span and symbol.   Younger 1967"""
    delta, n = single_words(words, lexicon), len(words)
    back: dict[tuple[int, int, str], tuple[int, str, str]] = {}
    for i, k, j in cuts(n):
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
        for i, k, j in cuts(len(words)):
            for (A, B, C), p in rules.items():
                if A in beta[i, j] and B in alpha[i, k] and C in alpha[k, j]:
                    both = alpha[i, k][B] * alpha[k, j][C]
                    used[A, B, C] += beta[i, j][A] * p * both / P  # (5)
        for i, word in enumerate(words):
            for A, outer in beta[i, i + 1].items():
                written[A, word] += outer * alpha[i, i + 1][A] / P
    return shares(used, written)


def shares(rules: Rules, lexicon: Lexicon) -> tuple[Rules, Lexicon]:
    """The counts of each symbol's rules, divided by their sum."""
    total: defaultdict[str, float] = defaultdict(float)
    for (A, *_), n in (*rules.items(), *lexicon.items()):
        total[A] += n
    return (
        {key: n / total[key[0]] for key, n in rules.items()},
        {key: n / total[key[0]] for key, n in lexicon.items()},
    )


# --- the grammar ---------------------------------------------------------------------


class Chart(NamedTuple):
    """Inside probabilities of all spans of B sentences, by their width w.

    C      [w] (T - w + 1, B, N)  of each symbol over a span, divided by exp(scale[w])
    S      [w] (T - w + 1, B, Q)  of each pair (B, C): Σ_k inside(B, left part) times
           inside(C, right part), divided by the same; [1] is P(A → word), (T, B, N)
    scale  (T + 1, B)  for each width the logarithm of the divisor
    """

    C: list[Numbers]
    S: list[Numbers]
    scale: Numbers


class PCFG:
    """P(tree) = ∏ P(rule | its left side), and P(w) = Σ P(tree).   (1)

    start    the label of every root
    symbols  the N labels of nodes: phrases and tags
    words    the V words of the leaves, each with its number

    Rules are A → B C, A → B (without circles) and A → word. A word that was never read
    counts as "<unk>" if the grammar writes that, and is refused if not.

    >>> model = PCFG().fit([("S", ("N", "fish"), ("V", "swim"))])
    >>> model.cky(["fish", "swim"]).tree
    ('S', ('N', 'fish'), ('V', 'swim'))
    """

    def __init__(self) -> None:
        self.start = ""
        self.symbols: Words = ()
        self.words: dict[str, int] = {}

    @classmethod
    def of(cls, rules: Rules, lexicon: Lexicon, start: str = "S") -> Self:
        """A grammar of these numbers.

        rules    (A, B, C) or (A, B) → probability;  lexicon  (A, word) → probability

        Raises ValueError where the probabilities of a left side do not sum to 1, for a
        symbol without rules, one that `start` cannot reach, and a circle of A → B.
        """
        model = cls()
        check(rules, lexicon, start)
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
            raise ValueError(
                f"expected trees whose roots have one label, got {sorted(roots)}"
            )
        self._enter(*shares(rules, lexicon), *roots)
        return self

    @property
    def rules(self) -> dict[Rule, float]:
        """(A, B, C) or (A, B) → its probability."""
        s = self.symbols
        found: dict[Rule, float] = {}
        for q, A in np.argwhere(self._binary):
            b, c = self._pairs[q]
            found[s[A], s[b], s[c]] = float(self._binary[q, A])
        for b, A in np.argwhere(self._unary):
            found[s[A], s[b]] = float(self._unary[b, A])
        return found

    @property
    def lexicon(self) -> dict[tuple[str, str], float]:
        """(A, word) → its probability."""
        words = [*self.words]
        at = np.argwhere(self._emission)
        p = self._emission
        return {(self.symbols[A], words[w]): float(p[w, A]) for w, A in at}

    @property
    def parameters(self) -> int:
        """How many rules have a probability above 0, those of words too."""
        tables = (self._binary, self._unary, self._emission)
        return sum(int(np.count_nonzero(table)) for table in tables)

    # --- inference --------------------------------------------------------------------

    def inside(self, words: Sequence[str]) -> Numbers:
        """log P(A ⇒ w_i … w_{j-1}): (T, T + 1, N); -inf where no tree is."""
        chart = self._inside(self._emissions([self._read(words)]))
        return self._table(chart.C, chart.scale)

    def outside(self, words: Sequence[str]) -> Numbers:
        """log P(start ⇒ w_1 … w_{i-1} A w_j … w_T): (T, T + 1, N)."""
        chart = self._inside(self._emissions([self._read(words)]))
        return self._table(*self._outside(chart))

    def posterior(self, words: Sequence[str]) -> Numbers:
        """P(there is an A over w_i … w_{j-1} | w): (T, T + 1, N)."""
        inside = self.inside(words)
        total = float(inside[0, -1, self.symbols.index(self.start)])
        if total == -math.inf:
            raise ValueError(f"the grammar has no tree for {' '.join(words)!r}")
        return np.exp(inside + self.outside(words) - total)

    def log_likelihood(self, sentences: Iterable[Sequence[str]]) -> float:
        """Σ log P(w), over all trees; -inf if one sentence has no tree."""
        text = Counter(self._read(words) for words in sentences)
        total = 0.0
        for batch, times in self._batches(text):
            chart = self._inside(self._emissions(batch))
            total += float(times @ self._log_total(chart))
        return total

    def cky(self, words: Sequence[str]) -> Parse:
        """The likeliest tree, and log P of it and the sentence."""
        read = self._read(words)
        chart = self._inside(self._emissions([read]), best=True)
        found = float(self._log_total(chart)[0])
        if found == -math.inf:
            return Parse((), found)
        start = self.symbols.index(self.start)
        return Parse(self._follow(read, chart, 0, len(read), start), found)

    def log_joint(self, tree: Tree) -> float:
        """log P(tree): the sum over its rules; -inf if the grammar lacks one."""
        rules, lexicon = self.rules, self.lexicon
        found = [1.0 if label_of(tree) == self.start else 0.0]
        for node in nodes(tree):
            below = children(node)
            if below:
                found.append(rules.get((label_of(node), *map(label_of, below)), 0.0))
            else:
                tag, word = str(node[0]), str(node[1])
                known = word if word in self.words else UNKNOWN
                found.append(lexicon.get((tag, known), 0.0))
        return math.fsum(math.log(p) if p else -math.inf for p in found)

    def inside_outside(
        self, sentences: Iterable[Sequence[str]], steps: int = 1
    ) -> list[float]:
        """Re-estimate the rules from words alone; they change.   Baker 1979

        P(A → β) becomes the share of β in the expected counts of A. A rule of
        probability 0 keeps it. A symbol that no tree uses keeps its rules.
        →  Σ log P(w) before each step, and after the last: steps + 1 numbers
        """
        whole(0, steps=steps)
        text = Counter(self._read(words) for words in sentences)
        if not text:
            raise ValueError("expected sentences, got none")
        found = []
        for _ in range(steps):
            likelihood, *counts = self._expected(text)
            found.append(likelihood)
            total = np.sum([count.sum(axis=0) for count in counts], axis=0)
            used, tables = total > 0, (self._binary, self._unary, self._emission)
            total = np.where(used, total, 1)
            pairs = zip(counts, tables, strict=True)
            self._set(*(np.where(used, new / total, old) for new, old in pairs))
        return [*found, self.log_likelihood(text.elements())]

    # --- the sums --------------------------------------------------------------------

    def _inside(self, e: Numbers, best: bool = False) -> Chart:
        """The chart of B sentences, width by width; `best`: the maximum for Σ.

        e  (T, B, N)  P(A → word)
        """
        T, B, _ = e.shape
        left, right = self._pairs.T
        scale = np.full((T + 1, B), -math.inf)
        C, S, L, R = [e[:0]], [e[:0]], [e[:0]], [e[:0]]
        for w in range(1, T + 1):
            spans = T - w + 1
            shares, common = relative(scale[1:w] + scale[w - 1 : 0 : -1])
            pairs = np.zeros((spans, B, len(left)))
            for k, share in enumerate(shares, 1):
                product = L[k][:spans] * R[w - k][k : k + spans] * share
                pairs = np.maximum(pairs, product) if best else pairs + product
            ends = e if w == 1 else self._combined(pairs, best)
            cell = self._chained(ends, best)
            top = cell.max(axis=(0, 2))
            divisor = np.where(top > 0, top, 1)[:, None]
            scale[w] = logarithm(top) + common
            C.append(cell / divisor)
            S.append((e if w == 1 else pairs) / divisor)
            L.append(C[w][..., left])
            R.append(C[w][..., right])
        return Chart(C, S, scale)

    def _combined(self, pairs: Numbers, best: bool) -> Numbers:
        """Σ_BC P(A → B C) pairs(B, C), or the largest term: (…, N)."""
        if not best:
            return pairs @ self._binary  # (2)
        cell = np.zeros((*pairs.shape[:2], len(self.symbols)))
        if len(self._of):
            products = pairs[..., self._of] * self._p
            best_of = np.maximum.reduceat(products, self._first, axis=-1)  # (3)
            cell[..., self._heads] = best_of
        return cell

    def _chained(self, ends: Numbers, best: bool) -> Numbers:
        """With all chains of rules A → B above, or the largest: (…, N)."""
        if not best:
            return ends @ self._chain
        cell = ends.copy()
        for A, b in self._ones:  # a symbol's own rules come before those it is under
            cell[..., A] = np.maximum(cell[..., A], cell[..., b] * self._unary[b, A])
        return cell

    def _outside(self, chart: Chart) -> tuple[list[Numbers], Numbers]:
        """Outside probabilities, the widest spans first: like C, and a scale."""
        C, scale = chart.C, chart.scale
        T, (left, right), N = len(C) - 1, self._pairs.T, len(self.symbols)
        to_left, to_right = np.eye(N)[left], np.eye(N)[right]  # (Q, N)
        around = np.full(scale.shape, -math.inf)
        out, G = [C[0]] * (T + 1), [C[0]] * (T + 1)
        for w in range(T, 0, -1):
            shares, common = relative(around[w + 1 :] + scale[1 : T - w + 1])
            as_left = np.zeros((T - w + 1, scale.shape[1], len(left)))
            as_right = as_left.copy()
            for k, share in enumerate(shares, 1):  # the sibling has k words
                of, parent = T - w - k + 1, G[w + k] * share
                as_left[:of] += parent * C[k][w : w + of][..., right]
                as_right[k : k + of] += parent * C[k][:of][..., left]
            cell = as_left @ to_left + as_right @ to_right
            if w == T:
                cell[..., self.symbols.index(self.start)] = 1
            cell = cell @ self._chain.T
            top = cell.max(axis=(0, 2))
            around[w] = logarithm(top) + common
            out[w] = cell / np.where(top > 0, top, 1)[:, None]
            G[w] = out[w] @ self._binary.T
        return out, around

    def _expected(
        self, text: Mapping[Words, int]
    ) -> tuple[float, Numbers, Numbers, Numbers]:
        """log P, and the expected counts of rules, shaped like the tables."""
        likelihood = 0.0
        binary, unary = np.zeros(self._binary.shape), np.zeros(self._unary.shape)
        emission = np.zeros(self._emission.shape)
        for batch, times in self._batches(text):
            e = self._emissions(batch)
            chart = self._inside(e)
            log_total = self._log_total(chart)
            if not np.isfinite(log_total).all():
                lost = batch[int(np.argmin(log_total))]
                raise ValueError(f"the grammar has no tree for {' '.join(lost)!r}")
            likelihood += float(times @ log_total)
            out, around = self._outside(chart)
            for w in range(1, len(out)):
                log_share = chart.scale[w] + around[w] - log_total
                outer = out[w] * (times * np.exp(log_share))[:, None]
                unary += np.einsum("sbn,sbm->nm", chart.C[w], outer)
                if w == 1:
                    ids = [[self._number(x) for x in words] for words in batch]
                    np.add.at(emission, np.array(ids).T, chart.S[1] * outer)
                else:
                    Q = len(self._pairs)
                    flat = outer.reshape(-1, outer.shape[-1])
                    binary += chart.S[w].reshape(-1, Q).T @ flat
        return likelihood, binary * self._binary, unary * self._unary, emission

    def _log_total(self, chart: Chart) -> Numbers:
        """log P(w) of each sentence: (B,)."""
        start = self.symbols.index(self.start)
        return logarithm(chart.C[-1][0, :, start]) + chart.scale[-1, :]

    @staticmethod
    def _table(cells: Sequence[Numbers], scale: Numbers) -> Numbers:
        """Logarithms of the one sentence of a chart, by start and end."""
        T, N = len(cells) - 1, cells[1].shape[-1]
        table = np.full((T, T + 1, N), -math.inf)
        for w in range(1, T + 1):
            i = np.arange(T - w + 1)
            table[i, i + w] = logarithm(cells[w][:, 0]) + scale[w, 0]
        return table

    def _follow(self, words: Words, chart: Chart, i: int, w: int, A: int) -> Tree:
        """The best tree of A over w words from i on, from the best parts."""
        C, scale = chart.C, chart.scale[:, 0]
        name = self.symbols[A]
        value = -math.inf
        way: tuple[tuple[int, int, int], ...] = ()  # (symbol, i, w) of each child
        if w == 1:
            value = float(chart.S[1][i, 0, A])
        for b in np.flatnonzero(self._unary[:, A]).tolist():
            p = float(C[w][i, 0, b] * self._unary[b, A])
            if p > value:
                value, way = p, ((b, i, w),)
        pairs = np.flatnonzero(self._binary[:, A])
        b, c = self._pairs[pairs].T
        for k in range(1, w):
            share = math.exp(scale[k] + scale[w - k] - scale[w])
            p_k = C[k][i, 0, b] * C[w - k][i + k, 0, c] * self._binary[pairs, A] * share
            if len(p_k) and p_k.max() > value:
                best = int(p_k.argmax())
                value = float(p_k[best])
                way = ((int(b[best]), i, k), (int(c[best]), i + k, w - k))
        below = [self._follow(words, chart, j, v, B) for B, j, v in way]
        return (name, *below) if below else (name, words[i])

    # --- symbols, words, tables ------------------------------------------------------

    def _read(self, words: Sequence[str]) -> Words:
        if not self.symbols:
            raise ValueError("this grammar has no rules yet: call fit(…) first")
        read = as_words(words)
        if not read:
            raise ValueError("the sentence has no words: expected at least one")
        for word in read:
            self._number(word)
        return read

    def _number(self, word: str) -> int:
        if word not in self.words and UNKNOWN not in self.words:
            raise ValueError(
                f"word {word!r} was never read, and no rule writes {UNKNOWN!r}"
            )
        return self.words.get(word, self.words.get(UNKNOWN, -1))

    def _emissions(self, batch: Sequence[Words]) -> Numbers:
        """P(A → word) of B sentences of T words: (T, B, N)."""
        ids: Indices = np.array([[self._number(w) for w in words] for words in batch])
        return np.swapaxes(self._emission[ids], 0, 1)

    def _batches(
        self, text: Mapping[Words, int]
    ) -> Iterator[tuple[list[Words], Numbers]]:
        """Sentences of one length, some at once, and how often each occurs."""
        by_length: dict[int, list[Words]] = defaultdict(list)
        for words in text:
            by_length[len(words)].append(words)
        for T, same in by_length.items():
            size = max(1, BATCH // (T * (len(self._pairs) + 1)))
            for n in range(0, len(same), size):
                batch = same[n : n + size]
                yield batch, np.array([text[words] for words in batch], float)

    def _enter(self, rules: Rules, lexicon: Lexicon, start: str) -> None:
        """Numbers for symbols and words, and the tables of all rules."""
        above: dict[str, list[str]] = {key[0]: [] for key in (*rules, *lexicon)}
        for A, *below in rules:
            if len(below) == 1:
                above[A] += below
        try:
            order = [*TopologicalSorter(above).static_order()]
        except CycleError as error:
            circle = " → ".join(error.args[1][::-1])
            raise ValueError(
                f"the rules of one symbol go round in a circle: {circle}"
            ) from None
        self.start, self.symbols = start, tuple(order)
        number = {A: n for n, A in enumerate(order)}
        self.words = {w: n for n, w in enumerate(dict.fromkeys(w for _, w in lexicon))}
        twos = {key[1:]: None for key in rules if len(key) == 3}
        pair = {key: q for q, key in enumerate(twos)}
        N = len(order)
        ids = [[number[b], number[c]] for b, c in pair]
        self._pairs: Indices = np.array(ids, np.int64).reshape(-1, 2)
        binary, unary = np.zeros((len(pair), N)), np.zeros((N, N))
        emission = np.zeros((len(self.words), N))
        for key, p in rules.items():
            n = number[key[0]]
            if len(key) == 3:
                binary[pair[key[1:]], n] = p
            else:
                unary[number[key[1]], n] = p
        for (tag, word), p in lexicon.items():
            emission[self.words[word], number[tag]] = p
        self._set(binary, unary, emission)

    def _set(self, binary: Numbers, unary: Numbers, emission: Numbers) -> None:
        """The tables, and what is computed from them once.

        binary  (Q, N)  P(A → B C) by the pair B, C;  unary  (N, N)  P(A → B) by B
        emission  (V, N)  P(A → word)
        """
        self._binary, self._unary, self._emission = binary, unary, emission
        # All chains A → B → … at once: I + U + U² + … ; without a circle it ends.
        self._chain: Numbers = np.linalg.inv(np.eye(len(unary)) - unary).clip(0)
        self._ones: list[list[int]] = np.argwhere(unary.T).tolist()  # (A, B), by A
        A, self._of = np.nonzero(binary.T)
        self._p = binary[self._of, A]
        self._heads, self._first = np.unique(A, return_index=True)


def logarithm(x: Numbers) -> Numbers:
    with np.errstate(divide="ignore"):
        return np.log(x)


def relative(logs: Numbers) -> tuple[Numbers, Numbers]:
    """exp of logs (K, B), each over the largest: (K, B, 1), and those: (B,)."""
    most = logs.max(axis=0, initial=-math.inf)
    common = np.where(np.isfinite(most), most, 0)
    return np.exp(logs - common)[..., None], common


def nodes(tree: Tree) -> Iterator[Tree]:
    """Every node, the leaves too, from the root."""
    yield tree
    for child in children(tree):
        yield from nodes(child)


def check(rules: Rules, lexicon: Lexicon, start: str) -> None:
    """Probabilities sum to 1, each symbol has rules, and `start` reaches it."""
    total: dict[str, float] = defaultdict(float)
    for key, p in (*rules.items(), *lexicon.items()):
        sizes = (2, 3) if key in rules else (2,)
        if not isinstance(key, tuple) or len(key) not in sizes or not 0 < p <= 1:
            raise ValueError(
                f"rule {key!r} has probability {p!r}: expected (A, B, C), (A, B) or, "
                "in the lexicon, (A, word), and a probability above 0, up to 1"
            )
        total[key[0]] += p
    for A, sum_ in total.items():
        if not math.isclose(sum_, 1, abs_tol=1e-6):
            raise ValueError(f"the rules of {A!r} sum to {sum_:.6g}: expected 1")
    reached, new = {start}, [start]
    while new:
        A = new.pop()
        if A not in total:
            raise ValueError(f"symbol {A!r} has no rules: expected at least one")
        below = {b for key in rules if key[0] == A for b in key[1:]} - reached
        reached |= below
        new += sorted(below)
    for A in total:
        if A not in reached:
            raise ValueError(f"symbol {A!r} cannot be reached from {start!r}")

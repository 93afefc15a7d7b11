"""Recursive networks: a sentence is computed along its tree.

A node has two children. One layer makes its vector from theirs, and the same layer does
so at each node, up to the root. Three layers: Socher et al. 2011, their tensor layer of
2013, and the TreeLSTM of Tai et al. 2015. A greedy parser builds the tree as it goes.

A tree is the id of a word, or a pair of trees: (0, (1, 2)) has three words.
Sizes: d of a word's vector, n of h, w of a state, which is h or, in a TreeLSTM, (h, c).
Equations are numbered as in the chapter.
"""

import math
from abc import ABC, abstractmethod
from collections.abc import Iterable, Iterator, Sequence
from itertools import groupby, pairwise
from typing import TypeAlias

import torch
from torch import Tensor, nn
from torch.nn.functional import linear

from lookback.checks import at_least, whole
from lookback.checks import ids as check_ids

__all__ = [
    "Composition",
    "Forest",
    "GreedyParser",
    "RecursiveNetwork",
    "TensorNetwork",
    "Tree",
    "TreeLSTM",
    "spans",
    "words",
]

Tree: TypeAlias = "int | tuple[Tree, Tree]"
"""A word's id, or a node: its left and its right child."""

Span: TypeAlias = tuple[int, int]
"""The words under a node: the first one's number, and the number after the last."""


def words(tree: Tree) -> list[int]:
    """The ids at the leaves, from left to right."""
    _check_node(tree)
    if isinstance(tree, int):
        return [tree]
    return words(tree[0]) + words(tree[1])


def spans(tree: Tree) -> set[Span]:
    """The words under each node with children, the root included.

    >>> sorted(spans((7, (8, 9))))
    [(0, 3), (1, 3)]
    """
    found: set[Span] = set()

    def add(node: Tree, begin: int) -> int:
        """Add the spans of a node that begins there, and return where it ends."""
        _check_node(node)
        if isinstance(node, int):
            return begin + 1
        end = add(node[1], add(node[0], begin))
        found.add((begin, end))
        return end

    add(tree, 0)
    return found


def _check_node(tree: object, b: int = 0) -> None:
    if isinstance(tree, list) or (isinstance(tree, tuple) and len(tree) != 2):
        raise ValueError(
            f"tree {b} has a node {tree!r} of {len(tree)} children: expected a pair"
        )
    if not isinstance(tree, tuple) and type(tree) is not int:
        raise ValueError(f"tree {b} has a leaf {tree!r}: expected the id of a word")


class Forest:
    """Trees with a row for each node, so that all nodes of one level run at once.

    Children have earlier rows than their parents.

    words   (L,)  the ids of all leaves, tree after tree; their rows come first
    levels  one (left, right) for each depth: the rows of the children of its nodes.
            A node is one level above the higher of its children
    roots   (B,)  the row of each tree's root
    spans   for each row (tree, begin, end): the words under it

    >>> forest = Forest([(5, (6, 7)), 4])
    >>> forest.words.tolist(), [pair.tolist() for pair in forest.levels[1]]
    ([5, 6, 7, 4], [[0], [4]])
    """

    def __init__(self, trees: Sequence[Tree]) -> None:
        if not trees:
            raise ValueError("there is no tree: expected one or more")
        levels: list[int] = []
        children: list[Span] = []  # a leaf has its word twice
        spans: list[tuple[int, int, int]] = []

        def add(tree: Tree, b: int, begin: int) -> int:
            """Append the nodes of a tree, children first; the number of its root."""
            _check_node(tree, b)
            if isinstance(tree, int):
                level, pair, end = 0, (tree, tree), begin + 1
            else:
                left = add(tree[0], b, begin)
                right = add(tree[1], b, spans[left][2])
                level, pair = 1 + max(levels[left], levels[right]), (left, right)
                end = spans[right][2]
            levels.append(level)
            children.append(pair)
            spans.append((b, begin, end))
            return len(levels) - 1

        roots = [add(tree, b, 0) for b, tree in enumerate(trees)]
        order = sorted(range(len(levels)), key=levels.__getitem__)
        row = {k: n for n, k in enumerate(order)}

        def rows(nodes: Iterable[int]) -> Tensor:
            return torch.tensor([row[k] for k in nodes])

        leaves, *inner = ([*nodes] for _, nodes in groupby(order, levels.__getitem__))
        self.words = torch.tensor([children[k][0] for k in leaves])
        self.levels = [
            (rows(children[k][0] for k in nodes), rows(children[k][1] for k in nodes))
            for nodes in inner
        ]
        self.roots = rows(roots)
        self.spans = [spans[k] for k in order]

    def __len__(self) -> int:
        """How many nodes there are, leaves and all."""
        return len(self.spans)


class Composition(nn.Module, ABC):
    """The base class of the layers: word vectors, and how two states are merged.

    A layer defines `merge`, which makes a parent's state of its two children's states.

    E  (V, d)  the words' vectors
    """

    def __init__(self, V: int, d: int, n: int) -> None:
        super().__init__()
        whole(V=V, d=d, n=n)
        self.V, self.d, self.n = V, d, n
        self.E = nn.Embedding(V, d)
        nn.init.uniform_(self.E.weight, -1 / math.sqrt(d), 1 / math.sqrt(d))

    def leaf(self, x: Tensor) -> Tensor:
        """The state of a word: ids (…,) → (…, w)."""
        check_ids(self.V, x=x)
        return self.E(x)  # type: ignore[no-any-return]

    @abstractmethod
    def merge(self, left: Tensor, right: Tensor) -> Tensor:
        """The state of a parent of two states: (…, w) and (…, w) → (…, w)."""

    def h(self, state: Tensor) -> Tensor:
        """The vector h of a state, for scores and classes: (…, w) → (…, n)."""
        return state

    def recurse(self, tree: Tree) -> Tensor:
        """The state of the root, (w,): the idea in three lines."""
        _check_node(tree)
        if isinstance(tree, int):
            return self.leaf(torch.tensor(tree))
        return self.merge(self.recurse(tree[0]), self.recurse(tree[1]))

    def forward(self, forest: Forest) -> Tensor:
        """The states of all nodes, (N, w): the nodes of a level at once."""
        states = self.leaf(forest.words)
        for left, right in forest.levels:
            states = torch.cat([states, self.merge(states[left], states[right])])
        return states


def _uniform(rows: int, columns: int) -> nn.Parameter:
    bound = 1 / math.sqrt(columns)
    return nn.Parameter(torch.empty(rows, columns).uniform_(-bound, bound))


class RecursiveNetwork(Composition):
    """p = tanh(W [left; right] + b).   Socher et al. 2011.

    W (n, 2n), b (n,)

    >>> network = RecursiveNetwork(V=10, n=4)
    >>> network.recurse((3, (1, 2))).shape
    torch.Size([4])
    >>> network(Forest([(3, (1, 2)), (5, 5)])).shape  # 5 words and 3 nodes above them
    torch.Size([8, 4])
    """

    def __init__(self, V: int, n: int) -> None:
        super().__init__(V, n, n)
        self.W = _uniform(n, 2 * n)
        self.b = nn.Parameter(torch.zeros(n))

    def merge(self, left: Tensor, right: Tensor) -> Tensor:
        q = torch.cat([left, right], dim=-1)
        return torch.tanh(linear(q, self.W, self.b))  # (1)


class TensorNetwork(Composition):
    """p = tanh(qᵀ T q + W q), q = [left; right].   Socher et al. 2013, the RNTN.

    T (n, 2n, 2n)  one matrix for each number of p: products of two children's numbers
    W (n, 2n)
    """

    def __init__(self, V: int, n: int) -> None:
        super().__init__(V, n, n)
        self.W = _uniform(n, 2 * n)
        self.T = nn.Parameter(torch.empty(n, 2 * n, 2 * n))
        nn.init.uniform_(self.T, -1 / (4 * n), 1 / (4 * n))

    def merge(self, left: Tensor, right: Tensor) -> Tensor:
        q = torch.cat([left, right], dim=-1)
        products = torch.einsum("...i,kij,...j->...k", q, self.T, q)
        return torch.tanh(products + linear(q, self.W))  # (2)


class TreeLSTM(Composition):
    """An LSTM cell with two children, and a forget gate for each.   Tai et al. 2015.

    i, o, u  input gate, output gate and candidate;  f_l, f_r  forget gates
    c = i ⊙ u + f_l ⊙ c_left + f_r ⊙ c_right,  h = o ⊙ tanh(c)

    U (5n, 2n)  i, o, u, f_l and f_r from [h_left; h_right];  b (5n,)
    W (3n, d)   i, o and u of a leaf from its word; it has no children to forget
    A state is [h; c], w = 2n.
    """

    def __init__(self, V: int, d: int, n: int) -> None:
        super().__init__(V, d, n)
        self.W, self.U = _uniform(3 * n, d), _uniform(5 * n, 2 * n)
        self.b = nn.Parameter(torch.zeros(5 * n))

    def h(self, state: Tensor) -> Tensor:
        return state[..., : self.n]

    def leaf(self, x: Tensor) -> Tensor:
        i, o, u = linear(super().leaf(x), self.W, self.b[: 3 * self.n]).chunk(3, dim=-1)
        return self.state(torch.sigmoid(i) * torch.tanh(u), o)

    def merge(self, left: Tensor, right: Tensor) -> Tensor:
        (h_l, c_l), (h_r, c_r) = left.chunk(2, dim=-1), right.chunk(2, dim=-1)
        gates = linear(torch.cat([h_l, h_r], dim=-1), self.U, self.b)  # (3)
        i, o, u, f_l, f_r = gates.chunk(5, dim=-1)
        c = torch.sigmoid(i) * torch.tanh(u)
        c = c + torch.sigmoid(f_l) * c_l + torch.sigmoid(f_r) * c_r  # (4)
        return self.state(c, o)

    def state(self, c: Tensor, o: Tensor) -> Tensor:
        """[h; c], h being σ(o) ⊙ tanh(c), by (4)."""
        return torch.cat([torch.sigmoid(o) * torch.tanh(c), c], dim=-1)


class GreedyParser(nn.Module):
    """Merges the neighbours with the highest score until one is left.  Socher 2011.

    A node scores u · h(p); a tree scores the sum of its nodes.

    network  makes p of two neighbours;  u (n,)

    >>> parser = GreedyParser(RecursiveNetwork(V=10, n=4))
    >>> [tree] = parser.parse([[3, 1, 2]])
    >>> words(tree)
    [3, 1, 2]
    """

    def __init__(self, network: Composition) -> None:
        super().__init__()
        self.network = network
        self.u = nn.Parameter(torch.empty(network.n).uniform_(-0.1, 0.1))

    def score(self, states: Tensor) -> Tensor:
        """u · h of a state: (…, w) → (…,)."""
        return self.network.h(states) @ self.u

    def merges(self, sentence: Sequence[int]) -> Iterator[tuple[list[Tree], Tensor]]:
        """The trees side by side before each merge, and the scores of all pairs.

        The plain form of `parse`, for one sentence. Ends with one tree and no pair.
        """
        _check([sentence])
        trees: list[Tree] = [*sentence]
        states = [*self.network.leaf(torch.tensor(trees))]
        while len(trees) > 1:
            parents = [self.network.merge(*pair) for pair in pairwise(states)]
            scores = self.score(torch.stack(parents))
            yield trees.copy(), scores
            k = int(scores.argmax())
            trees[k : k + 2] = [(trees[k], trees[k + 1])]
            states[k : k + 2] = [parents[k]]
        yield trees, self.u.new_zeros(0)

    @torch.no_grad()
    def parse(
        self,
        sentences: Sequence[Sequence[int]],
        gold: Sequence[Tree] | None = None,
        kappa: float = 0.0,
    ) -> list[Tree]:
        """The tree of each sentence; the pairs of all sentences are scored at once.

        gold, kappa  the right trees: a merge that is not in them scores kappa more. So
                     training meets the wrong trees that are within the margin
        """
        _check(sentences)
        trees: list[list[Tree]] = [[*sentence] for sentence in sentences]
        states = [self.network.leaf(torch.tensor(row)) for row in trees]
        edges = [[*range(len(row) + 1)] for row in trees]  # where trees begin and end
        right = [spans(tree) for tree in gold or ()]
        while some := [b for b, row in enumerate(trees) if len(row) > 1]:
            left = torch.cat([states[b][:-1] for b in some])
            parents = self.network.merge(left, torch.cat([states[b][1:] for b in some]))
            scores = self.score(parents)
            if gold:
                wrong = [
                    (edges[b][k], edges[b][k + 2]) not in right[b]
                    for b in some
                    for k in range(len(trees[b]) - 1)
                ]
                scores = scores + kappa * left.new_tensor(wrong)
            sizes = [len(trees[b]) - 1 for b in some]
            split = torch.split(parents, sizes), torch.split(scores, sizes)
            for b, p, s in zip(some, *split, strict=True):
                k = int(s.argmax())
                trees[b][k : k + 2] = [(trees[b][k], trees[b][k + 1])]
                states[b] = torch.cat([states[b][:k], p[k : k + 1], states[b][k + 2 :]])
                del edges[b][k + 1]
        return [tree for (tree,) in trees]

    def loss(self, gold: Sequence[Tree], kappa: float) -> Tensor:
        """Mean of max(0, s(found) + κ · wrong nodes - s(gold)), with a margin κ.

        found  the tree of `parse` when each wrong node scores κ more
        """
        at_least(0, kappa=kappa)
        found = self.parse([words(tree) for tree in gold], gold, kappa)
        s = self.tree_scores([*found, *gold])
        wrong = [len(spans(a) - spans(b)) for a, b in zip(found, gold, strict=True)]
        s_found, s_gold = s.chunk(2)
        margin = s_found + kappa * s.new_tensor(wrong) - s_gold
        return margin.clamp(min=0).mean()  # (5)

    def tree_scores(self, trees: Sequence[Tree]) -> Tensor:
        """s (B,) of each tree: the sum of the scores of its nodes with children."""
        forest = Forest(trees)
        L = len(forest.words)
        of = torch.tensor([b for b, _, _ in forest.spans[L:]], dtype=torch.long)
        scores = self.score(self.network(forest)[L:])
        return scores.new_zeros(len(trees)).index_add(0, of, scores)


def _check(sentences: Sequence[Sequence[int]]) -> None:
    if not sentences:
        raise ValueError("there is no sentence: expected one or more")
    if not all(len(sentence) for sentence in sentences):
        raise ValueError("a sentence is empty: expected one word or more")

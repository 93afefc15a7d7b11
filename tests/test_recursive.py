"""Recursive networks: by hand, against loops and the plain recursion, its own laws."""

import math
from itertools import pairwise, product

import pytest
import torch
from torch import nn

from kit import generator
from lookback.recursive import (
    Forest,
    GreedyParser,
    RecursiveNetwork,
    TensorNetwork,
    TreeLSTM,
    spans,
    words,
)

TREES = [(5, (6, 7)), 4, ((1, 2), (3, (4, 4))), ((((1, 2), 3), 4), 5), (9, 8)]
V, N = 10, 6


def networks():
    torch.manual_seed(0)
    made = RecursiveNetwork(V, N), TensorNetwork(V, N), TreeLSTM(V, 5, N)
    for network in made:
        for parameter in network.parameters():
            nn.init.normal_(parameter, std=0.7)
    return [network.double() for network in made]


@pytest.fixture(params=[0, 1, 2], ids=["recursive", "tensor", "TreeLSTM"])
def network(request):
    return networks()[request.param]


def every_tree(ids):
    """All binary trees over these words."""
    if len(ids) == 1:
        return [*ids]
    return [
        (left, right)
        for k in range(1, len(ids))
        for left, right in product(every_tree(ids[:k]), every_tree(ids[k:]))
    ]


# --- by hand -------------------------------------------------------------------------


def test_a_tree_of_three_words_by_hand():
    # one number: not -1, T 1; p = tanh(2 left - 3 right + 1)
    network = RecursiveNetwork(V=3, n=1)
    with torch.no_grad():
        network.E.weight.copy_(torch.tensor([[-1.0], [1.0], [0.5]]))
        network.W.copy_(torch.tensor([[2.0, -3.0]]))
        network.b.copy_(torch.tensor([1.0]))
    inner = math.tanh(2 * 1 - 3 * 0.5 + 1)
    outer = math.tanh(2 * -1 - 3 * inner + 1)
    assert network.recurse((0, (1, 2))).item() == pytest.approx(outer)
    assert network(Forest([(0, (1, 2))])).flatten().tolist() == pytest.approx(
        [-1, 1, 0.5, inner, outer]
    )


def test_a_tensor_by_hand():
    # T picks left · right, W nothing: p = tanh(3 · left · right)
    network = TensorNetwork(V=2, n=1)
    with torch.no_grad():
        network.E.weight.copy_(torch.tensor([[0.5], [0.25]]))
        network.W.zero_()
        network.T.copy_(torch.tensor([[[0.0, 3.0], [0.0, 0.0]]]))
    assert network.recurse((0, 1)).item() == pytest.approx(math.tanh(0.375))
    with torch.no_grad():
        network.W.copy_(torch.tensor([[1.0, -2.0]]))
    assert network.recurse((0, 1)).item() == pytest.approx(math.tanh(0.375 + 0.5 - 0.5))


def test_a_tree_lstm_by_hand():
    def s(a):
        return 1 / (1 + math.exp(-a))

    network = TreeLSTM(V=2, d=1, n=1)
    with torch.no_grad():
        network.E.weight.copy_(torch.tensor([[1.0], [-1.0]]))
        network.W.copy_(torch.tensor([[1.0], [2.0], [3.0]]))  # i, o, u
        network.b.copy_(torch.tensor([0.1, 0.2, 0.3, 0.4, 0.5]))
        network.U.copy_(torch.tensor([[1.0, 2], [3, 4], [5, 6], [7, 8], [9, 10]]))
    c, h = {}, {}
    for word, x in enumerate((1, -1)):
        c[word] = s(x + 0.1) * math.tanh(3 * x + 0.3)
        h[word] = s(2 * x + 0.2) * math.tanh(c[word])
    gates = [a * h[0] + (a + 1) * h[1] + 0.05 * (a + 1) for a in (1, 3, 5, 7, 9)]
    i, o, u, f_l, f_r = gates
    whole = s(i) * math.tanh(u) + s(f_l) * c[0] + s(f_r) * c[1]
    state = network.recurse((0, 1))
    assert state.tolist() == pytest.approx([s(o) * math.tanh(whole), whole])
    assert network.h(state).tolist() == pytest.approx([s(o) * math.tanh(whole)])


def test_a_forest_by_hand():
    forest = Forest([(5, (6, 7)), 4, ((1, 2), 3)])
    assert forest.words.tolist() == [5, 6, 7, 4, 1, 2, 3]
    first, second = ([part.tolist() for part in level] for level in forest.levels)
    assert first == [[1, 4], [2, 5]]  # (6, 7) is row 7, (1, 2) is row 8
    assert second == [[0, 8], [7, 6]]
    assert forest.roots.tolist() == [9, 3, 10] and len(forest) == 11
    assert forest.spans[7:] == [(0, 1, 3), (2, 0, 2), (0, 0, 3), (2, 0, 3)]
    assert words(((1, 2), 3)) == [1, 2, 3] and words(4) == [4]
    assert spans(((1, 2), (3, 4))) == {(0, 2), (2, 4), (0, 4)} and spans(7) == set()


# --- against a loop ------------------------------------------------------------------


def test_states_of_all_levels_are_those_of_the_recursion(network):
    forest = Forest(TREES)
    states = network(forest)
    assert states.shape == (len(forest), 12 if isinstance(network, TreeLSTM) else 6)
    for row, tree in zip(forest.roots, TREES, strict=True):
        assert torch.allclose(states[row], network.recurse(tree), atol=1e-12)


def test_gradients_of_all_levels_are_those_of_the_recursion(network):
    weight = torch.randn(N, dtype=torch.float64)
    forest = Forest(TREES)
    fast = (network.h(network(forest)[forest.roots]) @ weight).square().sum()
    slow = sum((network.h(network.recurse(tree)) @ weight).square() for tree in TREES)
    parameters = [*network.parameters()]
    for a, b in zip(
        torch.autograd.grad(fast, parameters),
        torch.autograd.grad(slow, parameters),
        strict=True,
    ):
        assert torch.allclose(a, b, atol=1e-12) and a.abs().sum() > 0


def test_the_gradient_is_backpropagation_through_structure():
    """Goller and Küchler 1996: what comes from above is passed on to both children."""
    network, tree = networks()[0], ((1, (2, 3)), (1, 4))
    E, W, b = (p.detach() for p in (network.E.weight, network.W, network.b))
    grad = {
        "E": torch.zeros_like(E),
        "W": torch.zeros_like(W),
        "b": torch.zeros_like(b),
    }

    def up(node):
        if isinstance(node, int):
            return E[node], node
        left, right = up(node[0]), up(node[1])
        q = torch.cat([left[0], right[0]])
        return torch.tanh(W @ q + b), (q, left, right)

    def down(node, error):
        p, below = node
        if isinstance(below, int):
            grad["E"][below] += error
            return
        q, left, right = below
        delta = error * (1 - p**2)
        grad["W"] += torch.outer(delta, q)
        grad["b"] += delta
        down(left, (W.T @ delta)[:N])
        down(right, (W.T @ delta)[N:])

    root = up(tree)
    down(root, 2 * root[0])
    network.recurse(tree).square().sum().backward()
    found = {"E": network.E.weight.grad, "W": network.W.grad, "b": network.b.grad}
    for name, expected in grad.items():
        assert torch.allclose(found[name], expected, atol=1e-12), name


def test_the_batched_parser_is_the_plain_one(network):
    torch.manual_seed(1)
    parser = GreedyParser(network).double()
    nn.init.normal_(parser.u)
    sentences = [[1, 2, 3], [4], [5, 6, 7, 8, 9, 1, 0, 2], [3, 3], [2, 7, 1, 8, 2, 8]]
    for sentence, tree in zip(sentences, parser.parse(sentences), strict=True):
        steps = [*parser.merges(sentence)]
        assert steps[-1][0] == [tree] and words(tree) == sentence
        assert [len(side) for side, _ in steps] == [*range(len(sentence), 0, -1)]
        for (before, scores), (after, _) in pairwise(steps):
            k = int(scores.argmax())
            assert after == [*before[:k], (before[k], before[k + 1]), *before[k + 2 :]]


@pytest.mark.parametrize("kappa", [0.0, 0.5, 2.0])
def test_the_batched_parser_with_a_margin_is_a_plain_one(network, kappa):
    torch.manual_seed(2)
    parser = GreedyParser(network).double()
    nn.init.normal_(parser.u)
    gold = [((1, 2), (3, (4, 5))), (6, 7), ((((1, 8), 2), (8, 3)), ((4, 4), 9)), 5]
    sentences = [words(tree) for tree in gold]
    found = parser.parse(sentences, gold, kappa)
    for sentence, tree, wanted in zip(sentences, found, gold, strict=True):
        nodes = [(word, k, k + 1) for k, word in enumerate(sentence)]
        while len(nodes) > 1:
            pairs = [((a, b), i, k) for (a, i, _), (b, _, k) in pairwise(nodes)]
            costs = [
                parser.score(network.recurse(pair)).item()
                + kappa * ((i, k) not in spans(wanted))
                for pair, i, k in pairs
            ]
            best = costs.index(max(costs))
            nodes[best : best + 2] = [pairs[best]]
        assert nodes[0][0] == tree


def test_a_tree_scores_the_sum_of_its_nodes(network):
    parser = GreedyParser(network).double()
    a, (b, c) = TREES[0]
    inner, outer = network.recurse((b, c)), network.recurse(TREES[0])
    expected = network.h(inner) @ parser.u + network.h(outer) @ parser.u
    s = parser.tree_scores(TREES)
    assert s[0].item() == pytest.approx(expected.item()) and a == 5
    assert s[1].item() == 0  # one word: no node


def test_the_loss_by_enumeration(network):
    parser = GreedyParser(network).double()
    nn.init.normal_(parser.u, generator=generator(3))
    gold, kappa = ((1, 2), (3, 4)), 0.3
    trees = every_tree([1, 2, 3, 4])
    assert len(trees) == 5
    s = dict(zip(trees, parser.tree_scores(trees).tolist(), strict=True))
    [found] = parser.parse([[1, 2, 3, 4]], [gold], kappa)
    wrong = len(spans(found) - spans(gold))
    expected = max(0.0, s[found] + kappa * wrong - s[gold])
    assert parser.loss([gold], kappa).item() == pytest.approx(expected)


# --- laws ----------------------------------------------------------------------------


def test_weights_begin_uniform_and_biases_at_zero():
    with torch.random.fork_rng():
        torch.manual_seed(0)
        plain, tensor = RecursiveNetwork(9, 32), TensorNetwork(9, 32)
        lstm = TreeLSTM(9, 25, 32)
    for weights, bound in (
        (plain.W, 1 / 8),
        (tensor.W, 1 / 8),
        (tensor.T, 1 / 128),
        (lstm.W, 1 / 5),
        (lstm.U, 1 / 8),
    ):
        assert 0.98 * bound < weights.max() <= bound
        assert -bound <= weights.min() < -0.98 * bound
    assert not plain.b.any() and not lstm.b.any()


def test_a_large_margin_finds_a_wrong_tree_and_a_small_one_the_parsers():
    parser = GreedyParser(networks()[0]).double()
    sentence, gold = [1, 2, 3, 4], ((1, 2), (3, 4))
    [wrong] = parser.parse([sentence], [gold], kappa=100.0)
    assert not (spans(wrong) - {(0, 4)}) & spans(gold)
    assert parser.parse([sentence], [gold], kappa=0.0) == parser.parse([sentence])


def test_order_and_grouping_matter_and_other_trees_do_not(network):
    a, b = network.recurse(((1, 2), 3)), network.recurse((1, (2, 3)))
    c = network.recurse(((2, 1), 3))
    assert not torch.allclose(a, b) and not torch.allclose(a, c)
    alone = Forest([((1, 2), 3)])
    beside = Forest([(7, 8), ((1, 2), 3), (9, (9, 9))])
    both = network(alone)[alone.roots[0]], network(beside)[beside.roots[1]]
    assert torch.allclose(*both)


def test_the_same_words_in_the_same_tree_have_the_same_state_wherever_they_are(network):
    forest = Forest([((1, 2), (3, (1, 2)))])
    twice = [
        r for r, (_, a, b) in enumerate(forest.spans) if (a, b) in ((0, 2), (3, 5))
    ]
    states = network(forest)[twice]
    assert len(twice) == 2 and torch.allclose(*states)


def test_forget_gates_keep_one_past_and_drop_the_other():
    network = networks()[2]
    left, right = network.recurse(3), network.recurse((1, 2))
    with torch.no_grad():
        network.U.zero_()
        network.b[:] = torch.tensor([-40.0, 0, 0, 40, -40]).repeat_interleave(N)
    c = network.merge(left, right)[N:]
    assert torch.allclose(c, left[N:]) and not torch.allclose(c, right[N:])


def test_a_parser_learns_one_shape():
    torch.manual_seed(0)
    parser = GreedyParser(RecursiveNetwork(V=6, n=8))
    gold = [((1, 2), (3, (1, 2))), (3, (1, 2)), ((1, 2), 3), (1, 2), (3, ((1, 2), 3))]
    optimiser = torch.optim.Adam(parser.parameters(), lr=0.02)
    before = parser.loss(gold, kappa=0.1).item()
    for _ in range(80):
        loss = parser.loss(gold, kappa=0.1)
        optimiser.zero_grad()
        loss.backward()
        optimiser.step()
    assert loss.item() == 0 < before
    found = parser.parse([words(tree) for tree in gold])
    assert sum(a == b for a, b in zip(found, gold, strict=True)) >= 4
    # Not 5: the sum over the gold tree wins, but a greedy step may still be wrong.

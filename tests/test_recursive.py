"""Recursive networks: by hand, against loops and the plain recursion, its own laws."""

import math
from itertools import pairwise

import pytest
import torch
from torch import nn

from kit import close, generator, randn, set_to, sigmoid
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


# --- by hand -------------------------------------------------------------------------


def test_a_tree_of_three_words_by_hand():
    # one number: not -1, T 1; p = tanh(2 left - 3 right + 1)
    network = RecursiveNetwork(V=3, n=1)
    set_to(network.E.weight, -1, 1, 0.5)
    set_to(network.W, 2, -3)
    set_to(network.b, 1)
    inner = math.tanh(2 * 1 - 3 * 0.5 + 1)
    outer = math.tanh(2 * -1 - 3 * inner + 1)
    assert network.recurse((0, (1, 2))).item() == pytest.approx(outer)
    states = network(Forest([(0, (1, 2))])).flatten().tolist()
    assert states == pytest.approx([-1, 1, 0.5, inner, outer])


def test_a_tensor_by_hand():
    # p = tanh(3 · left · right + left - 2 right)
    network = TensorNetwork(V=2, n=1)
    set_to(network.E.weight, 0.5, 0.25)
    set_to(network.T, 0, 3, 0, 0)
    set_to(network.W, 1, -2)
    assert network.recurse((0, 1)).item() == pytest.approx(math.tanh(0.375 + 0.5 - 0.5))


def test_a_tree_lstm_by_hand():
    s, network = sigmoid, TreeLSTM(V=2, d=1, n=1)
    set_to(network.E.weight, 1, -1)
    set_to(network.W, 1, 2, 3)  # i, o, u
    set_to(network.b, 0.1, 0.2, 0.3, 0.4, 0.5)
    set_to(network.U, *range(1, 11))
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


def test_a_node_is_tanh_of_a_linear_map():
    network = networks()[0]
    both = network.E(torch.tensor([1, 2])).flatten()
    close(network.recurse((1, 2)), torch.tanh(network.W @ both + network.b))


def test_all_levels_are_the_recursion_gradients_too(network):
    forest, parameters = Forest(TREES), [*network.parameters()]
    states = network(forest)
    assert len(states) == len(forest)
    fast = states[forest.roots]
    slow = torch.stack([network.recurse(tree) for tree in TREES])
    close(fast, slow)
    weight = randn(*fast.shape)
    found, expected = (
        torch.autograd.grad((each * weight).sum(), parameters) for each in (fast, slow)
    )
    close(found, expected)
    assert all(grad.any() for grad in found)


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


def test_the_loss_is_the_margin_of_the_parsers_tree(network):
    parser = GreedyParser(network).double()
    nn.init.normal_(parser.u, generator=generator(3))
    gold, kappa = ((1, 2), (3, 4)), 0.3
    [found] = parser.parse([[1, 2, 3, 4]], [gold], kappa)
    one, other = parser.tree_scores([found, gold]).tolist()
    expected = max(0.0, one + kappa * len(spans(found) - spans(gold)) - other)
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


def test_order_and_grouping_matter_and_other_trees_do_not(network):
    a, b = network.recurse(((1, 2), 3)), network.recurse((1, (2, 3)))
    c = network.recurse(((2, 1), 3))
    assert not torch.allclose(a, b) and not torch.allclose(a, c)
    alone = Forest([((1, 2), 3)])
    beside = Forest([(7, 8), ((1, 2), 3), (9, (9, 9))])
    both = network(alone)[alone.roots[0]], network(beside)[beside.roots[1]]
    assert torch.allclose(*both)

    # Not 5: the sum over the gold tree wins, but a greedy step may still be wrong.

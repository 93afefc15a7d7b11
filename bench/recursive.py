"""Nodes a second: all nodes of a level at once beside the plain recursion.

A training step over 64 expressions of truth values, forward and backward.
"""

from random import Random

import torch
from run import speeds

from lookback.recursive import Forest
from lookback.studies.recursive import TREES, WORDS, binary, training


def main() -> None:
    trees = [binary(e) for e in training(Random(0), 64)]
    rows = {}
    for name, make in TREES.items():
        network = make(len(WORDS), 24)

        def levels(network=network) -> None:
            forest = Forest(trees)
            network(forest)[forest.roots].square().sum().backward()

        def recursion(network=network) -> None:
            roots = torch.stack([network.recurse(tree) for tree in trees])
            roots.square().sum().backward()

        rows[name] = {"by levels": levels, "recursion": recursion}
    speeds("nodes a second", rows, len(Forest(trees)))

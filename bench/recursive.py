"""Nodes a second: the plain recursion beside all nodes of a level at once.

Run it with `python bench/recursive.py`. A training step over 64 expressions of truth
values, forward and backward; each figure is the best of three.
"""

from collections.abc import Callable
from random import Random

import torch
from torch import Tensor

from lookback.measure import timings
from lookback.recursive import Forest
from lookback.studies.recursive import TREES, WORDS, binary, training

BATCH, N, TURNS = 64, 24, 3


def main() -> None:
    trees = [binary(e) for e in training(Random(0), BATCH)]
    nodes = len(Forest(trees))
    print(f"{'nodes a second':16}{'recursion':>12}{'by levels':>12}{'':>10}")
    for name, make in TREES.items():
        torch.manual_seed(0)
        network = make(len(WORDS), N)

        def step(states: Callable[[], Tensor]) -> None:
            states().square().sum().backward()  # type: ignore[no-untyped-call]

        def plain(network=network) -> Tensor:  # type: ignore[no-untyped-def]
            return torch.stack([network.recurse(tree) for tree in trees])

        def fast(network=network) -> Tensor:  # type: ignore[no-untyped-def]
            forest = Forest(trees)
            return network(forest)[forest.roots]

        slow, quick = timings(
            lambda plain=plain: step(plain),
            lambda fast=fast: step(fast),
            repeats=TURNS,
            warmup=1,
        )
        a, b = nodes / slow.best, nodes / quick.best
        print(f"{name:16}{a:12,.0f}{b:12,.0f}{b / a:9.1f}×")


if __name__ == "__main__":
    main()

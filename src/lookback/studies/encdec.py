"""Digits reversed through one vector: by its size, and without the order of the source.

The control replaces the recurrent encoder by a sum: its vector says which digits were
read, and nothing of their order.
"""

import torch
from torch import Tensor, nn

from lookback.encdec import EncoderDecoderConfig, RNNEncoderDecoder
from lookback.trainer.study import Experiment, Row, Study, grid
from lookback.trainer.toys import END, exact, taught

LENGTHS = (1, 2, 3, 4, 5, 6, 7, 8, 9, 10)
SIZES, SEEDS = (32, 64, 128), range(3)


class Sum(nn.Module):
    """c = tanh(V Σ_s e(x_s)): the same for every order of the words."""

    def __init__(self, config: EncoderDecoderConfig, vocab_size: int) -> None:
        super().__init__()
        self.e = nn.Embedding(vocab_size, config.m)
        self.V = nn.Linear(config.m, config.n)

    def forward(self, source: Tensor, mask: Tensor) -> Tensor:
        """source, mask (B, S) → c (B, n)."""
        return torch.tanh(self.V((self.e(source) * mask.unsqueeze(-1)).sum(dim=1)))


def network(n: int, ordered: bool) -> RNNEncoderDecoder:
    config = EncoderDecoderConfig(m=16, n=n, l=32)
    model = RNNEncoderDecoder(config, END + 1, END + 1)
    if not ordered:
        model.encoder = Sum(config, END + 1)  # type: ignore[assignment]
    return model


def measured(n: int, ordered: bool, seed: int, steps: int = 1600) -> Row:
    """What is reversed without error, for each of LENGTHS.

    n        numbers of a state and of the vector
    ordered  does the encoder read in order? Or is its vector made of a sum
    """
    model, _ = taught(lambda: network(n, ordered), seed, steps)
    return {"exact": exact(model, LENGTHS)}


STUDY = Study(
    "digits reversed through one vector, by its size, and from a sum",
    {
        "digits": Experiment(
            measured,
            grid(n=SIZES, ordered=[True], seed=SEEDS)
            + grid(n=SIZES[-1:], ordered=[False], seed=SEEDS),
            smoke={"n": 32, "ordered": True, "seed": 0, "steps": 5},
        )
    },
)

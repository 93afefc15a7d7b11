"""Digits reversed by RNNsearch, and by the same network with one context vector."""

import torch
from torch import Tensor

from lookback.bahdanau import Decoder, RNNSearch, RNNSearchConfig, State
from lookback.workshop import Row, Study, case, grid

from .encdec_digits import END, LONGEST, attending, exact, taught

LENGTHS = (3, 4, 5, 6, 7, 8, 9, 10)
CONFIG = RNNSearchConfig(m=8, n=32, k=32, l=32)


class OneVector(Decoder):
    """A decoder whose context is the same at every step: [→h_S ; ←h_1].

    It attends to one annotation, which is made of the last state of either direction.
    """

    def start(self, annotations: Tensor, mask: Tensor) -> State:
        rows, last = torch.arange(len(mask)), mask.sum(dim=1) - 1
        ahead = annotations[rows, last, : self.n]
        one = torch.cat([ahead, annotations[:, 0, self.n :]], dim=-1).unsqueeze(1)
        return super().start(one, torch.ones_like(mask[:, :1]))


def network(attends: bool) -> RNNSearch:
    model = RNNSearch(CONFIG, END + 1, END + 1)
    if not attends:
        model.decoder = OneVector(CONFIG, END + 1)
    return model


def measured(attends: bool, seed: int, steps: int = 600) -> Row:
    """What is reversed without error, by length.

    attends  a new context for each step? Or the same vector for all of them
    """
    model, _ = taught(
        lambda: network(attends), seed, steps,
        lengths=(LENGTHS[0], LONGEST), logits=attending, falls=False,
    )  # fmt: skip
    return {
        "parameters": sum(p.numel() for p in model.parameters()),
        "lengths": list(LENGTHS),
        "exact": exact(model, LENGTHS),
    }


STUDY = Study(
    about="digits reversed, with attention and with one vector for all steps",
    cases=grid("attention, seed {seed}", measured, attends=[True], seed=range(3))
    | grid("one vector, seed {seed}", measured, attends=[False], seed=range(3)),
    check=case(measured, attends=True, seed=0, steps=5),
)

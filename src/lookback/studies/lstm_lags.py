"""A digit remembered over few and many signs of noise: plain cell, LSTM and GRU."""

import torch
from torch import Tensor

from lookback.recurrent import RecurrentLM
from lookback.workshop import Row, Study, case, grid, practise, seeds

from .lstm_forget import first_sign_loss, last_scores, network, signs

WIDE = 68  # numbers in the state of an RNN with as many parameters as the LSTM's cell
TRAINED = 30  # tokens of the longest sequence in training
NOISE = (2, 5, 10, 20, 30, 50)  # signs after the digit, in the test
ASKED = 500  # new sequences of each length
DIGITS, SIGNS, BATCH, RATE = 10, 4, 48, 5e-3


def lags(cell: str, seed: int, steps: int, n: int = 32) -> Row:
    """Name at the end the digit that came first: the share that is right, by the noise.

    cell  one of CELLS, n its numbers; trained on sequences of 2 to TRAINED tokens
    """

    def loss(model: RecurrentLM, generator: torch.Generator) -> Tensor:
        length = int(torch.randint(2, TRAINED + 1, (), generator=generator))
        return first_sign_loss(model, signs(DIGITS, SIGNS, length, BATCH, generator))

    model, _ = practise(
        lambda: network(cell, DIGITS + SIGNS, DIGITS, n), loss,
        seed=seed, steps=steps, rate=RATE, clip=1.0,
    )  # fmt: skip
    right = []
    for noise in NOISE:
        ids = signs(DIGITS, SIGNS, noise + 1, ASKED, seeds.generator(2014))
        with torch.no_grad():
            said = last_scores(model, ids).argmax(dim=1)
        right.append((said == ids[:, 0]).double().mean().item())
    return {"noise": list(NOISE), "right": right}


ALL, BOTH = range(5), (200, 1000)
STUDY = Study(
    about="a digit remembered over few and many signs of noise, by the cell",
    cases={
        **grid("RNN, {steps} steps, seed {seed}", lags,
               cell=["rnn"], steps=BOTH, seed=ALL),
        **grid("LSTM, {steps} steps, seed {seed}", lags,
               cell=["lstm"], steps=BOTH, seed=ALL),
        **grid("GRU, {steps} steps, seed {seed}", lags,
               cell=["gru"], steps=BOTH, seed=ALL),
        **grid("RNN of {n}, {steps} steps, seed {seed}", lags,
               cell=["rnn"], steps=[200], seed=ALL, n=[WIDE]),
    },
    check=case(lags, cell="gru", seed=0, steps=5),
)  # fmt: skip

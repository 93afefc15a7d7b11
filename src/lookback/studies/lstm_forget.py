"""A sign remembered over noise, by the first bias of an LSTM's forget gate."""

import copy

import torch
from torch import Tensor, nn
from torch.nn.functional import cross_entropy

from lookback.lstm import CELLS, LSTMCell
from lookback.recurrent import RecurrentLM, jacobian_norms
from lookback.workshop import Row, Study, case, seeds

KINDS = 8  # signs that are to be remembered
LENGTH = 40  # tokens, of which the first has to be recalled
EVERY = 100  # steps between two measurements
N, RATE, BATCH = 32, 1e-2, 32


def recall(
    cell: str, forget_bias: float, seed: int, noise: int = 8, steps: int = 2000
) -> Row:
    """Say at the end which of KINDS signs came first, before the noise.

    cell         one of CELLS
    forget_bias  of an LSTM
    noise        how many signs the noise is drawn from; with one it says nothing

    At each EVERYth step the share of fresh sequences that is right, and log10 of the
    norm of ∂h_T/∂h_1 (for an LSTM ∂c_T/∂c_1), the mean over four fresh sequences. What
    is right every time is not trained on.
    """
    generator = seeds.generator(seed)
    with seeds.seeded(seed):
        model = network(cell, KINDS + noise, KINDS, N, forget_bias)
    optimiser = torch.optim.Adam(model.parameters(), RATE)
    row: Row = {"step": [], "right": [], "norm": []}
    for step in range(steps + 1):
        if step % EVERY == 0:
            ids = signs(KINDS, noise, LENGTH, 500, generator)
            with torch.no_grad():
                guessed = last_scores(model, ids).argmax(dim=1)
            row["step"].append(step)
            row["right"].append((guessed == ids[:, 0]).double().mean().item())
            row["norm"].append(arriving(model, ids[:4]))
            if row["right"][-2:] == [1.0, 1.0]:
                break
        loss = first_sign_loss(model, signs(KINDS, noise, LENGTH, BATCH, generator))
        optimiser.zero_grad()
        loss.backward()  # type: ignore[no-untyped-call]
        nn.utils.clip_grad_norm_(model.parameters(), 1.0)
        optimiser.step()
    return row


def signs(
    kinds: int, noise: int, length: int, batch: int, generator: torch.Generator
) -> Tensor:
    """(batch, length): one of `kinds` signs, then noise of `noise` others."""
    shape = (batch, length)
    ids = torch.randint(kinds, kinds + noise, shape, generator=generator)
    ids[:, 0] = torch.randint(kinds, (batch,), generator=generator)
    return ids


def network(cell: str, V: int, m: int, n: int, forget_bias: float = 1.0) -> RecurrentLM:
    """The network before its training; `forget_bias` is of an LSTM."""

    def biased(d: int, n: int) -> LSTMCell:
        return LSTMCell(d, n, forget_bias=forget_bias)

    return RecurrentLM(V, m, n, biased if cell == "lstm" else CELLS[cell])


def first_sign_loss(model: RecurrentLM, ids: Tensor) -> Tensor:
    """The loss of naming the first sign at the end of each sequence (B, L)."""
    return cross_entropy(last_scores(model, ids), ids[:, 0])


def arriving(model: RecurrentLM, ids: Tensor) -> float:
    model = copy.deepcopy(model).double()  # single precision would underflow
    part = int(isinstance(model.cell, LSTMCell))
    norms = [jacobian_norms(model.cell, x, part=part)[0] for x in model.C(ids)]
    return torch.stack(norms).log10().mean().item()


def last_scores(model: RecurrentLM, ids: Tensor) -> Tensor:
    """The scores at the end of each sequence (B, V)."""
    logits: Tensor = model(ids)[0]
    return logits[:, -1]


SEEDS = range(5)
_TASKS = {
    **{f"LSTM, forget bias {bias}": ("lstm", float(bias), 8) for bias in range(5)},
    "GRU": ("gru", 0.0, 8),
    "RNN": ("rnn", 0.0, 8),
    "LSTM, forget bias 1, silence": ("lstm", 1.0, 1),
}
STUDY = Study(
    about="a sign remembered over noise, by the first bias of the forget gate",
    cases={
        f"{system}, seed {seed}": case(
            recall, cell=cell, forget_bias=bias, seed=seed, noise=noise
        )
        for system, (cell, bias, noise) in _TASKS.items()
        for seed in SEEDS
    },
    check=case(recall, cell="lstm", forget_bias=1.0, seed=0, steps=5),
)

"""Letters that become words: what a state adds to the last letter."""

from functools import cache

import torch
from torch import Tensor
from torch.nn.functional import cross_entropy

from lookback.recurrent import RecurrentLM
from lookback.text.corpora import grammar
from lookback.workshop import Row, Study, case, grid, practise, seeds

M, N, BATCH, LENGTH = 16, 64, 32, 20
RATE = 0.01


@cache
def text(pairs: int) -> str:
    """The training sentences of the grammar's English, one on each line."""
    return "\n".join(" ".join(pair.source) for pair in grammar(pairs=pairs).train)


def spelt(
    memory: bool, seed: int, steps: int = 250, pairs: int = 3000, written: int = 4000
) -> Row:
    """Train on letters, and write: the share of words of the text; the last loss.

    memory  False: U = 0, so that the network sees the last letter alone
    """
    letters, generator = sorted(set(text(pairs))), seeds.generator(seed)
    stream = torch.tensor([letters.index(letter) for letter in text(pairs)])

    def loss(model: RecurrentLM, generator: torch.Generator) -> Tensor:
        ends = (len(stream) - LENGTH - 1, (BATCH, 1))
        starts = torch.randint(*ends, generator=generator)
        piece = stream[starts + torch.arange(LENGTH + 1)]
        scores, _ = model(piece[:, :-1])
        return cross_entropy(scores.flatten(0, 1), piece[:, 1:].flatten())

    model, losses = practise(
        lambda: network(len(letters), memory), loss,
        seed=seed, steps=steps, rate=RATE, clip=1.0, generator=generator,
    )  # fmt: skip
    ids = write(model, letters.index("\n"), written, generator)
    said = "".join(letters[i] for i in ids).split()[:-1]
    known = set(text(pairs).split())
    return {"real": sum(w in known for w in said) / len(said), "loss": losses[-1]}


def network(V: int, memory: bool) -> RecurrentLM:
    model = RecurrentLM(V, M, N)
    if not memory:
        model.cell.U.requires_grad_(False).zero_()
    return model


@torch.no_grad()
def write(
    model: RecurrentLM, first: int, length: int, generator: torch.Generator
) -> list[int]:
    """Letters drawn from the model, one after the other, after the `first`."""
    letter, state, written = torch.tensor([[first]]), None, list[int]()
    for _ in range(length):
        scores, states = model(letter, state=state)
        p: Tensor = scores[0].softmax(dim=1)
        state, letter = states[-1], p.multinomial(1, generator=generator)
        written.append(int(letter))
    return written


STUDY = Study(
    about="the share of real words that a network of letters writes",
    cases=grid("with memory, seed {seed}", spelt, memory=[True], seed=range(5))
    | grid("without, seed {seed}", spelt, memory=[False], seed=range(5)),
    check=case(spelt, memory=True, seed=0, steps=5, pairs=100, written=50),
)

"""Letters that become words: what a state adds to the last letter."""

from dataclasses import dataclass
from functools import cache

import torch
from torch import Tensor, nn
from torch.nn.functional import cross_entropy

from lookback.recurrent import RecurrentLM
from lookback.text.corpora import grammar
from lookback.workshop import Row, Study, seeds


@dataclass(frozen=True)
class Letters:
    """A network of letters: with its memory, or with U = 0, which sees the last one."""

    memory: bool
    seed: int
    steps: int = 250
    m: int = 16
    n: int = 64
    rate: float = 0.01
    batch: int = 32
    length: int = 20
    pairs: int = 3000
    written: int = 4000


@cache
def text(pairs: int) -> str:
    """The training sentences of the grammar's English, one on each line."""
    return "\n".join(" ".join(pair.source) for pair in grammar(pairs=pairs).train)


def spelt(task: Letters) -> Row:
    """Train, and write: the share of words that occur in the text; the last loss."""
    letters, generator = sorted(set(text(task.pairs))), seeds.generator(task.seed)
    stream = torch.tensor([letters.index(letter) for letter in text(task.pairs)])
    model = _model(task, len(letters))
    learnt = [p for p in model.parameters() if p.requires_grad]
    optimiser = torch.optim.Adam(learnt, lr=task.rate)
    for _ in range(task.steps):
        starts = torch.randint(
            len(stream) - task.length - 1, (task.batch, 1), generator=generator
        )
        piece = stream[starts + torch.arange(task.length + 1)]
        scores, _ = model(piece[:, :-1])
        loss = cross_entropy(scores.flatten(0, 1), piece[:, 1:].flatten())
        optimiser.zero_grad()
        loss.backward()  # type: ignore[no-untyped-call]
        nn.utils.clip_grad_norm_(learnt, 1.0)
        optimiser.step()
    said = "".join(letters[i] for i in write(model, letters.index("\n"), task.written,
                                             generator)).split()[:-1]  # fmt: skip
    known = set(text(task.pairs).split())
    share = sum(word in known for word in said) / len(said)
    return {"real": round(share, 4), "loss": round(loss.item(), 3)}


def _model(task: Letters, V: int) -> RecurrentLM:
    with seeds.seeded(task.seed):
        model = RecurrentLM(V, task.m, task.n)
    if not task.memory:
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
    cases={
        f"{name}, seed {seed}": Letters(memory, seed)
        for name, memory in (("with memory", True), ("without", False))
        for seed in range(5)
    },
    measure=spelt,
    check=None,  # sampled words on another processor can differ
)

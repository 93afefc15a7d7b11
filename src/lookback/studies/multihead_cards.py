"""Two cards asked for at once: one head of attention, or more, of the same size.

A head that returns 0.7 of one value and 0.3 of another keeps the two apart by their
amounts. A linear map cannot read that; so some runs read it by a feed-forward network.
"""

import torch
from torch import Tensor, nn
from torch.nn.functional import cross_entropy

from lookback.multihead import MultiHeadAttention
from lookback.workshop import Row, Study, case, grid, practise, seeds

LETTERS, DIGITS, CARDS = 26, 10, 6
D_MODEL = 32
BATCH = 64
STEPS = 400
LONGER = 5  # times as many steps: does one head catch up?
SLOW = 3e-3  # a rate at which one head finds 0.7 and 0.3
HIDDEN = 64
TESTS = 2000


class Answerer(nn.Module):
    """A card is the sum of two embeddings, and so is a question for two letters."""

    def __init__(self, h: int, hidden: int = 0) -> None:
        super().__init__()
        self.letter, self.digit = (nn.Embedding(n, D_MODEL) for n in (LETTERS, DIGITS))
        self.first, self.second = (nn.Embedding(LETTERS, D_MODEL) for _ in range(2))
        self.attention = MultiHeadAttention(D_MODEL, h)
        layers = [nn.Linear(D_MODEL, hidden), nn.ReLU()] if hidden else []
        self.out = nn.Sequential(*layers, nn.Linear(hidden or D_MODEL, 2 * DIGITS))

    def forward(
        self, letters: Tensor, digits: Tensor, asked: Tensor
    ) -> tuple[Tensor, Tensor]:
        """letters, digits (B, 6); asked (B, 2) → (B, 2, 10); weights (B, h, 6)"""
        cards = self.letter(letters) + self.digit(digits)
        question = self.first(asked[:, :1]) + self.second(asked[:, 1:])  # (B, 1, d)
        found, weights = self.attention(question, cards, cards)
        return self.out(found).view(-1, 2, DIGITS), weights[:, :, 0]


def dealt(size: int, generator: torch.Generator) -> tuple[Tensor, Tensor, Tensor]:
    """Letters and digits (size, 6) of the cards; the positions of two (size, 2)."""
    order = torch.rand(size, LETTERS, generator=generator).argsort(dim=1)
    digits = torch.randint(DIGITS, (size, CARDS), generator=generator)
    asked = torch.rand(size, CARDS, generator=generator).argsort(dim=1)[:, :2]
    return order[:, :CARDS], digits, asked


def cards(
    h: int, seed: int, steps: int = STEPS, rate: float = 1e-2, hidden: int = 0
) -> Row:
    """Name the digits on two of six cards, in the order of the question.

    hidden  0: a linear map reads the output of attention; n: a feed-forward network

    Shares of 2 000 new questions, the same for all networks:
    both            both digits are right
    one             exactly one is
    on the asked    the mean weight of a head on the two cards together
    on one of them  the mean of the larger of these two weights
    on the other    the mean of the smaller
    """

    def loss(model: Answerer, generator: torch.Generator) -> Tensor:
        letters, digits, asked = dealt(BATCH, generator)
        logits, _ = model(letters, digits, letters.gather(1, asked))
        return cross_entropy(logits.flatten(0, 1), digits.gather(1, asked).flatten())

    model, _ = practise(
        lambda: Answerer(h, hidden), loss, seed=seed, steps=steps, rate=rate
    )
    letters, digits, asked = dealt(TESTS, seeds.generator(2017))
    with torch.no_grad():
        logits, weights = model(letters, digits, letters.gather(1, asked))
    right = (logits.argmax(dim=2) == digits.gather(1, asked)).sum(dim=1)
    two = weights.gather(2, asked.unsqueeze(1).expand(-1, h, -1))
    return {
        "parameters": sum(p.numel() for p in model.parameters()),
        "both": (right == 2).float().mean().item(),
        "one": (right == 1).float().mean().item(),
        "on the asked": two.sum(dim=2).mean().item(),
        "on one of them": two.amax(dim=2).mean().item(),
        "on the other": two.amin(dim=2).mean().item(),
    }


ALL, SOME, LONG = range(5), range(3), [LONGER * STEPS]
FED: dict[str, list[float]] = {"rate": [SLOW], "hidden": [HIDDEN]}

STUDY = Study(
    about="two cards asked for at once, by the number of heads",
    cases={
        **grid("h {h}, seed {seed}", cards, h=(1, 2, 4), seed=ALL),
        **grid("h {h}, longer, seed {seed}", cards, h=[1], seed=SOME, steps=LONG),
        **grid("h {h}, slow, seed {seed}", cards, h=(1, 2), seed=SOME, rate=[SLOW]),
        **grid("h {h}, feed-forward, slow, seed {seed}", cards,
               h=(1, 2), seed=SOME, **FED),
        **grid("h {h}, longer, slow, seed {seed}", cards,
               h=(1, 2), seed=SOME, steps=LONG, rate=[SLOW]),
        **grid("h {h}, longer, feed-forward, slow, seed {seed}", cards,
               h=(1, 2), seed=SOME, steps=LONG, **FED),
    },
    check=case(cards, h=2, seed=0, steps=5),
)  # fmt: skip

"""Two cards asked for at once: one head of attention, or more, of the same size."""

from dataclasses import dataclass

import torch
from torch import Tensor, nn
from torch.nn.functional import cross_entropy

from lookback.multihead import MultiHeadAttention
from lookback.workshop import Row, Study, seeds

LETTERS, DIGITS, CARDS = 26, 10, 6
D_MODEL = 32
HEADS = (1, 2, 4)
SEEDS = (0, 1, 2, 3, 4)
STEPS = 400
LONGER = 5  # times as many steps: does one head catch up?
TESTS = 2000


@dataclass(frozen=True)
class Cards:
    """A task: name the digits on two of six cards, in the order of the question."""

    h: int
    seed: int
    steps: int = STEPS
    rate: float = 1e-2
    batch: int = 64


class Answerer(nn.Module):
    """A card is the sum of two embeddings, and so is a question for two letters."""

    def __init__(self, h: int) -> None:
        super().__init__()
        self.letter, self.digit = (nn.Embedding(n, D_MODEL) for n in (LETTERS, DIGITS))
        self.first, self.second = (nn.Embedding(LETTERS, D_MODEL) for _ in range(2))
        self.attention = MultiHeadAttention(D_MODEL, h)
        self.out = nn.Linear(D_MODEL, 2 * DIGITS)

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


def learned(task: Cards) -> Answerer:
    """The network after its training."""
    generator = seeds.generator(task.seed)
    with seeds.seeded(task.seed):
        model = Answerer(task.h)
    optimiser = torch.optim.Adam(model.parameters(), task.rate)
    for _ in range(task.steps):
        letters, digits, asked = dealt(task.batch, generator)
        logits, _ = model(letters, digits, letters.gather(1, asked))
        loss = cross_entropy(logits.flatten(0, 1), digits.gather(1, asked).flatten())
        optimiser.zero_grad()
        loss.backward()  # type: ignore[no-untyped-call]
        optimiser.step()
    return model.eval()


def measured(task: Cards) -> Row:
    """Shares of 2 000 new questions, the same for all networks.

    both            both digits are right
    one             exactly one is
    on the asked    the mean weight of a head on the two cards together
    on one of them  the mean of the larger of these two weights
    """
    model = learned(task)
    letters, digits, asked = dealt(TESTS, seeds.generator(2017))
    with torch.no_grad():
        logits, weights = model(letters, digits, letters.gather(1, asked))
    right = (logits.argmax(dim=2) == digits.gather(1, asked)).sum(dim=1)
    two = weights.gather(2, asked.unsqueeze(1).expand(-1, task.h, -1))
    return {
        "parameters": sum(p.numel() for p in model.parameters()),
        "both": (right == 2).float().mean().item(),
        "one": (right == 1).float().mean().item(),
        "on the asked": round(two.sum(dim=2).mean().item(), 4),
        "on one of them": round(two.amax(dim=2).mean().item(), 4),
    }


def case(h: int, seed: int, longer: bool = False) -> str:
    """The name of a network: "h 1, seed 0", "h 1, longer, seed 0"."""
    return f"h {h}, longer, seed {seed}" if longer else f"h {h}, seed {seed}"


STUDY = Study(
    about="two cards asked for at once, by the number of heads",
    cases={
        **{case(h, seed): Cards(h, seed) for h in HEADS for seed in SEEDS},
        **{case(1, seed, True): Cards(1, seed, LONGER * STEPS) for seed in SEEDS[:3]},
    },
    measure=measured,
    check=None,  # on another processor its steps can end elsewhere
)

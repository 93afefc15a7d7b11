"""Two cards asked for at once: one head of attention, or more, of the same size.

A head that returns 0.7 of one value and 0.3 of another keeps the two apart by their
amounts. A linear map cannot read that; so some runs read it by a feed-forward network.
"""

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
SLOW = 3e-3  # a rate at which one head finds 0.7 and 0.3
HIDDEN = 64
TESTS = 2000


@dataclass(frozen=True)
class Cards:
    """A task: name the digits on two of six cards, in the order of the question.

    hidden  0: a linear map reads the output of attention; n: a feed-forward network
    """

    h: int
    seed: int
    steps: int = STEPS
    rate: float = 1e-2
    batch: int = 64
    hidden: int = 0


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


def learned(task: Cards) -> Answerer:
    """The network after its training."""
    generator = seeds.generator(task.seed)
    with seeds.seeded(task.seed):
        model = Answerer(task.h, task.hidden)
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
    on the other    the mean of the smaller
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
        "on the other": round(two.amin(dim=2).mean().item(), 4),
    }


def case(
    h: int, seed: int, longer: bool = False, hidden: int = 0, slow: bool = False
) -> str:
    """The name of a network: "h 1, seed 0", "h 1, longer, feed-forward, seed 0"."""
    parts = {"longer": longer, "feed-forward": hidden, "slow": slow}
    return ", ".join([f"h {h}", *(p for p in parts if parts[p]), f"seed {seed}"])


STUDY = Study(
    about="two cards asked for at once, by the number of heads",
    cases={
        **{case(h, seed): Cards(h, seed) for h in HEADS for seed in SEEDS},
        **{case(1, seed, True): Cards(1, seed, LONGER * STEPS) for seed in SEEDS[:3]},
        **{
            case(h, seed, longer, hidden, True): Cards(
                h, seed, STEPS * (LONGER if longer else 1), SLOW, hidden=hidden
            )
            for h in (1, 2)
            for longer in (False, True)
            for hidden in (0, HIDDEN)
            for seed in SEEDS[:3]
        },
    },
    measure=measured,
    check=None,  # on another processor its steps can end elsewhere
)

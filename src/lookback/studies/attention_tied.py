"""One head with shared matrices, W_Q = W_K or W_K = W_V, against one with three."""

import torch
from torch import Tensor, nn
from torch.nn.functional import cross_entropy

from lookback.attention import scaled_dot_product_attention
from lookback.workshop import Row, Study, case, practise, seeds

LETTERS, DIGITS, CARDS = 26, 10, 6
D_MODEL, D_K = 32, 16
TASKS = {"the same letter": 0, "the next letter": 1}
TIES = ("three matrices", "queries as keys", "keys as values")
STEPS, BATCH, RATE = 400, 64, 1e-2
TESTS = 2000


class Answerer(nn.Module):
    """A card is the sum of two embeddings, a question one embedding."""

    def __init__(self, tied: str) -> None:
        super().__init__()
        self.letter, self.digit = (nn.Embedding(n, D_MODEL) for n in (LETTERS, DIGITS))
        self.W_Q, self.W_K, self.W_V = (
            nn.Linear(D_MODEL, D_K, bias=False) for _ in range(3)
        )
        if tied == "queries as keys":
            self.W_Q = self.W_K
        elif tied == "keys as values":
            self.W_V = self.W_K
        self.out = nn.Linear(D_K, DIGITS)

    def forward(
        self, letters: Tensor, digits: Tensor, asked: Tensor
    ) -> tuple[Tensor, Tensor]:
        """letters, digits (B, 6); asked (B, 1) → (B, 10); weights (B, 6)"""
        cards = self.letter(letters) + self.digit(digits)
        found, weights = scaled_dot_product_attention(
            self.W_Q(self.letter(asked)), self.W_K(cards), self.W_V(cards)
        )
        return self.out(found)[:, 0], weights[:, 0]


def dealt(
    size: int, ahead: int, generator: torch.Generator
) -> tuple[Tensor, Tensor, Tensor, Tensor]:
    """Letters and digits (size, 6); the letter asked for (size, 1), the card wanted.

    The letters follow each other in the alphabet, after z comes a, and are shuffled. So
    the letters before and after the one that is asked for are mostly both there.
    """
    first = torch.randint(LETTERS, (size, 1), generator=generator)
    order = torch.rand(size, CARDS, generator=generator).argsort(dim=1)
    digits = torch.randint(DIGITS, (size, CARDS), generator=generator)
    asked = torch.randint(CARDS - ahead, (size, 1), generator=generator)
    wanted = (order == asked + ahead).int().argmax(dim=1, keepdim=True)
    return (first + order) % LETTERS, digits, (first + asked) % LETTERS, wanted


def head(ahead: int, tied: str, seed: int, steps: int = STEPS) -> Row:
    """Six cards, each with a letter and a digit: which digit is on the card wanted?

    ahead  0: the card with the letter of the question; 1: with the letter after it
    tied   which matrices are one

    Of 2 000 new questions, the same for all: the share of right answers, and
    "on the card", the mean weight on the card that is wanted.
    """

    def loss(model: Answerer, generator: torch.Generator) -> Tensor:
        letters, digits, asked, wanted = dealt(BATCH, ahead, generator)
        logits, _ = model(letters, digits, asked)
        return cross_entropy(logits, digits.gather(1, wanted)[:, 0])

    model, _ = practise(lambda: Answerer(tied), loss, seed=seed, steps=steps, rate=RATE)
    generator = seeds.generator(2017)
    letters, digits, asked, wanted = dealt(TESTS, ahead, generator)
    with torch.no_grad():
        logits, weights = model(letters, digits, asked)
    right = logits.argmax(dim=1) == digits.gather(1, wanted)[:, 0]
    return {
        "parameters": sum(p.numel() for p in model.parameters()),
        "right": right.float().mean().item(),
        "on the card": weights.gather(1, wanted).mean().item(),
    }


STUDY = Study(
    about="one head with three matrices, or with two of them the same",
    cases={
        f"{task}, {tied}, seed {seed}": case(head, ahead=ahead, tied=tied, seed=seed)
        for task, ahead in TASKS.items()
        for tied in TIES
        for seed in range(5)
    },
    check=case(head, ahead=1, tied="three matrices", seed=0, steps=5),
)

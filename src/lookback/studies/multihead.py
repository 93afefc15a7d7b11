"""What more heads do: two cards asked for at once, and a small language model.

A head that returns 0.7 of one value and 0.3 of another keeps the two apart by their
amounts. A linear map cannot read that; so some runs read it by a feed-forward network.
"""

from collections.abc import Sequence

import torch
from torch import Tensor, nn
from torch.nn.functional import cross_entropy

from lookback.multihead import MultiHeadAttention
from lookback.trainer import seeds
from lookback.trainer.data import corpus, english
from lookback.trainer.learner import Vocabularies, Words, train_recipe
from lookback.trainer.recipe import Recipe, smoke_recipe
from lookback.trainer.study import Experiment, Row, Study, grid
from lookback.trainer.toys import train_toy

from .attention import SEEDS, HeadsConfig, M, OneLayerLearner, recipe, scores

HEADS = (1, 4, 16)  # of the language model
LETTERS, DIGITS, CARDS = 26, 10, 6
D_MODEL, BATCH, STEPS, TESTS = 32, 64, 400, 2000
LONGER = 5  # times as many steps: does one head catch up?
SLOW = 3e-3  # a rate at which one head finds 0.7 and 0.3
HIDDEN = 64


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

    model, _ = train_toy(
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


def measured(recipe: Recipe[OneLayerLearner]) -> Row:
    """Train a language model; its scores, and, of seed 0, the weights of a sentence."""
    learner = train_recipe(recipe)
    row = scores(learner)
    if recipe.seed == 0:
        row["words"] = shown(english(corpus(recipe.data), "test"))
        row["weights"] = head_weights(
            learner.network, learner.vocabularies, row["words"]
        )
    return row


def shown(sentences: Sequence[Words]) -> list[str]:
    """The first sentence of 6 or 7 words with *that* or *who*."""
    return next(
        list(s) for s in sentences if 6 <= len(s) <= 7 and {"that", "who"} & {*s}
    )


def head_weights(
    model: nn.Module, vocabularies: Vocabularies, sentence: Words
) -> list[list[list[float]]]:
    """The weights (h, T, T) of each head on <s> and the words of a sentence."""
    words = vocabularies["words"]
    model.eval()
    with torch.no_grad():
        _, weights = model(torch.tensor([[words.start, *words.ids(sentence)]]))
    heads = weights.reshape(-1, *weights.shape[-2:])  # one head has no axis of its own
    found: list[list[list[float]]] = heads.tolist()
    return found


STUDY = Study(
    "one layer of attention, with one head and with many: two cards, and the next word",
    {
        "cards": Experiment(
            cards,
            grid(h=(1, 2, 4), steps=[STEPS], rate=[1e-2], hidden=[0], seed=range(5))
            + grid(h=[1], steps=[LONGER * STEPS], rate=[1e-2], hidden=[0], seed=SEEDS)
            + grid(
                h=(1, 2),
                steps=(STEPS, LONGER * STEPS),
                rate=[SLOW],
                hidden=(0, HIDDEN),
                seed=SEEDS,
            ),
            smoke={"h": 2, "seed": 0, "steps": 5},
        ),
        "words": Experiment(
            measured,
            grid(h=HEADS, seed=SEEDS),
            smoke={
                "recipe": smoke_recipe(recipe(HeadsConfig(M, 4), 0, steps=10), 3500)
            },
            arguments=lambda h, seed: {"recipe": recipe(HeadsConfig(M, h), seed)},
        ),
    },
)

"""Post-norm, as in the paper, and pre-norm: six and twelve layers, warmed up or not.

A small language model of the Transformer's layers under a causal mask.
"""

from collections.abc import Sequence
from dataclasses import dataclass

import torch
from torch import Tensor, nn

from lookback.attention import causal_mask, projection
from lookback.encoder import Encoder, FeedForward, LayerConfig
from lookback.positions import SinusoidalPositions
from lookback.text.batches import Batch, framed, pad
from lookback.text.vocabulary import Vocabulary
from lookback.trainer.data import corpus, english
from lookback.trainer.language import TEXTS, LanguageLearner
from lookback.trainer.learner import Vocabularies, Words, summary, train_recipe
from lookback.trainer.recipe import Budget, Optimiser, Recipe, smoke_recipe
from lookback.trainer.study import Experiment, Row, Setting, Study, grid

DEPTHS = (6, 12)  # layers
ORDERS = {"post": False, "pre": True}
RATES = (1e-3, 3e-3)
STEPS, WARMUP = 360, 100
POINTS = 20  # of the training loss
READ = 50  # sentences on which the first gradient is measured


@dataclass(frozen=True, kw_only=True)
class NormedConfig(LayerConfig):
    """N layers under a causal mask."""

    N: int


class Normed(nn.Module):
    """P(w_{t+1} | w_1 … w_t): embeddings, N layers, scores of the next word."""

    def __init__(self, config: NormedConfig, V: int) -> None:
        super().__init__()
        self.e = nn.Embedding(V, config.d_model)
        self.positions = SinusoidalPositions(config.d_model)
        self.stack = Encoder(config, config.N)
        self.A = projection(config.d_model, V)

    def forward(self, ids: Tensor) -> Tensor:
        """ids (B, T) → logits (B, T, V)"""
        x, T = self.e(ids) + self.positions(ids.size(1)), ids.size(1)
        for layer in self.stack.layers:
            x, _ = layer(x, causal_mask(T, device=ids.device))
        logits: Tensor = self.A(self.stack.norm(x))
        return logits


class NormedLearner(LanguageLearner):
    """Padding follows the words, where the causal mask hides it."""

    def build(self, vocabularies: Vocabularies) -> nn.Module:
        return Normed(self.recipe.model, len(vocabularies["words"]))

    def logits(self, network: nn.Module, ids: Tensor) -> Tensor:
        logits: Tensor = network(ids)
        return logits


def recipe(
    N: int, order: str, rate: float, warmup: int, seed: int, steps: int = STEPS
) -> Setting:
    """All learn from the grammar's English."""
    made: Recipe[NormedLearner] = Recipe(
        NormedLearner,
        data=TEXTS["grammar"],
        seed=seed,
        model=NormedConfig(d_model=64, h=4, d_ff=128, N=N, norm_first=ORDERS[order]),
        optimiser=Optimiser("adam", rate, warmup=warmup, decay="linear"),
        budget=Budget(steps=steps, tokens=500, evaluate_every=steps),
    )
    return {"recipe": made}


def measured(recipe: Recipe[NormedLearner]) -> Row:
    """Train: the test perplexity, the loss, and the gradient before the first step.

    losses    of training, POINTS means one after the other
    gradient  of the last layer's feed-forward network: ‖∂ loss / ∂ W_2‖
    """
    learner, text = train_recipe(recipe), corpus(recipe.data)
    assert learner.log is not None
    network, read = learner.untrained(learner.vocabularies), english(text, "validation")
    loss, tokens = learner.loss(network, together(read[:READ], learner.vocabularies))
    (loss / tokens).backward()  # type: ignore[no-untyped-call]
    networks = [part for part in network.modules() if isinstance(part, FeedForward)]
    last = networks[-1].W_2.weight.grad
    assert last is not None
    curve = torch.tensor([point[1] for point in learner.log.curve()])
    means = [part.mean().item() for part in curve.chunk(POINTS)]
    score = summary(learner, text)["test perplexity"]
    return {"test perplexity": score, "losses": means, "gradient": last.norm().item()}


def together(text: Sequence[Words], vocabularies: Vocabularies) -> Batch:
    """All sentences as one batch, in their order."""
    words: Vocabulary = vocabularies["words"]
    target, mask = pad([framed(sentence, words) for sentence in text], words.pad)
    return Batch(torch.arange(len(text)), target, mask, target[:, :0], mask[:, :0])


STUDY = Study(
    "six and twelve layers, post-norm and pre-norm, warmed up or not",
    {
        "orders": Experiment(
            measured,
            grid(N=DEPTHS, order=ORDERS, rate=RATES, warmup=(0, WARMUP), seed=(0, 1)),
            smoke={"recipe": smoke_recipe(recipe(3, "pre", 1e-3, 0, 0, 5)["recipe"])},
            arguments=recipe,
        )
    },
)

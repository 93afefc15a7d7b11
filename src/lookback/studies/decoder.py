"""Target leakage: a decoder that sees the word that it is to predict.

Three translators are alike but for one line: one is right, in one the causal mask is
left out, in one the target is not shifted.
"""

from collections.abc import Iterable
from dataclasses import dataclass
from typing import Any

from torch import Tensor, nn
from torch.nn.functional import cross_entropy

from lookback.attention import scaled_dot_product_attention
from lookback.decoder import Decoder, KVCache, SelfAttention
from lookback.multihead import merge, split
from lookback.recipes.transformer import SmoothedConfig, TransformerLearner
from lookback.text.batches import Batch
from lookback.text.corpora import Lengths
from lookback.trainer import seeds
from lookback.trainer.data import corpus, pairs
from lookback.trainer.learner import Vocabularies, summary, train_recipe
from lookback.trainer.recipe import Budget, Data, Optimiser, Recipe, check_choice
from lookback.trainer.study import Experiment, Row, Setting, Study, grid
from lookback.transformer import Transformer

LEAKS = ("none", "mask", "shift")
STEPS, TOKENS = 500, 900
SHOWN = 3  # sentences of the validation, and what the first seed made of them
PAIRS, FEW = 20_000, 400
SHORT = Lengths(uniform=0.0, low=12, high=18, longest=18)
"""Sentences of at most 18 words, which are learned soonest."""


@dataclass(frozen=True, kw_only=True)
class LeakConfig(SmoothedConfig):
    """A Transformer with a fault, one of LEAKS.

    none   it has none
    mask   a position may attend to all positions of the target, later ones, too
    shift  the word that is to be predicted is also what is read
    """

    leak: str = "none"

    def __post_init__(self) -> None:
        check_choice("leak", self.leak, LEAKS)


class OpenAttention(SelfAttention):
    """Self-attention in which the causal mask was forgotten."""

    def forward(  # type: ignore[override]
        self, x: Tensor, cache: KVCache | None = None, mask: Tensor | None = None
    ) -> tuple[Tensor, Tensor, KVCache]:
        Q, K, V = (split(W(x), self.h) for W in (self.W_Q, self.W_K, self.W_V))
        cache = KVCache(K, V) if cache is None else cache.append(K, V)
        heads, weights = scaled_dot_product_attention(Q, *cache)
        return self.W_O(merge(heads)), weights, cache


def opened(decoder: Decoder) -> None:
    """Let all positions of the target attend to later ones."""
    layers: Iterable[Any] = decoder.layers
    for layer in layers:
        masked = layer.self_attention
        layer.self_attention = OpenAttention(masked.d_model, masked.h)
        layer.self_attention.load_state_dict(masked.state_dict())


class LeakLearner(TransformerLearner):
    """Builds and trains the three; all begin with the same numbers."""

    def build(self, vocabularies: Vocabularies) -> nn.Module:
        config, model = self.recipe.model, super().build(vocabularies)
        assert isinstance(model, Transformer)
        if config.leak == "mask":
            opened(model.decoder)
        return model

    def loss(self, network: nn.Module, batch: Batch) -> tuple[Tensor, int]:
        """Unsmoothed. Not shifted, each position reads what it has to predict."""
        config: LeakConfig = network.config  # type: ignore[assignment]
        wanted, real = batch.target[:, 1:], batch.target_mask[:, 1:]
        read = wanted if config.leak == "shift" else batch.target[:, :-1]
        logits, _ = network(batch.source, batch.source_mask, read)
        total = cross_entropy(logits[real], wanted[real], reduction="sum")
        return total, batch.tokens


def recipe(leak: str, seed: int, steps: int = STEPS, pairs: int = PAIRS) -> Setting:
    """All learn in the same way from the same pairs."""
    options = (("pairs", pairs), ("seed", 0), ("size", "small"), ("lengths", SHORT))
    made: Recipe[LeakLearner] = Recipe(
        LeakLearner,
        data=Data("grammar", options),
        seed=seed,
        model=LeakConfig(N=2, d_model=64, h=4, d_ff=256, leak=leak),
        optimiser=Optimiser("adam", 6e-3, warmup=100, decay="linear", clip=1.0),
        budget=Budget(steps=steps, tokens=TOKENS, evaluate_every=steps),
    )
    return {"recipe": made}


def measured(recipe: Recipe[LeakLearner]) -> Row:
    """Train; the loss by teacher forcing, and what is written without it."""
    learner, text = train_recipe(recipe), corpus(recipe.data)
    read = learner.batches(text, "validation", seeds.generator(0))
    assert learner.log is not None
    told = summary(learner, text)
    row: Row = {
        "parameters": told["parameters"],
        "test BLEU": told["test BLEU"],
        "validation loss": learner.mean_loss(learner.network, read),
        "curve": learner.log.curve(),
    }
    if recipe.seed == 0:
        sources = [pair.source for pair in pairs(text, "validation")[:SHOWN]]
        row["sources"] = [" ".join(source) for source in sources]
        row["written"] = [" ".join(words) for words in learner.decode(sources)]
    return row


STUDY = Study(
    "translators whose decoder sees the word that it is to predict",
    {
        "translators": Experiment(
            measured,
            grid(leak=LEAKS, seed=(0, 1)),
            smoke=recipe("mask", 1, 3, FEW),
            arguments=recipe,
        )
    },
)

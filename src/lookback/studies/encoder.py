"""What the feed-forward network adds to attention, and what depth adds.

Ten positions in a circle hold a digit each; all answer at once, and each answer needs
what other positions hold: the two neighbours, or those to which the digits point. And a
masked language model of two layers predicts some words of a sentence from both sides.
"""

import math
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from typing import Any

import torch
from torch import Tensor, nn
from torch.nn.functional import cross_entropy, linear, one_hot

from lookback.checks import shapes
from lookback.encoder import EncoderLayer, FeedForward, LayerConfig
from lookback.layernorm import LayerNorm
from lookback.multihead import MultiHeadAttention
from lookback.positions import SinusoidalPositions
from lookback.text.batches import Batch, sentence_batches
from lookback.trainer import seeds
from lookback.trainer.data import AnyCorpus, corpus, english, vocabulary
from lookback.trainer.fit import Batches
from lookback.trainer.language import TEXTS
from lookback.trainer.learner import (
    Metrics,
    NeuralLearner,
    Vocabularies,
    Words,
    summary,
    train_recipe,
)
from lookback.trainer.recipe import (
    Budget,
    Optimiser,
    Recipe,
    check_choice,
    smoke_recipe,
)
from lookback.trainer.study import Experiment, Row, Setting, Study, grid
from lookback.trainer.toys import train_toy

S = 10  # positions, and digits
BATCH, TESTS = 64, 1000
RATES = (0.01, 0.03)
STEPS, LONGER = 600, 1200  # does attention alone catch up?
PRODUCT: dict[str, dict[str, Any]] = {
    "both": {"parts": "both", "N": 1},
    "attention alone, six heads": {"parts": "attention", "N": 1, "h": 6, "d_k": 8},
    "attention alone, three layers": {"parts": "attention", "N": 3},
    "feed-forward alone": {"parts": "feed-forward", "N": 1, "d_ff": 97},
}
"""All have as many parameters, within four in a hundred."""
HOPS: dict[str, dict[str, Any]] = {
    "one layer, wider": {"parts": "both", "N": 1, "d_ff": 195},
    "two layers": {"parts": "both", "N": 2, "d_ff": 64},
    "two layers, attention alone": {"parts": "attention", "N": 2},
}
"""The first has as many parameters as the second, within one in a hundred."""

SHARE = 0.15  # of the words that are masked
EVALUATION_TOKENS = 4000  # a batch's, when nothing is learned from it
LM_STEPS, LM_RATES = 800, (4e-3, 8e-3, 1.6e-2)
MODELS: dict[str, dict[str, Any]] = {
    "both": {},
    "attention alone": {"parts": "attention"},
    "attention alone, wider": {"parts": "attention", "h": 12, "d_k": 16, "d_v": 16},
    "feed-forward alone": {"parts": "feed-forward"},
}
"""Two layers each. The third has as many parameters as the first, within one in a
hundred: instead of a network, three times as many heads."""
SWEPT = ("both", "attention alone, wider")  # at every rate, from the first seed


class AttentionLayer(nn.Module):
    """An encoder layer without its feed-forward network."""

    def __init__(self, config: LayerConfig) -> None:
        super().__init__()
        sizes = config.d_model, config.h, config.d_k, config.d_v
        self.self_attention = MultiHeadAttention(*sizes)
        self.norm = LayerNorm(config.d_model)
        self.norm_first = config.norm_first

    def forward(self, x: Tensor, mask: Tensor | None = None) -> tuple[Tensor, Tensor]:
        z = self.norm(x) if self.norm_first else x
        y, weights = self.self_attention(z, z, z, mask)
        return (x + y if self.norm_first else self.norm(x + y)), weights


class FeedForwardLayer(nn.Module):
    """An encoder layer without attention: each position attends to itself."""

    def __init__(self, config: LayerConfig) -> None:
        super().__init__()
        self.feed_forward = FeedForward(config.d_model, config.d_ff)
        self.norm = LayerNorm(config.d_model)
        self.norm_first = config.norm_first

    def forward(self, x: Tensor, mask: Tensor | None = None) -> tuple[Tensor, Tensor]:
        B, S, _ = x.shape
        weights = torch.eye(S, device=x.device).expand(B, 1, S, S)
        if self.norm_first:
            return x + self.feed_forward(self.norm(x)), weights
        return self.norm(x + self.feed_forward(x)), weights


LAYERS: dict[str, Callable[[LayerConfig], nn.Module]] = {
    "both": EncoderLayer,
    "attention": AttentionLayer,
    "feed-forward": FeedForwardLayer,
}


def answers(x: Tensor, task: str) -> list[Tensor]:
    """x (B, S) → what each position has to find on the way to its answer, the last.

    "product"  the last digit of the product of the two neighbours
    "hops"     the digit that is reached in two hops, as a digit is also the number of
               a position
    (B, S) each: its own digit, the left neighbour's or the one that its own points to,
    and the answer.
    """
    if task == "product":
        left, right = x.roll(1, dims=1), x.roll(-1, dims=1)
        return [x, left, left * right % 10]
    there = x.gather(1, x)
    return [x, there, x.gather(1, there)]


class Answerer(nn.Module):
    """Digits and their positions, N layers, and scores of ten digits."""

    def __init__(self, parts: str, N: int, config: LayerConfig) -> None:
        super().__init__()
        self.digit = nn.Embedding(S, config.d_model)
        self.position = nn.Embedding(S, config.d_model)
        self.layers = nn.ModuleList(LAYERS[parts](config) for _ in range(N))
        self.out = nn.Linear(config.d_model, S)

    def forward(self, x: Tensor) -> tuple[Tensor, list[Tensor]]:
        """x (B, S) → logits (B, S, 10); what each layer was given, and the last gave"""
        y = self.digit(x) + self.position.weight
        levels = [y]
        for layer in self.layers:
            y, _ = layer(y, None)
            levels.append(y)
        return self.out(y), levels


def readable(level: Tensor, wanted: Tensor) -> float:
    """How well a linear probe reads digits `wanted` (B, S) off vectors (B, S, d).

    It is fitted to the first half by least squares; → its share right on the second.
    What a LayerNorm gives has features that sum to the same number, but for rounding:
    a direction as small as the rounding of its dtype is not fitted.
    """
    ones = torch.ones(*level.shape[:2], 1)
    x = torch.cat([level, ones], dim=2).double()
    half = len(x) // 2
    given = x[:half].flatten(0, 1)
    digits = one_hot(wanted[:half].flatten(), S).double()
    least = torch.finfo(level.dtype).eps * len(given)  # as numpy cuts
    probe = torch.linalg.lstsq(given, digits, rcond=least, driver="gelsd").solution
    right = (x[half:] @ probe).argmax(dim=2) == wanted[half:]
    return float(right.float().mean())


def answered(
    task: str,
    parts: str,
    N: int,
    seed: int,
    rate: float,
    steps: int,
    d_model: int = 16,
    d_ff: int = 64,
    h: int = 2,
    d_k: int | None = None,
) -> Row:
    """The share of new digits that is answered rightly; of hops what a probe can read.

    task    "product" or "hops"
    parts   one of LAYERS: what a layer is made of;  N  how many layers
    d_k     features of a head's queries, keys and values; without it d_model / h
    probes  for the input of each layer and the output of the last: each of `answers`
    """

    def loss(model: Answerer, generator: torch.Generator) -> Tensor:
        x = torch.randint(S, (BATCH, S), generator=generator)
        logits, _ = model(x)
        return cross_entropy(logits.flatten(0, 1), answers(x, task)[-1].flatten())

    config = LayerConfig(d_model=d_model, h=h, d_ff=d_ff, d_k=d_k, d_v=d_k)
    model, _ = train_toy(
        lambda: Answerer(parts, N, config),
        loss,
        seed=seed,
        steps=steps,
        rate=rate,
        falls=True,
    )
    x = torch.randint(S, (TESTS, S), generator=seeds.generator(2017))
    found = answers(x, task)
    with torch.no_grad():
        logits, levels = model(x)
    row: Row = {"right": (logits.argmax(dim=2) == found[-1]).float().mean().item()}
    if task == "hops":
        row["probes"] = [[readable(y, digits) for digits in found] for y in levels]
    return row


def digits(task: str, name: str, rate: float, steps: int, seed: int) -> Setting:
    """The arguments of a setting."""
    sizes = PRODUCT[name] if task == "product" else {"d_model": 32, **HOPS[name]}
    return {"task": task, "rate": rate, "steps": steps, "seed": seed, **sizes}


@dataclass(frozen=True, kw_only=True)
class MaskedConfig(LayerConfig):
    """A masked language model of N layers, each made of `parts`, one of LAYERS."""

    N: int
    parts: str = "both"

    def __post_init__(self) -> None:
        check_choice("parts", self.parts, LAYERS)


class MaskedLM(nn.Module):
    """P(w_s | the words that are not masked), at every position s.

    table (V + 1, d_model)  the vectors of the words, by which they are scored too; the
                            last is read where a word is masked
    """

    def __init__(self, config: MaskedConfig, V: int) -> None:
        super().__init__()
        self.V, d_model = V, config.d_model
        self.table = nn.Parameter(torch.randn(V + 1, d_model) / math.sqrt(d_model))
        self.positions = SinusoidalPositions(d_model)
        layer = LAYERS[config.parts]
        self.layers = nn.ModuleList(layer(config) for _ in range(config.N))

    def forward(self, ids: Tensor, mask: Tensor) -> Tensor:
        """ids, mask (B, S) → logits (B, S, V)."""
        shapes(ids=(ids, "B S"), mask=(mask, "B S"))
        x = self.table[ids] * math.sqrt(self.table.size(1))
        x = x + self.positions(ids.size(1))
        for layer in self.layers:
            x, _ = layer(x, mask.unsqueeze(1))
        return linear(x, self.table[:-1])


@dataclass(frozen=True)
class Masked:
    """Sentences with masked words.

    words   (B, S)  ids, then padding;  mask (B, S), True on words
    masked  (B, S)  True where the word is masked
    """

    words: Tensor
    mask: Tensor
    masked: Tensor


def mask_tokens(batch: Batch, generator: torch.Generator) -> Masked:
    """Mask each word with probability SHARE, and in each sentence at least one.

    <s> and </s> are taken away before.
    """
    words, mask = batch.target[:, 1:-1], batch.target_mask[:, 2:]
    drawn = torch.rand(words.shape, generator=generator).masked_fill(~mask, 1.0)
    return Masked(words, mask, (drawn < SHARE) | (drawn == drawn.amin(1, keepdim=True)))


class MaskedLearner(NeuralLearner):
    """Learns to predict masked tokens; the others have no loss."""

    network: MaskedLM

    def words_of(self, corpus: AnyCorpus) -> Vocabularies:
        return {"words": vocabulary(english(corpus, "train"), self.recipe.data)}

    def build(self, vocabularies: Vocabularies) -> nn.Module:
        return MaskedLM(self.recipe.model, len(vocabularies["words"]))

    def batches(
        self, corpus: AnyCorpus, split: str, generator: torch.Generator
    ) -> Batches:
        """In each epoch of train other words are masked; else always the same."""
        text, words = english(corpus, split), self.vocabularies["words"]
        if split != "train":
            return fixed_masks(text, self.vocabularies)
        options: Any = {"tokens": self.recipe.budget.tokens, "generator": generator}

        def epoch() -> Iterator[Masked]:
            batches = sentence_batches(text, words, **options)
            return (mask_tokens(batch, generator) for batch in batches)

        return epoch

    def loss(self, network: nn.Module, batch: Masked) -> tuple[Tensor, int]:
        right = batch.words[batch.masked]
        total = cross_entropy(self.logits(network, batch), right, reduction="sum")
        return total, len(right)

    def logits(self, network: nn.Module, batch: Masked) -> Tensor:
        """The scores of the masked words, (how many are masked, V)."""
        token: int = network.V  # type: ignore[assignment]
        read = batch.words.masked_fill(batch.masked, token)
        logits: Tensor = network(read, batch.mask)
        return logits[batch.masked]

    def evaluate(self, corpus: AnyCorpus) -> Metrics:
        """Perplexity of masked words, and the share whose likeliest word is right."""
        metrics = {}
        for split in ("validation", "test"):
            read = fixed_masks(english(corpus, split), self.vocabularies)
            with torch.no_grad():
                loss = self.mean_loss(self.network, read)
                best = [self.logits(self.network, b).argmax(dim=1) for b in read]
            metrics[f"{split} perplexity"] = math.exp(loss)
            right = torch.cat([batch.words[batch.masked] for batch in read])
            share = (torch.cat(best) == right).double().mean()
            metrics[f"{split} right"] = share.item()
        return metrics


def fixed_masks(text: Sequence[Words], vocabularies: Vocabularies) -> list[Masked]:
    """All sentences, of which the same words are masked each time."""
    generator = seeds.generator(0)
    read = sentence_batches(text, vocabularies["words"], tokens=EVALUATION_TOKENS)
    return [mask_tokens(batch, generator) for batch in read]


def recipe(name: str, rate: float, seed: int, steps: int = LM_STEPS) -> Setting:
    """All learn in the same way from the same text, in pre-norm."""
    sizes = {"d_model": 64, "h": 4, "d_ff": 256, **MODELS[name]}
    made: Recipe[MaskedLearner] = Recipe(
        MaskedLearner,
        data=TEXTS["grammar"],
        seed=seed,
        model=MaskedConfig(N=2, norm_first=True, **sizes),
        optimiser=Optimiser("adam", rate, warmup=50, decay="linear", clip=1.0),
        budget=Budget(steps=steps, tokens=900, evaluate_every=steps),
    )
    return {"recipe": made}


def predicted(recipe: Recipe[MaskedLearner]) -> Row:
    """Train; the perplexity of masked words."""
    row = summary(train_recipe(recipe), corpus(recipe.data))
    return {
        k: row[k] for k in ("parameters", "validation perplexity", "test perplexity")
    }


STUDY = Study(
    "products and hops of digits, and masked words, by what a layer is made of",
    {
        "digits": Experiment(
            answered,
            grid(
                task=["product"], name=PRODUCT, rate=RATES, steps=[STEPS], seed=range(5)
            )
            + grid(
                task=["product"],
                name=[name for name in PRODUCT if name.startswith("attention")],
                rate=RATES,
                steps=[LONGER],
                seed=range(3),
            )
            + grid(task=["hops"], name=HOPS, rate=[0.003], steps=[400], seed=range(3)),
            smoke={
                "task": "hops", "parts": "both", "N": 1, "seed": 0, "rate": 1e-2,
                "steps": 5,
            },
            arguments=digits,
        ),
        "words": Experiment(
            predicted,
            grid(name=SWEPT, rate=LM_RATES, seed=[0])
            + grid(name=SWEPT, rate=LM_RATES[1:2], seed=(1, 2))
            + grid(name=["attention alone"], rate=LM_RATES[1:2], seed=(0, 1, 2))
            + grid(name=["feed-forward alone"], rate=LM_RATES[1:2], seed=[0]),
            smoke={"recipe": smoke_recipe(recipe("both", LM_RATES[1], 1, 5)["recipe"])},
            arguments=recipe,
        ),
    },
)  # fmt: skip

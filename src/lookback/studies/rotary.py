"""Relative positions past the trained length: rotary, ALiBi and Shaw's embeddings.

The model of the study `positions`, one layer of attention alone, and a small pre-norm
Transformer of two layers. Both learn from sentences of up to 18 words, and predict the
words of the same long sentences.
"""

from collections.abc import Callable, Mapping
from dataclasses import dataclass

from torch import Tensor, nn

from lookback.attention import causal_mask
from lookback.encoder import EncoderLayer, LayerConfig
from lookback.layernorm import LayerNorm
from lookback.multihead import MultiHeadAttention
from lookback.positions import LearnedPositions, SinusoidalPositions
from lookback.rotary import AlibiAttention, RelativeAttention, RotaryAttention
from lookback.studies.positions import (
    READ,
    SEEDS,
    SHORT,
    TABLE,
    OneLayer,
    long_sentences,
    spans,
)
from lookback.studies.positions import PositionsConfig as OldConfig
from lookback.workshop import (
    TEXTS,
    Budget,
    LanguageLearner,
    Optimiser,
    Recipe,
    Row,
    Study,
    Vocabularies,
    corpus,
    follow,
    known,
    outline,
)

REACH = 8
RELATIVE: Mapping[str, Callable[[int, int], MultiHeadAttention]] = {
    "rotary": RotaryAttention,
    "alibi": AlibiAttention,
    "relative": lambda m, h: RelativeAttention(m, h, REACH),
}
ABSOLUTE = ("sinusoidal", "learned", "none")
KINDS = (*RELATIVE, *ABSOLUTE)
DEEPER = ("rotary", "alibi", "sinusoidal", "none")  # those tried in two layers
M, H, WIDTH = 64, 4, 256
STEPS = 720


@dataclass(frozen=True)
class RelativeConfig:
    """One of KINDS; m features of a word's vector, h heads; one layer or two."""

    positions: str
    m: int
    h: int
    layers: int

    def __post_init__(self) -> None:
        known("kind of positions", self.positions, KINDS)


class TwoLayers(nn.Module):
    """Two pre-norm layers of masked attention and feed-forward networks."""

    def __init__(self, config: RelativeConfig, V: int) -> None:
        super().__init__()
        sizes = LayerConfig(d_model=config.m, h=config.h, d_ff=WIDTH, norm_first=True)
        self.e = nn.Embedding(V, config.m)
        self.layers = nn.ModuleList(EncoderLayer(sizes) for _ in range(config.layers))
        self.norm, self.A = LayerNorm(config.m), nn.Linear(config.m, V, bias=False)
        self.positions: nn.Module | None = None
        if config.positions == "sinusoidal":
            self.positions = SinusoidalPositions(config.m)
        elif config.positions == "learned":
            self.positions = LearnedPositions(TABLE, config.m)
        for layer in self.layers:
            if config.positions in RELATIVE:
                layer.self_attention = RELATIVE[config.positions](config.m, config.h)

    def forward(self, ids: Tensor) -> Tensor:
        """ids (B, T) → logits (B, T, V)"""
        x, T = self.e(ids), ids.size(1)
        if self.positions is not None:
            x = x + self.positions(T)
        for layer in self.layers:
            x, _ = layer(x, causal_mask(T, device=ids.device))
        logits: Tensor = self.A(self.norm(x))
        return logits


class RelativeLearner(LanguageLearner):
    """Padding follows the words, where the causal mask hides it."""

    def build(self, vocabularies: Vocabularies) -> nn.Module:
        c, V = self.recipe.model, len(vocabularies["words"])
        if c.layers > 1:
            return TwoLayers(c, V)
        absolute = c.positions if c.positions in ABSOLUTE else "none"
        network = OneLayer(OldConfig(absolute, c.m, c.h), V)
        if c.positions in RELATIVE:
            network.attention = RELATIVE[c.positions](c.m, c.h)
        return network

    def logits(self, network: nn.Module, ids: Tensor) -> Tensor:
        logits: Tensor = network(ids)
        return logits


def recipe(
    positions: str, layers: int, read: str, seed: int, steps: int = STEPS
) -> Recipe[RelativeLearner]:
    """All of one depth learn in the same way; `read` is one of READ."""
    known("text", read, READ)
    one = Optimiser("adam", 1e-2, decay="linear", clip=1.0)  # that of `positions`
    two = Optimiser("adam", 4e-3, warmup=60, decay="linear", clip=1.0)
    return Recipe(
        RelativeLearner,
        data=SHORT if read == "short" else TEXTS["grammar"],
        seed=seed,
        model=RelativeConfig(positions, M, H, layers),
        optimiser=one if layers == 1 else two,
        budget=Budget(steps=steps, tokens=500, evaluate_every=steps),
    )


def measured(recipe: Recipe[RelativeLearner]) -> Row:
    """Train; perplexity of unseen sentences of the text, and by span of long ones."""
    learner, text = follow(recipe), corpus(recipe.data)
    row: Row = outline(learner, text)
    row["spans"] = spans(learner.log_probabilities(long_sentences()))
    return row


def label(positions: str, layers: int, read: str, seed: int) -> str:
    return f"{positions}, {layers} layers, {read}, seed {seed}"


def asked() -> list[tuple[str, int, str, int]]:
    """What is measured; absolute positions in one layer are in the study `positions`."""
    one = [(kind, 1, "short", seed) for kind in RELATIVE for seed in SEEDS]
    return one + [(kind, 2, "short", seed) for kind in DEEPER for seed in SEEDS]


STUDY = Study(
    about="relative positions in one layer and two, past the trained length",
    cases={
        **{label(*case): recipe(*case) for case in asked()},
        "quick": recipe("alibi", 2, "short", 0, 8),
    },
    measure=measured,
    check="quick",
)

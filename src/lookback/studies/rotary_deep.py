"""Positions past the trained length, in a deeper model: a GPT of two layers.

The GPT of the book's tables, with its learned positions replaced by others or by none.
It learns from sentences of up to 18 words, and predicts those of the long sentences of
the study `positions`.
"""

from collections.abc import Callable, Mapping
from dataclasses import dataclass, replace

from torch import nn

from lookback.gpt import GPT, begin, biased
from lookback.multihead import MultiHeadAttention
from lookback.recipes.gpt import GPTLearner, TrainedConfig, on_text
from lookback.rotary import AlibiAttention, RotaryAttention
from lookback.workshop import Recipe, Study, Vocabularies, known, on_few

from .modern import NoPositions
from .positions import SHORT
from .rotary import measured

SEEDS = (0, 1, 2)
STEPS = 720
KINDS = ("learned", "none", "rotary", "alibi")
RELATIVE: Mapping[str, Callable[[int, int], MultiHeadAttention]] = {
    "rotary": RotaryAttention,
    "alibi": AlibiAttention,
}


@dataclass(frozen=True, kw_only=True)
class DeepConfig(TrainedConfig):
    """The sizes of the GPT, and one of KINDS of positions."""

    positions: str

    def __post_init__(self) -> None:
        super().__post_init__()
        known("kind of positions", self.positions, KINDS)


class DeepLearner(GPTLearner):
    """The learner of the GPT, with other positions."""

    def build(self, vocabularies: Vocabularies) -> nn.Module:
        c: DeepConfig = self.recipe.model
        network = GPT(c, len(vocabularies["words"]))
        if c.positions != "learned":
            network.p = NoPositions()  # type: ignore[assignment]
        if c.positions in RELATIVE:
            for block in network.blocks:
                block.attention = biased(RELATIVE[c.positions](c.d_model, c.h))
        begin(network, c.init, c.N)
        return network


def recipe(positions: str, seed: int, steps: int = STEPS) -> Recipe[DeepLearner]:
    """The GPT's, on short sentences."""
    old = on_text("grammar", seed, DeepLearner)
    assert old.optimiser is not None
    return Recipe(
        DeepLearner,
        data=SHORT,
        seed=seed,
        model=DeepConfig(**vars(old.model), positions=positions),
        optimiser=replace(old.optimiser, warmup=steps // 20),
        budget=replace(old.budget, steps=steps, evaluate_every=steps),
    )


STUDY = Study(
    about="positions past the trained length, in a GPT of two layers",
    cases={
        **{
            f"{kind}, seed {seed}": recipe(kind, seed)
            for seed in SEEDS
            for kind in KINDS
        },
        "quick": on_few(recipe("alibi", 0, 10)),
    },
    measure=measured,
    check="quick",
)

"""An encoder that finds hidden words from both sides, and what its layers hold."""

import math
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from typing import Any

import torch
from torch import Tensor, nn
from torch.nn.functional import cross_entropy, linear

from lookback.checks import whole
from lookback.encoder import EncoderLayer, LayerConfig, check_words
from lookback.positions import SinusoidalPositions
from lookback.text.batches import Batch, sentence_batches

from . import seeds
from .data import AnyCorpus, english, vocabulary
from .fit import Anew
from .makers import MAKERS, Metrics, Vocabularies, Words
from .neural import NeuralMaker
from .recipes import Recipe, known

PARTS = ("both", "attention", "feed-forward")
HIDDEN = 0.15  # the share of words that are hidden
MEASURED = 4000  # tokens a batch holds when nothing is learnt from it


@dataclass(frozen=True, kw_only=True)
class HiddenConfig(LayerConfig):
    """An encoder that finds hidden words.

    N      how many layers, 0 too
    parts  one of PARTS: what a layer is made of
    """

    N: int
    parts: str = "both"

    def __post_init__(self) -> None:
        super().__post_init__()
        known("parts", self.parts, PARTS)
        whole(0, N=self.N)


class LookLayer(nn.Module):
    """An encoder layer without its feed-forward network."""

    def __init__(self, config: LayerConfig) -> None:
        super().__init__()
        self.attention = config.attention()
        self.around = config.residual()

    def forward(self, x: Tensor, mask: Tensor) -> tuple[Tensor, Tensor]:
        read = self.around.into(x)
        found, weights = self.attention(read, read, read, mask)
        return self.around.out(x, found), weights


class ThinkLayer(nn.Module):
    """An encoder layer without its attention: each place looks at itself."""

    def __init__(self, config: LayerConfig) -> None:
        super().__init__()
        self.feed_forward = config.feed_forward()
        self.around = config.residual()

    def forward(self, x: Tensor, mask: Tensor) -> tuple[Tensor, Tensor]:
        thought = self.feed_forward(self.around.into(x))
        S = x.size(1)
        return self.around.out(x, thought), torch.eye(S, device=x.device).expand(
            len(x), 1, S, S
        )


LAYERS: dict[str, type[nn.Module]] = {
    "both": EncoderLayer,
    "attention": LookLayer,
    "feed-forward": ThinkLayer,
}


class Finder(nn.Module):
    """P(w_s | the words that are not hidden), at every place s.

    table (V + 1, d_model)  the vectors of the words, by which they are scored too; the
                            last is read where a word is hidden
    """

    def __init__(self, config: HiddenConfig, V: int) -> None:
        super().__init__()
        self.V, d_model = V, config.d_model
        self.table = nn.Parameter(torch.randn(V + 1, d_model) / math.sqrt(d_model))
        self.positions = SinusoidalPositions(d_model)
        layer = LAYERS[config.parts]
        self.layers = nn.ModuleList(layer(config) for _ in range(config.N))

    def forward(self, ids: Tensor, mask: Tensor) -> Tensor:
        """ids, mask (B, S) → logits (B, S, V)."""
        check_words(mask, *ids.shape)
        x = self.table[ids] * math.sqrt(self.table.size(1))
        x = x + self.positions(ids.size(1))
        for layer in self.layers:
            x, _ = layer(x, mask.unsqueeze(1))
        return linear(x, self.table[:-1])


@dataclass(frozen=True)
class Holes:
    """Sentences with hidden words.

    words   (B, S)  ids, padding behind;  mask (B, S), True on words
    hidden  (B, S)  True where the word is hidden
    """

    words: Tensor
    mask: Tensor
    hidden: Tensor


def holes(batch: Batch, chance: torch.Generator) -> Holes:
    """Hide each word with probability HIDDEN, and in each sentence at least one.

    <s> and </s> are taken away before.
    """
    words, mask = batch.target[:, 1:-1], batch.target_mask[:, 2:]
    drawn = torch.rand(words.shape, generator=chance).masked_fill(~mask, 1.0)
    return Holes(words, mask, (drawn < HIDDEN) | (drawn == drawn.amin(1, keepdim=True)))


class FinderMaker(NeuralMaker):
    """Learns to find what is hidden; what is not costs nothing."""

    def vocabularies(self, recipe: Recipe, corpus: AnyCorpus) -> Vocabularies:
        return {"words": vocabulary(english(corpus, "train"), recipe.data)}

    def module(self, config: Any, vocabularies: Vocabularies) -> nn.Module:
        return Finder(config, len(vocabularies["words"]))

    def batches(
        self,
        recipe: Recipe,
        vocabularies: Vocabularies,
        corpus: AnyCorpus,
        split: str,
        generator: torch.Generator,
    ) -> Iterable[Holes]:
        """Of train other words are hidden each time, of the rest always the same."""
        text, words = english(corpus, split), vocabularies["words"]
        if split != "train":
            return still(text, vocabularies)
        told: Any = {"tokens": recipe.budget.tokens, "generator": generator}

        def draw() -> Iterator[Holes]:
            return (holes(b, generator) for b in sentence_batches(text, words, **told))

        return Anew(draw)

    def loss(self, module: nn.Module, batch: Holes) -> tuple[Tensor, int]:
        right = batch.words[batch.hidden]
        total = cross_entropy(self.logits(module, batch), right, reduction="sum")
        return total, len(right)

    def logits(self, module: nn.Module, batch: Holes) -> Tensor:
        """The scores of the hidden words, (how many are hidden, V)."""
        hole: int = getattr(module, "module", module).V  # type: ignore[assignment]
        logits: Tensor = module(batch.words.masked_fill(batch.hidden, hole), batch.mask)
        return logits[batch.hidden]

    def measure(
        self, model: nn.Module, vocabularies: Vocabularies, corpus: AnyCorpus
    ) -> Metrics:
        """Perplexity of what is hidden, and the share whose likeliest word is right."""
        found = {}
        for split in ("validation", "test"):
            read = still(english(corpus, split), vocabularies)
            with torch.no_grad():
                found[f"{split} perplexity"] = math.exp(self.mean_loss(model, read))
                guessed = [self.logits(model, batch).argmax(dim=1) for batch in read]
            right = torch.cat([batch.words[batch.hidden] for batch in read])
            found[f"{split} right"] = (
                (torch.cat(guessed) == right).double().mean().item()
            )
        return found


def still(text: Sequence[Words], vocabularies: Vocabularies) -> list[Holes]:
    """All sentences, of which the same words are hidden each time."""
    chance = seeds.generator(0)
    read = sentence_batches(text, vocabularies["words"], tokens=MEASURED)
    return [holes(batch, chance) for batch in read]


MAKERS[HiddenConfig] = FinderMaker()

"""A study of the encoder: what looking is for, what thinking, and how deep.

Some words of a sentence are hidden, and an encoder is to find them from both sides:
with few layers and many, without attention, and without the feed-forward network.
"""

import math
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from typing import Any

import torch
from torch import Tensor, nn
from torch.nn.functional import cross_entropy, linear

from lookback.attention import check_size
from lookback.encoder import EncoderLayer, LayerConfig, check_words
from lookback.positions import SinusoidalPositions
from lookback.text.batches import Batch, sentence_batches

from . import seeds
from .data import AnyCorpus, corpus, english, vocabulary
from .fit import Anew
from .language_models import TEXTS, follow
from .makers import MAKERS, Metrics, Vocabularies, Words, maker_of
from .neural import NeuralMaker
from .recipes import Budget, Optimiser, Recipe, known
from .studies import STUDIES, Row, Study
from .translators import curve

PARTS = ("both", "attention", "feed-forward")
HIDDEN = 0.15  # the share of words that are hidden
SEEDS = (0, 1)
M, H, D_FF = 64, 4, 256
STEPS, TOKENS = 800, 900
LONGER = 4  # times as many steps
PRIOR = 20.0
MEASURED = 4000  # tokens a batch holds when nothing is learnt from it
SHOWN = "the dogs of the minister ? seen by the queen ."
"""What every encoder of the first seed is asked, with ? for the hidden word."""


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
        if self.N:
            check_size("N", self.N)


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


def of_counts(
    train: Sequence[Words], test: Sequence[Words], vocabularies: Vocabularies
) -> tuple[float, float]:
    """Perplexities of what is hidden, if no other word is read.

    By shares of words in train; and by shares of those that stand at the same place, as
    if PRIOR more of the first kind stood there.
    """
    words, read = vocabularies["words"], still(test, vocabularies)
    places = max(map(len, [*train, *test]))
    counts = torch.zeros(places, len(words), dtype=torch.float64)
    for sentence in train:
        counts[range(len(sentence)), words.ids(sentence)] += 1
    shares = counts.sum(dim=0) / counts.sum()  # (V,)
    there = (counts + PRIOR * shares) / (counts.sum(dim=1, keepdim=True) + PRIOR)
    hidden = torch.cat([batch.words[batch.hidden] for batch in read])
    place = torch.cat([batch.hidden.nonzero()[:, 1] for batch in read])
    both = shares[hidden], there[place, hidden]
    alone, at = (math.exp(-p.log().mean().item()) for p in both)
    return alone, at


def guesses(
    model: nn.Module, vocabularies: Vocabularies, sentence: str, n: int = 4
) -> list[list[Any]]:
    """The n likeliest words for the place of "?", each with its probability."""
    words, asked = vocabularies["words"], sentence.split()
    ids = torch.tensor([words.ids(asked)])
    ids[0, asked.index("?")] = len(words)  # the hole
    with torch.no_grad():
        logits = model.eval()(ids, torch.ones_like(ids, dtype=torch.bool))
    best = logits[0, asked.index("?")].softmax(dim=0).topk(n)
    told = zip(words.words(best.indices), best.values.tolist(), strict=True)
    return [[word, round(p, 3)] for word, p in told]


def recipe(N: int, seed: int, steps: int = STEPS, **changed: Any) -> Recipe:
    """All learn in the same way from the same text; `changed` is of the model."""
    sizes = {"d_model": M, "h": H, "d_ff": D_FF, **changed}
    return Recipe(
        data=TEXTS["grammar"],
        seed=seed,
        model=HiddenConfig(N=N, **sizes),
        optimiser=Optimiser("adam", 2e-3, warmup=50, decay="linear", clip=1.0),
        budget=Budget(steps=steps, tokens=TOKENS, evaluate_every=steps),
    )


def measured(asked: Recipe) -> Row:
    """Train; how it learnt, what it finds, and what it says of SHOWN."""
    made, seconds = follow(asked)
    maker, words, text = maker_of(asked), made.vocabularies, corpus(asked.data)
    scores = maker.measure(made.model, words, text)
    row: Row = {
        "parameters": maker.parameters(made.model),
        "seconds": round(seconds, 2),
        **{name: round(score, 4) for name, score in scores.items()},
        "curve": curve(made.log),
    }
    if asked.seed == 0:
        row["guesses"] = guesses(made.model, words, SHOWN)
        counted = of_counts(english(text, "train"), english(text, "test"), words)
        row["counts"], row["counts by place"] = (round(c, 2) for c in counted)
    return row


SYSTEMS: dict[str, dict[str, Any]] = {
    **{f"N {N}": {"N": N} for N in (0, 1, 2, 4)},
    "N 2, d_ff 64": {"N": 2, "d_ff": 64},
    "N 2, d_ff 1024": {"N": 2, "d_ff": 1024},
    "attention alone, N 6": {"N": 6, "parts": "attention"},
    "feed-forward alone, N 3": {"N": 3, "parts": "feed-forward"},
}
"""What is compared. Six times attention, three times feed-forward and twice both have
as many parameters."""

LONG: dict[str, dict[str, Any]] = {
    **{f"N {N}": {"N": N} for N in (1, 2, 4)},
    **{f"attention alone, N {N}": {"N": N, "parts": "attention"} for N in (2, 6)},
}
"""What is trained longer, from one seed."""

STUDIES["layers"] = Study(
    about="an encoder that finds hidden words, by depth and by what a layer is made of",
    cases={
        **{
            f"{name}, seed {seed}": recipe(seed=seed, **changed)
            for name, changed in SYSTEMS.items()
            for seed in SEEDS
        },
        **{
            f"{name}, longer": recipe(seed=0, steps=LONGER * STEPS, **changed)
            for name, changed in LONG.items()
        },
        "quick": recipe(N=1, seed=1, steps=10),
    },
    measure=measured,
    check="quick",
)

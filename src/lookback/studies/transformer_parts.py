"""A small Transformer, whole and with one part taken away: does it still translate?

Two noun phrases joined by *and*: *the small red car and the black dog* becomes *la
petite voiture rouge et le chien noir*. The order changes, and adjectives agree.
"""

import random
from dataclasses import dataclass

import torch
from torch import Tensor, nn
from torch.nn.functional import cross_entropy

from lookback.decoding import greedy
from lookback.multihead import KVCache, MultiHeadAttention
from lookback.text.batches import pad
from lookback.transformer import Transformer, TransformerConfig
from lookback.workshop import Row, Study, known, seeds

NOUNS = (("car", "voiture", 1), ("house", "maison", 1), ("key", "clé", 1),
         ("street", "rue", 1), ("dog", "chien", 0), ("book", "livre", 0),
         ("garden", "jardin", 0), ("bird", "oiseau", 0))  # fmt: skip
BEFORE = (("small", "petit", "petite"), ("big", "grand", "grande"),
          ("pretty", "joli", "jolie"), ("bad", "mauvais", "mauvaise"))  # fmt: skip
AFTER = (("red", "rouge", "rouge"), ("black", "noir", "noire"),
         ("green", "vert", "verte"), ("white", "blanc", "blanche"))  # fmt: skip
PAD, END, BEGIN = range(3)
PARTS = (
    "nothing",
    "cross-attention",
    "positions",
    "masked self-attention",
    "self-attention of the encoder",
    "feed-forward networks",
    "residual connections",
    "norms",
)
SEEDS = (0, 1, 2, 3, 4)
STEPS = 400
LONGER = 4  # times as many steps: do those that fail catch up?
FAILING = ("positions", "residual connections")
TESTS = 500

Words = list[str]


@dataclass(frozen=True)
class Trial:
    """A network without one of PARTS, and how it learns."""

    without: str
    seed: int
    steps: int = STEPS
    rate: float = 1e-2
    warmup: int = 20
    batch: int = 32

    def __post_init__(self) -> None:
        known("part", self.without, PARTS)


def phrase(draw: random.Random) -> tuple[Words, Words]:
    """the small red car, la petite voiture rouge; either adjective may be missing."""
    noun, french, feminine = draw.choice(NOUNS)
    source, target = [noun], [french]
    if draw.random() < 0.5:
        adjective = draw.choice(AFTER)
        source.insert(0, adjective[0])
        target.append(adjective[1 + feminine])
    if draw.random() < 0.5:
        adjective = draw.choice(BEFORE)
        source.insert(0, adjective[0])
        target.insert(0, adjective[1 + feminine])
    return ["the", *source], ["la" if feminine else "le", *target]


def pair(draw: random.Random) -> tuple[Words, Words]:
    (source, target), (other, more) = phrase(draw), phrase(draw)
    return [*source, "and", *other], [*target, "et", *more]


def vocabularies() -> tuple[Words, Words]:
    """The words of both languages; the first three are no words."""
    table = (*BEFORE, *AFTER)
    english = ["the", "and", *(row[0] for row in (*NOUNS, *table))]
    french = ["le", "la", "et", *(row[1] for row in NOUNS)]
    french += sorted({form for row in table for form in row[1:]})
    names = ["<pad>", "</s>", "<s>"]
    return names + english, names + french


ENGLISH, FRENCH = vocabularies()


def batch(draw: random.Random, size: int) -> tuple[Tensor, Tensor]:
    """Ids of sources with </s>, and of targets from <s> to </s>, padded."""
    pairs = [pair(draw) for _ in range(size)]
    sources = [[*map(ENGLISH.index, source), END] for source, _ in pairs]
    targets = [[BEGIN, *map(FRENCH.index, target), END] for _, target in pairs]
    return pad(sources, PAD)[0], pad(targets, PAD)[0]


class Nothing(nn.Module):
    """In the place of an attention: it adds 0, whatever it is given."""

    def __init__(self, d_model: int) -> None:
        super().__init__()
        self.d_model = d_model

    causal = MultiHeadAttention.causal

    def project(
        self, keys: Tensor, values: Tensor, past: KVCache | None = None
    ) -> KVCache:
        K, V = keys.unsqueeze(1), values.unsqueeze(1)
        return past.append(K, V) if past is not None else KVCache(K, V)

    def attend(
        self, queries: Tensor, K: Tensor, V: Tensor, mask: Tensor | None = None
    ) -> tuple[Tensor, Tensor]:
        return torch.zeros_like(queries), queries.new_zeros(1)

    def forward(
        self, queries: Tensor, keys: Tensor, values: Tensor, mask: Tensor | None = None
    ) -> tuple[Tensor, Tensor]:
        return self.attend(queries, keys, values)


class Zero(nn.Module):
    """In the place of a feed-forward network, or of positions."""

    def forward(self, x: Tensor) -> Tensor:
        return torch.zeros_like(x)


class NoPositions(nn.Module):
    def __init__(self, d_model: int) -> None:
        super().__init__()
        self.d_model = d_model

    def forward(self, T: int, first: int = 0) -> Tensor:
        return torch.zeros(T, self.d_model)


class Alone(nn.Module):
    """A sublayer less its input: added to that input, the output stands alone."""

    def __init__(self, f: nn.Module, d_model: int) -> None:
        super().__init__()
        self.f, self.d_model = f, d_model

    causal = MultiHeadAttention.causal

    def project(
        self, keys: Tensor, values: Tensor, past: KVCache | None = None
    ) -> KVCache:
        projected: KVCache = self.f.project(keys, values, past)  # type: ignore[operator]
        return projected

    def attend(self, x: Tensor, *rest: Tensor) -> tuple[Tensor, Tensor]:
        y, weights = self.f.attend(x, *rest)  # type: ignore[operator]
        return y - x, weights

    def forward(self, x: Tensor, *rest: Tensor) -> tuple[Tensor, Tensor] | Tensor:
        if not rest:  # a feed-forward network
            y: Tensor = self.f(x) - x
            return y
        z, weights = self.f(x, *rest)
        return z - x, weights


def without(part: str) -> Transformer:
    """A Transformer of one layer on each side, less one of PARTS."""
    config = TransformerConfig(N=1, d_model=32, h=4, d_ff=64)
    model = Transformer(config, len(ENGLISH), len(FRENCH))
    if part == "positions":
        model.positions = NoPositions(config.d_model)
    for side, layer in (
        ("encoder", model.encoder.layers[0]), ("decoder", model.decoder.layers[0])
    ):  # fmt: skip
        for name, f in [*layer.named_children()]:
            attention = name.endswith("attention") and not name.startswith("norm")
            sublayer = attention or name == "feed_forward"
            if (part, side, name) in (
                ("self-attention of the encoder", "encoder", "self_attention"),
                ("masked self-attention", "decoder", "self_attention"),
                ("cross-attention", "decoder", "cross_attention"),
            ):
                setattr(layer, name, Nothing(config.d_model))
            elif part == "feed-forward networks" and name == "feed_forward":
                setattr(layer, name, Zero())
            elif part == "norms" and name.startswith("norm"):
                setattr(layer, name, nn.Identity())
            elif part == "residual connections" and sublayer:
                setattr(layer, name, Alone(f, config.d_model))
    return model


def learned(trial: Trial) -> Transformer:
    """The network after its training."""
    draw = random.Random(trial.seed)
    with seeds.seeded(trial.seed):
        model = without(trial.without)
    optimiser = torch.optim.Adam(model.parameters(), trial.rate, betas=(0.9, 0.98))
    for step in range(trial.steps):
        falling = min((step + 1) / trial.warmup, 1 - step / trial.steps)
        optimiser.param_groups[0]["lr"] = trial.rate * falling
        source, target = batch(draw, trial.batch)
        logits, _ = model(source, source.ne(PAD), target[:, :-1])
        rest = target[:, 1:].flatten()
        loss = cross_entropy(logits.flatten(0, 1), rest, ignore_index=PAD)
        optimiser.zero_grad()
        loss.backward()  # type: ignore[no-untyped-call]
        optimiser.step()
    return model.eval()


def measured(trial: Trial) -> Row:
    """The share of new phrases that come out right, word for word, and an example."""
    model = learned(trial)
    source, target = batch(random.Random(2017), TESTS)
    written = greedy(
        model, source, source.ne(PAD), begin=BEGIN, end=END, longest=target.size(1)
    )
    right = [[i for i in row if i > BEGIN] for row in target.tolist()]
    return {
        "parameters": sum(p.numel() for p in model.parameters()),
        "exact": sum(a == b for a, b in zip(written, right, strict=True)) / TESTS,
        "source": " ".join(ENGLISH[i] for i in source[0].tolist() if i > BEGIN),
        "written": " ".join(FRENCH[i] for i in written[0]),
    }


def case(part: str, seed: int, longer: bool = False) -> str:
    """The name of a network: "positions, seed 0", "norms, longer, seed 0"."""
    return f"{part}, longer, seed {seed}" if longer else f"{part}, seed {seed}"


STUDY = Study(
    about="a small Transformer that translates noun phrases, less one part",
    cases={
        **{case(part, seed): Trial(part, seed) for part in PARTS for seed in SEEDS},
        **{
            case(part, seed, True): Trial(part, seed, LONGER * STEPS)
            for part in FAILING
            for seed in SEEDS[:3]
        },
    },
    measure=measured,
    check=None,  # on another processor its steps can end elsewhere
)

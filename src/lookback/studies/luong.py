"""Luong's scores and scopes: on digits, on sentences, and what they cost."""

import time
from dataclasses import dataclass, fields, replace

import torch
from torch import Tensor, nn

from lookback.lstm import CELLS
from lookback.luong import (
    SCORES,
    Encoder,
    LocalAttention,
    LocationAttention,
    LuongAttention,
    LuongConfig,
    LuongTranslator,
    Stack,
)
from lookback.measure import timing
from lookback.recipes.luong import RECIPES, LuongLearner
from lookback.trainer import seeds
from lookback.trainer.data import corpus
from lookback.trainer.learner import summary, train_recipe
from lookback.trainer.recipe import Recipe, smoke_recipe
from lookback.trainer.study import Experiment, Row, Setting, Study, grid
from lookback.trainer.toys import END, LONGEST, Drawn, copied, digits, exact, taught

RATES = (3e-3, 1e-2, 3e-2)
STEPS = 300  # on digits
NEAR = 2  # digits that a local window reaches to either side
TASKS: dict[str, Drawn] = {"reverse": digits, "copy": copied}
GLOBAL = (*SCORES, "location")
WINDOWS = ("local-m", "local-p")
SCOPES = ("global", *WINDOWS)
TAUGHT = 1200  # steps on sentences: a fifth of what the shipped model is given
D = 5  # the sentences are half as long as the paper's, and so is the window
B, T, N = 4, 32, 256  # sentences whose cost is measured, states of each, their size
LENGTHS = (40, 320)


@dataclass(frozen=True)
class VariantConfig(LuongConfig):
    """The sizes, with any of the paper's attentions.

    scope          one of SCOPES; with the score "location" it is global
    D              how far a local window reaches to either side
    max_positions  how many of the first words the location score knows
    """

    scope: str = "global"
    D: int = 10
    max_positions: int = 80

    def __post_init__(self) -> None:
        if self.score != "location":
            super().__post_init__()

    def attention(self) -> LuongAttention:
        if self.score == "location":
            return LocationAttention(self.n, self.max_positions)
        if self.scope == "global":
            return LuongAttention(self.n, self.score)
        return LocalAttention(self.n, self.score, self.scope, D=self.D)


class Translator(LuongTranslator):
    """`LuongTranslator`, its attention drawn where that of the class is drawn."""

    config: VariantConfig

    def __init__(
        self, config: VariantConfig, source_vocab_size: int, target_vocab_size: int
    ) -> None:
        nn.Module.__init__(self)
        self.config = config
        m, n, kind = config.m, config.n, CELLS[config.cell]
        self.e_source = nn.Embedding(source_vocab_size, m)
        self.encoder = Encoder(config)
        self.e_target = nn.Embedding(target_vocab_size, m)
        self.decoder = Stack(kind, m + n * config.input_feeding, n, config.layers)
        self.attention = config.attention()
        self.W_c = nn.Linear(2 * n, n, bias=False)
        self.W_s = nn.Linear(n, target_vocab_size, bias=False)
        self.dropout = nn.Dropout(config.dropout)


def written(
    task: str, score: str, scope: str, rate: float, seed: int, steps: int = STEPS
) -> Row:
    """The share of sequences of LONGEST digits that is written without error."""
    config = VariantConfig(
        m=16, n=32, score=score, scope=scope, D=NEAR, max_positions=12,
        input_feeding=False, directions="both", cell="gru",
    )  # fmt: skip
    model, _ = taught(
        lambda: Translator(config, END + 1, END + 1), seed, steps,
        lengths=(3, LONGEST), drawn=TASKS[task], rate=rate,
    )  # fmt: skip
    return {"exact": exact(model, [LONGEST], TASKS[task])[0]}


class VariantLearner(LuongLearner):
    """The same for the paper's other attentions."""

    architecture = Translator  # type: ignore[assignment]


def variant(score: str, scope: str, seed: int) -> Setting:
    """The recipe of a score and a scope; all have the same budget."""
    whole = RECIPES["luong"]
    sizes = {f.name: getattr(whole.model, f.name) for f in fields(whole.model)}
    sizes |= {"score": score, "scope": scope, "D": D, "input_feeding": False}
    model = VariantConfig(**sizes)
    budget = replace(whole.budget, steps=TAUGHT)
    whole = replace(whole, learner=VariantLearner, model=model, budget=budget)
    return {"recipe": replace(whole, seed=seed)}


def sentences(recipe: Recipe[LuongLearner]) -> Row:
    """Train on our grammar: BLEU and alignment error."""
    row = summary(train_recipe(recipe), corpus(recipe.data))
    return {key: row[key] for key in ("test BLEU", "test AER")}


def cost(score: str, n: int, S: int, repeats: int = 40) -> Row:
    """CPU seconds of attention, and with its gradients, for which bytes are saved.

    T states attend to S, all of size n. Of several calls the fastest counts.
    """
    generator = seeds.generator(0)
    with seeds.seeded(0):
        attention = LuongAttention(n, score)
    h, states = (
        torch.randn(B, length, n, generator=generator, requires_grad=True)
        for length in (T, S)
    )
    mask = torch.ones(B, S, dtype=torch.bool)
    t = torch.ones(B, T, dtype=torch.long)

    def forward() -> Tensor:
        c, _ = attention(h, attention.project(states, mask), t)
        total: Tensor = c.sum()
        return total

    def both() -> None:
        forward().backward()  # type: ignore[no-untyped-call]

    saved = dict[int, int]()

    def keep(x: Tensor) -> Tensor:
        saved[x.untyped_storage().data_ptr()] = x.untyped_storage().nbytes()
        return x

    with torch.autograd.graph.saved_tensors_hooks(keep, lambda x: x):
        total = forward()
    seconds = {
        name: timing(work, repeats=repeats, clock=time.process_time)
        for name, work in (("forward", forward), ("both", both))
    }
    return {**seconds, "bytes": sum(saved.values()), "value": total.item()}


FEW: Recipe[LuongLearner] = variant("general", "local-p", 0)["recipe"]
STUDY = Study(
    "Luong's scores and scopes: on digits, on sentences, and what they cost",
    {
        "digits": Experiment(
            written,
            grid(
                task=["reverse"], score=GLOBAL, scope=["global"], rate=RATES,
                seed=range(3),
            )
            + grid(
                task=TASKS, score=["dot"], scope=WINDOWS, rate=[RATES[1]],
                seed=range(3),
            ),
            smoke={
                "task": "reverse", "score": "dot", "scope": "global", "rate": 1e-2,
                "seed": 0, "steps": 5,
            },
        ),
        "sentences": Experiment(
            sentences,
            grid(score=GLOBAL, scope=SCOPES[:1], seed=(0, 1))
            + grid(score=SCORES, scope=SCOPES[1:2], seed=(0, 1))
            + grid(score=SCORES, scope=SCOPES[2:], seed=[0]),
            smoke={"recipe": smoke_recipe(FEW, 150, 3)},
            arguments=variant,
        ),
        "costs": Experiment(
            cost,
            grid(score=("dot", "general", "concat"), n=[N], S=LENGTHS),
            smoke={"score": "general", "n": 8, "S": 5},
        ),
    },
    times=("forward", "both"),
)  # fmt: skip

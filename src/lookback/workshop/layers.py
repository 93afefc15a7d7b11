"""A study of the encoder: what looking is for, what thinking, and how deep.

Some words of a sentence are hidden, and an encoder is to find them from both sides:
with few layers and many, without attention, and without the feed-forward network.
"""

import math
from collections.abc import Sequence
from typing import Any

import torch
from torch import nn

from .data import corpus, english
from .finding import HiddenConfig, still
from .language_models import TEXTS, follow
from .makers import Vocabularies, Words, maker_of
from .recipes import Budget, Optimiser, Recipe
from .studies import STUDIES, Row, Study
from .translators import curve

SEEDS = (0, 1)
M, H, D_FF = 64, 4, 256
STEPS, TOKENS = 800, 900
LONGER = 4  # times as many steps
PRIOR = 20.0
SHOWN = "the dogs of the minister ? seen by the queen ."
"""What every encoder of the first seed is asked, with ? for the hidden word."""


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

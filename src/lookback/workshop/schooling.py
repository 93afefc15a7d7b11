"""The study of how a Transformer is taught: the paper's recipe, each part off once.

"Everything" is what section 5 of Vaswani et al. 2017 says: smoothed labels, a rate that
rises and falls, an Adam that forgets sooner, and batches of about as many tokens; but
no dropout, which is switched on once. All are asked alike, without smoothing.
"""

import math
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import asdict, dataclass, replace
from typing import Any

import numpy as np
import torch
from numpy.typing import NDArray
from torch import Tensor, nn

from lookback.measure import bleu
from lookback.text.batches import Batch, pair_batches
from lookback.text.corpora import Pair

from .data import AnyCorpus, corpus
from .language_models import follow
from .makers import MAKERS, Trained, Vocabularies, maker_of
from .recipes import Budget, Recipe
from .studies import STUDIES, Row, Study
from .transforming import TRANSFORMER, TrainedConfig, TransformerMaker, noam
from .translating import MEASURED, TOKENS, logits_of, pairs
from .translators import curve

D_MODEL, WARMUP, STEPS, EVERY = 96, 400, 1200, 100
SENTENCES = 54  # as many as a batch of 900 tokens holds on average
BINS = 10  # of the probability of the word that is held for the likeliest


@dataclass(frozen=True, kw_only=True)
class BySentencesConfig(TrainedConfig):
    """A Transformer that is taught in batches of so many pairs, however long."""

    sentences: int


class BySentencesMaker(TransformerMaker):
    """Pairs of like length together as ever, but the batches are counted in pairs."""

    def drawn(
        self,
        recipe: Recipe,
        vocabularies: Vocabularies,
        read: Sequence[Pair],
        generator: torch.Generator,
    ) -> Iterator[Batch]:
        sides = vocabularies["source"], vocabularies["target"]
        size = recipe.model.sentences
        return pair_batches(read, *sides, sentences=size, generator=generator)


MAKERS[BySentencesConfig] = BySentencesMaker()


@dataclass(frozen=True)
class Case:
    """A recipe, and how many pairs of a split it is asked for."""

    recipe: Recipe
    asked: int = MEASURED


PAPER = noam(D_MODEL, WARMUP)
BASE = replace(
    TRANSFORMER,
    model=TrainedConfig(N=2, d_model=D_MODEL, h=4, d_ff=384, smoothing=0.1),
    optimiser=PAPER,
    budget=Budget(steps=STEPS, tokens=900, evaluate_every=EVERY),
)


def with_optimiser(**parts: Any) -> Recipe:
    """The recipe with other parts of its optimiser."""
    return replace(BASE, optimiser=replace(PAPER, **parts))


def unsmoothed(recipe: Recipe) -> Recipe:
    return replace(recipe, model=replace(recipe.model, smoothing=0.0))


RECIPES_OF = {
    "everything": BASE,
    "no smoothing": unsmoothed(BASE),
    "usual Adam": with_optimiser(options=()),
    "no decay": with_optimiser(decay="constant"),
    "constant rate": with_optimiser(decay="constant", warmup=0),
    "falling to 0": with_optimiser(decay="linear"),
    "with dropout": replace(BASE, model=replace(BASE.model, dropout=0.1)),
    "by sentences": replace(
        BASE, model=BySentencesConfig(**asdict(BASE.model), sentences=SENTENCES)
    ),
}


def measured(case: Case) -> Row:
    """Train; how it learnt, what it translates, and how sure it is of each word."""
    made, seconds = follow(case.recipe)
    assert made.log is not None
    maker = maker_of(case.recipe)
    assert isinstance(maker, TransformerMaker)
    row: Row = {
        "parameters": maker.parameters(made.model),
        "seconds": round(seconds, 2),
        "target tokens": made.log.tokens,
        "curve": curve(made.log),
        "validation": [[e.step, round(e.score, 4)] for e in made.log.evaluations],
    }
    text = corpus(case.recipe.data)
    for split in ("validation", "test"):
        row[split + " scores"] = scores(maker, made, text, case.asked, split)
    return row


def scores(
    maker: TransformerMaker, made: Trained, text: AnyCorpus, asked: int, split: str
) -> Row:
    """What it scores on a split; `bins` tell how sure it is and how often right."""
    read = pairs(text, split)[:asked]
    written = maker.decode(made.model, made.vocabularies, [p.source for p in read])
    score = bleu(hypotheses=written, references=[list(p.target) for p in read]).score
    sides = made.vocabularies["source"], made.vocabularies["target"]
    right, sure, true = answers(made.model, pair_batches(read, *sides, tokens=TOKENS))
    return {
        "BLEU": round(score, 3),
        "perplexity": round(math.exp(-np.log(true).mean()), 4),
        "accuracy": round(float(right.mean()), 4),
        "sureness": round(float(sure.mean()), 4),
        "bins": bins(right, sure),
    }


Numbers = NDArray[np.float64]


def answers(
    model: nn.Module, batches: Iterable[Batch]
) -> tuple[Numbers, Numbers, Numbers]:
    """Of every word, told those before it: is the likeliest word right, and two

    probabilities: that of the likeliest word, and that of the true one.
    """
    found = list[Tensor]()
    model.eval()
    with torch.no_grad():
        for batch in batches:
            logits = logits_of(
                model(batch.source, batch.source_mask, batch.target[:, :-1])
            )
            p, true = logits.double().softmax(dim=-1), batch.target[:, 1:]
            sure, best = p.max(dim=-1)
            told = p.gather(-1, true.unsqueeze(-1)).squeeze(-1)
            each = torch.stack([(best == true).double(), sure, told])  # (3, B, T)
            found.append(each[:, batch.target_mask[:, 1:]])
    right, sure, told = torch.cat(found, dim=1).numpy()
    return right, sure, told


def bins(right: Numbers, sure: Numbers) -> list[list[float]]:
    """For each tenth of the probabilities in which there are words:

    how many there are, how sure the model was of them, and how often it was right.
    """
    places = np.minimum((sure * BINS).astype(int), BINS - 1)
    return [
        [
            int(here.sum()),
            round(float(sure[here].mean()), 4),
            round(float(right[here].mean()), 4),
        ]
        for here in (places == b for b in range(BINS))
        if here.any()
    ]


SEEDS = {"everything": (0, 1), "no smoothing": (0, 1)}
"""All others are taught from one seed."""


def label(name: str, seed: int) -> str:
    return f"{name}, seed {seed}"


QUICK = replace(
    BASE,
    model=TrainedConfig(N=1, d_model=8, h=2, d_ff=16, smoothing=0.1),
    budget=Budget(steps=10, tokens=900, evaluate_every=10),
)
STUDIES["schooling"] = Study(
    about="a Transformer taught as in the paper, and with each part of that left out",
    cases={
        **{
            label(name, seed): Case(replace(recipe, seed=seed))
            for name, recipe in RECIPES_OF.items()
            for seed in SEEDS.get(name, (0,))
        },
        "quick": Case(QUICK, asked=40),
    },
    measure=measured,
    check="quick",
)

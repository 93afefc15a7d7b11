"""How much text a GPT needs: growing parts of one text, beside a GRU and counting.

Every part has the words that the whole text knows, and the test of the whole text, so
that all perplexities are of the same words. The whole is in the running table.
"""

from dataclasses import dataclass, replace
from typing import Any

import torch

from lookback.recipes import gpt, lstm
from lookback.recipes.ngram import SMOOTHINGS, NgramConfig, ngrams
from lookback.text.vocabulary import PAD, START, Vocabulary
from lookback.workshop import (
    AnyCorpus,
    Recipe,
    Row,
    Study,
    corpus,
    english,
    follow,
    seeds,
    vocabulary,
)

from .ngram import Model

TEXT = "python_reference"
PARTS = (8, 4, 2)  # an eighth of the sentences, a quarter, a half
KEPT = 2 / 3  # of the steps, when there is half the text


@dataclass(frozen=True)
class Part:
    """What is trained on one part of a text.

    of      the part is one sentence of so many; a smaller part is within a larger one
    recipe  of the model; its budget is that for this part
    """

    of: int
    recipe: Recipe[Any]


def systems(seed: int = 0) -> dict[str, Recipe[Any]]:
    """The recipes for the whole text, by the names of the running table.

    Counting begins nowhere: it is there once, beside the first seed.
    """
    networks: dict[str, Recipe[Any]] = {
        "GRU": lstm.on_text("gru", TEXT, seed),
        "GPT": gpt.on_text(TEXT, seed),
    }
    return networks if seed else {"5-grams, Kneser–Ney": ngrams(TEXT, 5), **networks}


def for_part(recipe: Recipe[Any], of: int) -> Recipe[Any]:
    """With fewer steps where there is less text, though more of them a sentence."""
    if recipe.optimiser is None:
        return recipe
    halvings = of.bit_length() - 1
    steps = round(recipe.budget.steps * KEPT**halvings)
    warmup = round(recipe.optimiser.warmup * KEPT**halvings)
    return replace(
        recipe,
        optimiser=replace(recipe.optimiser, warmup=warmup),
        budget=replace(recipe.budget, steps=steps, evaluate_every=-(-steps // 6)),
    )


def part(text: AnyCorpus, of: int) -> AnyCorpus:
    """The text with one training sentence of so many; the other splits are whole."""
    turn = torch.randperm(len(text.train), generator=seeds.generator(0)).tolist()
    kept = sorted(turn[: len(turn) // of])
    train: Any = tuple(text.train[i] for i in kept)
    return replace(text, train=train)


def measured(case: Part) -> Row:
    """Train on the part: words, cost, and the perplexities of validation and test."""
    recipe, whole = case.recipe, corpus(case.recipe.data)
    words = vocabulary(english(whole, "train"), recipe.data)
    some = part(whole, case.of)
    row: Row = {
        "words": sum(map(len, english(some, "train"))),
        "words of the whole": sum(map(len, english(whole, "train"))),
    }
    if isinstance(recipe.model, NgramConfig):
        return row | counted(recipe.model, some, words)
    learner = follow(recipe, some, vocabularies={"words": words})
    metrics = {name: round(v, 3) for name, v in learner.evaluate(whole).items()}
    cost = {"parameters": learner.parameters, "seconds": round(learner.seconds, 2)}
    return {**row, **cost, "steps": recipe.budget.steps, **metrics}


def counted(config: NgramConfig, text: AnyCorpus, words: Vocabulary) -> Row:
    """The perplexities of n-grams that know all of these words, read or not."""
    known = frozenset(words.entries) - {PAD, START}
    read = [words.words(words.ids(sentence)) for sentence in english(text, "train")]
    model = Model(config.order, SMOOTHINGS[config.smoothing]).fit(read).over(known)
    return {
        "parameters": len(model.counts.count),
        **{
            f"{split} perplexity": round(model.perplexity(english(text, split)), 3)
            for split in ("validation", "test")
        },
    }


STUDY = Study(
    about="how much text a GPT needs: parts of the Python reference, beside a GRU",
    cases={
        f"{name}, 1/{of}, seed {seed}": Part(of, for_part(recipe, of))
        for seed in range(3)
        for of in PARTS
        for name, recipe in systems(seed).items()
    },
    measure=measured,
    check=f"5-grams, Kneser–Ney, 1/{PARTS[0]}, seed 0",
)

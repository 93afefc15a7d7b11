"""Where a GPT loses against counting: by the words before that training has read.

On the Python reference 5-grams are better than a GPT. Every word of the test is scored
by both, and put into a group: how many of the words just before it occur, in this
order, in the training text.
"""

from collections.abc import Sequence
from dataclasses import replace
from typing import Any

import numpy as np

from lookback.recipes import gpt
from lookback.recipes.ngram import ngrams
from lookback.text.vocabulary import END, START, Vocabulary
from lookback.workshop import (
    Recipe,
    Row,
    Study,
    case,
    corpus,
    english,
    follow,
    on_few,
    vocabulary,
)

from .language_models import tokens_log_p

TEXT = "python_reference"
LONGEST = 4  # words before a word that 5-grams see
SEEDS = (0, 1, 2)


def known_context(
    train: Sequence[Sequence[str]], test: Sequence[Sequence[str]], words: Vocabulary
) -> list[int]:
    """For each word of the test: the most words before it that training has, too.

    From 0 to LONGEST. A sentence begins after LONGEST times <s>, and each word that is
    not in the vocabulary is <unk>.
    """

    def padded(sentence: Sequence[str]) -> tuple[str, ...]:
        return (START,) * LONGEST + (*words.words(words.ids(sentence)), END)

    read = set[tuple[str, ...]]()
    for row in map(padded, train):
        for t in range(LONGEST, len(row)):
            read |= {row[t - n : t] for n in range(LONGEST + 1)}
    return [
        max(n for n in range(LONGEST + 1) if row[t - n : t] in read)
        for row in map(padded, test)
        for t in range(LONGEST, len(row))
    ]


def measured(recipe: Recipe[Any]) -> Row:
    """Train; for each number of known words: how many, and the nats of both models."""
    text = corpus(recipe.data)
    train, test = english(text, "train"), english(text, "test")
    known = known_context(train, test, vocabulary(train, recipe.data))
    counts = replace(ngrams(TEXT, LONGEST + 1), data=recipe.data)
    models = {"GPT": recipe, "5-grams": counts}
    nats = {name: -tokens_log_p(follow(one), test) for name, one in models.items()}
    row: Row = {"words": np.bincount(known, minlength=LONGEST + 1).tolist()}
    for name, values in nats.items():
        sums = np.bincount(known, weights=values, minlength=LONGEST + 1)
        row[f"{name}, nats"] = sums.tolist()
    return row


STUDY = Study(
    about="where a GPT loses against 5-grams on the Python reference",
    cases={
        f"GPT, seed {seed}": case(measured, recipe=gpt.on_text(TEXT, seed))
        for seed in SEEDS
    },
    check=case(measured, recipe=on_few(gpt.on_text("grammar", 0), steps=3)),
)

"""What a GPT keeps of its subject, the labels it saves, and where it loses to counting.

Agreement over distance is the study `recurrent`, for a GPT. Fine-tuning is that of
Radford et al. 2018, section 3.2: "does the verb agree?" is asked of the pre-trained GPT
and one new matrix, or of random weights, trained on the sum of the loss of the labels
and λ times that of the words. On the Python reference 5-grams are better than a GPT;
every word of the test is scored by both, by how much of what precedes it is known.
"""

import copy
import random
from collections.abc import Callable, Sequence
from dataclasses import replace
from functools import cache
from typing import Any, NamedTuple

import numpy as np
import torch
from torch import Tensor, nn
from torch.nn.functional import cross_entropy

from lookback.gpt import GPT, Classifier
from lookback.recipes.gpt import GPTLearner, on_text
from lookback.recipes.ngram import ngrams
from lookback.text.batches import pad
from lookback.text.corpora import grammar
from lookback.text.grammar.agreement import minimal_pairs
from lookback.text.vocabulary import END, START, Vocabulary
from lookback.trainer import seeds
from lookback.trainer.checkpoint import pretrained
from lookback.trainer.data import corpus, english, vocabulary
from lookback.trainer.language import TEXTS
from lookback.trainer.learner import train_recipe
from lookback.trainer.recipe import Optimiser, Recipe, smoke_recipe
from lookback.trainer.study import Experiment, Row, Setting, Study, grid

from . import recurrent
from .language_models import tokens_log_p

SEEDS = (0, 1, 2)

# --- labels

DEVELOPED = 1000  # examples by which the settings were chosen
TESTED = 1000  # examples after them, by which nothing was chosen
SENTENCES = 16  # of a batch
EPOCHS = 10  # how often each example is read
AUXILIARY = 0.5  # λ, the weight of the words' loss
CLIP = 1.0
OPTIMISER = Optimiser(
    "adamw", 3e-3, (("betas", (0.9, 0.95)),), decay="linear", clip=CLIP
)


class Example(NamedTuple):
    """The words of a sentence up to a verb, and whether the verb agrees."""

    words: tuple[str, ...]
    agrees: int
    distance: int


Scores = Callable[[Sequence[Example]], tuple[Tensor, Tensor]]


@cache
def examples(pairs: int = 12_000) -> tuple[Example, ...]:
    """Beginnings of sentences that the grammar's training text does not hold.

    Every noun is in either number with the same words around it, and every verb right
    or wrong, by a fair draw: whoever ignores the noun is right in half of them.
    """
    read = english(corpus(TEXTS["grammar"]), "train")
    known, seen = {word for sentence in read for word in sentence}, {*read}
    drawn = grammar(pairs, seed=2, size="small")
    splits = (drawn.train, drawn.validation, drawn.test)
    new = [pair for split in splits for pair in split if pair.source not in seen]
    generator = random.Random(0)
    found = dict[tuple[str, ...], Example]()
    for both in minimal_pairs(new):
        one, agrees = generator.choice(both), generator.randrange(2)
        words = (*one.before, one.right if agrees else one.wrong)
        if known.issuperset(words):
            found.setdefault(words, Example(words, agrees, one.distance))
    return tuple(found.values())


def tested() -> Sequence[Example]:
    return examples()[DEVELOPED : DEVELOPED + TESTED]


def train(
    classifier: nn.Module,
    loss: Callable[[Sequence[Example]], Tensor],
    labels: int,
    seed: int,
    optimiser: Optimiser = OPTIMISER,
) -> None:
    """Train on so many examples, then set to evaluation. Each seed draws others."""
    generator = random.Random(seed)
    chosen = generator.sample(examples()[DEVELOPED + TESTED :], labels)
    updates = optimiser.over(classifier.parameters())
    steps, step = EPOCHS * -(-len(chosen) // SENTENCES), 0
    classifier.train()
    for _ in range(EPOCHS):
        generator.shuffle(chosen)
        for first in range(0, len(chosen), SENTENCES):
            step += 1
            for group in updates.param_groups:
                group["lr"] = optimiser.rate * optimiser.factor(step, steps)
            updates.zero_grad()
            total = loss(chosen[first : first + SENTENCES])
            total.backward()  # type: ignore[no-untyped-call]
            nn.utils.clip_grad_norm_(classifier.parameters(), CLIP)
            updates.step()
    classifier.eval()


@torch.no_grad()
def scored(scores: Scores) -> int:
    """How many labels of the test are right.

    scores  examples → the scores (B, 2) of their classes, and their labels (B,)
    """
    right, every = 0, tested()
    for first in range(0, len(every), 100):
        found, labels = scores(every[first : first + 100])
        right += int((found.argmax(dim=1) == labels).sum())
    return right


def batch(chosen: Sequence[Example], words: Vocabulary) -> tuple[Tensor, ...]:
    """ids (B, T): <s> and the words; the index (B,) of the verb; the labels (B,)."""
    rows = [[words.start, *words.ids(one.words)] for one in chosen]
    ids, mask = pad(rows, words.pad)
    labels = torch.tensor([one.agrees for one in chosen])
    return ids, mask.sum(dim=1) - 1, labels


def right(learner: GPTLearner, labels: int, draw: int) -> int:
    """Fine-tune a copy of its network; right answers of 1 000.

    draw  the seed of the matrix W_y, of the choice of examples and of their order
    """
    words = learner.vocabularies["words"]
    assert isinstance(learner.network, GPT)
    with seeds.seeded(draw):
        classifier = Classifier(copy.deepcopy(learner.network), 2)

    def loss(some: Sequence[Example]) -> Tensor:
        """-ln P(label) + λ · the mean of -ln P(word), over the batch."""
        ids, last, truth = batch(some, words)
        scores, logits = classifier(ids, last)
        of_words = cross_entropy(
            logits[:, :-1].flatten(0, 1), ids[:, 1:].flatten(), ignore_index=words.pad
        )
        return cross_entropy(scores, truth) + AUXILIARY * of_words

    def scores(some: Sequence[Example]) -> tuple[Tensor, Tensor]:
        ids, last, truth = batch(some, words)
        return classifier(ids, last)[0], truth

    train(classifier, loss, labels, draw)
    return scored(scores)


def labelled(begun: str, labels: int, seed: int) -> Row:
    """Fine-tune the shipped GPT, or random weights: right answers of 1 000.

    next to the verb  in how many of the 1 000 the noun is
    """
    learner: GPTLearner = pretrained("gpt", kind=GPTLearner)
    if begun == "random":
        words, learner = learner.vocabularies, GPTLearner(on_text("grammar", seed))
        learner.vocabularies, learner.network = words, learner.untrained(words)
    near = sum(one.distance == 1 for one in tested())
    return {"right": right(learner, labels, seed), "next to the verb": near}


# --- a small text

TEXT = "python_reference"
LONGEST = 4  # words before a word that 5-grams see


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


def by_context(recipe: Recipe[Any]) -> Row:
    """Train; for each number of known words: how many, and the nats of both models."""
    text = corpus(recipe.data)
    train, test = english(text, "train"), english(text, "test")
    known = known_context(train, test, vocabulary(train, recipe.data))
    counts = replace(ngrams(TEXT, LONGEST + 1), data=recipe.data)
    row: Row = {"words": np.bincount(known, minlength=LONGEST + 1).tolist()}
    for name, one in {"GPT": recipe, "5-grams": counts}.items():
        nats = -tokens_log_p(train_recipe(one), test)
        sums = np.bincount(known, weights=nats, minlength=LONGEST + 1)
        row[f"{name}, nats"] = sums.tolist()
    return row


def on(text: str) -> Callable[..., Setting]:
    return lambda seed: {"recipe": on_text(text, seed)}


STUDY = Study(
    "a GPT: agreement over distance, labels, and a small text",
    {
        "agreement": Experiment(
            recurrent.measured,
            grid(seed=SEEDS),
            smoke={"recipe": smoke_recipe(on_text("grammar", 0), 300, 3), "pairs": 300},
            arguments=on("grammar"),
        ),
        "labels": Experiment(
            labelled, grid(begun=("pre-trained", "random"), labels=[1000], seed=SEEDS)
        ),
        "text": Experiment(
            by_context,
            grid(seed=SEEDS),
            smoke={"recipe": smoke_recipe(on_text("grammar", 0), 300, 3)},
            arguments=on(TEXT),
        ),
    },
)

"""How many labels pre-training saves: "does the verb agree?", fine-tuned or untrained.

Radford et al. 2018, section 3.2: a pre-trained GPT and one new matrix, trained on the
sum of the loss of the labels and λ times that of the words.
"""

import random
from collections import Counter
from collections.abc import Callable, Sequence
from dataclasses import replace
from functools import cache
from typing import NamedTuple

import torch
from torch import Tensor, nn
from torch.nn.functional import cross_entropy

from lookback.gpt import GPT, Classifier
from lookback.recipes.gpt import GPTLearner
from lookback.text.batches import pad
from lookback.text.corpora import grammar
from lookback.text.grammar.agreement import minimal_pairs
from lookback.text.vocabulary import Vocabulary
from lookback.workshop import (
    TEXTS,
    Case,
    Optimiser,
    Recipe,
    Row,
    Study,
    case,
    corpus,
    english,
    recipe,
    seeds,
)
from lookback.workshop import pretrained as shipped

GRAMMAR = TEXTS["grammar"]
FARTHEST = 5  # words from a noun to its verb; more count as so many
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


@cache
def examples(pairs: int = 12_000) -> tuple[Example, ...]:
    """Beginnings of sentences that GRAMMAR's training text does not hold.

    Every noun is in either number with the same words around it, and every verb right
    or wrong, by a fair draw: whoever ignores the noun is right in half of them.
    """
    read = english(corpus(GRAMMAR), "train")
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
            distance = min(one.distance, FARTHEST)
            found.setdefault(words, Example(words, agrees, distance))
    return tuple(found.values())


def batch(chosen: Sequence[Example], words: Vocabulary) -> tuple[Tensor, ...]:
    """ids (B, T): <s> and the words; the index (B,) of the verb; the labels (B,)."""
    rows = [[words.start, *words.ids(one.words)] for one in chosen]
    ids, mask = pad(rows, words.pad)
    labels = torch.tensor([one.agrees for one in chosen])
    return ids, mask.sum(dim=1) - 1, labels


def loss(
    classifier: Classifier, given: tuple[Tensor, ...], auxiliary: float, ignored: int
) -> Tensor:
    """-ln P(label) + λ · the mean of -ln P(word), over the batch."""
    ids, last, labels = given
    scores, logits = classifier(ids, last)
    words = cross_entropy(
        logits[:, :-1].flatten(0, 1), ids[:, 1:].flatten(), ignore_index=ignored
    )
    return cross_entropy(scores, labels) + auxiliary * words


def begun(
    pretraining: Recipe[GPTLearner], pretrained: bool, seed: int
) -> tuple[Classifier, Vocabulary]:
    """The classifier before its first label: the shipped GPT, or random weights."""
    learner: GPTLearner = shipped("gpt", kind=GPTLearner)
    words, network = learner.vocabularies["words"], learner.network
    if not pretrained:
        other = GPTLearner(replace(pretraining, seed=seed))
        network = other.untrained(learner.vocabularies)
    assert isinstance(network, GPT)
    with seeds.seeded(seed):
        return Classifier(network, 2), words


def train(
    classifier: nn.Module,
    loss: Callable[[Sequence[Example]], Tensor],
    labels: int,
    seed: int,
    epochs: int = EPOCHS,
    optimiser: Optimiser = OPTIMISER,
) -> None:
    """Train on so many examples, then set to evaluation. Each seed draws others."""
    generator = random.Random(seed)
    chosen = generator.sample(examples()[DEVELOPED + TESTED :], labels)
    updates = optimiser.over(classifier.parameters())
    steps, step = epochs * -(-len(chosen) // SENTENCES), 0
    classifier.train()
    for _ in range(epochs):
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


def measured(
    pretraining: Recipe[GPTLearner],
    pretrained: bool,
    labels: int,
    seed: int,
    epochs: int = EPOCHS,
) -> Row:
    """How many of the test's labels are right, of all and by distance.

    pretraining  the recipe of the shipped GPT
    pretrained   does it begin as the shipped GPT, or with random weights?
    labels       examples that it learns from;  epochs  how often it reads each
    seed         of the matrix W_y, of the choice of examples and of their order, and of
                 random weights
    """
    classifier, words = begun(pretraining, pretrained, seed)
    fine_tune(classifier, words, labels, seed, epochs)
    return tested(classifier, words)


def fine_tune(
    classifier: Classifier,
    words: Vocabulary,
    labels: int,
    seed: int,
    epochs: int = EPOCHS,
) -> None:
    """Train a classifier on labels, and on their words."""

    def of_batch(some: Sequence[Example]) -> Tensor:
        return loss(classifier, batch(some, words), AUXILIARY, words.pad)

    train(classifier, of_batch, labels, seed, epochs)


def tested(classifier: Classifier, words: Vocabulary) -> Row:
    """How many of the test's labels are right, of all and by distance."""

    def of_batch(some: Sequence[Example]) -> tuple[Tensor, Tensor]:
        given, last, labels = batch(some, words)
        return classifier(given, last)[0], labels

    return scored(of_batch, examples()[DEVELOPED : DEVELOPED + TESTED])


@torch.no_grad()
def scored(
    scores: Callable[[Sequence[Example]], tuple[Tensor, Tensor]],
    tested: Sequence[Example],
) -> Row:
    """How many labels are right, of all and by distance.

    scores  examples → the scores (B, 2) of their classes, and their labels (B,)
    """
    right: list[bool] = []
    for first in range(0, len(tested), 100):
        found, labels = scores(tested[first : first + 100])
        right += (found.argmax(dim=1) == labels).tolist()
    of, rightly = Counter[int](), Counter[int]()
    for one, yes in zip(tested, right, strict=True):
        of[one.distance] += 1
        rightly[one.distance] += yes
    distances = [*range(1, FARTHEST + 1)]
    return {
        "tested": len(right),
        "right": sum(right),
        "distance": distances,
        "tested by distance": [of[d] for d in distances],
        "right by distance": [rightly[d] for d in distances],
    }


SIZES = {"pre-trained": (100, 300, 1000), "from scratch": (100, 1000)}
SEEDS = (0, 1, 2)


def cases_of(function: Callable[..., Row], model: str) -> dict[str, Case]:
    """The cases of a model, which begins pre-trained or not."""
    return {
        f"{name}, {labels} labels, seed {seed}": case(
            function,
            pretraining=recipe(model),
            pretrained=name == "pre-trained",
            labels=labels,
            seed=seed,
        )
        for name, sizes in SIZES.items()
        for labels in sizes
        for seed in SEEDS
    }


STUDY = Study(
    about="does the verb agree? Labels that a pre-trained GPT needs, and an untrained",
    cases=cases_of(measured, "gpt"),
    check=case(
        measured,
        pretraining=recipe("gpt"),
        pretrained=True,
        labels=20,
        seed=0,
        epochs=1,
    ),
)

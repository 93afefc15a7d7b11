"""How many labels pre-training saves a BERT: "does the verb agree?", as GPT was asked.

The examples, the test and the training are those of `gpt_labels`. Where GPT reads its
last word, BERT reads the verb, as a tagger does: </s> comes after it.
"""

from collections.abc import Sequence
from dataclasses import replace

import torch
from torch import Tensor
from torch.nn.functional import cross_entropy

from lookback.bert import BERT, TokenClassifier, join
from lookback.recipes.bert import BERTLearner
from lookback.studies.gpt_labels import (
    CLIP,
    DEVELOPED,
    EPOCHS,
    TESTED,
    Example,
    cases_of,
    examples,
    scored,
    train,
)
from lookback.text.batches import pad
from lookback.text.vocabulary import Vocabulary
from lookback.workshop import (
    Optimiser,
    Recipe,
    Row,
    Study,
    case,
    recipe,
    seeds,
)
from lookback.workshop import pretrained as shipped

OPTIMISER = Optimiser(
    "adamw", 1e-3, (("betas", (0.9, 0.95)),), warmup=20, decay="linear", clip=CLIP
)


def batch(chosen: Sequence[Example], words: Vocabulary) -> tuple[Tensor, ...]:
    """ids (B, S): <s>, the words, </s>; mask (B, S); index of the verb; labels (B,)."""
    rows = [
        join(words.ids(one.words), start=words.start, end=words.end)[0]
        for one in chosen
    ]
    ids, mask = pad(rows, words.pad)
    labels = torch.tensor([one.agrees for one in chosen])
    return ids, mask, mask.sum(dim=1) - 2, labels


def begun(
    pretraining: Recipe[BERTLearner], pretrained: bool, seed: int
) -> tuple[TokenClassifier, Vocabulary]:
    """The classifier before its first label: the shipped BERT, or random weights."""
    learner: BERTLearner = shipped("bert", kind=BERTLearner)
    words, network = learner.vocabularies["words"], learner.network
    if not pretrained:
        other = BERTLearner(replace(pretraining, seed=seed))
        network = other.untrained(learner.vocabularies)  # type: ignore[assignment]
    assert isinstance(network, BERT)
    with seeds.seeded(seed):
        return TokenClassifier(network, 2), words


def scores(classifier: TokenClassifier, given: tuple[Tensor, ...]) -> Tensor:
    """(B, 2), of the verb's state."""
    ids, mask, verb, _ = given
    found: Tensor = classifier(ids, mask)
    return found[torch.arange(len(ids)), verb]


def fine_tune(
    classifier: TokenClassifier,
    words: Vocabulary,
    labels: int,
    seed: int,
    epochs: int = EPOCHS,
) -> None:
    """Train a classifier on labels, as GPT's is."""

    def of_batch(some: Sequence[Example]) -> Tensor:
        given = batch(some, words)
        return cross_entropy(scores(classifier, given), given[-1])

    train(classifier, of_batch, labels, seed, epochs, OPTIMISER)


def measured(
    pretraining: Recipe[BERTLearner],
    pretrained: bool,
    labels: int,
    seed: int,
    epochs: int = EPOCHS,
) -> Row:
    """Fine-tune; how many of the test's labels are right, of all and by distance.

    pretraining  the recipe of the shipped BERT
    pretrained   does it begin as the shipped BERT, or with random weights?
    labels       examples that it learns from;  epochs  how often it reads each
    seed         of the new matrices, of the choice of examples and of their order, and
                 of random weights
    """
    classifier, words = begun(pretraining, pretrained, seed)
    fine_tune(classifier, words, labels, seed, epochs)
    return tested(classifier, words)


def tested(classifier: TokenClassifier, words: Vocabulary) -> Row:
    """How many of the test's labels are right, of all and by distance."""

    def of_batch(some: Sequence[Example]) -> tuple[Tensor, Tensor]:
        given = batch(some, words)
        return scores(classifier, given), given[-1]

    return scored(of_batch, examples()[DEVELOPED : DEVELOPED + TESTED])


STUDY = Study(
    about="does the verb agree? Labels that a pre-trained BERT needs, and an untrained",
    cases=cases_of(measured, "bert"),
    check=case(
        measured,
        pretraining=recipe("bert"),
        pretrained=True,
        labels=20,
        seed=0,
        epochs=1,
    ),
)

"""How many labels pre-training saves a BERT: "does the verb agree?", as GPT was asked.

The examples, the test and the training are those of `gpt_labels`. Where GPT reads its
last word, BERT reads [CLS], or, as a tagger does, the verb itself.
"""

from collections.abc import Sequence
from dataclasses import dataclass, replace
from functools import partial

import torch
from torch import Tensor
from torch.nn.functional import cross_entropy

from lookback.bert import BERT, SentenceClassifier, TokenClassifier, join
from lookback.recipes.bert import BERTLearner
from lookback.studies.gpt_labels import (
    CLIP,
    DEVELOPED,
    TESTED,
    Example,
    Training,
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
    each,
    pretrained,
    recipe,
    seeds,
)

OPTIMISER = Optimiser(
    "adamw", 1e-3, (("betas", (0.9, 0.95)),), warmup=20, decay="linear", clip=CLIP
)


@dataclass(frozen=True)
class Labels:
    """How a classifier is trained.

    pretraining  the recipe of the BERT that it begins as: that of the shipped one
    pretrained   True: that BERT; False: the same network, randomly initialised
    labels       examples that it learns from;  epochs  how often it reads each
    seed         of the new matrices, of the choice of examples and of their order, and
                 of a network that is randomly initialised
    reads        "verb" or "[CLS]": the state that is classified
    """

    pretraining: Recipe[BERTLearner]
    pretrained: bool
    labels: int
    seed: int
    reads: str = "verb"
    epochs: int = 10
    optimiser: Optimiser = OPTIMISER


def batch(chosen: Sequence[Example], words: Vocabulary) -> tuple[Tensor, ...]:
    """ids (B, S): <s>, the words, </s>; mask (B, S); index of the verb; labels (B,)."""
    rows = [
        join(words.ids(one.words), start=words.start, end=words.end)[0]
        for one in chosen
    ]
    ids, mask = pad(rows, words.pad)
    labels = torch.tensor([one.agrees for one in chosen])
    return ids, mask, mask.sum(dim=1) - 2, labels


def begun(case: Labels) -> tuple[TokenClassifier, Vocabulary]:
    """The classifier of a case, before its first label."""
    learner: BERTLearner = pretrained("bert", kind=BERTLearner)
    words, network = learner.vocabularies["words"], learner.network
    if not case.pretrained:
        other = BERTLearner(replace(case.pretraining, seed=case.seed))
        network = other.untrained(learner.vocabularies)  # type: ignore[assignment]
    assert isinstance(network, BERT)
    with seeds.seeded(case.seed):
        kind = TokenClassifier if case.reads == "verb" else SentenceClassifier
        return kind(network, 2), words


def scores(classifier: TokenClassifier, given: tuple[Tensor, ...]) -> Tensor:
    """(B, 2), of the verb's state or of [CLS]'s."""
    ids, mask, verb, _ = given
    found: Tensor = classifier(ids, mask)
    return found if found.dim() == 2 else found[torch.arange(len(ids)), verb]


def fine_tune(classifier: TokenClassifier, words: Vocabulary, case: Training) -> None:
    """Train a classifier on the labels of a case, as GPT's is."""

    def of_batch(some: Sequence[Example]) -> Tensor:
        given = batch(some, words)
        return cross_entropy(scores(classifier, given), given[-1])

    train(classifier, of_batch, case)


def measured(case: Labels) -> Row:
    """Fine-tune; how many of the test's labels are right, of all and by distance."""
    classifier, words = begun(case)
    fine_tune(classifier, words, case)
    return tested(classifier, words)


def tested(classifier: TokenClassifier, words: Vocabulary) -> Row:
    """How many of the test's labels are right, of all and by distance."""

    def of_batch(some: Sequence[Example]) -> tuple[Tensor, Tensor]:
        given = batch(some, words)
        return scores(classifier, given), given[-1]

    return scored(of_batch, examples()[DEVELOPED : DEVELOPED + TESTED])


FEW = Labels(recipe("bert"), True, labels=20, seed=0, epochs=1)
STUDY = Study(
    about="does the verb agree? Labels that a pre-trained BERT needs, and an untrained",
    cases=each(measured, case=cases_of(partial(Labels, recipe("bert")))),
    check=case(measured, case=FEW),
)

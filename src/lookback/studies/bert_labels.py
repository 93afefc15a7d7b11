"""How many labels pre-training saves a BERT: "does the verb agree?", as GPT was asked.

The examples, the test and the training are those of `gpt_labels`. Where GPT reads its
last word, BERT reads [CLS], or, as a tagger does, the verb itself.
"""

import random
from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass, replace

import torch
from torch import Tensor
from torch.nn.functional import cross_entropy

from lookback.bert import BERT, SentenceClassifier, TokenClassifier, join
from lookback.recipes.bert import BERTLearner
from lookback.studies.gpt_labels import (
    CLIP,
    DEVELOPED,
    FARTHEST,
    SEEDS,
    SENTENCES,
    TESTED,
    Example,
    examples,
)
from lookback.text.batches import pad
from lookback.text.vocabulary import Vocabulary
from lookback.workshop import Optimiser, Recipe, Row, Study, pretrained, recipe, seeds

OPTIMISER = Optimiser(
    "adamw", 1e-3, (("betas", (0.9, 0.95)),), warmup=20, decay="linear", clip=CLIP
)


@dataclass(frozen=True)
class Labels:
    """How a classifier is trained.

    pretraining  the recipe of the BERT that it begins as: that of the shipped one
    pretrained   is it that BERT? If not, one whose numbers were only drawn
    labels       examples that it learns from;  epochs  how often it reads each
    seed         of the new matrices, of the choice of examples and of their order, and
                 of the numbers that are only drawn
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


def fine_tuned(case: Labels) -> tuple[TokenClassifier, Vocabulary]:
    """The classifier of a case, trained on labels. Each seed draws other examples."""
    (classifier, words), generator = begun(case), random.Random(case.seed)
    chosen = generator.sample(examples()[DEVELOPED + TESTED :], case.labels)
    optimiser = case.optimiser.over(classifier.parameters())
    steps, step = case.epochs * -(-len(chosen) // SENTENCES), 0
    for _ in range(case.epochs):
        generator.shuffle(chosen)
        for first in range(0, len(chosen), SENTENCES):
            step += 1
            for group in optimiser.param_groups:
                group["lr"] = case.optimiser.rate * case.optimiser.factor(step, steps)
            given = batch(chosen[first : first + SENTENCES], words)
            optimiser.zero_grad()
            loss = cross_entropy(scores(classifier.train(), given), given[-1])
            loss.backward()  # type: ignore[no-untyped-call]
            torch.nn.utils.clip_grad_norm_(classifier.parameters(), CLIP)
            optimiser.step()
    return classifier.eval(), words


def measured(case: Labels) -> Row:
    """How many of the test's labels are right, of all and by distance."""
    classifier, words = fine_tuned(case)
    return scored(classifier, words, examples()[DEVELOPED : DEVELOPED + TESTED])


@torch.no_grad()
def scored(
    classifier: TokenClassifier, words: Vocabulary, tested: Sequence[Example]
) -> Row:
    """How many labels are right, of all and by distance."""
    right: list[bool] = []
    for first in range(0, len(tested), 100):
        given = batch(tested[first : first + 100], words)
        right += (scores(classifier, given).argmax(dim=1) == given[-1]).tolist()
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
STUDY = Study(
    about="does the verb agree? Labels that a pre-trained BERT needs, and an untrained",
    cases={
        f"{name}, {labels} labels, seed {seed}": Labels(
            recipe("bert"), name == "pre-trained", labels, seed
        )
        for name, sizes in SIZES.items()
        for labels in sizes
        for seed in SEEDS
    },
    measure=measured,
    check=None,  # counts of right answers: another processor may differ in a few
)

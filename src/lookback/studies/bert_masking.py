"""What a BERT reads in place of the words that it predicts.

Devlin et al. 2019, appendix C.2: all of them [MASK], against 80 % [MASK], 10 % random
words and 10 % as they are.
"""

import copy
import math
from typing import Any

import torch
from torch.nn.functional import cross_entropy

from lookback.bert import TokenClassifier
from lookback.recipes.bert import (
    EVALUATION_TOKENS,
    BERTLearner,
    Kinds,
    on_grammar,
    task,
)
from lookback.text.batches import sentence_batches
from lookback.workshop import (
    TEXTS,
    Recipe,
    Row,
    Study,
    case,
    corpus,
    english,
    follow,
    on_few,
    pretrained,
    recipe,
    seeds,
)

from .bert_labels import fine_tune, tested

SENTENCES = 400  # of the test, in which words are to be predicted
READ: dict[str, Kinds] = {
    "[MASK]": (1.0, 0.0, 0.0),
    "a random word": (0.0, 1.0, 0.0),
    "the word itself": (0.0, 0.0, 1.0),
}
"""What a test reads in place of a word that is to be predicted."""
LABELS, DRAWS = (100, 300, 1000), (0, 1, 2)


def measured(pretraining: Recipe[BERTLearner], labels: tuple[int, ...] = LABELS) -> Row:
    """Pre-train: what it cost, what it restores; then fine-tune: right answers.

    labels  the numbers of labels on which its network goes on
    """
    learner = learned(pretraining)
    entries = learner.log.entries if learner.log else []
    predicted = sum(entry.tokens for entry in entries) or learner.metadata["tokens"]
    return {
        "seconds": learner.seconds or learner.metadata["seconds"],
        "words read": words_read(pretraining),
        "words predicted": predicted,
        "restored": {name: restored(learner, kinds) for name, kinds in READ.items()},
        "labels": list(labels),
        "right": [[right(learner, n, draw) for draw in DRAWS] for n in labels],
    }


def learned(pretraining: Recipe[BERTLearner]) -> BERTLearner:
    """What the recipe makes; the model that is shipped is not trained again."""
    if pretraining == recipe("bert"):
        return pretrained("bert", kind=BERTLearner)
    return follow(pretraining)


def words_read(pretraining: Recipe[BERTLearner]) -> int:
    """Words and ends of sentences in all steps, from the mean batch of an epoch."""
    text, words = english(corpus(pretraining.data), "train"), pretraining.budget
    vocabulary = pretrained("bert", kind=BERTLearner).vocabularies["words"]
    sizes = [b.tokens for b in sentence_batches(text, vocabulary, tokens=words.tokens)]
    return round(words.steps * sum(sizes) / len(sizes))


@torch.no_grad()
def restored(learner: BERTLearner, kinds: Kinds) -> Row:
    """Of words in whose place the network reads what `kinds` says: how many it knows.

    It is asked for the same words, whatever it reads there.
    """
    words, generator = learner.vocabularies["words"], seeds.generator(0)
    text = english(corpus(TEXTS["grammar"]), "test")[:SENTENCES]
    nats, hits, n = 0.0, 0, 0
    for batch in sentence_batches(text, words, tokens=EVALUATION_TOKENS):
        given = task(batch, words, generator, kinds)
        logits = learner.network(given.read, given.mask)[0][given.chosen]
        hidden = given.words[given.chosen]
        nats += cross_entropy(logits, hidden, reduction="sum").item()
        hits += int((logits.argmax(dim=-1) == hidden).sum())
        n += len(hidden)
    return {"words": n, "perplexity": math.exp(nats / n), "right": hits}


def right(learner: BERTLearner, labels: int, draw: int) -> int:
    """Right answers of 1 000: does the verb agree? After so many labels."""
    with seeds.seeded(draw):
        classifier = TokenClassifier(copy.deepcopy(learner.network), 2)
    fine_tune(classifier, learner.vocabularies["words"], labels, draw)
    return int(tested(classifier, learner.vocabularies["words"])["right"])


KINDS: dict[str, dict[str, Any]] = {
    "80/10/10": {},
    "[MASK] alone": {"kinds": (1.0, 0.0, 0.0)},
}
STUDY = Study(
    about="BERT on the grammar: what is read of hidden words",
    cases={
        f"{name}, seed {seed}": case(measured, pretraining=on_grammar(seed, **changed))
        for seed in range(3)
        for name, changed in KINDS.items()
    }
    # The shipped model's right answers are those of `bert_labels`.
    | {"80/10/10, seed 0": case(measured, pretraining=recipe("bert"), labels=())},
    check=case(measured, pretraining=on_few(on_grammar(0), 1000, 2), labels=()),
)

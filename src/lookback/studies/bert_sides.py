"""Both sides against the left alone: BERT and GPT after the same words.

Both read the grammar with GPT's recipe of 2 500 updates of at most 500 words; and GPT
as long as the shipped BERT, whose cases are those of `bert_masking`. All are asked for
the same masked words, and fine-tuned on the same labels.
"""

import copy
import math
from collections.abc import Callable
from dataclasses import replace
from typing import Any

import torch
from torch.nn.functional import cross_entropy

from lookback.gpt import GPT, Classifier
from lookback.recipes.bert import MASK, BERTLearner, fixed_masks, on_grammar
from lookback.recipes.gpt import GPTLearner, on_text
from lookback.workshop import (
    TEXTS,
    Budget,
    Recipe,
    Row,
    Study,
    case,
    corpus,
    each,
    english,
    follow,
    on_few,
    pretrained,
    recipe,
    seeds,
)

from . import gpt_labels
from .bert_masking import DRAWS, LABELS, SENTENCES, right, words_read

SHORT = on_text("grammar").budget
LONG = on_grammar().budget


def measured(pretraining: Recipe[Any], labels: tuple[int, ...] = LABELS) -> Row:
    """Pre-train, fill gaps, then fine-tune: right answers for each number of labels."""
    learner = learned(pretraining)
    asks = right if isinstance(learner, BERTLearner) else gpt_right
    return {
        "seconds": learner.seconds or learner.metadata["seconds"],
        "updates": pretraining.budget.steps,
        "words read": words_read(pretraining),
        "gaps": filled(learner),
        "labels": list(labels),
        "right": [[asks(learner, n, draw) for draw in DRAWS] for n in labels],
    }


def learned(pretraining: Recipe[Any]) -> Any:
    """What the recipe makes; the GPT that is shipped is not trained again."""
    if pretraining == recipe("gpt"):
        return pretrained("gpt", kind=GPTLearner)
    return follow(pretraining)


@torch.no_grad()
def filled(learner: Any) -> Row:
    """Of the masked words of the test: their perplexity, and how many are right.

    BERT reads [MASK] in their place. GPT reads the words before, none of them masked.
    """
    with_masks = pretrained("bert", kind=BERTLearner).vocabularies["words"]
    own, after = learner.vocabularies["words"], with_masks.ids([MASK])[0] + 1
    same = torch.tensor([0, 1, 2, 3, 1, *own.ids(with_masks.entries[after:])])
    nats, hits, n = 0.0, 0, 0
    text = english(corpus(TEXTS["grammar"]), "test")[:SENTENCES]
    for given in fixed_masks(text, with_masks):
        if isinstance(learner, BERTLearner):
            logits = learner.network(given.read, given.mask)[0][given.chosen]
            hidden = given.words[given.chosen]
        else:
            words, gap = same[given.words], given.chosen[:, 1:]
            logits = learner.network(words[:, :-1])[0][gap]
            hidden = words[:, 1:][gap]
        nats += cross_entropy(logits, hidden, reduction="sum").item()
        hits += int((logits.argmax(dim=-1) == hidden).sum())
        n += len(hidden)
    return {"words": n, "perplexity": math.exp(nats / n), "right": hits}


def gpt_right(learner: GPTLearner, labels: int, draw: int) -> int:
    """Right answers of 1 000: does the verb agree? After so many labels."""
    words = learner.vocabularies["words"]
    assert isinstance(learner.network, GPT)
    with seeds.seeded(draw):
        classifier = Classifier(copy.deepcopy(learner.network), 2)
    gpt_labels.fine_tune(classifier, words, labels, draw)
    return int(gpt_labels.tested(classifier, words)["right"])


def longer(seed: int) -> Recipe[GPTLearner]:
    """GPT's recipe with the steps, the words and the warm-up of the shipped BERT."""
    short = on_text("grammar", seed)
    assert short.optimiser
    optimiser = replace(short.optimiser, warmup=LONG.steps // 20)
    budget = Budget(LONG.steps, LONG.tokens, evaluate_every=LONG.evaluate_every)
    return replace(short, optimiser=optimiser, budget=budget)


PRETRAININGS: dict[str, Callable[[int], Recipe[Any]]] = {
    "BERT": lambda seed: on_grammar(seed, SHORT.steps, SHORT.tokens),
    "GPT": lambda seed: on_text("grammar", seed),
    "GPT, longer": longer,
}
STUDY = Study(
    about="BERT and GPT after the same words: gaps they fill, labels they need",
    cases=each(
        measured,
        pretraining={
            f"{name}, seed {seed}": made(seed)
            for name, made in PRETRAININGS.items()
            for seed in range(3)
        },
    ),
    check=case(measured, pretraining=on_few(recipe("gpt"), 1000, 2), labels=()),
)

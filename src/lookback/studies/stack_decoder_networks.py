"""A Transformer that learns from few captions, to be compared with phrases in pairs.

It reads the first pairs of the text that the phrases of `stack_decoder` read, and
translates the same test. For how many steps it learns is chosen on validation. Words
that it does not know are treated in two ways: <unk> is left as it is, or replaced with
the source word that it attends to most.
"""

from dataclasses import dataclass, replace
from typing import Any

import numpy as np

from lookback.measure import bleu
from lookback.text.corpora import Lengths
from lookback.workshop import (
    CAPTIONS,
    Budget,
    Data,
    Optimiser,
    Recipe,
    Row,
    Study,
    case,
    each,
    pairs,
    recipe,
)

from .real import BEAM, UNK, copied, translated
from .stack_decoder import counted, first, interval

JUDGED = 300  # sentences of validation, translated after each evaluation


@dataclass(frozen=True)
class Network:
    """A network and the pairs that it learns from, the first of its text."""

    pairs: int
    recipe: Recipe[Any]


def measured(case: Network) -> Row:
    """Learn, keep the best step of validation, and translate the test once."""
    text = first(case.recipe.data, case.pairs)
    learner = case.recipe.learner(case.recipe)
    judged, test = pairs(text, "validation")[:JUDGED], pairs(text, "test")
    tried: list[list[float]] = []
    best: dict[str, Any] = {}

    def evaluated(loss: float) -> None:
        """Keep the network if it translates validation better than before."""
        step = case.recipe.budget.evaluate_every * (len(tried) + 1)
        score = bleu(
            hypotheses=learner.decode([pair.source for pair in judged]),
            references=[list(pair.target) for pair in judged],
        ).score
        if score > max((row[2] for row in tried), default=-1.0):
            best.update({k: v.clone() for k, v in learner.tensors().items()})
        tried.append([step, round(loss, 4), round(score, 2)])

    learner.follow(text, evaluated=evaluated)
    learner.restore(best, learner.vocabularies)
    written = translated(learner, test, BEAM).written
    sources = [pair.source for pair in test]
    ways = {UNK: written, "replaced": copied(learner, sources, written)}
    words = [word for sentence in written for word in sentence]
    return {
        "pairs": len(text.train),
        "known words": [len(words) for words in learner.vocabularies.values()],
        "parameters": learner.parameters,
        "seconds": round(learner.seconds, 1),
        "validation": tried,
        "steps": int(tried[int(np.argmax([row[2] for row in tried]))][0]),
        "unknown words written": round(words.count(UNK) / len(words), 4),
        "test": {name: interval(some, test) for name, some in ways.items()},
        "counts": {name: counted(some, test) for name, some in ways.items()},
    }


def network(many: int, steps: int, **changes: Any) -> Network:
    """The Transformer of the captions, with these steps and a dropout of .3."""
    old = recipe("transformer-multi30k")
    usual = {
        "data": replace(CAPTIONS, min_count=2),
        "model": replace(old.model, dropout=0.3),
        "budget": Budget(steps, old.budget.tokens, evaluate_every=steps // 5),
    }
    return Network(many, replace(old, **{**usual, **changes}))


LENGTHS = Lengths(uniform=1.0, low=3, high=8, longest=10)
FEW = Data("grammar", (("pairs", 150), ("seed", 0), ("lengths", LENGTHS)), min_count=2)
SMALL = replace(recipe("transformer").model, N=1, d_model=32, h=2, d_ff=64)
QUICK = network(50, 25, data=FEW, model=SMALL, optimiser=Optimiser("adam", 1e-2))
STUDY = Study(
    about="a Transformer that learned from few captions, sentence by sentence",
    cases=each(
        measured,
        case={
            "1000": network(1000, 1200),
            "5000": network(5000, 1500),
        },
    ),
    check=case(measured, case=QUICK),
)

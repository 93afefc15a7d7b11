"""A Transformer that learns from few captions, to be compared with phrases in pairs.

It reads the first pairs of the text that the phrases of `stack_decoder` read, and
translates the same test. For how many steps it learns is chosen on validation. Words
that it does not know are treated in two ways: <unk> is left as it is, or replaced with
the source word that it attends to most.
"""

from dataclasses import replace
from typing import Any

import numpy as np

from lookback.measure import bleu
from lookback.text.corpora import Lengths
from lookback.workshop import (
    CAPTIONS,
    Budget,
    Case,
    Data,
    Optimiser,
    Recipe,
    Row,
    Study,
    case,
    pairs,
    recipe,
)

from .real import BEAM, UNK, copied, translated
from .stack_decoder import counted, first, interval

JUDGED = 300  # sentences of validation, translated after each evaluation


def measured(many: int, recipe: Recipe[Any]) -> Row:
    """Learn, keep the best step of validation, and translate the test once.

    many  pairs that it learns from, the first of its text
    """
    text = first(recipe.data, many)
    learner = recipe.learner(recipe)
    judged, test = pairs(text, "validation")[:JUDGED], pairs(text, "test")
    tried: list[list[float]] = []
    best: dict[str, Any] = {}

    def evaluated(loss: float) -> None:
        """Keep the network if it translates validation better than before."""
        step = recipe.budget.evaluate_every * (len(tried) + 1)
        score = bleu(
            hypotheses=learner.decode([pair.source for pair in judged]),
            references=[list(pair.target) for pair in judged],
        ).score
        if score > max((row[2] for row in tried), default=-1.0):
            best.update({k: v.clone() for k, v in learner.tensors().items()})
        tried.append([step, loss, score])

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
        "seconds": learner.seconds,
        "validation": tried,
        "steps": int(tried[int(np.argmax([row[2] for row in tried]))][0]),
        "unknown words written": words.count(UNK) / len(words),
        "test": {name: interval(some, test) for name, some in ways.items()},
        "counts": {name: counted(some, test) for name, some in ways.items()},
    }


def captions(many: int, steps: int) -> Case:
    """The Transformer of the captions, with these steps and a dropout of .3."""
    old = recipe("transformer-multi30k")
    new = replace(
        old,
        data=replace(CAPTIONS, min_count=2),
        model=replace(old.model, dropout=0.3),
        budget=Budget(steps, old.budget.tokens, evaluate_every=steps // 5),
    )
    return case(measured, many=many, recipe=new)


LENGTHS = Lengths(uniform=1.0, low=3, high=8, longest=10)
FEW = Data("grammar", (("pairs", 150), ("seed", 0), ("lengths", LENGTHS)), min_count=2)
SMALL = replace(
    recipe("transformer"),
    data=FEW,
    model=replace(recipe("transformer").model, N=1, d_model=32, h=2, d_ff=64),
    optimiser=Optimiser("adam", 1e-2),
    budget=Budget(25, recipe("transformer-multi30k").budget.tokens, evaluate_every=5),
)
STUDY = Study(
    about="a Transformer that learned from few captions, sentence by sentence",
    cases={"1000": captions(1000, 1200), "5000": captions(5000, 1500)},
    check=case(measured, many=50, recipe=SMALL),
)

"""Translators in long trainings: words, sub-words, more layers.

The deepest follows Wu et al. 2021 in its sub-words, its four layers, its dropout of .3,
the fall of its rate, and the mean of the last ten checkpoints; its batches are smaller.
The counts of each sentence are kept, so that any two systems can be compared in pairs.
"""

from collections import deque
from collections.abc import Sequence
from dataclasses import replace
from typing import Any

import numpy as np
import torch

from lookback.measure import paired_bootstrap
from lookback.measure.bleu import score_of
from lookback.recipes.bpe import SubwordTransformer, on_subwords
from lookback.recipes.transformer import ADAM
from lookback.text.corpora import Pair
from lookback.workshop import (
    AttentionLearner,
    Budget,
    Optimiser,
    Recipe,
    Row,
    Study,
    Tensors,
    case,
    corpus,
    each,
    on_few,
    pairs,
    recipe,
    results,
    seeds,
)

from .real import BEAM, UNK, copied, in_points, translated
from .real_subwords import (
    COPIED,
    PHRASES,
    SENTENCES,
    compared,
    made_up,
    outline,
    spelt,
    strangers,
)
from .stack_decoder import counted, counts_of, interval

LAST = 10
"""So many checkpoints are averaged; there is one at each evaluation."""
BEST, FINAL, MEAN = "lowest loss", "last step", f"mean of the last {LAST}"
COPIES = f"{BEST}, {COPIED.partition(', ')[2]}"
Systems = dict[str, list[list[str]]]


def together(words: str, others: Sequence[str], phrases: bool = False) -> Row:
    """Cases measured before: each against each, and checkpoints' mean against the last.

    words    the one that has a list of words, and so unknown words
    phrases  is the translator by phrases compared with them?
    """
    cases = (words, *others)
    rows = {name: results("real_longer", cases=[name])[name] for name in cases}
    ways = {
        name: {way: counts_of(columns) for way, columns in row["counts"].items()}
        for name, row in rows.items()
    }
    counts = {name: ways[name][BEST] for name in cases}
    counts[COPIED] = ways[words][COPIES]
    if phrases:
        stored = results("stack_decoder", cases=["29000"])["29000"]["counts"]
        counts[PHRASES] = counts_of(stored["copied"])
    strange = np.isin(np.arange(len(counts[words])), rows[words]["with unknown words"])
    return {
        "test": {one: compared(counts, strange, one) for one in counts},
        "averaged": {
            name: in_points(
                paired_bootstrap(
                    score_of, of[MEAN], of[FINAL], generator=seeds.generator(0)
                )
            )
            for name, of in ways.items()
            if MEAN in of
        },
    }


def begun(recipe: Recipe[Any]) -> Row:
    """The first steps of a training: what tells of each sentence is left out."""
    sentences = ("counts", "with unknown words", "made up")
    return {k: v for k, v in measured(recipe).items() if k not in sentences}


def measured(recipe: Recipe[Any], averaged: int = LAST) -> Row:
    """Train; translate the test with the weights of one step, and with their mean.

    averaged  so many checkpoints; 0: none is kept but that of the lowest loss
    """
    learner, text = recipe.learner(recipe), corpus(recipe.data)
    test, checkpoints = pairs(text, "test"), deque[Tensors](maxlen=averaged)
    learner.follow(
        evaluated=lambda loss: checkpoints.append(copy_of(learner.network)),
    )
    systems = written(learner, test, [*checkpoints])
    strange = strangers([p.source for p in test], words_of(learner))
    return {
        "trained": outline(learner),
        "checkpoints": len(checkpoints),
        "with unknown words": [int(k) for k in strange.nonzero()[0]],
        "test": {name: interval(some, test) for name, some in systems.items()},
        "counts": {name: counted(some, test) for name, some in systems.items()},
        "spelt": spelt(systems, recipe.data),
        "<unk> written": sum(some.count(UNK) for some in systems[BEST]),
        **({"made up": made_up(systems[BEST], recipe)} if spells(learner) else {}),
    }


def copy_of(network: torch.nn.Module) -> Tensors:
    """The weights as they are now."""
    return {name: value.clone() for name, value in network.state_dict().items()}


def mean_of(checkpoints: Sequence[Tensors]) -> Tensors:
    """The mean of each weight; what is no number with a fraction is as in the last."""
    return {
        name: torch.stack([one[name] for one in checkpoints]).mean(0)
        if value.is_floating_point()
        else value
        for name, value in checkpoints[-1].items()
    }


def written(
    learner: AttentionLearner, test: Sequence[Pair], checkpoints: Sequence[Tensors]
) -> Systems:
    """What each choice of weights writes; the learner ends with its best step's."""
    chosen: dict[str, Tensors] = {}
    if checkpoints:
        chosen = {FINAL: checkpoints[-1], MEAN: mean_of(checkpoints)}
    chosen[BEST] = copy_of(learner.network)
    systems: Systems = {}
    for name, weights in chosen.items():
        learner.network.load_state_dict(weights)
        systems[name] = translated(learner, test, BEAM).written
    if not spells(learner):
        sources = [pair.source for pair in test]
        systems[COPIES] = copied(learner, sources, systems[BEST])
    return systems


def spells(learner: AttentionLearner) -> bool:
    """Does it write sub-words, and so words that no text has?"""
    return isinstance(learner, SubwordTransformer)


def words_of(learner: AttentionLearner) -> frozenset[str]:
    """The source words on its list; for sub-words all that can be spelt."""
    if isinstance(learner, SubwordTransformer):
        text = pairs(corpus(learner.recipe.data), "test")
        return frozenset(
            word
            for pair in text
            for word in pair.source
            if UNK not in learner.cut([word])
        )
    return frozenset(learner.vocabularies["source"].entries)


def but(whole: Recipe[Any], **model: Any) -> Recipe[Any]:
    """The same training of another network."""
    return replace(whole, model=replace(whole.model, **model))


def deeper(words: Recipe[Any], tokens: int, steps: int) -> Recipe[Any]:
    """Four layers, more dropout, and the rate of the paper's Adam with its fall.

    The rate is that of our other Transformers, for batches smaller than theirs. The
    checkpoints lie about an epoch of the captions apart.
    """
    base = replace(
        but(words, N=4, d_ff=256, dropout=0.3),
        optimiser=Optimiser("adam", 3e-3, ADAM, warmup=1000, decay="inverse-sqrt"),
        budget=Budget(steps, tokens, evaluate_every=300),
    )
    return on_subwords(base, tokens)


def norm_first(words: Recipe[Any], tokens: int, steps: int) -> Recipe[Any]:
    """The authors' layers with the norm first; the rest is our recipe."""
    budget = Budget(steps, tokens, evaluate_every=300)
    return replace(but(words, N=4, d_ff=256, norm_first=True), budget=budget)


WORDS, SYMBOLS = recipe("transformer-multi30k"), recipe("bpe-multi30k")
SHORT = deeper(WORDS, tokens=1600, steps=900)
CASES: dict[str, Recipe[Any]] = {
    "words": WORDS,
    "sub-words": SYMBOLS,
    "deeper": deeper(WORDS, tokens=1600, steps=7500),
    "pre-norm": on_subwords(norm_first(WORDS, tokens=1600, steps=9000), 1600),
}
TALK = norm_first(SENTENCES, tokens=1400, steps=6000)
# A step of words takes 1.3 times as long as one of sub-words; their BPE takes a quarter
# of a minute.
WHILE_WORDS = replace(SENTENCES, budget=Budget(3200, 700, evaluate_every=400))
WHILE_SYMBOLS = replace(SENTENCES, budget=Budget(4050, 700, evaluate_every=450))
SPOKEN = {
    "Tatoeba, words": TALK,
    "Tatoeba, sub-words": on_subwords(TALK, 1624),
    "Tatoeba, words, equal seconds": WHILE_WORDS,
    "Tatoeba, sub-words, equal seconds": on_subwords(WHILE_SYMBOLS, 812),
}
BEGINNINGS = {
    "deeper, norm first": but(SHORT, norm_first=True),
    "deeper, dropout .1": but(SHORT, dropout=0.1),
    "deeper, two layers": but(SHORT, N=2),
}
FEW = on_few(recipe("bahdanau"), 300, 2)
STUDY = Study(
    about="translators in long trainings: words, sub-words, more layers",
    cases={
        **each(measured, recipe=CASES),
        **{k: case(measured, recipe=v, averaged=0) for k, v in SPOKEN.items()},
        **each(begun, recipe=BEGINNINGS),
        "compared": case(
            together,
            words="words",
            others=("sub-words", "deeper", "pre-norm"),
            phrases=True,
        ),
        "Tatoeba, compared": case(
            together, words="Tatoeba, words", others=("Tatoeba, sub-words",)
        ),
        "Tatoeba, equal seconds": case(
            together,
            words="Tatoeba, words, equal seconds",
            others=("Tatoeba, sub-words, equal seconds",),
        ),
    },
    check=case(measured, recipe=FEW),
)

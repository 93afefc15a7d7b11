"""Networks on the captions that the phrases learn from, by how many pairs they read.

What is kept of a translation are its counts, sentence by sentence, so that systems can
be compared in pairs, and none of its words. Unknown words are treated in two ways: the
network's `<unk>` stays, or is replaced by the source word that it attended to most.
"""

from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Any

import numpy as np

from lookback.decoding import length_penalty
from lookback.measure import bleu_counts, bleu_difference, bleu_interval
from lookback.measure import strongest_positions
from lookback.text.corpora import Pair, PairCorpus
from lookback.workshop import (
    AttentionLearner,
    Budget,
    Data,
    Recipe,
    Row,
    Study,
    Words,
    corpus,
    follow,
    pairs,
    recipe,
    seeds,
)

from .real import ALPHA, BEAM, in_points

UNK = "<unk>"
TREATMENTS = ("copied", UNK)


@dataclass(frozen=True)
class Network:
    """A recipe on the first `pairs` of its training text; None: all of them."""

    recipe: Recipe[Any]
    pairs: int | None = None


def first(data: Data, many: int | None) -> PairCorpus:
    """The corpus, with so many pairs to learn from."""
    text = corpus(data)
    assert isinstance(text, PairCorpus)
    return replace(text, train=text.train[:many])


def measured(case: Network) -> Row:
    """Train a network, and count what it writes for the test and for validation."""
    text = first(case.recipe.data, case.pairs)
    learner: AttentionLearner = follow(case.recipe, text)
    assert learner.log is not None
    scores = learner.log.evaluations
    best = min(scores, key=lambda one: one.score)
    return {
        "pairs": len(text.train),
        "parameters": learner.parameters,
        "seconds": round(learner.seconds, 1),
        "steps": len(learner.log.entries),
        "best step": best.step,
        "known words": [len(words) for words in learner.vocabularies.values()],
        **told(text, lambda sources: written(learner, sources)),
    }


def written(
    learner: AttentionLearner, sources: Sequence[Words]
) -> dict[str, list[list[str]]]:
    """The translations of these sources, for each of the TREATMENTS."""
    plain = learner.decode(sources, size=BEAM, penalty=length_penalty(ALPHA))
    some = [k for k, words in enumerate(plain) if UNK in words]
    weights = learner.attention_weights([(sources[k], plain[k]) for k in some])
    copied = list(plain)
    for k, each in zip(some, weights, strict=True):
        ends = [*sources[k], UNK]  # the last position is that of </s>
        copied[k] = [
            ends[at] if word == UNK else word
            for word, at in zip(plain[k], strongest_positions(each), strict=False)
        ]
    return {"copied": copied, UNK: plain}


def told(text: PairCorpus, translate: Any) -> Row:
    """BLEU on test and validation, and the counts of each sentence of test.

    translate  sources → {treatment: translations}
    """
    found: Row = {}
    for split in ("validation", "test"):
        some = pairs(text, split)
        ways = translate([pair.source for pair in some])
        found[split] = {name: interval(words, some) for name, words in ways.items()}
    words = [word for sentence in ways[UNK] for word in sentence]
    found["unknown words written"] = round(words.count(UNK) / max(1, len(words)), 4)
    found["counts"] = {name: counted(words, some) for name, words in ways.items()}
    return found


def interval(words: Sequence[Sequence[str]], some: Sequence[Pair]) -> Row:
    """BLEU of these translations, with its interval."""
    return in_points(
        bleu_interval(
            hypotheses=words, references=wanted(some), generator=seeds.generator(0)
        )
    )


def wanted(some: Sequence[Pair]) -> list[list[str]]:
    return [list(pair.target) for pair in some]


def counted(words: Sequence[Sequence[str]], some: Sequence[Pair]) -> list[str]:
    """What BLEU counts of each sentence, `bleu_counts`, a line for each column."""
    counts = bleu_counts(hypotheses=words, references=wanted(some)).astype(int)
    return [" ".join(map(str, column)) for column in counts.T.tolist()]


def counts_of(columns: Sequence[str]) -> Any:
    """The counts (N, 10) that `counted` wrote."""
    return np.array([[float(n) for n in column.split()] for column in columns]).T


def few(
    pairs: int, steps: int, name: str = "transformer-multi30k", **changes: Any
) -> Network:
    """The recipe for less text: fewer steps, other dropout, and rarer words known."""
    whole = recipe(name)
    data = replace(whole.data, min_count=changes.pop("min_count", whole.data.min_count))
    model = replace(whole.model, **changes)
    budget = Budget(steps=steps, tokens=whole.budget.tokens, evaluate_every=steps // 15)
    return Network(replace(whole, data=data, model=model, budget=budget), pairs)


STUDY = Study(
    about="networks on captions, by how many pairs they read",
    cases={
        "Transformer, 1000, as with all": few(1000, 1500),
        "Transformer, 1000, for little": few(1000, 1500, dropout=0.4, min_count=2),
        "Transformer, 5000, as with all": few(5000, 3000),
        "Transformer, 5000, for little": few(5000, 3000, dropout=0.3, min_count=2),
        "Transformer, 29000": Network(recipe("transformer-multi30k")),
        "RNNsearch, 29000": Network(recipe("bahdanau-multi30k")),
    },
    measure=measured,
    check=None,
)

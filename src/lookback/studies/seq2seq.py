"""What the vector still knows: probing.

A probe reads the i-th word of the source off the vector that the decoder is given. It
is a softmax that is linear in the vector, one for each position and each length of the
sentence. What it cannot read may still be there, bent; what it reads is there.
"""

from collections.abc import Sequence
from functools import cache
from typing import Any, NamedTuple

import torch
from torch import Tensor

from lookback.encdec import RNNEncoderDecoder
from lookback.recipes.encdec import RECIPES as ENCDEC
from lookback.recipes.seq2seq import IN_ORDER, REVERSED
from lookback.seq2seq import Seq2Seq
from lookback.text.corpora import Lengths, PairCorpus, grammar
from lookback.workshop import (
    PAIRS,
    Data,
    Recipe,
    Row,
    Study,
    TranslationLearner,
    Words,
    case,
    corpus,
    follow,
    on_few,
    padded,
    pretrained,
)

LENGTHS = (10, 20, 40, 60)  # words of the sentences, the final mark counted
FIT, TUNE, READ = 4000, 500, 1000  # sentences of each length
SHRINKS = (0.01, 0.1, 1.0, 10.0, 100.0)


class Probe(NamedTuple):
    """P(word | vector) = softmax(W vector + b): W (V, D), b (V,)."""

    W: Tensor
    b: Tensor

    def right(self, vectors: Tensor, words: Tensor) -> float:
        """The share of the words (N,) that are the likeliest, by vectors (N, D)."""
        guessed = (vectors @ self.W.T + self.b).argmax(dim=1)
        return float((guessed == words).double().mean())


def probes(vectors: Tensor, words: Tensor, V: int) -> list[Probe]:
    """The probes of vectors (N, D) and their words (N,), one for each of SHRINKS.

    As if the vectors of each word lay round a mean μ of their own, normally, all with
    the same covariance Σ. Bayes' rule then is a softmax that is linear in the vector:
    ln P(word | x) = μᵀ Σ⁻¹ x - ½ μᵀ Σ⁻¹ μ + ln P(word), less what is equal for all.
    Σ is shrunk to Σ + λ s², s² being the mean variance of a number of the vector. The
    larger λ, the more does the word's own frequency decide.
    """
    counts = words.bincount(minlength=V).to(vectors)
    sums = vectors.new_zeros(V, vectors.size(1)).index_add(0, words, vectors)
    means = sums / counts.clamp(min=1)[:, None]  # (V, D)
    rest = vectors - means[words]
    covariance = rest.T @ rest / len(vectors)
    variance = vectors.var(dim=0, correction=0).mean()
    probes = []
    for shrink in SHRINKS:
        shrunk = covariance + shrink * variance * torch.eye(len(covariance)).to(vectors)
        W = torch.linalg.solve(shrunk, means.T).T
        b = (counts / len(vectors)).log() - (means * W).sum(dim=1) / 2
        probes.append(Probe(W, b))  # ln 0 = -∞: what was never met is never guessed
    return probes


def read(vectors: Tensor, words: Tensor, V: int, fit: int, tune: int) -> float:
    """How often the words (N,) can be read off the vectors (N, D), in the last of them.

    fit   of the N make the probes;  tune  more choose one, the others are read
    """
    first, then = slice(fit), slice(fit, fit + tune)
    best = max(
        probes(vectors[first], words[first], V),
        key=lambda probe: probe.right(vectors[then], words[then]),
    )
    return best.right(vectors[fit + tune :], words[fit + tune :])


def guessed(words: Tensor, fit: int, tune: int) -> float:
    """How often the word that is most frequent in the first `fit` is the right one."""
    most = words[:fit].bincount().argmax()
    return float((words[fit + tune :] == most).double().mean())


@torch.no_grad()
def vectors(learner: TranslationLearner, sources: Sequence[Words]) -> Tensor:
    """All that the decoder is given of each source: (N, D).

    Of an encoder–decoder c; of deep LSTMs h and c of every layer, concatenated.
    """
    vectors: list[Tensor] = [torch.empty(0)] * len(sources)
    model = learner.network.eval()
    for rows, ids, mask in padded(sources, learner.vocabularies["source"]):
        if isinstance(model, RNNEncoderDecoder):
            given = model.encoder(ids, mask)
        elif isinstance(model, Seq2Seq):
            states = model.start(ids, mask)
            given = torch.cat([part for pair in states for part in pair], dim=1)
        else:
            raise ValueError(f"{type(model).__name__} gives its decoder no one vector")
        for row, vector in zip(rows, given, strict=True):
            vectors[row] = vector
    return torch.stack(vectors)


@cache
def sentences(length: int, count: int, data: Data = PAIRS) -> tuple[Words, ...]:
    """So many sentences of one length, all different, that no translator has met."""
    lessons = corpus(data)
    assert isinstance(lessons, PairCorpus)
    met = {p.source for p in (*lessons.train, *lessons.validation, *lessons.test)}
    exact = Lengths(uniform=1.0, low=length, high=length)
    made = grammar(pairs=count + count // 5, seed=2, size="small", lengths=exact)
    every = (p.source for p in (*made.train, *made.validation, *made.test))
    new = [s for s in dict.fromkeys(every) if len(s) == length and s not in met]
    if len(new) < count:
        raise ValueError(f"only {len(new)} sentences of {length} words, not {count}")
    return tuple(new[:count])


def translator(
    recipe: Recipe[Any], trained: bool, shipped: str = ""
) -> TranslationLearner:
    """What the recipe makes: shipped under that name, or trained for the occasion.

    trained  False: the network as it was before its first step
    """
    learner: TranslationLearner = recipe.learner(recipe)
    if not trained:
        learner.vocabularies = learner.words_of(corpus(recipe.data))
        learner.network = learner.untrained(learner.vocabularies)
    elif shipped:
        learner = pretrained(shipped, kind=recipe.learner)
    else:
        learner = follow(recipe)
    return learner


def measured(
    recipe: Recipe[Any],
    trained: bool,
    shipped: str = "",
    lengths: Sequence[int] = LENGTHS,
    parts: tuple[int, int, int] = (FIT, TUNE, READ),
) -> Row:
    """For each length: how often the word at each position but the last can be read.

    parts  how many sentences make the probes, choose one, and are read
    """
    fit, tune, _ = parts
    learner = translator(recipe, trained, shipped)
    words = learner.vocabularies["source"]
    row: Row = {}
    for length in lengths:
        sources = sentences(length, sum(parts), recipe.data)
        given = vectors(learner, sources)
        ids = torch.tensor([words.ids(source) for source in sources])
        columns = [ids[:, i] for i in range(length - 1)]
        V = len(words)
        row["numbers"] = given.size(1)
        row[str(length)] = {
            "right": [read(given, w, V, fit, tune) for w in columns],
            "guessed": [guessed(w, fit, tune) for w in columns],
        }
    return row


SYSTEMS: dict[str, Recipe[Any]] = {
    "encoder–decoder": ENCDEC["encdec"],
    "deep LSTM, reversed": REVERSED,
    "deep LSTM, in order": IN_ORDER,
}
SHIPPED = {"encoder–decoder": "encdec", "deep LSTM, reversed": "seq2seq"}
FEW = on_few(ENCDEC["encdec"], 500, 3)
STUDY = Study(
    about="how often a source word can be read off the vector, by position and length",
    cases={
        f"{system}, {'trained' if trained else 'untrained'}": case(
            measured, recipe=recipe, trained=trained, shipped=SHIPPED.get(system, "")
        )
        for system, recipe in SYSTEMS.items()
        for trained in (True, False)
    },
    check=case(
        measured, recipe=FEW, trained=False, lengths=(10, 20), parts=(400, 50, 100)
    ),
)

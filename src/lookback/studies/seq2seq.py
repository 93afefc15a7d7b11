"""Does it help to read backwards? Digits copied; and what the vector still knows.

A probe reads the i-th word of the source off the vector that the decoder is given. It
is a softmax that is linear in the vector, one for each position. What it cannot read
may still be there, bent; what it reads is there.
"""

from collections.abc import Sequence
from typing import Any

import torch
from torch import Tensor

from lookback.recipes.seq2seq import IN_ORDER, REVERSED
from lookback.seq2seq import Seq2Seq, Seq2SeqConfig
from lookback.text.corpora import Lengths, PairCorpus, grammar
from lookback.trainer.checkpoint import pretrained
from lookback.trainer.data import corpus
from lookback.trainer.learner import Words, train_recipe
from lookback.trainer.recipe import Data, Recipe, smoke_recipe
from lookback.trainer.study import Experiment, Row, Setting, Study, grid
from lookback.trainer.toys import END, copied, exact, taught
from lookback.trainer.translation import TranslationLearner, padded

LENGTHS, SEEDS = (1, 2, 3, 4, 5, 6, 7, 8), range(10)
SHALLOW = (64, 108)  # n of one layer; 108: as many parameters as two layers of 64
LONGEST = 7  # digits, in training
MEAN_OF = 40  # steps, in a point of the curve
WORDS = 20  # of a sentence whose vector is probed, the final mark counted
FIT, TUNE, READ = 4000, 500, 1000  # sentences
SHRINKS = (0.01, 0.1, 1.0, 10.0, 100.0)


def ended(length: int, many: int, generator: torch.Generator) -> tuple[Tensor, Tensor]:
    """Digits and </s> (many, length + 1), and the target: <s>, the same, </s>."""
    _, target = copied(length, many, generator)
    return target[:, 1:], target


def digits(turned: bool, seed: int, steps: int = 800) -> Row:
    """What is copied without error, for each of LENGTHS; the losses of the training.

    turned  is the sequence read from the last digit to the first?
    """
    return copying(turned, layers=2, n=64, seed=seed, steps=steps)


def depth(layers: int, n: int, seed: int, steps: int = 800) -> Row:
    """The same of a network that reads backwards, by its layers of n numbers each."""
    return copying(True, layers=layers, n=n, seed=seed, steps=steps)


def copying(turned: bool, *, layers: int, n: int, seed: int, steps: int) -> Row:
    """Train a network to copy digits; count what it copies without error."""
    config = Seq2SeqConfig(m=16, n=n, layers=layers, reversed=turned)
    model, losses = taught(
        lambda: Seq2Seq(config, END + 1, END + 1), seed, steps,
        lengths=(1, LONGEST), drawn=ended,
    )  # fmt: skip
    parts = [losses[i : i + MEAN_OF] for i in range(0, len(losses), MEAN_OF)]
    return {
        "exact": exact(model, LENGTHS, ended),
        "curve": [sum(some) / len(some) for some in parts],
    }


def probed(
    recipe: Recipe[Any],
    trained: bool,
    length: int = WORDS,
    parts: tuple[int, int, int] = (FIT, TUNE, READ),
) -> Row:
    """How often the word at each position but the last can be read off the vector.

    right    by the probe;  guessed  by the most frequent word of each position
    trained  False: the network as it was before its first step
    parts    how many sentences make the probes, choose one, and are read
    """
    fit, tune, _ = parts
    learner = translator(recipe, trained)
    words = learner.vocabularies["source"]
    sources = sentences(length, sum(parts), recipe.data)
    given = vectors(learner, sources)
    ids = torch.tensor([words.ids(source) for source in sources])
    columns = [ids[:, i] for i in range(length - 1)]
    return {
        "right": [read(given, w, len(words), fit, tune) for w in columns],
        "guessed": [guessed(w, fit, tune) for w in columns],
    }


def read(vectors: Tensor, words: Tensor, V: int, fit: int, tune: int) -> float:
    """How often the words (N,) can be read off the vectors (N, D), in the last of them.

    fit   of the N make the probes;  tune  more choose one, the others are read
    """

    def right(probe: tuple[Tensor, Tensor], which: slice) -> float:
        W, b = probe
        guess = (vectors[which] @ W.T + b).argmax(dim=1)
        return float((guess == words[which]).double().mean())

    best = max(
        probes(vectors[:fit], words[:fit], V),
        key=lambda probe: right(probe, slice(fit, fit + tune)),
    )
    return right(best, slice(fit + tune, None))


def probes(vectors: Tensor, words: Tensor, V: int) -> list[tuple[Tensor, Tensor]]:
    """W (V, D) and b (V,) of P(word | x) = softmax(W x + b), for each of SHRINKS.

    A linear discriminant, of vectors (N, D) and their words (N,): as if the vectors of
    each word lay round a mean μ of their own, normally, all with the same covariance Σ.
    Bayes' rule then is a softmax that is linear in the vector:
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
        probes.append((W, b))  # ln 0 = -∞: what was never met is never guessed
    return probes


def guessed(words: Tensor, fit: int, tune: int) -> float:
    """How often the word that is most frequent in the first `fit` is the right one."""
    most = words[:fit].bincount().argmax()
    return float((words[fit + tune :] == most).double().mean())


@torch.no_grad()
def vectors(learner: TranslationLearner, sources: Sequence[Words]) -> Tensor:
    """All that the decoder is given of each source: h and c of every layer (N, D)."""
    vectors: list[Tensor] = [torch.empty(0)] * len(sources)
    model = learner.network.eval()
    assert isinstance(model, Seq2Seq)
    for rows, ids, mask in padded(sources, learner.vocabularies["source"]):
        states = model.start(ids, mask)
        given = torch.cat([part for pair in states for part in pair], dim=1)
        for row, vector in zip(rows, given, strict=True):
            vectors[row] = vector
    return torch.stack(vectors)


def sentences(length: int, count: int, data: Data) -> Sequence[Words]:
    """So many sentences of one length, all different, that no translator has met."""
    lessons = corpus(data)
    assert isinstance(lessons, PairCorpus)
    met = {p.source for p in (*lessons.train, *lessons.validation, *lessons.test)}
    only = Lengths(uniform=1.0, low=length, high=length)
    made = grammar(pairs=count + count // 5, seed=2, size="small", lengths=only)
    every = (p.source for p in (*made.train, *made.validation, *made.test))
    new = [s for s in dict.fromkeys(every) if len(s) == length and s not in met]
    if len(new) < count:
        raise ValueError(f"only {len(new)} sentences of {length} words, not {count}")
    return new[:count]


def translator(recipe: Recipe[Any], trained: bool) -> TranslationLearner:
    """What the recipe makes: before its training, as shipped, or trained now."""
    learner: TranslationLearner = recipe.learner(recipe)
    if not trained:
        learner.vocabularies = learner.words_of(corpus(recipe.data))
        learner.network = learner.untrained(learner.vocabularies)
        return learner
    shipped = recipe == REVERSED
    learner = (
        pretrained("seq2seq", kind=recipe.learner) if shipped else train_recipe(recipe)
    )
    return learner


def direction(turned: bool, trained: bool) -> Setting:
    """The recipe of a setting."""
    return {"recipe": REVERSED if turned else IN_ORDER, "trained": trained}


STUDY = Study(
    "digits copied by LSTMs, by direction and depth, and words read off their vectors",
    {
        "digits": Experiment(
            digits,
            grid(turned=(False, True), seed=SEEDS),
            smoke={"turned": True, "seed": 0, "steps": 5},
        ),
        "depth": Experiment(
            depth,
            grid(layers=(1,), n=SHALLOW, seed=range(3)),  # `digits` has two of 64
            smoke={"layers": 3, "n": 8, "seed": 0, "steps": 5},
        ),
        "probe": Experiment(
            probed,
            grid(turned=(True, False), trained=(True, False)),
            smoke={
                "recipe": smoke_recipe(REVERSED, 500, 3),
                "trained": False,
                "length": 10,
                "parts": (400, 50, 100),
            },
            arguments=direction,
        ),
    },
)

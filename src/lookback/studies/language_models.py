"""The running table of language models: every system of the book on every text.

The table lists them. Each chapter shows the systems up to its own time.
"""

from collections.abc import Callable, Iterator, Sequence
from functools import partial
from typing import Any, NamedTuple, TypeAlias

import numpy as np

from lookback.workshop import (
    TEXTS,
    Case,
    Learner,
    Recipe,
    Row,
    RunningTable,
    Study,
    System,
    Weights,
    case,
    corpus,
    english,
    follow,
    known,
    mean,
    on,
    spread,
)

NAME = "language_models"
Recipes: TypeAlias = tuple[Recipe[Any], ...]


class Line(NamedTuple):
    """What a system scored on a text: means over its seeds.

    `spread` is the standard deviation of the test perplexity; of one seed it is 0.
    """

    chapter: str
    system: str
    text: str
    seeds: int
    parameters: int
    seconds: float
    validation: float
    test: float
    spread: float


def _ngrams(text: str, order: int, seed: int) -> Recipes:
    from lookback.recipes.ngram import ngrams

    return (ngrams(text, order),)


def _nplm(text: str, seed: int) -> Recipes:
    from lookback.recipes.nplm import BY_TEXT

    return (on(text, BY_TEXT[text], seed),)


def _nplm_and_trigrams(text: str, seed: int) -> Recipes:
    return _nplm(text, seed) + _ngrams(text, 3, seed)


def _rnn(text: str, seed: int) -> Recipes:
    from lookback.recipes.recurrent import on_text

    return (on_text("rnn", text, seed),)


def _gated(text: str, cell: str, seed: int) -> Recipes:
    from lookback.recipes.lstm import on_text

    return (on_text(cell, text, seed),)


def _gpt(text: str, seed: int) -> Recipes:
    from lookback.recipes.gpt import on_text

    return (on_text(text, seed),)


def _system(
    chapter: str, name: str, text: str, seeds: int, recipes: Callable[[int], Recipes]
) -> System:
    def make(seed: int) -> Case:
        return case(measured, text=text, recipes=recipes(seed))

    return System(chapter, f"{name} on {text}", make, seeds)


def _systems(text: str) -> Iterator[System]:
    """All systems on one text, in the order of history."""
    for name, order in (("bigrams", 2), ("trigrams", 3), ("5-grams", 5)):
        make = partial(_ngrams, text, order)
        yield _system("ngram", f"{name}, Kneser–Ney", text, 1, make)
    seeds = 3 if text in SMALL else 1
    yield _system("nplm", "NPLM", text, seeds, partial(_nplm, text))
    mixed = "NPLM and trigrams, mixed"
    yield _system("nplm", mixed, text, seeds, partial(_nplm_and_trigrams, text))
    if text != "wikitext2":  # ten minutes each, so one of the three there
        yield _system("recurrent", "RNN", text, seeds, partial(_rnn, text))
    for cell in ("gru",) if text == "wikitext2" else ("lstm", "gru"):
        more = 3 if (cell, text) == ("gru", "multi30k") else seeds  # beside GPT
        yield _system("lstm", cell.upper(), text, more, partial(_gated, text, cell))
    yield _system("gpt", "GPT", text, 3, partial(_gpt, text))


SMALL = ("grammar", "python_reference")
"""Texts on which every neural model up to 2014 is trained from three seeds.

GPT is on all, and on Multi30k so is the GRU, which it is compared with.
"""
TABLE = RunningTable(
    NAME, "language model", (system for text in TEXTS for system in _systems(text))
)


def lines(until: str | None = None, text: str | None = None) -> list[Line]:
    """The table as data: the systems of chapters up to `until`, on `text`.

    Raises `ValueError` for a chapter or text without a system.
    """
    texts = list(TEXTS) if text is None else [known("text", text, TEXTS)]
    shown = [s for s in TABLE.until(until) if _text(s) in texts]
    return [_line(system) for system in shown]


def _text(system: System) -> str:
    return system.name.rsplit(" on ", 1)[1]


def _line(system: System) -> Line:
    rows, text = TABLE.rows(system.name), _text(system)
    return Line(
        system.chapter, system.name.removesuffix(f" on {text}"), text, system.seeds,
        round(mean(rows, "parameters")), mean(rows, "seconds"),
        mean(rows, "validation perplexity"),
        mean(rows, "test perplexity"), spread(rows, "test perplexity"),
    )  # fmt: skip


def measured(text: str, recipes: Recipes) -> Row:
    """Train the models, and score every token of validation and test.

    text     one of TEXTS
    recipes  those of a system; of several models the probabilities are mixed
    """
    read, parameters, seconds = corpus(TEXTS[text]), 0, 0.0
    log_p: dict[str, list[Weights]] = {"validation": [], "test": []}
    for recipe in recipes:
        learner = follow(recipe)
        parameters += learner.parameters
        seconds += learner.seconds
        for split, scores in log_p.items():
            scores.append(tokens_log_p(learner, english(read, split)))
    weights = mixture_weights(np.stack(log_p["validation"]))
    perplexities = {
        f"{split} perplexity": perplexity(mixed(np.stack(scores), weights))
        for split, scores in log_p.items()
    }
    costs = {"parameters": parameters, "seconds": seconds}
    return {**costs, **perplexities, "weights": weights.tolist()}


def counted(text: str, order: int) -> Row:
    """The row of n-grams."""
    return measured(text, _ngrams(text, order, 0))


def tokens_log_p(learner: Learner, sentences: Sequence[Sequence[str]]) -> Weights:
    """ln P of every token, sentence after sentence."""
    return np.concatenate(learner.log_probabilities(sentences))


def mixture_weights(log_p: Weights, steps: int = 50) -> Weights:
    """The weights of K models that make a held-out text likeliest, by EM.

    log_p  (K, N)  what each model says of each token, as ln P
    →  (K,), summing to 1
    """
    if log_p.ndim != 2 or 0 in log_p.shape:
        raise ValueError(f"expected ln P of K models for N tokens, got {log_p.shape}")
    weights = np.full(len(log_p), 1 / len(log_p))
    p = np.exp(log_p)
    for _ in range(steps):
        credit = weights[:, None] * p  # (K, N)
        weights = (credit / credit.sum(axis=0)).mean(axis=1)
    return weights


def mixed(log_p: Weights, weights: Weights) -> Weights:
    """ln of the weighted sum of the models' probabilities, token by token."""
    with np.errstate(divide="ignore"):
        return np.asarray(np.log(weights @ np.exp(log_p)))


def perplexity(log_p: Weights) -> float:
    return float(np.exp(-log_p.mean()))


STUDY = Study(
    about="perplexity of every language model of the book, on every text",
    cases=TABLE.cases(),
    check=case(counted, text="grammar", order=2),
)

"""The running table of language models: every system of the book on every text.

The table lists them. Each chapter shows the systems up to its own time.
"""

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from functools import partial
from typing import Any, NamedTuple

import numpy as np

from lookback.workshop import (
    TEXTS,
    Cases,
    Learner,
    Recipe,
    Results,
    Row,
    Study,
    Weights,
    corpus,
    english,
    follow,
    known,
    on,
    results,
)

NAME = "language_models"

CHAPTERS = ("ngram", "nplm", "recurrent", "lstm", "gpt")
"""Those whose systems are listed here, in the order of history."""


class System(NamedTuple):
    """A line of the table on one text.

    chapter  where the system is explained;  name  what the table calls it
    text     one of TEXTS;  seeds  how many
    recipes  seed → what makes it; of several models the probabilities are mixed
    """

    chapter: str
    name: str
    text: str
    seeds: int
    recipes: Callable[[int], tuple[Recipe[Any], ...]]

    def labels(self) -> list[str]:
        """The cases of its seeds."""
        return [f"{self.name} on {self.text}, seed {k}" for k in range(self.seeds)]


@dataclass(frozen=True)
class Entry:
    """What is measured: one of TEXTS, and the recipes of a system on it."""

    text: str
    recipes: tuple[Recipe[Any], ...]


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


Recipes = tuple[Recipe[Any], ...]


# Recipes are imported where a table shows their systems, and not before: the page of a
# chapter does not depend on the ideas of later ones.


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


def _systems(text: str) -> Iterator[System]:
    """All systems on one text, in the order of history."""
    for name, order in (("bigrams", 2), ("trigrams", 3), ("5-grams", 5)):
        make = partial(_ngrams, text, order)
        yield System("ngram", f"{name}, Kneser–Ney", text, 1, make)
    seeds = 3 if text in SMALL else 1
    yield System("nplm", "NPLM", text, seeds, partial(_nplm, text))
    mixed = "NPLM and trigrams, mixed"
    yield System("nplm", mixed, text, seeds, partial(_nplm_and_trigrams, text))
    if text != "wikitext2":  # ten minutes each, so one of the three there
        yield System("recurrent", "RNN", text, seeds, partial(_rnn, text))
    for cell in ("gru",) if text == "wikitext2" else ("lstm", "gru"):
        more = 3 if (cell, text) == ("gru", "multi30k") else seeds  # beside GPT
        yield System("lstm", cell.upper(), text, more, partial(_gated, text, cell))
    yield System("gpt", "GPT", text, 3, partial(_gpt, text))


SMALL = ("grammar", "python_reference")
"""Texts on which every neural model up to 2014 is trained from three seeds.

GPT is on all, and on Multi30k so is the GRU, which it is compared with.
"""
SYSTEMS = [system for text in TEXTS for system in _systems(text)]


def lines(until: str | None = None, text: str | None = None) -> list[Line]:
    """The table as data: the systems of chapters up to `until`, on `text`.

    Raises `ValueError` for a chapter or text without a system.
    """
    chapters: tuple[str, ...] = CHAPTERS
    if until is not None:
        known("chapter with a language model", until, chapters)
        chapters = chapters[: chapters.index(until) + 1]
    texts = list(TEXTS) if text is None else [known("text", text, TEXTS)]
    shown = [s for s in SYSTEMS if s.chapter in chapters and s.text in texts]
    labels = [label for system in shown for label in system.labels()]
    measured = results(NAME, cases=labels)
    return [_line(system, measured) for system in shown]


def _line(system: System, measured: Results) -> Line:
    rows = [measured[label] for label in system.labels()]
    keys = ("parameters", "seconds", "validation perplexity", "test perplexity")
    mean = {key: float(np.mean([row[key] for row in rows])) for key in keys}
    tests = [row["test perplexity"] for row in rows]
    spread = float(np.std(tests, ddof=1)) if len(rows) > 1 else 0.0
    return Line(
        system.chapter, system.name, system.text, len(rows),
        round(mean["parameters"]), mean["seconds"],
        mean["validation perplexity"], mean["test perplexity"], spread,
    )  # fmt: skip


def table(
    until: str | None = None, text: str | None = None
) -> tuple[list[str], list[list[str]]]:
    """Header and rows for `figures.Table`; see `lines`."""
    header = ["system", "parameters", "training, s", "validation", "test perplexity"]
    rows = []
    for line in lines(until, text):
        spread = f" ± {line.spread:.1f}" if line.seeds > 1 else ""
        costs = [f"{line.parameters:,}", _seconds(line.seconds)]
        scores = [f"{line.validation:.1f}", f"{line.test:.1f}{spread}"]
        rows.append([*([] if text else [line.text]), line.system, *costs, *scores])
    return [*([] if text else ["text"]), *header], rows


def _seconds(seconds: float) -> str:
    return f"{seconds:.0f}" if seconds >= 10 else f"{seconds:.2g}"


def measured(entry: Entry) -> Row:
    """Train the models, and score every token of validation and test."""
    text, parameters, seconds = corpus(TEXTS[entry.text]), 0, 0.0
    log_p: dict[str, list[Weights]] = {"validation": [], "test": []}
    for recipe in entry.recipes:
        learner = follow(recipe)
        parameters += learner.parameters
        seconds += learner.seconds
        for split, scores in log_p.items():
            scores.append(tokens_log_p(learner, english(text, split)))
    weights = mixture_weights(np.stack(log_p["validation"]))
    perplexities = {
        f"{split} perplexity": perplexity(mixed(np.stack(scores), weights))
        for split, scores in log_p.items()
    }
    costs = {"parameters": parameters, "seconds": round(seconds, 2)}
    return {**costs, **perplexities, "weights": [round(w, 4) for w in weights.tolist()]}


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


def _case(system: System, seed: int) -> Callable[[], Entry]:
    return lambda: Entry(system.text, system.recipes(seed))


STUDY = Study(
    about="perplexity of every language model of the book, on every text",
    cases=Cases(
        {
            label: _case(system, seed)
            for system in SYSTEMS
            for seed, label in enumerate(system.labels())
        }
    ),
    measure=measured,
    check="trigrams, Kneser–Ney on grammar, seed 0",
)

"""The running table of language models: every system of the book on every text.

The table lists them. Each chapter shows the systems up to its own time.
"""

from collections.abc import Callable, Collection, Sequence
from typing import Any, NamedTuple, TypeAlias

import numpy as np

from lookback.recipes.ngram import ngrams
from lookback.trainer.data import corpus, english
from lookback.trainer.language import TEXTS
from lookback.trainer.learner import Learner, Weights, train_recipe
from lookback.trainer.recipe import Recipe, check_choice, smoke_recipe
from lookback.trainer.running_table import RunningTable, System, mean, spread
from lookback.trainer.study import Row, Setting, Study

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


def _nplm(text: str, seed: int) -> Recipes:
    from lookback.recipes.nplm import BY_TEXT
    from lookback.trainer.language import on

    return (on(text, BY_TEXT[text], seed),)


def _nplm_and_trigrams(text: str, seed: int) -> Recipes:
    return (*_nplm(text, seed), ngrams(text, 3))


def _rnn(text: str, seed: int) -> Recipes:
    from lookback.recipes.recurrent import on_text

    return (on_text("rnn", text, seed),)


def _lstm(text: str, seed: int) -> Recipes:
    from lookback.recipes.lstm import on_text

    return (on_text("lstm", text, seed),)


def _gru(text: str, seed: int) -> Recipes:
    from lookback.recipes.lstm import on_text

    return (on_text("gru", text, seed),)


def _gpt(text: str, seed: int) -> Recipes:
    from lookback.recipes.gpt import on_text

    return (on_text(text, seed),)


SMALL = ("grammar", "python_reference")
"""Texts on which every neural model up to 2014 is trained from three seeds.

GPT is on all, and on Multi30k so is the GRU, which it is compared with.
"""
SHORT = ("grammar", "python_reference", "multi30k")
"""A network of ten minutes on WikiText-2 is trained there for the GRU alone."""


def _system(
    chapter: str,
    name: str,
    recipes: Callable[[str, int], Recipes],
    texts: Sequence[str] = tuple(TEXTS),
    three: Collection[str] = SMALL,
) -> System:
    """A system, on `texts`, from three seeds on those of `three`."""

    def arguments(text: str, seed: int) -> Setting:
        return {"recipes": recipes(text, seed)}

    settings = [
        {"text": text, "seed": seed}
        for text in texts
        for seed in range(3 if text in three else 1)
    ]
    return System(chapter, name, arguments, settings)


def _counted(name: str, order: int) -> System:
    def recipes(text: str, seed: int) -> Recipes:
        return (ngrams(text, order),)

    return _system("ngram", f"{name}, Kneser–Ney", recipes, three=())


TABLE = RunningTable(
    "language_models",
    "language model",
    [
        _counted("bigrams", 2),
        _counted("trigrams", 3),
        _counted("5-grams", 5),
        _system("nplm", "NPLM", _nplm),
        _system("nplm", "NPLM and trigrams, mixed", _nplm_and_trigrams),
        _system("recurrent", "RNN", _rnn, SHORT),
        _system("lstm", "LSTM", _lstm, SHORT),
        _system("lstm", "GRU", _gru, three=SHORT),
        _system("gpt", "GPT", _gpt, three=tuple(TEXTS)),
    ],
)


def lines(until: str | None = None, text: str | None = None) -> list[Line]:
    """The table as data: the systems of chapters up to `until`, on `text`.

    Raises `ValueError` for a chapter or text without a system.
    """
    texts = list(TEXTS) if text is None else [check_choice("text", text, TEXTS)]
    return [
        _line(system, text)
        for text in texts
        for system in TABLE.until(until)
        if any(setting["text"] == text for setting in system.settings)
    ]


def _line(system: System, text: str) -> Line:
    rows = TABLE.rows(system.name, text=text)
    return Line(
        system.chapter, system.name, text, len(rows),
        round(mean(rows, "parameters")), mean(rows, "seconds"),
        mean(rows, "validation perplexity"),
        mean(rows, "test perplexity"), spread(rows, "test perplexity"),
    )  # fmt: skip


def by_text(until: str) -> dict[str, dict[str, str]]:
    """Test perplexities as a page shows them: system → text → "21.3 ± 0.1"."""
    shown: dict[str, dict[str, str]] = {}
    for line in lines(until):
        more = f" ± {line.spread:.1f}" if line.seeds > 1 else ""
        shown.setdefault(line.system, {})[line.text] = f"{line.test:.1f}{more}"
    return shown


def measured(recipes: Recipes) -> Row:
    """Train the models, and score every token of validation and test.

    recipes  those of a system; of several models the probabilities are mixed
    """
    read, parameters, seconds = corpus(recipes[0].data), 0, 0.0
    log_p: dict[str, list[Weights]] = {"validation": [], "test": []}
    for recipe in recipes:
        learner = train_recipe(recipe)
        parameters += learner.parameters
        seconds += learner.seconds
        for split, scores in log_p.items():
            scores.append(tokens_log_p(learner, english(read, split)))
    weights = mixture_weights(np.stack(log_p["validation"]))
    perplexities = {
        f"{split} perplexity": perplexity(mixed(np.stack(scores), weights))
        for split, scores in log_p.items()
    }
    return {"parameters": parameters, "seconds": seconds, **perplexities}


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
    "perplexity of every language model of the book, on every text",
    {
        "systems": TABLE.experiment(
            measured, smoke={"recipes": (smoke_recipe(ngrams("grammar", 2), 3500),)}
        )
    },
)

"""The running table of language models: each chapter enters its systems here.

An entry is a system, a text and the recipes that make it. What each scored is measured
by the study `language_models` and shown by every chapter from its own time on.
"""

from collections.abc import Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from tempfile import TemporaryDirectory
from time import process_time
from typing import NamedTuple

import numpy as np
import torch
from numpy.typing import NDArray

from .data import AnyCorpus, corpus, english
from .makers import Bench, Trained, maker_of
from .predicting import Predicts
from .ranks import Ranks
from .recipes import Data, Recipe, known
from .studies import STUDIES, Row, Study, results

NAME = "language_models"

CHAPTERS = ("ngram", "nplm", "recurrent")
"""Those that enter systems here, in the order of history."""

TEXTS: dict[str, Data] = {
    "grammar": Data(
        "grammar", (("pairs", 25_000), ("seed", 0), ("size", "small")), min_count=2
    ),
    "python_reference": Data("python_reference"),
    "multi30k": Data("multi30k", min_count=2),
    "wikitext2": Data("wikitext2", (("min_count", 10),)),
}
"""What every language model is compared on; of pairs, the English side."""


@dataclass(frozen=True)
class Entry:
    """A line of the table, or one of its seeds.

    chapter  where the system is explained
    system   its name in the table
    text     one of TEXTS
    recipes  what makes it; of several models the probabilities are mixed
    """

    chapter: str
    system: str
    text: str
    recipes: tuple[Recipe, ...]


class Line(NamedTuple):
    """What a system scored on a text: means over its seeds, and how far they spread.

    `spread` is the standard deviation over the seeds; 0 where there is one.
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


ENTRIES: dict[str, Entry] = {}


def enter(chapter: str, system: str, text: str, *recipes: Recipe) -> None:
    """Put a system into the table, trained on the text by each of the recipes.

    Several seeds of a system are several entries. A recipe that was made for another
    text, or none at all, raises `ValueError`, as does a chapter not in CHAPTERS.
    """
    known("chapter with a language model", chapter, CHAPTERS)
    known("text", text, TEXTS)
    strange = [recipe.data for recipe in recipes if recipe.data != TEXTS[text]]
    if strange or not recipes:
        raise ValueError(f"{system} needs recipes on {TEXTS[text]}, got {strange}")
    seeds = "+".join(dict.fromkeys(str(recipe.seed) for recipe in recipes))
    label = f"{system} on {text}, seed {seeds}"
    ENTRIES[label] = Entry(chapter, system, text, recipes)


def on(text: str, recipe: Recipe, seed: int = 0) -> Recipe:
    """The same recipe for another text and seed."""
    return replace(recipe, data=TEXTS[known("text", text, TEXTS)], seed=seed)


def lines(until: str | None = None, text: str | None = None) -> list[Line]:
    """The table as data: what was entered by chapters up to `until`, on `text`.

    Raises `ValueError` for a chapter or text without an entry.
    """
    chapters: tuple[str, ...] = CHAPTERS
    if until is not None:
        known("chapter with a language model", until, chapters)
        chapters = chapters[: chapters.index(until) + 1]
    wanted = list(TEXTS) if text is None else [known("text", text, TEXTS)]
    measured, groups = results(NAME), dict[tuple[int, str, str, str], list[Row]]()
    for label, entry in ENTRIES.items():
        if entry.chapter in chapters and entry.text in wanted:
            place = chapters.index(entry.chapter)
            key = place, entry.chapter, entry.system, entry.text
            groups.setdefault(key, []).append(measured[label])
    order = sorted(groups, key=lambda key: (wanted.index(key[3]), key[0]))
    return [_line(*key[1:], groups[key]) for key in order]


def _line(chapter: str, system: str, text: str, rows: Sequence[Row]) -> Line:
    told = ("parameters", "seconds", "validation perplexity", "test perplexity")
    mean = {key: float(np.mean([row[key] for row in rows])) for key in told}
    tests = [row["test perplexity"] for row in rows]
    spread = float(np.std(tests, ddof=1)) if len(rows) > 1 else 0.0
    return Line(
        chapter, system, text, len(rows), round(mean["parameters"]), mean["seconds"],
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
        told = [f"{line.parameters:,}", _seconds(line.seconds)]
        scores = [f"{line.validation:.1f}", f"{line.test:.1f}{spread}"]
        rows.append([*([] if text else [line.text]), line.system, *told, *scores])
    return [*([] if text else ["text"]), *header], rows


def _seconds(seconds: float) -> str:
    return f"{seconds:.0f}" if seconds >= 10 else f"{seconds:.2g}"


def follow(recipe: Recipe, text: AnyCorpus | None = None) -> tuple[Trained, float]:
    """Train what a recipe says, keep nothing on disk: it, and the CPU seconds.

    text  what to train on, instead of the recipe's own corpus
    """
    text = corpus(recipe.data) if text is None else text
    with TemporaryDirectory() as there:
        bench = Bench(torch.device("cpu"), Path(there) / "state", Ranks(), False)
        began = process_time()
        made = maker_of(recipe).train(recipe, text, bench)
        return made, process_time() - began


def measured(entry: Entry) -> Row:
    """Train the entry's models and price every token of validation and test."""
    text, parameters, seconds = corpus(TEXTS[entry.text]), 0, 0.0
    log_p: dict[str, list[NDArray[np.float64]]] = {"validation": [], "test": []}
    for recipe in entry.recipes:
        made, spent = follow(recipe)
        parameters += maker_of(recipe).parameters(made.model)
        seconds += spent
        for split, found in log_p.items():
            found.append(priced(recipe, made, text, split))
    weights = mixture_weights(np.stack(log_p["validation"]))
    scores = {
        f"{split} perplexity": _perplexity(mixed(np.stack(found), weights))
        for split, found in log_p.items()
    }
    costs = {"parameters": parameters, "seconds": round(seconds, 2)}
    return {**costs, **scores, "weights": [round(w, 4) for w in weights.tolist()]}


def priced(
    recipe: Recipe, made: Trained, text: AnyCorpus, split: str
) -> NDArray[np.float64]:
    """ln P of every token of a split, one after the other."""
    maker = maker_of(recipe)
    if not isinstance(maker, Predicts):
        raise ValueError(f"{recipe.model!r} makes no language model")
    sentences = english(text, split)
    return np.concatenate(
        maker.log_probabilities(made.model, made.vocabularies, sentences)
    )


def mixture_weights(log_p: NDArray[np.float64], steps: int = 50) -> NDArray[np.float64]:
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


def mixed(
    log_p: NDArray[np.float64], weights: NDArray[np.float64]
) -> NDArray[np.float64]:
    """ln of the weighted sum of the models' probabilities, token by token."""
    with np.errstate(divide="ignore"):
        return np.asarray(np.log(weights @ np.exp(log_p)))


def _perplexity(log_p: NDArray[np.float64]) -> float:
    return float(np.exp(-log_p.mean()))


STUDIES[NAME] = Study(
    about="perplexity of every language model of the book, on every text",
    cases=ENTRIES,
    measure=measured,
    check="trigrams, Kneser–Ney on grammar, seed 0",
)

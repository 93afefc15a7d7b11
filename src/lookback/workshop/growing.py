"""A study of the neural model of Bengio et al. 2003, of n-grams, and of the two mixed.

Which wins depends on how much text there is, and on which. The same sentences are given
to both, from the first few hundred to the whole text.
"""

from collections.abc import Iterator
from dataclasses import dataclass, replace
from itertools import chain
from pathlib import Path
from tempfile import TemporaryDirectory
from time import process_time

import numpy as np
import torch
from numpy.typing import NDArray

from lookback.ngram import END, JelinekMercer, KneserNey, NgramModel, Smoothing

from . import language_models
from .counting import NgramMaker
from .data import AnyCorpus, corpus, english
from .language_models import mixed, mixture_weights, on
from .makers import Bench, Trained, Vocabularies
from .predicting import Predicts
from .ranks import Ranks
from .recipes import RECIPES, Data, Recipe
from .studies import STUDIES, Row, Study
from .windows import OURS, SEEDS, NPLMMaker

Numbers = NDArray[np.float64]
MORE = Data("grammar", (("pairs", 50_000), ("seed", 0), ("size", "small")))
SENTENCES = {"python_reference": 1863, "grammar": 20_089}  # in the train of the recipes
VARIANTS: dict[str, dict[str, bool | int]] = {
    "without W": {"direct": False},
    "without hidden units": {"h": 0},
    "two words": {"n": 3},
    "one word": {"n": 2},
}


@dataclass(frozen=True)
class Part:
    """A model of the first sentences of a text, beside n-grams of the same sentences.

    sentences  how many of train's are learnt from; None: all. Which words are known,
               validation and test are those of the whole text, so that perplexities of
               all parts compare
    """

    recipe: Recipe
    sentences: int | None = None


def compared(part: Part) -> Row:
    """Perplexities of test: the model, n-grams, and each mixed with the model."""
    whole = corpus(part.recipe.data)
    made, seconds = learnt(part, whole)
    ours = priced(NPLMMaker(), made, whole)
    tokens = sum(len(s) + 1 for s in english(whole, "train")[: part.sentences])
    found: Row = {"tokens": tokens, "seconds": round(seconds, 2)}
    found |= {"NPLM": perplexity(ours["test"])}
    found |= {"NPLM, validation": perplexity(ours["validation"])}
    for name, order, smoothing in partners(part, whole, made.vocabularies):
        counts = counted(order, smoothing, part, whole, made.vocabularies)
        theirs = priced(NgramMaker(), counts, whole)
        both = {split: np.stack([ours[split], theirs[split]]) for split in ours}
        weights = mixture_weights(both["validation"])
        found |= {
            name: perplexity(theirs["test"]),
            f"{name}, half": perplexity(mixed(both["test"], np.array([0.5, 0.5]))),
            f"{name}, mixed": perplexity(mixed(both["test"], weights)),
            f"{name}, weight": round(float(weights[1]), 4),
        }
    return found


def learnt(part: Part, whole: AnyCorpus) -> tuple[Trained, float]:
    """The model, and the CPU seconds; it knows the words of the whole text."""
    if part.sentences is None:
        return language_models.follow(part.recipe)
    words = NPLMMaker().vocabularies(part.recipe, whole)

    class Knowing(NPLMMaker):
        def vocabularies(self, recipe: Recipe, corpus: AnyCorpus) -> Vocabularies:
            return words

    with TemporaryDirectory() as there:
        bench = Bench(torch.device("cpu"), Path(there) / "state", Ranks(), False)
        began = process_time()
        some = replace(whole, train=whole.train[: part.sentences])  # type: ignore[arg-type]
        made = Knowing().train(part.recipe, some, bench)
        return made, process_time() - began


def counted(
    order: int, smoothing: Smoothing, part: Part, whole: AnyCorpus, words: Vocabularies
) -> Trained:
    """n-grams of the part; below them the uniform over the words of the whole text."""
    known = words["words"]
    read = [known.words(known.ids(s)) for s in english(whole, "train")]
    model = NgramModel(order, smoothing).fit(read[: part.sentences])
    vocab = frozenset(chain((END,), *read))
    model._counts = replace(model.counts, vocab=vocab)
    return Trained(model, words)


def partners(
    part: Part, whole: AnyCorpus, words: Vocabularies
) -> Iterator[tuple[str, int, Smoothing]]:
    """The n-grams to compare and to mix with.

    Jelinek and Mercer's are the paper's partner. They give 0 to words that are not in
    the part, and so are asked about the whole text alone.
    """
    yield "trigrams", 3, KneserNey()
    yield "5-grams", 5, KneserNey()
    if part.sentences is None:
        known = words["words"]
        train, held_out = (
            [known.words(known.ids(s)) for s in english(whole, split)]
            for split in ("train", "validation")
        )
        yield "interpolated trigrams", 3, JelinekMercer.estimate(3, train, held_out)


def priced(maker: Predicts, made: Trained, text: AnyCorpus) -> dict[str, Numbers]:
    """ln P of every token of validation and test."""
    return {
        split: np.concatenate(
            maker.log_probabilities(made.model, made.vocabularies, english(text, split))
        )
        for split in ("validation", "test")
    }


def perplexity(log_p: Numbers) -> float:
    return float(np.exp(-log_p.mean()))


def parts() -> dict[str, Part]:
    """Whole texts; two of them from their first sentences on; other sizes of model."""
    found = {
        f"{text}, all, seed {seed}": Part(on(text, asked, seed))
        for text, asked in OURS.items()
        for seed in range(SEEDS[text])
    }
    python, grammar = RECIPES["nplm"], replace(RECIPES["nplm-grammar"], data=MORE)
    for sentences in (116, 465):
        less = scaled(python, sentences / SENTENCES["python_reference"])
        found |= seeded("python_reference", less, sentences)
    for sentences in (400, 2000, 8000, 40_000):
        part = scaled(grammar, sentences / SENTENCES["grammar"])
        found |= seeded("grammar, 50 000 pairs", part, sentences)
    for name, change in VARIANTS.items():
        other = replace(python, model=replace(python.model, **change))
        found[f"python_reference, {name}, seed 0"] = Part(other)
    return found


def seeded(text: str, asked: Recipe, sentences: int) -> dict[str, Part]:
    return {
        f"{text}, {sentences} sentences, seed {seed}": Part(
            replace(asked, seed=seed), sentences
        )
        for seed in range(3)
    }


def scaled(asked: Recipe, share: float) -> Recipe:
    """The recipe for another amount of text: steps grow and decay falls by its root."""
    optimiser, budget, root = asked.optimiser, asked.budget, share**0.5
    assert optimiser is not None
    decay = round(dict(optimiser.options)["weight_decay"] / root, 3)
    steps = round(budget.steps * root)
    return replace(
        asked,
        optimiser=replace(optimiser, options=(("weight_decay", decay),)),
        budget=replace(budget, steps=steps, evaluate_every=max(1, steps // 5)),
    )


STUDIES["nplm"] = Study(
    about="the neural model, n-grams, and their mixtures, on more and more text",
    cases=parts(),
    measure=compared,
    check="grammar, 50 000 pairs, 400 sentences, seed 0",
)

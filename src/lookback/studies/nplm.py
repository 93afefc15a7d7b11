"""A study of the neural model of Bengio et al. 2003, of n-grams, and of the two mixed.

Which wins depends on how much text there is, and on which. Of the grammar, whose
sentences are drawn at random, the same first sentences are given to both, from a few
hundred to the whole text.
"""

from collections.abc import Iterator
from dataclasses import replace
from itertools import chain

import numpy as np

from lookback.ngram import END, JelinekMercer, KneserNey, NgramModel, Smoothing
from lookback.nplm import NPLMConfig
from lookback.recipes.ngram import NgramLearner, ngrams
from lookback.recipes.nplm import BY_TEXT, SEEDS, NPLMLearner
from lookback.workshop import (
    AnyCorpus,
    Budget,
    Case,
    Data,
    Learner,
    Recipe,
    Row,
    Study,
    Vocabularies,
    Weights,
    case,
    corpus,
    english,
    follow,
    on,
    on_few,
)

from .language_models import mixed, mixture_weights, perplexity, tokens_log_p

MORE = Data("grammar", (("pairs", 50_000), ("seed", 0), ("size", "small")))
SENTENCES = 20_089  # of the grammar, in the train of its recipe
VARIANTS: dict[str, dict[str, bool | int]] = {
    "without W": {"direct": False},
    "without hidden units": {"h": 0},
    "two words": {"n": 3},
}


def compared(recipe: Recipe[NPLMLearner], sentences: int | None = None) -> Row:
    """Perplexities of test: the model, n-grams, and each mixed with the model.

    sentences  how many of train's are learned from; None: all. Which words are known,
               validation and test are those of the whole text, so that perplexities of
               all parts compare
    """
    whole = corpus(recipe.data)
    learner = learned(recipe, whole, sentences)
    ours = scored(learner, whole)
    tokens = sum(len(s) + 1 for s in english(whole, "train")[:sentences])
    row: Row = {"tokens": tokens, "seconds": learner.seconds}
    row |= {"NPLM": perplexity(ours["test"])}
    row |= {"NPLM, validation": perplexity(ours["validation"])}
    words = learner.vocabularies
    for name, order, smoothing in partners(whole, words, sentences):
        theirs = scored(counted(order, smoothing, whole, words, sentences), whole)
        both = {split: np.stack([ours[split], theirs[split]]) for split in ours}
        weights = mixture_weights(both["validation"])
        row |= {
            name: perplexity(theirs["test"]),
            f"{name}, half": perplexity(mixed(both["test"], np.array([0.5, 0.5]))),
            f"{name}, mixed": perplexity(mixed(both["test"], weights)),
            f"{name}, weight": float(weights[1]),
        }
    return row


def learned(
    recipe: Recipe[NPLMLearner], whole: AnyCorpus, sentences: int | None
) -> NPLMLearner:
    """The model of the first sentences; it knows the words of the whole text."""
    if sentences is None:
        return follow(recipe)
    words = NPLMLearner(recipe).words_of(whole)
    some = replace(whole, train=whole.train[:sentences])  # type: ignore[arg-type]
    return follow(recipe, some, vocabularies=words)


def counted(
    order: int,
    smoothing: Smoothing,
    whole: AnyCorpus,
    words: Vocabularies,
    sentences: int | None,
) -> NgramLearner:
    """n-grams of the same; below them the uniform over the words of the whole text."""
    known = words["words"]
    read = [known.words(known.ids(s)) for s in english(whole, "train")]
    model = NgramModel(order, smoothing).fit(read[:sentences])
    vocab = frozenset(chain((END,), *read))
    model._counts = replace(model.counts, vocab=vocab)
    learner = NgramLearner(ngrams("grammar", order))
    learner.network, learner.vocabularies = model, words
    return learner


def partners(
    whole: AnyCorpus, words: Vocabularies, sentences: int | None
) -> Iterator[tuple[str, int, Smoothing]]:
    """The n-grams to compare and to mix with.

    Jelinek and Mercer's are the paper's partner. They give 0 to words that are not in
    the part, and so are compared with models of the whole text alone.
    """
    yield "trigrams", 3, KneserNey()
    yield "5-grams", 5, KneserNey()
    if sentences is None:
        known = words["words"]
        train, held_out = (
            [known.words(known.ids(s)) for s in english(whole, split)]
            for split in ("train", "validation")
        )
        yield "interpolated trigrams", 3, JelinekMercer.estimate(3, train, held_out)


def scored(learner: Learner, text: AnyCorpus) -> dict[str, Weights]:
    """ln P of every token of validation and test."""
    return {
        split: tokens_log_p(learner, english(text, split))
        for split in ("validation", "test")
    }


def cases() -> dict[str, Case]:
    """Whole texts; the grammar's first sentences; other sizes of model."""
    found = {
        f"{text}, all, seed {seed}": case(compared, recipe=on(text, recipe, seed))
        for text, recipe in BY_TEXT.items()
        for seed in range(SEEDS[text])
    }
    python = BY_TEXT["python_reference"]
    grammar = replace(BY_TEXT["grammar"], data=MORE)
    for n in (400, 2000, 8000, 40_000):
        part = scaled(grammar, n / SENTENCES)
        for seed in range(3):
            found[f"grammar, 50 000 pairs, {n} sentences, seed {seed}"] = case(
                compared, recipe=replace(part, seed=seed), sentences=n
            )
    for name, change in VARIANTS.items():
        other = replace(python, model=replace(python.model, **change))
        found[f"python_reference, {name}, seed 0"] = case(compared, recipe=other)
    return found


def scaled(recipe: Recipe[NPLMLearner], share: float) -> Recipe[NPLMLearner]:
    """The recipe for another amount of text: steps grow and decay falls by its root."""
    optimiser, budget, root = recipe.optimiser, recipe.budget, share**0.5
    assert optimiser is not None
    decay = round(dict(optimiser.options)["weight_decay"] / root, 3)
    steps = round(budget.steps * root)
    return replace(
        recipe,
        optimiser=replace(optimiser, options=(("weight_decay", decay),)),
        budget=replace(budget, steps=steps, evaluate_every=max(1, steps // 5)),
    )


SMALL = replace(
    on_few(BY_TEXT["grammar"]),
    model=NPLMConfig(n=3, m=8, h=8, direct=True),
    budget=Budget(steps=15, tokens=300, evaluate_every=5),
)
STUDY = Study(
    about="the neural model, n-grams, and their mixtures, on more and more text",
    cases=cases(),
    check=case(compared, recipe=SMALL, sentences=200),
)

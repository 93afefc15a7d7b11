"""What each part of word2vec is worth, on the grammar, where kinds are known."""

from collections.abc import Sequence
from dataclasses import replace

from torch import Tensor

from lookback.measure import analogy_scores, neighbour_agreement
from lookback.recipes.word2vec import RECIPES, Word2VecLearner
from lookback.text import corpora
from lookback.text.analogies import ANALOGIES
from lookback.text.corpora import Corpus, grammar
from lookback.text.grammar import noun_kinds
from lookback.workshop import (
    AnyCorpus,
    Recipe,
    Row,
    Sentences,
    Study,
    case,
    follow,
    known,
    on_few,
    seeds,
    unique_sentences,
)

SPLITS = ("train", "validation", "test")


def text_of(recipe: Recipe[Word2VecLearner], text: str) -> AnyCorpus:
    """A side of the recipe's grammar, "english" or "french"; or "tatoeba"."""
    known("text", text, ("english", "french", "tatoeba"))
    if text == "tatoeba":
        read = corpora.tatoeba()
        return plain(text, {s: list(unique_sentences(read, s)) for s in SPLITS})
    pairs = grammar(**dict(recipe.data.options))
    if text == "english":
        return pairs
    return plain("grammar", {s: [p.target for p in pairs.split(s)] for s in SPLITS})


def plain(name: str, splits: dict[str, Sentences]) -> Corpus:
    """Sentences as a corpus, whose vocabulary its reader makes."""
    parts = [tuple(splits[split]) for split in SPLITS]
    return Corpus(name, "", 1, parts[0], parts[1], parts[2], (), {})


def measured(
    recipe: Recipe[Word2VecLearner], text: str = "english", asks: bool = True
) -> Row:
    """Train; then measure neighbours and analogies.

    text  what is read: see `text_of`
    asks  are neighbours and analogies measured? Where two words are nearly as near,
          another processor may find another one
    """
    learner = follow(recipe, text_of(recipe, text))
    assert learner.log is not None
    assert learner.log.best is not None
    words, vectors = learner.vectors()
    row: Row = {
        "words": len(words),
        "examples": learner.log.tokens,
        "seconds": learner.seconds,
        "loss": learner.log.best.score,
    }
    if asks and text != "tatoeba":
        row |= truths(words, vectors, text)
    if asks and text != "french":
        row["analogies"] = analogies(words, vectors)
    return row


def truths(words: Sequence[str], vectors: Tensor, language: str) -> Row:
    """How often the nearest noun shares what the grammar knows.

    By question: the share, the ends of its interval, and the share of random guesses.
    """
    nouns = noun_kinds("small", language)
    people = {w: k for w, k in nouns.items() if k.kind == "person"}
    things = {w: k for w, k in nouns.items() if k.kind != "person"}
    questions = {
        "kind": {w: k.kind for w, k in nouns.items()},
        "number": {w: k.form for w, k in nouns.items()},
        "he or she": {w: k.pronoun for w, k in people.items()},
        "French gender": {w: k.gender for w, k in things.items()},
    }
    row = Row()
    for name, labels in questions.items():
        agreed = neighbour_agreement(
            labels, words, vectors, generator=seeds.generator(0)
        )
        right = agreed.right
        row[name] = [right.value, right.low, right.high, agreed.chance]
    return row


def analogies(words: Sequence[str], vectors: Tensor) -> Row:
    """Each class: pairs, and the shares of `AnalogyScore`."""
    scores = analogy_scores(ANALOGIES, words, vectors, generator=seeds.generator(0))
    return {
        name: {
            "pairs": s.pairs,
            "right": [s.right.value, s.right.low, s.right.high],
            "alone": s.alone,
            "open": s.open,
            "is_b": s.is_b,
            "is_c": s.is_c,
        }
        for name, s in scores.items()
    }


SHIPPED = RECIPES["word2vec"]
BASE = replace(SHIPPED, budget=replace(SHIPPED.budget, steps=600))
VARIANTS = {
    "skip-gram": BASE,
    "CBOW": replace(BASE, model=replace(BASE.model, kind="cbow")),
    "softmax": replace(BASE, model=replace(BASE.model, negatives=0)),
    "k = 1": replace(BASE, model=replace(BASE.model, negatives=1)),
    "k = 15": replace(BASE, model=replace(BASE.model, negatives=15)),
    "noise: all words alike": replace(BASE, model=replace(BASE.model, power=0.0)),
    "noise: as in the text": replace(BASE, model=replace(BASE.model, power=1.0)),
    "no subsampling": replace(BASE, model=replace(BASE.model, t=1.0)),
    "French": BASE,
}
CHECK = case(measured, recipe=on_few(BASE, 500, 30), asks=False)
STUDY = Study(
    about="what each part of word2vec is worth, on the grammar; three seeds each",
    cases={
        f"{name}, seed {seed}": case(
            measured,
            recipe=replace(recipe, seed=seed),
            text="french" if name == "French" else "english",
        )
        for name, recipe in VARIANTS.items()
        for seed in (0, 1, 2)
    },
    check=CHECK,
)

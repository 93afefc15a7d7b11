"""What each part of word2vec is worth, on the grammar, where kinds are known."""

from collections.abc import Sequence
from dataclasses import dataclass, replace

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
    each,
    follow,
    known,
    seeds,
    unique_sentences,
)

SPLITS = ("train", "validation", "test")


@dataclass(frozen=True)
class Case:
    """A recipe, and the text that is read instead of its own.

    text  "english" or "french", sides of the recipe's grammar; or "tatoeba"
    asks  are neighbours and analogies measured? Where two words are nearly as near,
          another processor may find another one
    """

    recipe: Recipe[Word2VecLearner]
    text: str
    asks: bool = True


def text_of(case: Case) -> AnyCorpus:
    """The sentences that a case learns from."""
    if case.text == "english":
        return grammar(**dict(case.recipe.data.options))
    if case.text == "french":
        pairs = grammar(**dict(case.recipe.data.options))
        return plain("grammar", {s: [p.target for p in pairs.split(s)] for s in SPLITS})
    known("text", case.text, ("english", "french", "tatoeba"))
    text = corpora.tatoeba()
    return plain(case.text, {s: list(unique_sentences(text, s)) for s in SPLITS})


def plain(name: str, splits: dict[str, Sentences]) -> Corpus:
    """Sentences as a corpus, whose vocabulary its reader makes."""
    parts = [tuple(splits[split]) for split in SPLITS]
    return Corpus(name, "", 1, parts[0], parts[1], parts[2], (), {})


def measure(case: Case) -> Row:
    """Train; then measure neighbours and analogies."""
    learner = follow(case.recipe, text_of(case))
    assert learner.log is not None
    assert learner.log.best is not None
    words, vectors = learner.vectors()
    row: Row = {
        "words": len(words),
        "examples": learner.log.tokens,
        "seconds": round(learner.seconds, 1),
        "loss": learner.log.best.score,
    }
    if case.asks and case.text in ("english", "french"):
        row |= truths(words, vectors, case.text)
    if case.asks and case.text != "french":
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
QUICK = replace(BASE, data=replace(BASE.data, options=(("pairs", 500),)),
                budget=replace(BASE.budget, steps=30))  # fmt: skip

STUDY = Study(
    about="what each part of word2vec is worth, on the grammar; three seeds each",
    cases=each(
        measure,
        case={
            **{
                f"{name}, seed {seed}": Case(
                    replace(recipe, seed=seed),
                    "french" if name == "French" else "english",
                )
                for name, recipe in VARIANTS.items()
                for seed in (0, 1, 2)
            },
        },
    ),
    check=case(measure, case=Case(QUICK, "english", asks=False)),
)

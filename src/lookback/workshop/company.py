"""Studies of word2vec: what each of its parts is worth, and how far the text carries.

The first is on the grammar, where kinds and genders are known; the second on real text.
Every case names all that decides its outcome.
"""

from collections.abc import Sequence
from dataclasses import dataclass, replace
from itertools import chain

from torch import Tensor

from lookback.measure import analogy_scores, neighbour_agreement
from lookback.text import corpora
from lookback.text.analogies import ANALOGIES
from lookback.text.corpora import Corpus, grammar
from lookback.text.grammar import noun_kinds

from . import seeds
from .data import AnyCorpus, Sentences
from .embedding import FIRST, VectorMaker, sentences
from .language_models import follow
from .makers import maker_of
from .recipes import RECIPES, Recipe, known
from .studies import STUDIES, Row, Study

SPLITS = ("train", "validation", "test")
MIXED = ("tatoeba", "multi30k", "wikitext2")


@dataclass(frozen=True)
class Case:
    """A recipe, and the text that takes the place of its own.

    text  "english" or "french", sides of the recipe's grammar; "tatoeba" or "mixed"
    asks  whether the vectors are asked anything: answers are words, and where two are
          nearly as near, another processor may answer otherwise
    """

    recipe: Recipe
    text: str
    asks: bool = True


def text_of(case: Case) -> AnyCorpus:
    """The sentences that a case learns from."""
    if case.text == "english":
        return grammar(**dict(case.recipe.data.options))
    if case.text == "french":
        pairs = grammar(**dict(case.recipe.data.options))
        return plain("grammar", {s: [p.target for p in pairs.split(s)] for s in SPLITS})
    known("text", case.text, ("english", "french", "mixed", "tatoeba"))
    names = MIXED if case.text == "mixed" else (case.text,)
    found = [getattr(corpora, name)() for name in names]
    return plain(
        case.text,
        {s: list(chain(*(sentences(c, s) for c in found))) for s in SPLITS},
    )


def plain(name: str, splits: dict[str, Sentences]) -> Corpus:
    """Sentences as a corpus, whose vocabulary its reader makes."""
    parts = [tuple(splits[split]) for split in SPLITS]
    return Corpus(name, "", 1, parts[0], parts[1], parts[2], (), {})


def measure(case: Case) -> Row:
    """Train; then ask for neighbours and analogies."""
    made, seconds = follow(case.recipe, text_of(case))
    maker, words = maker_of(case.recipe), made.vocabularies["words"].entries[FIRST:]
    assert isinstance(maker, VectorMaker)
    assert made.log is not None
    assert made.log.best is not None
    vectors = maker.vectors(made.model).detach()
    row: Row = {
        "words": len(words),
        "examples": made.log.tokens,
        "seconds": round(seconds, 1),
        "loss": made.log.best.score,
    }
    if case.asks and case.text in ("english", "french"):
        row |= truths(words, vectors, case.text)
    if case.asks and case.text != "french":
        row["analogies"] = analogies(words, vectors)
    return row


def truths(words: Sequence[str], vectors: Tensor, language: str) -> Row:
    """How often the nearest noun shares what the grammar knows.

    By question: the share, the ends of its interval, and what chance would give.
    """
    nouns = noun_kinds("small", language)
    people = {w: k for w, k in nouns.items() if k.kind == "person"}
    things = {w: k for w, k in nouns.items() if k.kind != "person"}
    asked = {
        "kind": {w: k.kind for w, k in nouns.items()},
        "number": {w: k.form for w, k in nouns.items()},
        "he or she": {w: k.pronoun for w, k in people.items()},
        "French gender": {w: k.gender for w, k in things.items()},
    }
    found = Row()
    for name, labels in asked.items():
        agreed = neighbour_agreement(
            labels, words, vectors, generator=seeds.generator(0)
        )
        right = agreed.right
        found[name] = [right.value, right.low, right.high, agreed.chance]
    return found


def analogies(words: Sequence[str], vectors: Tensor) -> Row:
    """By class: pairs, and the shares of `AnalogyScore`."""
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


SHIPPED, REAL = RECIPES["word2vec"], RECIPES["word2vec-tatoeba"]
BASE = replace(SHIPPED, budget=replace(SHIPPED.budget, steps=600))
VARIANTS = {
    "skip-gram": BASE,
    "CBOW": replace(BASE, model=replace(BASE.model, kind="cbow")),
    "softmax": replace(BASE, model=replace(BASE.model, negatives=0)),
    "k = 1": replace(BASE, model=replace(BASE.model, negatives=1)),
    "k = 15": replace(BASE, model=replace(BASE.model, negatives=15)),
    "noise: all words alike": replace(BASE, model=replace(BASE.model, power=0.0)),
    "noise: as in the text": replace(BASE, model=replace(BASE.model, power=1.0)),
    "no thinning out": replace(BASE, model=replace(BASE.model, t=1.0)),
    "French": BASE,
}
QUICK = replace(BASE, data=replace(BASE.data, options=(("pairs", 500),)),
                budget=replace(BASE.budget, steps=30))  # fmt: skip

STUDIES["word2vec"] = Study(
    about="what each part of word2vec is worth, on the grammar; three seeds each",
    cases={
        **{
            f"{name}, seed {seed}": Case(
                replace(recipe, seed=seed), "french" if name == "French" else "english"
            )
            for name, recipe in VARIANTS.items()
            for seed in (0, 1, 2)
        },
        "quick": Case(QUICK, "english", asks=False),
    },
    measure=measure,
    check="quick",
)

CBOW_REAL = replace(REAL, model=replace(REAL.model, kind="cbow"))
MORE = replace(REAL, budget=replace(REAL.budget, tokens=8192))

STUDIES["word2vec_text"] = Study(
    about="word2vec on real English, beside the model that is shipped: CBOW, more text",
    cases={
        "Tatoeba, CBOW": Case(CBOW_REAL, "tatoeba"),
        "mixed, skip-gram": Case(MORE, "mixed"),
        "quick": Case(QUICK, "english", asks=False),
    },
    measure=measure,
    check="quick",
)

"""Translators on the language of people: the study `real_language`, and its recipes.

Sentences of Multi30k are not ours to give away, nor are models that were made of them:
what is kept are scores, and a few translations with the weights by which they were
written. The model of Tatoeba ships.
"""

from collections.abc import Sequence
from dataclasses import replace
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from lookback.bahdanau import RNNSearchConfig
from lookback.decoding import length_penalty
from lookback.encdec import EncoderDecoderConfig
from lookback.ibm1 import IBMModel1
from lookback.luong import LuongConfig
from lookback.measure import bleu, bleu_counts, bleu_interval
from lookback.text.corpora.pair import Pair
from lookback.text.tokens import write_french

from . import (  # the makers that follow the recipes
    attending,  # noqa: F401
    fixed,  # noqa: F401
    multiplying,  # noqa: F401
    seeds,
)
from .data import corpus
from .gaze import looked, sources_of, steps_of
from .language_models import follow
from .log import Log
from .makers import Trained, Words, maker_of
from .recipes import RECIPES, Budget, Data, Optimiser, Recipe
from .studies import STUDIES, Row, Study
from .transforming import TrainedConfig, adam
from .translating import AttentionMaker, TranslationMaker, pairs
from .translators import curve

NAME = "real_language"
BEAM, ALPHA = 5, 1.0  # as the chapter on decoding chose them, on another corpus
SHOWN = 2  # of the best translations, of the middling and of the worst
LENGTHS = range(7, 13)  # words that the source of a shown one has
BINS = ((1, 5), (6, 10), (11, 15), (16, 20), (21, 99))
ROUNDS = 8  # of EM, for the Model 1 that is set beside attention
ASKED = ("ne", "n'", "pas", "l'", "la", "d'", "de", "-vous", "est", "?", ".")

CAPTIONS = Recipe(
    data=Data("multi30k", min_count=3),
    seed=0,
    model=RNNSearchConfig(m=128, n=192, k=128, l=112, dropout=0.2),
    optimiser=Optimiser("adam", 2.5e-3, warmup=200, decay="linear", clip=1.0),
    budget=Budget(steps=6000, tokens=500, evaluate_every=500),
)
RECIPES["bahdanau-tatoeba"] = Recipe(
    data=Data("tatoeba", min_count=5),
    seed=0,
    model=RNNSearchConfig(m=112, n=224, k=112, l=96, dropout=0.1),
    optimiser=Optimiser("adam", 2.5e-3, warmup=300, decay="linear", clip=1.0),
    budget=Budget(steps=7000, tokens=900, evaluate_every=500),
)
RECIPES["bahdanau-multi30k"] = CAPTIONS
RECIPES["encdec-multi30k"] = replace(
    CAPTIONS, model=EncoderDecoderConfig(m=128, n=256, l=112, dropout=0.2)
)
RECIPES["luong-multi30k"] = replace(
    CAPTIONS,
    model=LuongConfig(
        m=128,
        n=224,
        input_feeding=False,
        directions="both",
        cell="gru",
        dropout=0.2,
    ),
)
RECIPES["transformer-multi30k"] = replace(
    CAPTIONS,
    model=TrainedConfig(N=2, d_model=128, h=4, d_ff=384, dropout=0.2, smoothing=0.1),
    optimiser=adam(3e-3),
    budget=Budget(steps=7000, tokens=700, evaluate_every=500),
)
CASES = {
    "Multi30k, encoder–decoder": RECIPES["encdec-multi30k"],
    "Multi30k, RNNsearch": RECIPES["bahdanau-multi30k"],
    "Multi30k, Luong, dot": RECIPES["luong-multi30k"],
    "Multi30k, Transformer": RECIPES["transformer-multi30k"],
    "Tatoeba, RNNsearch": RECIPES["bahdanau-tatoeba"],
}


class Told(NamedTuple):
    """Sentences of the test set, what people made of them, and what a model did."""

    sources: list[Words]
    wanted: list[list[str]]
    written: list[list[str]]


def measured(recipe: Recipe) -> Row:
    """Train a translator, let it translate the whole test set, and show some of it."""
    made, seconds = follow(recipe)
    maker, text = maker_of(recipe), corpus(recipe.data)
    assert isinstance(maker, TranslationMaker)
    greedy = translated(maker, made, pairs(text, "test"), 1)
    searched = translated(maker, made, pairs(text, "test"), BEAM)
    row: Row = {
        "parameters": maker.parameters(made.model),
        "seconds": round(seconds, 1),
        "steps": len(made.log.entries) if made.log else 0,
        "target tokens": made.log.tokens if made.log else 0,
        "known words": [len(words) for words in made.vocabularies.values()],
        "pairs": len(pairs(text, "train")),
        "test": {"greedy": score(greedy), f"beam {BEAM}": score(searched)},
        "signature": signature(searched),
        "spelt": spelt(searched),
        "by length": by_length(searched),
        "of the test": counted(searched, pairs(text, "train")),
        "curve": curve(made.log),
        "validation": evaluations(made.log),
    }
    if isinstance(maker, AttentionMaker):
        row["gaze"] = gaze(maker, made, searched)
        row["shown"] = exhibits(maker, made, searched, pairs(text, "train"))
    return row


def translated(
    maker: TranslationMaker, made: Trained, read: Sequence[Pair], size: int
) -> Told:
    """What the model writes for each pair's source, with a beam of that size."""
    sources: list[Words] = [pair.source for pair in read]
    penalty = length_penalty(ALPHA)
    written = maker.decode(
        made.model, made.vocabularies, sources, size=size, penalty=penalty
    )
    return Told(sources, [list(pair.target) for pair in read], written)


def score(told: Told) -> Row:
    """BLEU, and the interval that resampling the sentences gives."""
    found = bleu_interval(
        hypotheses=told.written,
        references=told.wanted,
        generator=seeds.generator(0),
    )
    return {
        "BLEU": round(found.value, 3),
        "low": round(found.low, 3),
        "high": round(found.high, 3),
    }


def signature(told: Told) -> str:
    return bleu(hypotheses=told.written, references=told.wanted).signature


def spelt(told: Told) -> Row:
    """The same translations, written as people write, which sacrebleu cuts its way."""
    found = bleu(
        hypotheses=[write_french(words) for words in told.written],
        references=[write_french(words) for words in told.wanted],
    )
    return {"BLEU": round(found.score, 3), "signature": found.signature}


def by_length(told: Told) -> list[Row]:
    """The score of the sentences of each length, from one that has some."""
    found = []
    for low, high in BINS:
        rows = [k for k, s in enumerate(told.sources) if low <= len(s) <= high]
        if rows:
            some = Told(
                [told.sources[k] for k in rows],
                [told.wanted[k] for k in rows],
                [told.written[k] for k in rows],
            )
            at = {"from": low, "to": high, "sentences": len(rows)}
            found.append(at | score(some))
    return found


def counted(told: Told, train: Sequence[Pair]) -> Row:
    """What a score does not say: how much was right, met before, or not written."""
    met, n = {pair.target for pair in train}, len(told.sources)
    words = [word for sentence in told.written for word in sentence]
    right = sum(w == r for w, r in zip(told.written, told.wanted, strict=True))
    return {
        "sentences": n,
        "sources": len(set(map(tuple, told.sources))),
        "right": round(right / n, 4),
        "references met in training": round(
            sum(tuple(r) in met for r in told.wanted) / n, 4
        ),
        "translations met in training": round(
            sum(tuple(w) in met for w in told.written) / n, 4
        ),
        "unknown words written": round(words.count("<unk>") / max(1, len(words)), 4),
        "words written of those wanted": round(
            len(words) / sum(map(len, told.wanted)), 4
        ),
    }


def evaluations(log: Log | None) -> list[list[float]]:
    """The validation loss, step by step."""
    return [[e.step, round(e.score, 4)] for e in log.evaluations] if log else []


def gaze(maker: AttentionMaker, made: Trained, told: Told) -> Row:
    """Where it looked while it wrote the test set."""
    read = [(s, w) for s, w in zip(told.sources, told.written, strict=True) if w]
    places = looked(maker.looks(made.model, made.vocabularies, read))
    return {"words": sources_of(ASKED, read, places), **steps_of(read, places)}


def chosen(told: Told) -> dict[str, list[int]]:
    """Rows to show, by a rule and not by taste: the best, the middling, the worst.

    What is ranked are translations of sentences of LENGTHS words that differ from the
    reference, by the share of their n-grams, n = 1 to 4, that stand in it.
    """
    counts = bleu_counts(hypotheses=told.written, references=told.wanted)
    share = counts[:, 2:6].sum(axis=1) / counts[:, 6:10].sum(axis=1).clip(min=1)
    rows = [
        k
        for k, source in enumerate(told.sources)
        if len(source) in LENGTHS and told.written[k] != told.wanted[k]
    ]
    ranked = sorted(rows, key=lambda k: (-share[k], k))
    middle = max(0, len(ranked) // 2 - SHOWN // 2)
    return {
        "best": ranked[:SHOWN],
        "middling": ranked[middle : middle + SHOWN],
        "worst": ranked[max(0, len(ranked) - SHOWN) :],
    }


def exhibits(
    maker: AttentionMaker, made: Trained, told: Told, train: Sequence[Pair]
) -> list[Row]:
    """The chosen translations, with the weights (T, S) by which they were written.

    Beside them what Model 1 says of the same words, (T, S + 1), the empty word first.
    """
    model_1, found = IBMModel1().fit(train, ROUNDS), []
    for kind, rows in chosen(told).items():
        for source, wanted, written in (
            (told.sources[k], told.wanted[k], told.written[k]) for k in rows
        ):
            weights = maker.weights(made.model, made.vocabularies, source, written)
            known = made.vocabularies["source"]
            found.append(
                {
                    "kind": kind,
                    "source": list(source),
                    "unknown": [word for word in source if word not in known],
                    "reference": wanted,
                    "written": written,
                    "weights": shares(weights),
                    "Model 1": shares(model_1.posterior(source, written)),
                }
            )
    return found


def shares(weights: NDArray[np.float64]) -> list[list[float]]:
    """Weights, with as many digits as a picture can show."""
    rounded: list[list[float]] = weights.round(3).tolist()
    return rounded


STUDIES[NAME] = Study(
    about="BLEU on real language, with some translations and where they looked",
    cases=CASES,
    measure=measured,
    check=None,
)

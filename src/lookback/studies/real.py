"""Translators on the language of people.

Sentences of Multi30k are not ours to give away, nor are models that were made of them:
what is stored are scores, and a few translations with the weights by which they were
written. The model of Tatoeba ships.
"""

from collections import Counter
from collections.abc import Sequence
from typing import Any, NamedTuple

from lookback.decoding import length_penalty
from lookback.ibm1 import IBMModel1
from lookback.measure import (
    Interval,
    alignment_jumps,
    attended_words,
    bleu,
    bleu_by_length,
    bleu_counts,
    bleu_interval,
    most_frequent,
    strongest_positions,
    swapped_neighbours,
)
from lookback.text.corpora import Pair
from lookback.text.tokens import write_french
from lookback.workshop import (
    AttentionLearner,
    Recipe,
    Row,
    Study,
    TranslationLearner,
    Weights,
    Words,
    case,
    corpus,
    each,
    follow,
    on_few,
    pairs,
    recipe,
    seeds,
)

from .translators import scored

UNK = "<unk>"
BEAM, ALPHA = 5, 1.0  # as the chapter on decoding chose them, on another corpus
SHOWN = 2  # of the best translations, of the middling and of the worst
LENGTHS = range(7, 13)  # words that the source of a shown one has
EDGES = (5, 10, 15, 20, 99)  # the longest source of each bin, in words
ROUNDS = 8  # of EM, for the Model 1 that is compared with attention
WORDS = ("ne", "n'", "pas", "l'", "la", "d'", "de", "-vous", "est", "?", ".")

CASES: dict[str, Recipe[Any]] = {
    "Multi30k, encoder–decoder": recipe("encdec-multi30k"),
    "Multi30k, RNNsearch": recipe("bahdanau-multi30k"),
    "Multi30k, Luong, dot": recipe("luong-multi30k"),
    "Multi30k, Transformer": recipe("transformer-multi30k"),
    "Tatoeba, RNNsearch": recipe("bahdanau-tatoeba"),
}


STEPS = (-2, -1, 0, 1, 2)  # the first and the last of them: that far or farther
NEGATIONS = ("not", "cannot", "no", "never", "nothing", "nobody")  # and don't, won't
LEAST, MOST = 20, 5  # how often a word must be written; how many sources are listed


def sources_of(
    words: Sequence[str],
    read: Sequence[tuple[Words, Words]],
    positions: Sequence[Sequence[int]],
) -> list[Row]:
    """For each of these French words: the English words of most weight, how often.

    read       sources and what was written
    positions  `strongest_positions` of each
    Words written fewer than LEAST times are left out.
    """
    return [
        {
            "word": word,
            "times": count.total(),
            "at": [[w, n] for w, n in most_frequent(count)[:MOST]],
            "at a negation": sum(n for w, n in count.items() if negates(w)),
        }
        for word, count in attended_words(words, read, positions).items()
        if count.total() >= LEAST
    ]


def negates(word: str) -> bool:
    """Is it an English word that negates?"""
    return word in NEGATIONS or word.endswith("n't")


def steps_of(
    read: Sequence[tuple[Words, Words]], positions: Sequence[Sequence[int]]
) -> Row:
    """How far most weight moves from one word to the next, and where it went back."""
    moves = Counter[int]()
    for step, n in alignment_jumps(read, positions).items():
        moves[min(max(step, STEPS[0]), STEPS[-1])] += n
    back = most_frequent(swapped_neighbours(read, positions))[: 2 * MOST]
    return {
        "steps": [[step, moves[step]] for step in STEPS],
        "back": [[words, n] for words, n in back],
    }


class Translations(NamedTuple):
    """Sentences of the test set, their references, and what a model wrote."""

    sources: list[Words]
    wanted: list[list[str]]
    written: list[list[str]]


def measured(recipe: Recipe[TranslationLearner]) -> Row:
    """Train a translator, let it translate the whole test set, and show some of it."""
    learner, text = follow(recipe), corpus(recipe.data)
    assert learner.log is not None
    test, train = pairs(text, "test"), pairs(text, "train")
    greedy, searched = translated(learner, test, 1), translated(learner, test, BEAM)
    row: Row = {
        "parameters": learner.parameters,
        "seconds": learner.seconds,
        "steps": len(learner.log.entries),
        "target tokens": learner.log.tokens,
        "known words": [len(words) for words in learner.vocabularies.values()],
        "pairs": len(train),
        "test": {"greedy": score(greedy), f"beam {BEAM}": score(searched)},
        "signature": signature(searched),
        "spelt": spelt(searched),
        "by length": by_length(searched),
        "of the test": counted(searched, train),
        "curve": learner.log.curve(),
        "validation": [[e.step, e.score] for e in learner.log.evaluations],
    }
    if isinstance(learner, AttentionLearner):
        row["attention"] = attention(learner, searched)
        row["shown"] = exhibits(learner, searched, train)
    return row


def translated(
    learner: TranslationLearner, read: Sequence[Pair], size: int
) -> Translations:
    """What the model writes for each pair's source, with a beam of that size."""
    sources: list[Words] = [pair.source for pair in read]
    written = learner.decode(sources, size=size, penalty=length_penalty(ALPHA))
    return Translations(sources, [list(pair.target) for pair in read], written)


def copied(
    learner: AttentionLearner, sources: Sequence[Words], written: Sequence[Words]
) -> list[list[str]]:
    """Each <unk> that was written becomes the source word of most weight.

    The weight on </s> is left out, since it is no word. Of learners of words alone.
    """
    rows = [k for k, words in enumerate(written) if UNK in words]
    maps = learner.attention_weights([(sources[k], written[k]) for k in rows])
    found = [list(words) for words in written]
    for k, weights in zip(rows, maps, strict=True):
        best = weights[:-1, :-1].argmax(axis=1).tolist()
        found[k] = [
            sources[k][s] if word == UNK else word
            for word, s in zip(written[k], best, strict=True)
        ]
    return found


def score(result: Translations) -> Row:
    """BLEU, and the interval that resampling the sentences gives."""
    interval = bleu_interval(
        hypotheses=result.written,
        references=result.wanted,
        generator=seeds.generator(0),
    )
    return in_points(interval)


def in_points(interval: Interval) -> Row:
    """A score in BLEU, or a difference of two, with the ends of its interval."""
    return {"BLEU": interval.value, "low": interval.low, "high": interval.high}


def signature(result: Translations) -> str:
    return bleu(hypotheses=result.written, references=result.wanted).signature


def spelt(result: Translations) -> Row:
    """The same translations, written as people write, which sacrebleu cuts its way."""
    scored = bleu(
        hypotheses=[write_french(words) for words in result.written],
        references=[write_french(words) for words in result.wanted],
    )
    return {"BLEU": scored.score, "signature": scored.signature}


def by_length(result: Translations) -> list[Row]:
    """The score of the sentences of each length."""
    bins = bleu_by_length(
        hypotheses=result.written,
        references=result.wanted,
        lengths=[len(source) for source in result.sources],
        edges=EDGES,
        generator=seeds.generator(0),
    )
    return [scored(one, "BLEU") for one in bins]


def counted(result: Translations, train: Sequence[Pair]) -> Row:
    """What a score does not say: how much was right, met before, or not written."""
    met, n = {pair.target for pair in train}, len(result.sources)
    words = [word for sentence in result.written for word in sentence]
    right = sum(w == r for w, r in zip(result.written, result.wanted, strict=True))
    return {
        "sentences": n,
        "sources": len(set(map(tuple, result.sources))),
        "right": right / n,
        "references met in training": sum(tuple(r) in met for r in result.wanted) / n,
        "translations met in training": sum(tuple(w) in met for w in result.written)
        / n,
        "unknown words written": words.count(UNK) / max(1, len(words)),
        "words written of those wanted": len(words) / sum(map(len, result.wanted)),
    }


def attention(learner: AttentionLearner, result: Translations) -> Row:
    """Where it attended while it wrote the test set."""
    read = [(s, w) for s, w in zip(result.sources, result.written, strict=True) if w]
    positions = [strongest_positions(w) for w in learner.attention_weights(read)]
    return {"words": sources_of(WORDS, read, positions), **steps_of(read, positions)}


def chosen(result: Translations) -> dict[str, list[int]]:
    """Rows to show, by a rule and not by taste: the best, the middling, the worst.

    What is ranked are translations of sentences of LENGTHS words that differ from the
    reference, by the share of their n-grams, n = 1 to 4, that occur in it.
    """
    counts = bleu_counts(hypotheses=result.written, references=result.wanted)
    share = counts[:, 2:6].sum(axis=1) / counts[:, 6:10].sum(axis=1).clip(min=1)
    rows = [
        k
        for k, source in enumerate(result.sources)
        if len(source) in LENGTHS and result.written[k] != result.wanted[k]
    ]
    ranked = sorted(rows, key=lambda k: (-share[k], k))
    middle = max(0, len(ranked) // 2 - SHOWN // 2)
    return {
        "best": ranked[:SHOWN],
        "middling": ranked[middle : middle + SHOWN],
        "worst": ranked[max(0, len(ranked) - SHOWN) :],
    }


def exhibits(
    learner: AttentionLearner, result: Translations, train: Sequence[Pair]
) -> list[Row]:
    """The chosen translations, with the weights (T, S) by which they were written.

    Next to them the posterior of Model 1 for the same words, (T, S + 1), the empty
    word first.
    """
    model_1, shown = IBMModel1().fit(train, ROUNDS), []
    for kind, rows in chosen(result).items():
        for source, wanted, written in (
            (result.sources[k], result.wanted[k], result.written[k]) for k in rows
        ):
            weights = learner.attention(source, written)
            known = learner.vocabularies["source"]
            shown.append(
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
    return shown


def shares(weights: Weights) -> list[list[float]]:
    """Weights, with as many digits as a picture can show."""
    rounded: list[list[float]] = weights.round(3).tolist()
    return rounded


FEW = on_few(recipe("encdec"), 300, 2)
STUDY = Study(
    about="BLEU on real language, with some translations and their attention",
    cases=each(measured, recipe=CASES),
    check=case(measured, recipe=FEW),
)

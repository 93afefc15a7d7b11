"""Words against joint sub-words in the same Transformer, on what people wrote.

The two differ in their symbols alone: as many steps, as many sentences in a batch, the
same sizes of layers. A word that is not on the list is <unk> to the one; the other has
one table for both languages, and no unknown words.
"""

from collections.abc import Container, Sequence
from dataclasses import dataclass, replace
from typing import Any

import numpy as np
from numpy.typing import NDArray

from lookback.measure import (
    Interval,
    bleu,
    bleu_counts,
    bootstrap,
    paired_bootstrap,
)
from lookback.measure.bleu import score_of
from lookback.recipes.bpe import SubwordTransformer, on_subwords
from lookback.text.corpora.archives import lines
from lookback.text.corpora.files import read
from lookback.text.corpora.multi30k import FILES as CAPTIONS
from lookback.text.corpora.tatoeba import FILE as LIST
from lookback.text.corpora.tatoeba import published, split_of
from lookback.text.tokens import write_french
from lookback.workshop import (
    AttentionLearner,
    Budget,
    Data,
    Recipe,
    Row,
    Study,
    TranslationLearner,
    Words,
    corpus,
    follow,
    pairs,
    pretrained,
    recipe,
    results,
    seeds,
)

from .real import BEAM, UNK, copied, in_points, translated
from .stack_decoder import counts_of

PHRASES = "phrases"
LISTED, COPIED, SYMBOLS = "words", "words, <unk> copied", "sub-words"
ALL, KNOWN, UNKNOWN = "all", "without unknown words", "with unknown words"
SHOWN, LENGTHS = 3, range(6, 13)
Systems = dict[str, list[list[str]]]
Counts = NDArray[np.float64]


@dataclass(frozen=True)
class Duel:
    """Two translators of one corpus: of words, and of sub-words."""

    words: Recipe[Any]
    symbols: Recipe[Any]


@dataclass(frozen=True)
class Alone:
    """A translator of words that ships: what its unknown words cost."""

    name: str
    recipe: Recipe[Any]


def measured(case: Duel | Alone) -> Row:
    """What the case asks for."""
    return both(case) if isinstance(case, Duel) else alone(case)


def alone(case: Alone) -> Row:
    """The whole test, <unk> as it was written and with copies in its place."""
    learner: AttentionLearner = pretrained(case.name)  # type: ignore[assignment]
    test = pairs(corpus(case.recipe.data), "test")
    sources, wanted, plain = translated(learner, test, BEAM)
    systems: Systems = {LISTED: plain, COPIED: copied(learner, sources, plain)}
    strange = strangers(sources, learner.vocabularies["source"])
    return {
        "unknown": unknown(strange),
        "test": compared(counted(systems, wanted), strange > 0, COPIED),
        "spelt": spelt(systems, case.recipe.data),
        "<unk> written": [
            sum(UNK in s for s in plain),
            sum(s.count(UNK) for s in plain),
        ],
        "right copies": right_copies(plain, systems[COPIED], wanted),
    }


def strangers(sources: Sequence[Words], known: Container[str]) -> NDArray[np.int64]:
    """How many words of each sentence are not on the list."""
    return np.array([sum(w not in known for w in source) for source in sources])


def unknown(strange: NDArray[np.int64]) -> Row:
    """How many sentences have a word that is not on the list, and how many words."""
    return {
        "sentences": int((strange > 0).sum()),
        "of": len(strange),
        "words": int(strange.sum()),
    }


def counted(systems: Systems, wanted: Sequence[Words]) -> dict[str, Counts]:
    """What BLEU counts of each sentence, for each system."""
    return {
        name: bleu_counts(hypotheses=written, references=wanted)
        for name, written in systems.items()
    }


def right_copies(
    written: Sequence[Words], copies: Sequence[Words], wanted: Sequence[Words]
) -> int:
    """How many words that were put in place of <unk> occur in the reference."""
    return sum(
        word in reference
        for before, after, reference in zip(written, copies, wanted, strict=True)
        for old, word in zip(before, after, strict=True)
        if old == UNK
    )


def both(case: Duel) -> Row:
    """Train both, let both translate the test set, compare them on the same sentences.

    The sentences with unknown words are those of which a word is not on the list of the
    translator of words; which ones depends on no system's output.
    """
    words, symbols = follow(case.words), follow(case.symbols)
    test = pairs(corpus(case.words.data), "test")
    sources, wanted, plain = translated(words, test, BEAM)
    systems: Systems = {
        LISTED: plain,
        COPIED: copied(words, sources, plain),
        SYMBOLS: translated(symbols, test, BEAM).written,
    }
    known = words.vocabularies["source"]
    strange, counts = strangers(sources, known), counted(systems, wanted)
    if case.words.data.corpus == "multi30k":
        stored = results("stack_decoder", cases=["29000"])["29000"]["counts"]
        counts[PHRASES] = counts_of(stored["copied"])
    return {
        "trained": {"words": outline(words), "sub-words": outline(symbols)},
        "symbols a word": round(symbols_a_word(symbols, wanted), 4),
        "unknown": unknown(strange),
        "test": compared(counts, strange > 0),
        "spelt": spelt(systems, case.words.data),
        "<unk> written": {
            name: sum(sentence.count(UNK) for sentence in written)
            for name, written in systems.items()
        },
        "made up": made_up(systems[SYMBOLS], case.words),
        "shown": shown(sources, wanted, systems, strange > 0, known),
    }


def outline(learner: TranslationLearner) -> Row:
    """What it cost, and how its validation went."""
    assert learner.log is not None
    return {
        "parameters": learner.parameters,
        "seconds": round(learner.seconds, 1),
        "steps": len(learner.log.entries),
        "tokens": learner.log.tokens,
        "vocabulary": [len(words) for words in learner.vocabularies.values()],
        "validation": [[e.step, round(e.score, 4)] for e in learner.log.evaluations],
    }


def compared(
    counts: dict[str, Counts], strange: NDArray[np.bool_], one: str = SYMBOLS
) -> Row:
    """BLEU of each system on all sentences and on either part of them.

    difference  of that one from each other system, by a paired bootstrap
    """
    parts = {ALL: strange | ~strange, KNOWN: ~strange, UNKNOWN: strange}
    found = {}
    for part, kept in parts.items():
        ours = counts[one][kept]
        found[part] = {
            "BLEU": {name: interval(count[kept]) for name, count in counts.items()},
            "difference": {
                name: in_points(
                    paired_bootstrap(
                        score_of, ours, count[kept], generator=seeds.generator(0)
                    )
                )
                for name, count in counts.items()
                if name != one
            },
        }
    return found


def interval(counts: Counts) -> Row:
    """BLEU of these sentences, with its interval."""
    found: Interval = bootstrap(score_of, counts, generator=seeds.generator(0))
    return in_points(found)


def symbols_a_word(learner: SubwordTransformer, text: Sequence[Words]) -> float:
    """The mean number of symbols of a word."""
    return sum(len(learner.cut(s)) for s in text) / sum(map(len, text))


def spelt(systems: Systems, data: Data) -> Row:
    """Scores of whole text against the original, with its capitals and without.

    The translations are written with a capital at the beginning of a sentence alone.
    """
    sentences = original(data)
    lower = [sentence.lower() for sentence in sentences]
    found: Row = {}
    for name, written in systems.items() if sentences else ():
        ours = [write_french(sentence) for sentence in written]
        cased = bleu(hypotheses=ours, references=sentences)
        other = bleu(hypotheses=[s.lower() for s in ours], references=lower)
        found[name] = {
            "cased": round(cased.score, 3),
            "lower-cased": round(other.score, 3),
            "signature": cased.signature,
        }
    return found


def original(data: Data) -> list[str]:
    """The French sentences of the test as they were published; of others none."""
    if data.corpus == "multi30k":
        return lines(read(CAPTIONS["test_2016_flickr.fr"], data.corpus))
    if data.corpus != "tatoeba":
        return []
    listed = published(read(LIST, data.corpus)).items()
    return [french for (source, _), (_, french) in listed if split_of(source) == "test"]


def made_up(written: Sequence[Words], words: Recipe[Any]) -> Row:
    """Words of a translation that no sentence of train has, on either side."""
    train = pairs(corpus(words.data), "train")
    there = {w for pair in train for side in (pair.source, pair.target) for w in side}
    new = [w for sentence in written for w in sentence if w not in there]
    return {"words": len(new), "of": sum(map(len, written)), "some": new[:12]}


def shown(
    sources: Sequence[Words],
    wanted: Sequence[Words],
    systems: Systems,
    strange: NDArray[np.bool_],
    known: Any,
) -> list[Row]:
    """The first sentences of a middling length with a word that is not known."""
    chosen = [k for k in np.flatnonzero(strange).tolist() if len(sources[k]) in LENGTHS]
    return [
        {
            "source": list(sources[k]),
            "unknown": [w for w in sources[k] if w not in known],
            "reference": list(wanted[k]),
            **{name: written[k] for name, written in systems.items()},
        }
        for k in chosen[:SHOWN]
    ]


WORDS = replace(recipe("transformer-multi30k"), budget=Budget(2000, 700, 500))
SENTENCES = replace(
    WORDS,
    data=Data("tatoeba", min_count=5),
    model=replace(WORDS.model, dropout=0.1),
    budget=Budget(1600, 700, 400),
)

# A batch of 800 symbols holds as many captions as one of 700 words, and one of 812 as
# many sentences of Tatoeba.
STUDY = Study(
    about="what unknown words cost: the Transformer on words and on joint sub-words",
    cases={
        "Multi30k": Duel(WORDS, on_subwords(WORDS, 800)),
        "Tatoeba": Duel(SENTENCES, on_subwords(SENTENCES, 812)),
        "Tatoeba, RNNsearch": Alone("bahdanau-tatoeba", recipe("bahdanau-tatoeba")),
    },
    measure=measured,
    check=None,
)

"""Words against joint sub-words in the same Transformer, on what people wrote.

The two differ in their symbols alone: as many steps, as many sentences in a batch, the
same sizes of layers. A word that is not on the list is <unk> to the one; the other has
one table for both languages, and no unknown words.
"""

from collections.abc import Sequence
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
from lookback.text.corpora.multi30k import FILES
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
    recipe,
    results,
    seeds,
)

from .real import BEAM, in_points, translated
from .stack_decoder import UNK, counts_of

PHRASES = "phrases"
ALL, KNOWN, UNKNOWN = "all", "without unknown words", "with unknown words"
SHOWN, LENGTHS = 3, range(6, 13)
Systems = dict[str, list[list[str]]]
Counts = NDArray[np.float64]


@dataclass(frozen=True)
class Duel:
    """Two translators of one corpus: of words, and of sub-words."""

    words: Recipe[Any]
    symbols: Recipe[Any]


def measured(case: Duel) -> Row:
    """Train both, let both translate the test set, compare them on the same sentences.

    The sentences with unknown words are those of which a word is not on the list of the
    translator of words; which ones depends on no system's output.
    """
    listed, symbols = follow(case.words), follow(case.symbols)
    test = pairs(corpus(case.words.data), "test")
    sources = [pair.source for pair in test]
    wanted = [list(pair.target) for pair in test]
    plain = translated(listed, test, BEAM).written
    systems: Systems = {
        "words": plain,
        "words, <unk> copied": [
            copied(listed, source, sentence)
            for source, sentence in zip(sources, plain, strict=True)
        ],
        "sub-words": translated(symbols, test, BEAM).written,
    }
    known = listed.vocabularies["source"]
    strange = np.array([any(w not in known for w in source) for source in sources])
    counts = {
        name: bleu_counts(hypotheses=written, references=wanted)
        for name, written in systems.items()
    }
    if case.words.data.corpus == "multi30k":
        stored = results("stack_decoder", cases=["29000"])["29000"]["counts"]
        counts[PHRASES] = counts_of(stored["copied"])
    return {
        "trained": {"words": outline(listed), "sub-words": outline(symbols)},
        "symbols a word": round(symbols_a_word(symbols, wanted), 4),
        "unknown": {
            "sentences": int(strange.sum()),
            "of": len(test),
            "words": sum(w not in known for source in sources for w in source),
        },
        "test": compared(counts, strange),
        "spelt": spelt(systems, case.words.data),
        "<unk> written": {
            name: sum(sentence.count(UNK) for sentence in written)
            for name, written in systems.items()
        },
        "made up": made_up(systems["sub-words"], case.words),
        "shown": shown(sources, wanted, systems, strange, known),
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


def copied(
    learner: AttentionLearner, source: Words, written: Sequence[str]
) -> list[str]:
    """Each <unk> that was written becomes the source word of most weight, if any."""
    if UNK not in written:
        return list(written)
    positions = learner.attended(source, written)
    return [
        source[p] if word == UNK and p is not None else word
        for word, p in zip(written, positions, strict=True)
    ]


def compared(counts: dict[str, Counts], strange: NDArray[np.bool_]) -> Row:
    """BLEU of each system on all sentences and on either part of them.

    difference  of the sub-words from each other system, by a paired bootstrap
    """
    parts = {ALL: strange | ~strange, KNOWN: ~strange, UNKNOWN: strange}
    found = {}
    for part, rows in parts.items():
        ours = counts["sub-words"][rows]
        found[part] = {
            "BLEU": {name: interval(count[rows]) for name, count in counts.items()},
            "difference": {
                name: in_points(
                    paired_bootstrap(
                        score_of, ours, count[rows], generator=seeds.generator(0)
                    )
                )
                for name, count in counts.items()
                if name != "sub-words"
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
    Only the captions have their original at hand, line by line.
    """
    if data.corpus != "multi30k":
        return {}
    original = lines(read(FILES["test_2016_flickr.fr"], data.corpus))
    lower = [sentence.lower() for sentence in original]
    found: Row = {}
    for name, written in systems.items():
        ours = [write_french(sentence) for sentence in written]
        cased = bleu(hypotheses=ours, references=original)
        other = bleu(hypotheses=[s.lower() for s in ours], references=lower)
        found[name] = {
            "cased": round(cased.score, 3),
            "lower-cased": round(other.score, 3),
            "signature": cased.signature,
        }
    return found


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
    rows = [k for k in np.flatnonzero(strange).tolist() if len(sources[k]) in LENGTHS]
    return [
        {
            "source": list(sources[k]),
            "unknown": [w for w in sources[k] if w not in known],
            "reference": list(wanted[k]),
            **{name: written[k] for name, written in systems.items()},
        }
        for k in rows[:SHOWN]
    ]


WORDS = replace(recipe("transformer-multi30k"), budget=Budget(2000, 700, 500))

# A batch of 800 symbols holds as many captions as one of 700 words.
STUDY = Study(
    about="the Transformer on words and on joint sub-words, on the same sentences",
    cases={"Multi30k": Duel(WORDS, on_subwords(WORDS, 800))},
    measure=measured,
    check=None,
)

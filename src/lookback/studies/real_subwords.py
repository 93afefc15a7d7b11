"""What unknown words cost a translator of words, on what people wrote.

A word that is not on the list is <unk> to it. The test is scored with <unk> as it was
written, and with a copy of the source word of most weight in its place. `real_longer`
compares words with sub-words in the same way.
"""

from collections.abc import Container, Sequence
from dataclasses import replace
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
    case,
    corpus,
    pairs,
    pretrained,
    recipe,
    seeds,
)

from .real import BEAM, UNK, copied, in_points, translated

PHRASES = "phrases"
LISTED, COPIED = "words", "words, <unk> copied"
ALL, KNOWN, UNKNOWN = "all", "without unknown words", "with unknown words"
Systems = dict[str, list[list[str]]]
Counts = NDArray[np.float64]


def measured(name: str, recipe: Recipe[Any]) -> Row:
    """The whole test, <unk> as it was written and with copies in its place.

    name  of a translator of words that ships;  recipe  its own, or one of another text
    """
    learner: AttentionLearner = pretrained(name)  # type: ignore[assignment]
    test = pairs(corpus(recipe.data), "test")
    sources, wanted, plain = translated(learner, test, BEAM)
    systems: Systems = {LISTED: plain, COPIED: copied(learner, sources, plain)}
    strange = strangers(sources, learner.vocabularies["source"])
    return {
        "unknown": unknown(strange),
        "test": compared(counted(systems, wanted), strange > 0, COPIED),
        "spelt": spelt(systems, recipe.data),
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


def outline(learner: TranslationLearner) -> Row:
    """What it cost, and how its validation went."""
    assert learner.log is not None
    return {
        "parameters": learner.parameters,
        "seconds": learner.seconds,
        "steps": len(learner.log.entries),
        "tokens": learner.log.tokens,
        "vocabulary": [len(words) for words in learner.vocabularies.values()],
        "validation": [[e.step, e.score] for e in learner.log.evaluations],
    }


def compared(counts: dict[str, Counts], strange: NDArray[np.bool_], one: str) -> Row:
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
            "cased": cased.score,
            "lower-cased": other.score,
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


WORDS = replace(recipe("transformer-multi30k"), budget=Budget(2000, 700, 500))
SENTENCES = replace(
    WORDS,
    data=Data("tatoeba", min_count=5),
    model=replace(WORDS.model, dropout=0.1),
    budget=Budget(1600, 700, 400),
)

# Of all words of the grammar, of which the shipped translator knows some.
UNHEARD = replace(
    recipe("bahdanau"), data=Data("grammar", (("pairs", 200), ("size", "full")))
)
STUDY = Study(
    about="what unknown words cost a translator that ships",
    cases={
        "Tatoeba, RNNsearch": case(
            measured, name="bahdanau-tatoeba", recipe=recipe("bahdanau-tatoeba")
        ),
    },
    check=case(measured, name="bahdanau", recipe=UNHEARD),
)

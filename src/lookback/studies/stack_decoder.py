"""Statistical translation, whole: how good, by how much text, what each part buys.

Alignment, phrases, language model, weights: all is learned from the training text, and
the weights from some sentences of validation. The test is read once, at the end.
"""

import math
import time
from collections import Counter
from collections.abc import Callable, Collection, Sequence
from dataclasses import dataclass, field, replace
from functools import cache
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from lookback.ibm1 import IBMModel1
from lookback.measure import Interval, bleu_interval, paired_bootstrap
from lookback.measure import bleu_counts as sentence_counts
from lookback.measure.bleu import score_of
from lookback.ngram import KneserNey, NgramModel
from lookback.phrases import Option, PhraseTable
from lookback.recipes.stack_decoder import aligned
from lookback.stack_decoder import (
    FEATURES,
    WEIGHTS,
    StackDecoder,
    Table,
    Translation,
    Tuned,
    tune,
)
from lookback.text.corpora import Lengths, Pair, PairCorpus
from lookback.text.grammar.agreement import subjects
from lookback.workshop import (
    CAPTIONS,
    PAIRS,
    Data,
    Row,
    Study,
    TranslationLearner,
    Words,
    case,
    corpus,
    pairs,
    pretrained,
    seeds,
)

from . import translators
from .real import UNK, in_points

LENGTHS, LIMITS, BEAMS = (1, 2, 3, 5), (0, 2, 4, 10), (1, 30)
FARTHEST = 6  # words from a noun to its verb: so many or more
FAR, LONG = 4, 15  # words from a noun to its verb, and of a sentence: so many or more
SHOWN = range(6, 11)  # words of the captions that are shown
KEPT = {"phi(e|f)": 1.0}
BEFORE_VERB = ("AUX", "PART", "ADV")


@dataclass(frozen=True)
class Phrases:
    """A decoder with all that it needs, learned from the first pairs of a text.

    tuning      sentences of validation from which its weights are learned; 0: WEIGHTS
    iterations  of EM, of Model 1 and then of the HMM
    """

    data: Data = field(default_factory=lambda: Data(CAPTIONS.corpus, CAPTIONS.options))
    pairs: int | None = None
    tuning: int = 200
    rounds: int = 4
    iterations: int = 5
    order: int = 3
    beam: int = 10
    distortion_limit: int = 6


class Trained(NamedTuple):
    """What was learned, and the seconds that each step of it took."""

    text: PairCorpus
    decoder: StackDecoder
    tuned: Tuned
    seconds: dict[str, float]
    sizes: dict[str, int]


class Clock:
    """Seconds of the processor, step by step."""

    def __init__(self) -> None:
        self.seconds: dict[str, float] = {}
        self.since = time.process_time()

    def lap(self, name: str) -> None:
        now = time.process_time()
        self.seconds[name] = now - self.since
        self.since = now


@cache
def trained(how: Phrases, seed: int = 0) -> Trained:
    """Align, extract, count, tune; the seed draws where tuning begins."""
    text, clock = first(how.data, how.pairs), Clock()
    links = aligned(text.train, how.iterations)
    clock.lap("alignment")
    table = PhraseTable.fit(text.train, links)
    clock.lap("phrases")
    targets = [pair.target for pair in text.train]
    language = NgramModel(how.order, KneserNey()).fit(targets)
    clock.lap("language model")
    decoder = StackDecoder(
        table, language, beam=how.beam, distortion_limit=how.distortion_limit
    )
    some = [(p.source, p.target) for p in text.validation[: how.tuning]]
    tuned = Tuned(dict(WEIGHTS), ())
    if some:
        generator = seeds.generator(seed)
        tuned = tune(decoder, some, generator=generator, rounds=how.rounds)
    clock.lap("tuning")
    sizes = {"phrase pairs": len(table), "n-grams": len(language.counts.count)}
    decoder = decoder.with_weights(tuned.weights)
    return Trained(text, decoder, tuned, clock.seconds, sizes)


def outline(this: Trained) -> Row:
    """What was learned, in numbers."""
    return {
        "pairs": len(this.text.train),
        **this.sizes,
        "seconds by step": this.seconds,
        "rounds": [list(found) for found in this.tuned.rounds],
        "weights": dict(this.tuned.weights),
    }


def parameters(this: Trained) -> int:
    """Four numbers for each pair of phrases, one for each n-gram, and the weights."""
    return 4 * this.sizes["phrase pairs"] + this.sizes["n-grams"] + len(FEATURES)


def captions(how: Phrases) -> Row:
    """The test set of 2016, unknown words treated in both ways.

    The counts of each sentence are kept, so that others can be compared in pairs.
    """
    this, began = trained(how), time.process_time()
    test = pairs(this.text, "test")
    ways = written(this, test)
    seconds = time.process_time() - began
    words = [word for sentence in ways[UNK] for word in sentence]
    return {
        **outline(this),
        "test": {name: interval(sentences, test) for name, sentences in ways.items()},
        "unknown words written": words.count(UNK) / len(words),
        "counts": {name: counted(sentences, test) for name, sentences in ways.items()},
        "sentences a second": len(test) / seconds,
        "n-best": examples(this),
    }


def written(this: Trained, some: Sequence[Pair]) -> dict[str, list[list[str]]]:
    """What it writes for each source, its unknown words copied, and as <unk>."""
    found = [this.decoder.n_best(pair.source, 1)[0] for pair in some]
    known = {word for pair in this.text.train for word in pair.source}
    both = zip(some, found, strict=True)
    return {
        "copied": [list(one.words) for one in found],
        UNK: [marked(pair.source, one, known) for pair, one in both],
    }


def marked(source: Words, one: Translation, known: Collection[str]) -> list[str]:
    """The translation with <unk> for each word that was copied, being unknown."""
    return [
        UNK if words == (source[i],) and source[i] not in known else word
        for i, _, words in one.phrases
        for word in words
    ]


def interval(words: Sequence[Sequence[str]], some: Sequence[Pair]) -> Row:
    """BLEU of these translations, with its interval."""
    return in_points(
        bleu_interval(
            hypotheses=words, references=wanted(some), generator=seeds.generator(0)
        )
    )


def wanted(some: Sequence[Pair]) -> list[list[str]]:
    return [list(pair.target) for pair in some]


def counted(words: Sequence[Sequence[str]], some: Sequence[Pair]) -> list[str]:
    """`measure.bleu_counts` of each sentence, a line for each column."""
    counts = sentence_counts(hypotheses=words, references=wanted(some)).astype(int)
    return [" ".join(map(str, column)) for column in counts.T.tolist()]


def counts_of(columns: Sequence[str]) -> NDArray[np.float64]:
    """The counts (N, 10) that `counted` wrote."""
    return np.array([[float(n) for n in column.split()] for column in columns]).T


def first(data: Data, many: int | None) -> PairCorpus:
    """The corpus, with so many pairs to learn from; None: all."""
    text = corpus(data)
    assert isinstance(text, PairCorpus)
    return replace(text, train=text.train[:many])


def examples(this: Trained) -> list[Row]:
    """The first test sentences of a middling length, and how they were made."""
    some = [p for p in this.text.test if len(p.source) in SHOWN][:3]
    rows = []
    for pair in some:
        found = this.decoder.n_best(pair.source, 4)
        rows.append({
            "source": list(pair.source),
            "reference": list(pair.target),
            "best": [[one.score, list(one.words)] for one in found],
            "phrases": [[i, j, list(words)] for i, j, words in found[0].phrases],
        })  # fmt: skip
    return rows


# --- what each part buys -------------------------------------------------------------


class Shorter:
    """The table without phrases of more than so many words."""

    def __init__(self, table: Table, most: int) -> None:
        self.table, self.max_length = table, most

    def options(self, phrase: tuple[str, ...]) -> tuple[Option, ...]:
        found = self.table.options(phrase)
        return tuple(o for o in found if len(o.target) <= self.max_length)


class OneByOne:
    """Words alone, and P(source word | target word) of Model 1 the only feature."""

    max_length = 1

    def __init__(self, model: IBMModel1, table: PhraseTable, most: int = 20) -> None:
        self.model, self.table, self.most = model, table, most

    def options(self, phrase: tuple[str, ...]) -> tuple[Option, ...]:
        (word,) = phrase
        near = {w for o in self.table.options(phrase) for w in o.target}
        found = [(self.model.translation_prob(word, e), e) for e in sorted(near)]
        best = sorted((p, e) for p, e in found if p > 0)[-self.most :]
        return tuple(Option((e,), (math.log(p), 0.0, 0.0, 0.0)) for p, e in best)


def changed(this: Trained) -> dict[str, Callable[[], StackDecoder]]:
    """Each change of the decoder, by its name."""
    whole = this.decoder
    table, language, weights = whole.table, whole.language.model, whole.weights
    options: dict[str, Any] = {
        "beam": whole.beam, "distortion_limit": whole.distortion_limit
    }  # fmt: skip

    def other(
        table: Table = table, weights: Any = weights, **more: Any
    ) -> Callable[[], StackDecoder]:
        return lambda: StackDecoder(table, language, weights, **(options | more))

    # The noisy channel has P(source word | target word): its model reads the other way.
    back = [(pair.target, pair.source) for pair in this.text.train]
    without = {k: v for k, v in weights.items() if k != "language model"}
    noisy = {FEATURES[0]: 1.0, "language model": 1.0, "distortion": 1.0}
    assert isinstance(table, PhraseTable)
    return {
        "whole": other(),
        **{f"phrases of {n}": other(Shorter(table, n)) for n in LENGTHS},
        **{f"distortion {n}": other(distortion_limit=n) for n in LIMITS},
        **{f"beam {n}": other(beam=n) for n in BEAMS},
        "without language model": other(weights=without),
        "without future cost": other(future=False),
        "without tuning": other(weights=WEIGHTS),
        "word by word": other(Shorter(table, 1), KEPT, distortion_limit=0),
        "noisy channel, Model 1": other(
            OneByOne(IBMModel1().fit(back, 5), table), noisy, distortion_limit=4
        ),
    }


def parts(how: Phrases, sentences: int = 150) -> Row:
    """BLEU with one part after another changed; the mean of the scores that are found.

    difference  of BLEU from the whole's, on the same sentences, with its interval
    comparable  are the scores those of the same weights?
    """
    this, whole = trained(how), np.empty((0, 0))
    some = pairs(this.text, "test")[:sentences]
    rows: dict[str, Row] = {}
    for name, make in changed(this).items():
        decoder, began = make(), time.process_time()
        found = [decoder.n_best(pair.source, 1)[0] for pair in some]
        seconds = time.process_time() - began
        words = [list(one.words) for one in found]
        counts = sentence_counts(hypotheses=words, references=wanted(some))
        whole = counts if name == "whole" else whole
        rows[name] = {
            **interval(words, some),
            "difference": in_points(against(counts, whole)),
            "comparable": decoder.weights == this.decoder.weights,
            "score": sum(one.score for one in found) / len(some),
            "phrases": sum(len(one.phrases) for one in found) / len(some),
            "sentences a second": len(some) / seconds,
        }
    return {"sentences": len(some), "parts": rows}


def against(counts: NDArray[np.float64], whole: NDArray[np.float64]) -> Interval:
    """The difference of BLEU by a paired bootstrap."""
    return paired_bootstrap(score_of, counts, whole, generator=seeds.generator(0))


def pruned(name: str) -> Row:
    """BLEU of a trained model on the sentences of the running table."""
    model, text = pretrained(name), corpus(PAIRS)
    test = pairs(text, "test")[: translators.TEST]
    scores = interval([model.translate(pair.source) for pair in test], test)
    return {
        "parameters": model.parameters,
        "test BLEU": scores["BLEU"],
        "interval": [scores["low"], scores["high"]],
    }


# --- the grammar ---------------------------------------------------------------------


def grammar(how: Phrases) -> Row:
    """The sentences of the running table: BLEU, by length, nouns and verbs."""
    this = trained(how)
    test = pairs(this.text, "test")[: translators.TEST]

    def written(some: Sequence[Pair]) -> list[list[str]]:
        return [this.decoder.translate(pair.source) for pair in some]

    ours = written(test)
    scores = interval(ours, test)
    return {
        **outline(this),
        "parameters": parameters(this),
        "seconds": sum(this.seconds.values()),
        "test BLEU": scores["BLEU"],
        "interval": [scores["low"], scores["high"]],
        "missed": missed(test, ours),
    }


def missed(some: Sequence[Pair], written: Sequence[Words]) -> Row:
    """Nouns, and finite verbs by how far they are from their noun: missed, and all.

    A word is missed if the translation lacks one of the words that it is linked to.
    Verbs near their noun and far from it are also counted in short sentences and in
    long ones, to tell distance from length.
    """
    nouns, verbs = Counter[bool](), Counter[tuple[int, bool]]()
    split = Counter[tuple[bool, bool, bool]]()
    for pair, words in zip(some, written, strict=True):
        lacking = Counter(pair.target) - Counter(words)
        french: dict[int, list[str]] = {}
        for i, j in pair.sure:
            french.setdefault(i, []).append(pair.target[j])
        for i, tag in enumerate(pair.tags.source):
            if tag == "NOUN" and i in french:
                nouns[any(lacking[w] for w in french[i])] += 1
        for noun, verb in subjects(pair):
            far = min(verb - noun, FARTHEST)
            while verb not in french and pair.tags.source[verb] in BEFORE_VERB:
                verb += 1  # *will sign* is one word in French
            if verb in french:
                wrong = any(lacking[w] for w in french[verb])
                verbs[far, wrong] += 1
                split[far >= FAR, len(pair.source) >= LONG, wrong] += 1
    rows = [[d, verbs[d, True], verbs[d, True] + verbs[d, False]]
            for d in range(1, FARTHEST + 1)]  # fmt: skip
    by_length = {
        name: [
            [split[far, long, True], split[far, long, True] + split[far, long, False]]
            for long in (False, True)
        ]
        for name, far in (("near", False), ("far", True))
    }
    return {
        "nouns": [nouns[True], nouns.total()],
        "verbs": rows,
        "short, long": by_length,
    }


def attending(name: str, sentences: int = 1000) -> Row:
    """What a network that attends misses, on the same sentences."""
    model: TranslationLearner = pretrained(name)  # type: ignore[assignment]
    test = pairs(first(PAIRS, None), "test")[:sentences]
    return missed(test, model.decode([pair.source for pair in test]))


ALL = Phrases()
BRIEF = Lengths(uniform=1.0, low=12, high=18, longest=20)
FEW = Data("grammar", (("pairs", 300), ("seed", 0), ("lengths", BRIEF)))

STUDY = Study(
    about="translation by phrases: captions, by pairs read, and part by part",
    cases={
        "29000": case(captions, how=ALL),
        "grammar": case(grammar, how=Phrases(data=PAIRS)),
        "pruned": case(pruned, name="stack_decoder"),
        "parts": case(parts, how=ALL),
        "1000": case(captions, how=Phrases(pairs=1000, tuning=100)),
        "5000": case(captions, how=Phrases(pairs=5000, tuning=100)),
        "missed, RNNsearch": case(attending, name="bahdanau"),
        "missed, encoder–decoder": case(attending, name="encdec"),
    },
    check=case(parts, how=Phrases(data=FEW, tuning=0), sentences=4),
)

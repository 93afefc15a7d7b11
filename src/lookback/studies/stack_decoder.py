"""Statistical translation, whole: how good, by how much text, what each part buys.

Alignment, phrases, language model, weights: all is learned from the training text, and
the weights from some sentences of validation. The test is read once, at the end.
"""

import math
import time
from collections import Counter
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from functools import cache
from typing import Any, NamedTuple

from lookback.hmm_alignment import HMMAlignment
from lookback.ibm1 import IBMModel1
from lookback.measure import bleu_by_length
from lookback.ngram import KneserNey, NgramModel
from lookback.phrases import Option, PhraseTable, flipped, symmetrise
from lookback.stack_decoder import (
    FEATURES,
    WEIGHTS,
    LanguageModel,
    StackDecoder,
    Table,
    Tuned,
    tune,
)
from lookback.text.corpora import Pair, PairCorpus
from lookback.text.grammar.agreement import subjects
from lookback.workshop import (
    CAPTIONS,
    PAIRS,
    Data,
    Row,
    Study,
    Words,
    pairs,
    pretrained,
    seeds,
)

from . import translators
from .stack_decoder_networks import TREATMENTS, UNK, first, interval, told, wanted

LENGTHS, LIMITS, BEAMS = (1, 2, 3, 5), (0, 2, 4, 10), (1, 3, 30)
SOME = 400  # test sentences on which parts are taken away
FARTHEST = 6  # words from a noun to its verb: so many or more
SHOWN = range(6, 11)  # words of the captions that are shown
KEPT = {"phi(e|f)": 1.0}
BEFORE_VERB = ("AUX", "PART", "ADV")


@dataclass(frozen=True)
class Phrases:
    """A decoder with all that it needs, learned from the first pairs of a text.

    tuning  sentences of validation from which its weights are learned; 0: WEIGHTS
    """

    data: Data = field(default_factory=lambda: Data(CAPTIONS.corpus, CAPTIONS.options))
    pairs: int | None = None
    tuning: int = 200
    order: int = 3
    beam: int = 10
    distortion_limit: int = 6

    def measured(self) -> Row:
        """The row of the running table: on the sentences of all translators."""
        return whole_grammar(self)


@dataclass(frozen=True)
class Parts:
    """The same decoder with one part after another changed, on some test sentences."""

    whole: Phrases
    sentences: int = SOME


@dataclass(frozen=True)
class Attending:
    """A shipped network on the grammar: which nouns and verbs it misses."""

    name: str
    sentences: int = 1000


class Trained(NamedTuple):
    """What was learned, and the seconds that each step of it took."""

    text: PairCorpus
    decoder: StackDecoder
    words: IBMModel1
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
        self.seconds[name] = round(now - self.since, 1)
        self.since = now


@cache
def trained(case: Phrases) -> Trained:
    """Align, extract, count, tune."""
    text, clock = first(case.data, case.pairs), Clock()
    there = [(pair.source, pair.target) for pair in text.train]
    back = [(target, source) for source, target in there]
    ways = [HMMAlignment().fit(some).align_all(some) for some in (there, back)]
    links = [symmetrise(a, flipped(b)) for a, b in zip(*ways, strict=True)]
    clock.lap("alignment")
    table = PhraseTable.fit(there, links)
    clock.lap("phrases")
    targets = [target for _, target in there]
    language = NgramModel(case.order, KneserNey()).fit(targets)
    clock.lap("language model")
    decoder = StackDecoder(
        table, language, beam=case.beam, distortion_limit=case.distortion_limit
    )
    some = [(p.source, p.target) for p in text.validation[: case.tuning]]
    tuned = Tuned(dict(WEIGHTS), ())
    if some:
        tuned = tune(decoder, some, generator=seeds.generator(0), rounds=4)
    clock.lap("tuning")
    sizes = {"phrase pairs": len(table), "n-grams": len(language.counts.count)}
    # Noisy channel: P(source word | target word), so the model reads the other way.
    words = IBMModel1().fit(back, 5)
    return Trained(text, decoder.with_weights(tuned.weights), words, tuned,
                   clock.seconds, sizes)  # fmt: skip


def outline(this: Trained) -> Row:
    """What was learned, in numbers."""
    return {
        "pairs": len(this.text.train),
        **this.sizes,
        "seconds by step": this.seconds,
        "rounds": [[round(a, 2), round(b, 2), n] for a, b, n in this.tuned.rounds],
        "weights": {k: round(v, 4) for k, v in this.tuned.weights.items()},
    }


def captions(case: Phrases) -> Row:
    """The test set of 2016, unknown words treated in both ways."""
    this = trained(case)
    known = {word for pair in this.text.train for word in pair.source}
    began, many = time.process_time(), 0
    seen: list[list[list[str]]] = []

    def translate(sources: Sequence[Words]) -> dict[str, list[list[str]]]:
        nonlocal many
        many += len(sources)
        found = [this.decoder.n_best(source, 1)[0] for source in sources]
        copied = [list(one.words) for one in found]
        seen.append(copied)
        marked = [
            [
                UNK if len(words) == 1 and words[0] == s[i] and s[i] not in known else w
                for i, _, words in one.phrases
                for w in words
            ]
            for s, one in zip(sources, found, strict=True)
        ]
        return {"copied": copied, UNK: marked}

    row = {**outline(this), **told(this.text, translate)}
    seconds = time.process_time() - began
    row["sentences a second"] = round(many / seconds, 1)
    row["n-best"] = examples(this)
    return row


def examples(this: Trained) -> list[Row]:
    """The first test sentences of a middling length, and how they were made."""
    some = [p for p in this.text.test if len(p.source) in SHOWN][:3]
    rows = []
    for pair in some:
        found = this.decoder.n_best(pair.source, 4)
        rows.append({
            "source": list(pair.source),
            "reference": list(pair.target),
            "best": [[round(one.score, 2), list(one.words)] for one in found],
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
    table, language, weights = whole.table, whole.language, whole.weights
    options: dict[str, Any] = {
        "beam": whole.beam, "distortion_limit": whole.distortion_limit
    }  # fmt: skip

    def other(
        table: Table = table, weights: Any = weights, **more: Any
    ) -> Callable[[], StackDecoder]:
        return lambda: StackDecoder(table, language, weights, **(options | more))

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
            OneByOne(this.words, table), noisy, distortion_limit=4
        ),
    }


def parts(case: Parts) -> Row:
    """BLEU of each change, and how much the sum of the scores fell short."""
    this = trained(case.whole)
    some = pairs(this.text, "test")[: case.sentences]
    rows = {}
    for name, make in changed(this).items():
        decoder, began = make(), time.process_time()
        found = [decoder.n_best(pair.source, 1)[0] for pair in some]
        seconds = time.process_time() - began
        rows[name] = {
            **interval([list(one.words) for one in found], some),
            "score": round(sum(one.score for one in found) / len(some), 4),
            "phrases": round(sum(len(one.phrases) for one in found) / len(some), 3),
            "sentences a second": round(len(some) / seconds, 1),
        }
    return {"sentences": len(some), "parts": rows}


# --- the grammar ---------------------------------------------------------------------


def whole_grammar(case: Phrases) -> Row:
    """The sentences of the running table: BLEU, by length, nouns and verbs."""
    this = trained(case)
    test = pairs(this.text, "test")[: translators.TEST]

    def written(some: Sequence[Pair]) -> list[list[str]]:
        return [this.decoder.translate(pair.source) for pair in some]

    ours = written(test)
    fresh = [pair for same in translators.fresh() for pair in same]
    bins = bleu_by_length(
        hypotheses=written(fresh),
        references=wanted(fresh),
        lengths=[len(pair.source) for pair in fresh],
        edges=[longest for _, longest in translators.BINS],
        generator=seeds.generator(0),
        samples=translators.SAMPLES,
    )
    scores = interval(ours, test)
    return {
        **outline(this),
        "parameters": 4 * this.sizes["phrase pairs"] + this.sizes["n-grams"] + 8,
        "seconds": round(sum(this.seconds.values()), 1),
        "test BLEU": scores["BLEU"],
        "interval": [scores["low"], scores["high"]],
        "lengths": [translators.scored(one, "bleu") for one in bins],
        "missed": missed(test, ours),
    }


def missed(some: Sequence[Pair], written: Sequence[Words]) -> Row:
    """Nouns, and finite verbs by how far they are from their noun: missed, and all.

    A word is missed if the translation lacks one of the words that it is linked to.
    """
    nouns, verbs = Counter[bool](), Counter[tuple[int, bool]]()
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
                verbs[far, any(lacking[w] for w in french[verb])] += 1
    rows = [[d, verbs[d, True], verbs[d, True] + verbs[d, False]]
            for d in range(1, FARTHEST + 1)]  # fmt: skip
    return {"nouns": [nouns[True], nouns.total()], "verbs": rows}


def attending(case: Attending) -> Row:
    """What a network that attends misses, on the same sentences."""
    model = pretrained(case.name)
    test = pairs(first(PAIRS, None), "test")[: case.sentences]
    written = model.decode([pair.source for pair in test])
    return missed(test, written)


def measured(case: Phrases | Parts | Attending) -> Row:
    """What the case asks for."""
    if isinstance(case, Phrases):
        return captions(case)
    return parts(case) if isinstance(case, Parts) else attending(case)


ALL = Phrases()
GRAMMAR = Phrases(data=PAIRS)
QUICK = Phrases(data=Data("grammar", (("pairs", 300), ("seed", 0))), tuning=0)

STUDY = Study(
    about="translation by phrases: captions, by pairs read, and part by part",
    cases={
        "29000": ALL,
        "parts": Parts(ALL),
        "1000": Phrases(pairs=1000),
        "5000": Phrases(pairs=5000),
        "missed, RNNsearch": Attending("bahdanau"),
        "missed, encoder–decoder": Attending("encdec"),
        "quick": Parts(QUICK, 10),
    },
    measure=measured,
    check="quick",
)

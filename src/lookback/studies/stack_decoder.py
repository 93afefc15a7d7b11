"""Statistical translation, whole: against a Transformer, part by part, far verbs.

Alignment, phrases, language model, weights: all is learned from the training text, and
the weights from some sentences of validation. The test is read once, at the end.
"""

import math
import time
from collections import Counter
from collections.abc import Callable, Collection, Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import cache
from typing import Any, NamedTuple

import numpy as np
import torch
from numpy.typing import NDArray

from lookback.decoding import length_penalty
from lookback.ibm1 import IBMModel1
from lookback.measure import (
    Interval,
    bleu,
    bleu_counts,
    bleu_interval,
    paired_bootstrap,
)
from lookback.measure.bleu import score_of
from lookback.ngram import KneserNey, NgramModel
from lookback.phrases import Option, PhraseTable
from lookback.recipes.stack_decoder import aligned
from lookback.stack_decoder import (
    FEATURES,
    Spans,
    StackDecoder,
    Table,
    Translation,
)
from lookback.text.corpora import Lengths, Pair, PairCorpus
from lookback.text.grammar.agreement import subjects
from lookback.trainer import seeds
from lookback.trainer.checkpoint import pretrained
from lookback.trainer.data import corpus, pairs
from lookback.trainer.learner import Words
from lookback.trainer.recipe import Budget, Data, Optimiser, Recipe, recipe
from lookback.trainer.study import Experiment, Row, Setting, Study, grid
from lookback.trainer.translation import (
    CAPTIONS,
    PAIRS,
    AttentionLearner,
    TranslationLearner,
)

from . import translators

UNK, COPIED = "<unk>", "copied"
BEAM, ALPHA = 5, 1.0  # as the chapter on decoding chose them, on another corpus
JUDGED = 300  # sentences of validation, by whose BLEU the best step is chosen
FARTHEST = 6  # words from a noun to its verb: so many or more
FAR, LONG = 4, 15  # words from a noun to its verb, and of a sentence: so many or more
BEFORE_VERB = ("AUX", "PART", "ADV")
Sentences = Sequence[Sequence[str]]


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
    """What was learned, what it cost, and how large it is."""

    text: PairCorpus
    decoder: StackDecoder
    seconds: float
    sizes: dict[str, int]


@cache
def trained(how: Phrases, seed: int = 0) -> Trained:
    """Align, extract, count, tune; the seed draws where tuning begins."""
    text, began = first(how.data, how.pairs), time.process_time()
    table = PhraseTable.fit(text.train, aligned(text.train, how.iterations))
    targets = [pair.target for pair in text.train]
    language = NgramModel(how.order, KneserNey()).fit(targets)
    decoder = StackDecoder(
        table, language, beam=how.beam, distortion_limit=how.distortion_limit
    )
    some = [(p.source, p.target) for p in text.validation[: how.tuning]]
    if some:
        generator = seeds.generator(seed)
        tuned = tune(decoder, some, generator=generator, rounds=how.rounds)
        decoder = decoder.with_weights(tuned)
    seconds = time.process_time() - began
    # Four numbers for each pair of phrases, one for each n-gram, and the weights.
    entries = 4 * len(table) + len(language.counts.count) + len(FEATURES)
    sizes = {"phrase pairs": len(table), "parameters": entries}
    return Trained(text, decoder, seconds, sizes)


def first(data: Data, many: int | None) -> PairCorpus:
    """The corpus, with so many pairs to learn from; None: all."""
    text = corpus(data)
    assert isinstance(text, PairCorpus)
    return replace(text, train=text.train[:many])


# --- minimum error rate training: Och 2003 -------------------------------------------

FEWEST = 1e-9  # narrower intervals of a weight, and smaller differences, are ignored
Numbers = NDArray[np.float64]
Candidates = dict[tuple[Words, bytes], tuple[Numbers, Numbers]]
"""Of one sentence: words and rounded features → features, counts of BLEU."""


def tune(
    decoder: StackDecoder,
    some: Sequence[tuple[Words, Words]],
    *,
    generator: torch.Generator,
    rounds: int,
    n: int = 100,
    starts: int = 5,
) -> dict[str, float]:
    """Weights that raise BLEU on held-out pairs, best of so many rounds.

    Each round translates them all with n-best lists, adds these to all lists so far,
    and climbs by exact line searches from the weights and from random others.
    """
    lists: list[Candidates] = [{} for _ in some]
    lambdas, found = decoder.lambdas, list[tuple[float, dict[str, float]]]()
    for _ in range(rounds):
        weights = dict(zip(FEATURES, lambdas.tolist(), strict=True))
        decoder, best = decoder.with_weights(weights), []
        for candidates, (source, reference) in zip(lists, some, strict=True):
            listed = decoder.n_best(source, n)
            words = [one.words for one in listed]
            counts = bleu_counts(hypotheses=words, references=[reference] * len(words))
            best.append(counts[0])
            for one, row in zip(listed, counts, strict=True):
                key = one.words, one.features.round(6).tobytes()
                candidates[key] = one.features, row
        found.append((float(unsmoothed(np.sum(best, axis=0))), weights))
        N, K = len(lists), max(map(len, lists))
        features, sums = np.zeros((N, K, len(FEATURES))), np.zeros((N, K, 10))
        there = np.zeros((N, K), bool)
        for i, candidates in enumerate(lists):
            for k, (h, row) in enumerate(candidates.values()):
                features[i, k], sums[i, k], there[i, k] = h, row, True
        others = torch.rand(starts - 1, len(FEATURES), generator=generator).numpy()
        climbs = [climb(start, features, sums, there) for start in (lambdas, *others)]
        lambdas, _ = max(climbs, key=lambda pair: pair[1])
        lambdas = lambdas / np.abs(lambdas).sum()
    return max(found, key=lambda pair: pair[0])[1]


def unsmoothed(counts: Numbers) -> Numbers:
    """BLEU, 0 to 100, of summed counts (…, 10): (…). It is 0 if no 4-gram is right."""
    right, grams = counts[..., 2:6], counts[..., 6:]
    with np.errstate(divide="ignore", invalid="ignore"):
        precision: Numbers = np.log(right / grams.clip(1)).mean(axis=-1)
        brevity = np.minimum(0, 1 - counts[..., 1] / counts[..., 0])
    return 100 * np.exp(precision) * np.exp(brevity)


def climb(
    lambdas: Numbers, features: Numbers, counts: Numbers, there: NDArray[np.bool_]
) -> tuple[Numbers, float]:
    """Line searches along one weight after another, until none gains: λ and BLEU."""
    lambdas, best = lambdas.copy(), -1.0
    while True:
        before = best
        for k in range(len(lambdas)):
            scores = np.where(there, features @ lambdas, -np.inf)
            step, found = line_search(scores, features[..., k], counts)
            if found > best + 1e-6:
                lambdas[k], best = lambdas[k] + step, found
        if best < before + 0.01:
            return lambdas, best


def line_search(
    scores: Numbers, slopes: Numbers, counts: Numbers
) -> tuple[float, float]:
    """The best γ if candidate k of sentence n scores scores + γ slopes.

    scores (N, K), -inf for no candidate;  slopes (N, K);  counts (N, K, 10) of BLEU
    →  γ, the middle of the best interval, and the BLEU there. It is exact: the winner
    of a sentence changes only where two lines cross.
    """
    rows = np.arange(len(scores))
    there = np.isfinite(scores)
    flat = np.where(there, slopes, np.inf)
    least = flat.min(axis=1, keepdims=True)
    now = np.where(flat == least, scores, -np.inf).argmax(axis=1)  # at γ = -∞
    total = counts[rows, now].sum(axis=0)
    where, change = [], []
    while len(rows):
        a, b = scores[rows], np.where(there[rows], slopes[rows], -np.inf)
        own = np.arange(len(rows)), now[rows]
        steeper = b > b[own][:, None]
        gain = np.where(steeper, b - b[own][:, None], 1)
        meet = np.where(steeper, (a[own][:, None] - a) / gain, np.inf)
        first = meet.min(axis=1)
        # of lines that meet in one point, the steepest goes on
        then = np.where(meet == first[:, None], b, -np.inf).argmax(axis=1)
        on = np.isfinite(first)
        rows, then = rows[on], then[on]
        where.append(first[on])
        change.append(counts[rows, then] - counts[rows, now[rows]])
        now[rows] = then
    at, steps = np.concatenate(where), np.concatenate(change)
    order = at.argsort(kind="stable")
    at = at[order]
    found = unsmoothed(total + np.cumsum([0 * total, *steps[order]], axis=0))
    if not len(at):
        return 0.0, float(found[0])
    ends = np.array([at[0] - 2, *at, at[-1] + 2])
    middles, widths = (ends[1:] + ends[:-1]) / 2, np.diff(ends)
    found = np.where(widths > FEWEST, found, -1)
    best = np.flatnonzero(found >= found.max() - FEWEST)
    k = best[np.abs(middles[best]).argmin()]
    return float(middles[k]), float(found[k])


# --- scores --------------------------------------------------------------------------


def in_points(interval: Interval) -> Row:
    """A score in BLEU, or a difference of two, with the ends of its interval."""
    return {"BLEU": interval.value, "low": interval.low, "high": interval.high}


def score(written: Sentences, some: Sequence[Pair]) -> Row:
    """BLEU of these translations, and the interval that resampling them gives."""
    return in_points(
        bleu_interval(
            hypotheses=written, references=wanted(some), generator=seeds.generator(0)
        )
    )


def wanted(some: Sequence[Pair]) -> list[list[str]]:
    return [list(pair.target) for pair in some]


def counts_of(written: Sentences, some: Sequence[Pair]) -> NDArray[np.float64]:
    """What BLEU counts of each sentence, (N, 10)."""
    return bleu_counts(hypotheses=written, references=wanted(some))


def difference(one: NDArray[np.float64], other: NDArray[np.float64]) -> Row:
    """BLEU of the one less that of the other, by a paired bootstrap."""
    generator = seeds.generator(0)
    return in_points(paired_bootstrap(score_of, one, other, generator=generator))


# --- against a network, by the amount of text ----------------------------------------


def captions(
    how: Phrases, recipe: Recipe[Any], judged: int = 0, keep: bool = False
) -> Row:
    """Phrases and a Transformer from the same pairs, compared on the same test.

    judged  sentences of validation by whose BLEU the network's best step is chosen;
            0: by the lowest loss
    keep    also what BLEU counts of each sentence, copies in place of <unk>
    """
    this = trained(how)
    test = pairs(this.text, "test")
    network = learned(recipe, this.text, judged)
    sources, plain = [p.source for p in test], translated(network, test, BEAM)
    systems = {
        "phrases": written(this, test),
        "Transformer": {UNK: plain, COPIED: copied(network, sources, plain)},
    }
    counts = {
        name: {way: counts_of(some, test) for way, some in ways.items()}
        for name, ways in systems.items()
    }
    ours, theirs = counts.values()
    row: Row = {
        "phrase pairs": this.sizes["phrase pairs"],
        **{
            name: {way: score(some, test) for way, some in ways.items()}
            for name, ways in systems.items()
        },
        "difference": {way: difference(ours[way], theirs[way]) for way in ours},
    }
    if keep:
        row["counts"] = {name: columns(n[COPIED]) for name, n in counts.items()}
    return row


def learned(recipe: Recipe[Any], text: PairCorpus, judged: int) -> AttentionLearner:
    """Train on this text; with the weights of the step that was best on validation."""
    learner: AttentionLearner = recipe.learner(recipe)
    some, best = pairs(text, "validation")[:judged], -1.0
    tensors: dict[str, Any] = {}

    def evaluated(loss: float) -> None:
        nonlocal best
        found = learner.decode([pair.source for pair in some])
        now = bleu(hypotheses=found, references=wanted(some)).score
        if now > best:
            best = now
            tensors.update({k: v.clone() for k, v in learner.tensors().items()})

    learner.train_on(text, **({"evaluated": evaluated} if judged else {}))
    if judged:
        learner.restore(tensors, learner.vocabularies)
    return learner


def written(this: Trained, some: Sequence[Pair]) -> dict[str, list[list[str]]]:
    """What it writes for each source, its unknown words copied, and as <unk>."""
    found = [this.decoder.n_best(pair.source, 1)[0] for pair in some]
    known = {word for pair in this.text.train for word in pair.source}
    both = zip(some, found, strict=True)
    return {
        COPIED: [list(one.words) for one in found],
        UNK: [marked(pair.source, one, known) for pair, one in both],
    }


def marked(source: Words, one: Translation, known: Collection[str]) -> list[str]:
    """The translation with <unk> for each word that was copied, being unknown."""
    return [
        UNK if words == (source[i],) and source[i] not in known else word
        for i, _, words in one.phrases
        for word in words
    ]


def translated(
    learner: TranslationLearner, read: Sequence[Pair], size: int
) -> list[list[str]]:
    """What the network writes for each pair's source, with a beam of that size."""
    sources = [pair.source for pair in read]
    return learner.decode(sources, size=size, penalty=length_penalty(ALPHA))


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


def columns(counts: NDArray[np.float64]) -> list[str]:
    """Of the counts of all sentences (N, 10) the two lengths, and how many are right.

    A line of words for each; how many groups there are follows from the length.
    """
    return [" ".join(map(str, some)) for some in counts[:, :6].T.astype(int).tolist()]


def counts_in(columns: Sequence[str]) -> NDArray[np.float64]:
    """The counts (N, 10) that `columns` wrote."""
    found = np.array([[float(n) for n in some.split()] for some in columns]).T
    return np.hstack([found, (found[:, :1] - np.arange(4)).clip(min=0)])


# --- what each part buys -------------------------------------------------------------


class WithoutFutureCost(StackDecoder):
    """Hypotheses are compared by their scores alone."""

    def rest(self, spans: Spans) -> Callable[[int], float]:
        return lambda covered: 0.0


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


def changed(this: Trained) -> dict[str, StackDecoder]:
    """Each change of the decoder, by its name."""
    whole = this.decoder
    table, language, weights = whole.table, whole.language.model, whole.weights
    assert isinstance(table, PhraseTable)
    options: Setting = {
        "beam": whole.beam, "distortion_limit": whole.distortion_limit
    }  # fmt: skip

    def other(
        table: Table = table, weights: Mapping[str, float] = weights, **more: Any
    ) -> StackDecoder:
        return StackDecoder(table, language, weights, **{**options, **more})

    # The noisy channel has P(source word | target word): its model reads the other way.
    back = [(pair.target, pair.source) for pair in this.text.train]
    channel = OneByOne(IBMModel1().fit(back, 5), table)
    noisy = {FEATURES[0]: 1.0, "language model": 1.0, "distortion": 1.0}
    mute = {k: v for k, v in weights.items() if k != "language model"}
    one_feature = {"phi(e|f)": 1.0}
    return {
        "whole": other(),
        **{f"phrases of {n}": other(Shorter(table, n)) for n in (1, 2, 3)},
        "distortion 0": other(distortion_limit=0),
        **{f"beam {n}": other(beam=n) for n in (1, 30)},
        "without language model": other(weights=mute),
        "without future cost": WithoutFutureCost(table, language, weights, **options),
        "word by word": other(Shorter(table, 1), one_feature, distortion_limit=0),
        "noisy channel, Model 1": other(channel, noisy, distortion_limit=4),
    }


def parts(how: Phrases, sentences: int = 150) -> Row:
    """BLEU with one part after another changed; the mean of the scores that are found.

    difference  of BLEU from the whole's, on the same sentences, with its interval
    score       only where the weights are the whole's
    """
    this, rows = trained(how), dict[str, Row]()
    some = pairs(this.text, "test")[:sentences]
    whole = np.empty((0, 0))
    for name, decoder in changed(this).items():
        found = [decoder.n_best(pair.source, 1)[0] for pair in some]
        words = [list(one.words) for one in found]
        counts = counts_of(words, some)
        whole = counts if name == "whole" else whole
        rows[name] = {
            "BLEU": score_of(counts.sum(axis=0)),
            "difference": difference(counts, whole),
        }
        if decoder.weights == this.decoder.weights:
            rows[name]["score"] = sum(one.score for one in found) / len(some)
    return rows


def pruned(name: str) -> Row:
    """BLEU of a trained model on the sentences of the running table."""
    model = pretrained(name)
    test = pairs(corpus(PAIRS), "test")[: translators.TEST]
    found = score([model.translate(pair.source) for pair in test], test)
    return {"parameters": model.parameters, "test BLEU": found["BLEU"]}


# --- the grammar ---------------------------------------------------------------------


def grammar(how: Phrases) -> Row:
    """The sentences of the running table: BLEU, nouns and verbs that are missed."""
    this = trained(how)
    test = pairs(this.text, "test")[: translators.TEST]
    ours = [this.decoder.translate(pair.source) for pair in test]
    return {
        "parameters": this.sizes["parameters"],
        "seconds": this.seconds,
        "test BLEU": score(ours, test)["BLEU"],
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


def few_captions(pairs: int) -> Setting:
    """The captions' Transformer from so many pairs; of all pairs as it ships."""
    whole = recipe("transformer-multi30k")
    if pairs == ALL:
        return {"how": Phrases(), "recipe": whole, "keep": True}
    steps = STEPS[pairs]
    less = replace(
        whole,
        data=replace(CAPTIONS, min_count=2),
        model=replace(whole.model, dropout=0.3),
        budget=Budget(steps, whole.budget.tokens, evaluate_every=steps // 5),
    )
    return {"how": Phrases(pairs=pairs, tuning=100), "recipe": less, "judged": JUDGED}


ALL, STEPS = 29000, {1000: 1200, 5000: 1500}
SHORT = Lengths(uniform=1.0, low=3, high=8, longest=10)
FEW = Data("grammar", (("pairs", 120), ("seed", 0), ("lengths", SHORT)))
SMALL = replace(
    recipe("transformer"),
    data=FEW,
    model=replace(recipe("transformer").model, N=1, d_model=32, h=2, d_ff=64),
    optimiser=Optimiser("adam", 1e-2),
    budget=Budget(4, 700, evaluate_every=2),
)
BRIEF = Phrases(data=FEW, tuning=0, iterations=2)
STUDY = Study(
    "translation by phrases: against a Transformer, part by part, verbs far away",
    {
        "captions": Experiment(
            captions,
            grid(pairs=[*STEPS, ALL]),
            smoke={"how": BRIEF, "recipe": SMALL, "judged": 2},
            arguments=few_captions,
        ),
        "parts": Experiment(
            parts,
            [{}],
            smoke={"how": BRIEF, "sentences": 3},
            arguments=lambda: {"how": Phrases()},
        ),
        "grammar": Experiment(
            grammar, [{}], arguments=lambda: {"how": Phrases(data=PAIRS)}
        ),
        "pruned": Experiment(pruned, [{"name": "stack_decoder"}]),
        "networks": Experiment(attending, grid(name=("encdec", "bahdanau"))),
    },
)

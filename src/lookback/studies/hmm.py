"""Tagging by hidden Markov models: unknown words, and what re-estimation does."""

import math
from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from lookback.hmm import HiddenMarkovModel, SuffixModel
from lookback.measure import accuracy, bootstrap, tag_counts, unknown_accuracy
from lookback.text.corpora import Tagged, TaggedCorpus, grammar
from lookback.text.tagged import tagged
from lookback.workshop import Data, Row, Study, Weights, case, corpus, grid, seeds

EWT = Data("english_ewt")
STEPS = 10
TAGGED = (100, 1000, 12_544)  # sentences; the last is all of train
SEEDS = (0, 1, 2)
EVERY = 10  # steps of the training without a tag
WORDS = ("blurfing", "blurfed", "blurfly", "blurfness", "Blurf", "1,234", "blurf")
KINDS = {
    "words read once": SuffixModel(0, 1),
    "suffixes": SuffixModel(),
}


@dataclass(frozen=True)
class Hmm:
    """How a tagger of the running table learns: by counting."""

    order: int
    longest: int = 10
    rare: int | None = 10

    def learn(self, text: TaggedCorpus) -> HiddenMarkovModel:
        model = HiddenMarkovModel(self.order, SuffixModel(self.longest, self.rare))
        return model.fit(text.train)


TAGGERS = {"HMM, bigrams": Hmm(2), "HMM, trigrams": Hmm(3)}


def text_of(pairs: int | None) -> TaggedCorpus:
    if pairs is None:
        found = corpus(EWT)
        assert isinstance(found, TaggedCorpus)
        return found
    made = grammar(pairs=pairs)
    splits = (tagged(made.split(s)) for s in ("train", "validation", "test"))
    return TaggedCorpus("grammar", made.version, *splits)


def counted(
    model: HiddenMarkovModel, some: Sequence[Tagged], text: TaggedCorpus
) -> Weights:
    """`tag_counts` of sentences that the model tags."""
    words, gold = [s.words for s in some], [s.tags for s in some]
    return tag_counts(words, gold, model.tag(words), text.vocabulary)


def percents(
    model: HiddenMarkovModel, some: Sequence[Tagged], text: TaggedCorpus
) -> list[float]:
    """Accuracy on all words, and on unknown ones."""
    sums = counted(model, some, text).sum(axis=0)
    return [accuracy(sums), unknown_accuracy(sums)]


def unknown() -> Row:
    """Two assumptions, two orders; made-up words."""
    text = text_of(None)
    row: Row = {"kinds": {}, "counts": text.counts}
    for order in (2, 3):
        for name, model_of in KINDS.items():
            model = HiddenMarkovModel(order, model_of).fit(text.train)
            counts = counted(model, text.test, text)
            found: Row = {"validation": percents(model, text.validation, text)}
            for key, share in (("test", accuracy), ("unknown", unknown_accuracy)):
                whole = bootstrap(share, counts, generator=seeds.generator(0))
                found[key] = [whole.value, whole.low, whole.high]
            row["kinds"][f"{name}, order {order}"] = found
    model = Hmm(2).learn(text)
    row["tags"] = list(model.tags)
    of = model.unknown.probabilities
    row["made up"] = {word: of(word)[1:].tolist() for word in WORDS}
    return row


def per_word(model: HiddenMarkovModel, text: TaggedCorpus) -> float:
    """log2 P a word of the validation sentences whose words all occur in train."""
    known = text.vocabulary
    some = [s.words for s in text.validation if {*s.words} <= known]
    bits = model.log_likelihood(some) / math.log(2)
    return bits / sum(map(len, some))


def again(
    sentences: int, seed: int = 0, steps: int = STEPS, pairs: int | None = None
) -> Row:
    """Accuracy and log-likelihood before re-estimation, and after each step.

    So many tagged sentences, drawn from train by the seed, are counted; then the words
    of all of train are read. Where all were counted, also log2 P a word of validation.

    pairs  so many pairs of the grammar instead of English EWT
    """
    text = text_of(pairs)
    words = [s.words for s in text.train]
    drawn = np.random.default_rng(seed).permutation(len(words))
    some = [text.train[n] for n in sorted(drawn[:sentences])]
    model = HiddenMarkovModel(2).fit(some)
    row: Row = {"tagged": len(some), "likelihood": []}
    row |= {"validation": [], "test": [], "unknown": [], "held out": []}
    for step in range(steps + 1):
        if step:
            row["likelihood"] += model.baum_welch(words, 1)[step > 1 :]
        validation, test = (
            percents(model, s, text) for s in (text.validation, text.test)
        )
        row["validation"].append(validation[0])
        row["test"].append(test[0])
        row["unknown"].append(test[1])
        if len(some) == len(words):
            row["held out"].append(per_word(model, text))
    return row


def untagged(seed: int, states: int = 17, steps: int = 100) -> Row:
    """From random numbers: the likelihood by steps, how well states fit tags by EVERY.

    held out     log2 P a word of validation, where all words are known
    many to one  percent of train rightly tagged, each state being its commonest tag
    """
    text = text_of(None)
    words = [s.words for s in text.train]
    types = sorted(text.vocabulary)
    random = np.random.default_rng(seed)
    K = states
    move, write = (
        random.random((K + 1, K + 1)) + 0.5,
        random.random((len(types), K)) + 0.5,
    )
    move[0, 0] = 0
    model = HiddenMarkovModel.of(
        [f"s{n}" for n in range(K)],
        types,
        move / move.sum(axis=1, keepdims=True),
        write / write.sum(axis=0),
    )
    row: Row = {"likelihood": [], "held out": [], "many to one": []}
    for _ in range(0, steps, EVERY):
        found = model.baum_welch(words, EVERY)
        row["likelihood"] += found[bool(row["likelihood"]) :]
        row["held out"].append(per_word(model, text))
        row["many to one"].append(many_to_one(model, text))
    return row


def many_to_one(model: HiddenMarkovModel, text: TaggedCorpus) -> float:
    """Percent of train whose tag is the commonest one of the state found for it."""
    pairs = Counter[tuple[str, str]]()
    for sentence, states in zip(
        text.train, model.tag([s.words for s in text.train]), strict=True
    ):
        pairs.update(zip(states, sentence.tags, strict=True))
    best = {state: tag for (state, tag), _ in reversed(pairs.most_common())}
    right = sum(pairs[state, tag] for state, tag in best.items())
    return 100 * right / pairs.total()


STUDY = Study(
    about="unknown words of a hidden Markov tagger, and what re-estimation does to it",
    cases={
        "unknown": case(unknown),
        **grid(
            "tagged {sentences}, seed {seed}", again, sentences=TAGGED[:-1], seed=SEEDS
        ),
        f"tagged {TAGGED[-1]}": case(again, sentences=TAGGED[-1]),
        **grid("untagged, seed {seed}", untagged, seed=SEEDS),
    },
    check=case(again, sentences=10, steps=2, pairs=100),
)

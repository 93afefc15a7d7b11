"""A window of vectors on English EWT: what features, vectors and transitions buy."""

import time
from collections.abc import Sequence
from dataclasses import dataclass

import torch
from torch import Tensor

from lookback.measure import accuracy, bootstrap, tag_counts, unknown_accuracy
from lookback.nplm import nearest
from lookback.studies.features import ewt
from lookback.text.corpora import Tagged, TaggedCorpus, grammar, tagged
from lookback.window import (
    COLUMNS,
    PADDING,
    Lookup,
    SentenceLevelLikelihood,
    WindowConfig,
    WindowTagger,
    word_level_loss,
)
from lookback.workshop import Row, Study, case, each, pretrained, seeds

ALL = tuple(COLUMNS)
MORE = {"suffix 2": 10, "suffix 3": 20, "capitals": 5}
"""Numbers in the vectors of each column but the word's."""
D, H = 64, 150
RATE, BATCH, FORGET, SIGMA = 2e-3, 1000, 0.5, 0.1
VECTORS = "word2vec-tatoeba"
ASKED = ("france", "walked", "quickly", "big", "she", "dog")
"""Words whose neighbours are shown."""

Batch = tuple[Tensor, Tensor, Tensor]
Words = tuple[str, ...]


@dataclass(frozen=True)
class Window:
    """How a window tagger is trained: Adam, its rate falling to 0 in a straight line.

    level    "sentence" or "word": which likelihood
    vectors  whether words begin with the vectors of VECTORS, scaled to σ 0.1
    """

    window: int = 5
    columns: tuple[str, ...] = ALL
    level: str = "sentence"
    vectors: bool = False
    epochs: int = 5
    seed: int = 0

    def learn(self, text: TaggedCorpus) -> "Tagger":
        """The tagger of train."""
        tagger = self.made(text)
        self.train(tagger, text.train)
        return tagger

    def made(self, text: TaggedCorpus) -> "Tagger":
        """The tagger before training, its weights drawn from the seed."""
        read: list[Sequence[str]] = [sentence.words for sentence in text.train]
        words, table = pretrained(VECTORS).vectors() if self.vectors else ((), None)
        lookup = Lookup([*read, *([word] for word in words)], self.columns)
        more = tuple(MORE[name] for name in self.columns[1:])
        config = WindowConfig(self.window, D, more, H)
        with seeds.seeded(self.seed):
            network = self.network(config, lookup.sizes, len(text.tags))
        if table is not None:
            rows = torch.tensor([lookup.tables[0][word] for word in words])
            with torch.no_grad():
                weight = network.get_parameter("tables.0.weight")
                weight[rows] = SIGMA * table / table.std()
        return Tagger(
            lookup,
            network,
            SentenceLevelLikelihood(len(text.tags)),
            text.tags,
            self.level,
        )

    def network(
        self, config: WindowConfig, sizes: Sequence[int], C: int
    ) -> WindowTagger:
        """The network, its weights drawn from the global generator."""
        return WindowTagger(config, sizes, C)

    def train(self, tagger: "Tagger", sentences: Sequence[Tagged]) -> None:
        """All epochs; words that were read once are forgotten half of the time."""
        chance, step = seeds.generator(self.seed), 0
        batches = [tagger.batch(some) for some in by_length(sentences)]
        optimiser = torch.optim.Adam(tagger.weights, lr=RATE)
        for _ in range(self.epochs):
            for i in torch.randperm(len(batches), generator=chance).tolist():
                x, y, mask = batches[i]
                left = 1 - step / (self.epochs * len(batches))
                optimiser.param_groups[0]["lr"] = RATE * left
                f = tagger.network(tagger.lookup.forget(x, FORGET, chance))
                loss = tagger.loss(f, y, mask)
                optimiser.zero_grad()
                loss.backward()  # type: ignore[no-untyped-call]
                optimiser.step()
                step += 1


@dataclass(frozen=True)
class Tagger:
    """A network with its lookup tables, its transitions and its tags."""

    lookup: Lookup
    network: WindowTagger
    likelihood: SentenceLevelLikelihood
    tags: Words
    level: str

    @property
    def weights(self) -> list[torch.nn.Parameter]:
        """What is learned; the transitions only where they are used."""
        more = self.likelihood.parameters() if self.level == "sentence" else ()
        return [*self.network.parameters(), *more]

    @property
    def parameters(self) -> int:
        return sum(weight.numel() for weight in self.weights)

    def batch(self, sentences: Sequence[Tagged]) -> Batch:
        """Ids (B, T, K), tags (B, T) and mask (B, T)."""
        x = self.lookup([sentence.words for sentence in sentences])
        mask = x[..., 0] != PADDING
        y = torch.zeros(mask.shape, dtype=torch.long)
        y[mask] = torch.tensor([self.tags.index(t) for s in sentences for t in s.tags])
        return x, y, mask

    def loss(self, f: Tensor, y: Tensor, mask: Tensor) -> Tensor:
        if self.level == "sentence":
            return self.likelihood.loss(f, y, mask)
        return word_level_loss(f, y, mask)

    @torch.no_grad()
    def tag(self, sentences: Sequence[Words]) -> list[Words]:
        """A tag for each word; at sentence level those of the best path."""
        found = list[Words]()
        for start in range(0, len(sentences), 50):
            some = sentences[start : start + 50]
            x = self.lookup(some)
            mask = x[..., 0] != PADDING
            f = self.network(x)
            if self.level == "sentence":
                paths = self.likelihood.viterbi(f, mask)
            else:
                paths = [
                    row[: len(words)].tolist()
                    for row, words in zip(f.argmax(dim=2), some, strict=True)
                ]
            found += [tuple(self.tags[c] for c in path) for path in paths]
        return found


def by_length(sentences: Sequence[Tagged]) -> list[list[Tagged]]:
    """Batches of sentences of similar length, BATCH words or a little more in each."""
    batches: list[list[Tagged]] = [[]]
    for sentence in sorted(sentences, key=lambda sentence: len(sentence.words)):
        if sum(len(s.words) for s in batches[-1]) >= BATCH:
            batches.append([])
        batches[-1].append(sentence)
    return batches


@dataclass(frozen=True)
class Learned:
    """The neighbours of some words, by the vectors that a tagger learned."""

    tagger: Window


@dataclass(frozen=True)
class Covered:
    """How many words have a vector before training."""

    vectors: str


@dataclass(frozen=True)
class Grammar:
    """A tagger of our own grammar: whole percent of the words of its test."""

    tagger: Window
    pairs: int


def scores(case: Window, text: TaggedCorpus) -> Row:
    """Accuracy on validation and, with intervals, on test and on its unknown words."""
    began = time.process_time()
    tagger = case.learn(text)
    row: Row = {
        "parameters": tagger.parameters,
        "seconds": round(time.process_time() - began, 2),
    }
    counts = {}
    for split in ("validation", "test"):
        words = [sentence.words for sentence in text.split(split)]
        gold = [sentence.tags for sentence in text.split(split)]
        counts[split] = tag_counts(words, gold, tagger.tag(words), text.vocabulary)
    row["validation"] = round(accuracy(counts["validation"].sum(axis=0)), 3)
    for name, measure in (("test", accuracy), ("unknown", unknown_accuracy)):
        found = bootstrap(measure, counts["test"], generator=seeds.generator(0))
        row[name] = [round(n, 3) for n in (found.value, found.low, found.high)]
    return row


def learned(case: Learned) -> Row:
    """The nearest vectors of ASKED by their cosine."""
    tagger = case.tagger.learn(ewt())
    words = {n: word for word, n in tagger.lookup.tables[0].items()}
    names = [words.get(n, f"({n})") for n in range(tagger.lookup.sizes[0])]
    often = ~tagger.lookup.rare
    often[:2] = False
    rows = often.nonzero().squeeze(1)
    vectors = tagger.network.get_parameter("tables.0.weight").detach()[rows]
    known = [names[n] for n in rows.tolist()]
    return {
        "neighbours": {
            word: [name for name, _ in nearest(word, known, vectors, 5)]
            for word in ASKED
        },
    }


def covered(case: Covered) -> Row:
    """Words with a vector, and their share of the words of test, in percent."""
    text, words = ewt(), set(pretrained(case.vectors).vectors()[0])
    known = text.vocabulary
    read = {word.lower() for word in known}
    test = [word for sentence in text.test for word in sentence.words]
    new = [word for word in test if word not in known]

    def share(found: Sequence[str]) -> float:
        return round(100 * sum(w.lower() in words for w in found) / len(found), 2)

    return {
        "words": len(words),
        "in train": len(words & read),
        "test": share(test),
        "unknown": share(new),
    }


def on_grammar(case: Grammar) -> Row:
    """The accuracy on the test of the grammar."""
    pairs = grammar(case.pairs)
    text = TaggedCorpus(
        "grammar",
        pairs.version,
        tagged(pairs.train),
        tagged(pairs.validation),
        tagged(pairs.test),
    )
    return {"test": round(scores(case.tagger, text)["test"][0])}


def measured(case: Window | Learned | Covered | Grammar) -> Row:
    """What the case asks for."""
    if isinstance(case, Grammar):
        return on_grammar(case)
    if isinstance(case, Covered):
        return covered(case)
    return learned(case) if isinstance(case, Learned) else scores(case, ewt())


WORDS = ALL[:1]
TAGGERS = {"window": Window()}
"""What the running table of taggers lists of this chapter, by its seed 0."""
SEEDS = (0, 1, 2)
SETTINGS = {
    "words": {"columns": WORDS},
    "words, vectors": {"columns": WORDS, "vectors": True},
    "all": {},
    "all, vectors": {"vectors": True},
    "all, word level": {"level": "word"},
    "window 1": {"window": 1},
    "window 1, word level": {"window": 1, "level": "word"},
}
STUDY = Study(
    about="a window tagger on English EWT: columns, vectors, transitions, its width",
    cases=each(
        measured,
        case={
            "learned": Learned(Window()),
            "covered": Covered(VECTORS),
            **{
                f"{name}, seed {seed}": Window(**settings, seed=seed)  # type: ignore[arg-type]
                for name, settings in SETTINGS.items()
                for seed in SEEDS
            },
        },
    ),
    check=case(measured, case=Grammar(Window(epochs=8), 200)),
)

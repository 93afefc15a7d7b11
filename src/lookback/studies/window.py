"""A window of vectors on English EWT: what features, vectors and transitions buy."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import torch
from torch import Tensor

from lookback.studies import taggers
from lookback.studies.features import ewt
from lookback.text.corpora import Tagged, TaggedCorpus
from lookback.trainer import seeds
from lookback.trainer.checkpoint import pretrained
from lookback.trainer.study import Experiment, Row, Setting, Study
from lookback.window import (
    COLUMNS,
    PADDING,
    Lookup,
    SentenceLevelLikelihood,
    WindowConfig,
    WindowTagger,
    word_level_loss,
)

ALL = tuple(COLUMNS)
MORE = {"suffix 2": 10, "suffix 3": 20, "capitals": 5}
"""Numbers in the vectors of each column but the word's."""
D, H = 64, 150
RATE, BATCH, FORGET, SIGMA = 2e-3, 1000, 0.5, 0.1
VECTORS = "word2vec-tatoeba"

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
        batches = [tagger.batch(some) for some in by_length(sentences, BATCH)]
        optimiser = torch.optim.Adam(tagger.weights, lr=RATE)
        for _ in range(self.epochs):
            for i in torch.randperm(len(batches), generator=chance).tolist():
                x, y, mask = batches[i]
                left = 1 - step / (self.epochs * len(batches))
                optimiser.param_groups[0]["lr"] = RATE * left
                f = tagger.network(tagger.lookup.word_dropout(x, FORGET, chance))
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


def by_length(sentences: Sequence[Tagged], words: int) -> list[list[Tagged]]:
    """Batches of sentences of similar length, so many words or a few more in each."""
    batches: list[list[Tagged]] = [[]]
    for sentence in sorted(sentences, key=lambda sentence: len(sentence.words)):
        if sum(len(s.words) for s in batches[-1]) >= words:
            batches.append([])
        batches[-1].append(sentence)
    return batches


def scores(tagger: taggers.Learning, text: TaggedCorpus) -> Row:
    """Accuracy on validation and, with intervals, on test and on its unknown words."""
    return taggers.scores(tagger, text)


def measured(tagger: Window, pairs: int | None = None) -> Row:
    """Percent right of the test's words and of unknown ones; pairs: of our grammar."""
    row = scores(tagger, taggers.text_of(pairs))
    return {name: row[name][0] for name in ("test", "unknown")}


def covered() -> Row:
    """What percentage of the unknown words of English EWT's test VECTORS has."""
    text, known = ewt(), {*pretrained(VECTORS).vectors()[0]}
    new = [w for s in text.test for w in s.words if w not in text.vocabulary]
    return {"unknown": 100 * sum(word.lower() in known for word in new) / len(new)}


def trained(columns: str, **rest: Any) -> Setting:
    """The tagger of a setting."""
    return {"tagger": Window(columns=ALL if columns == "all" else ALL[:1], **rest)}


TAGGERS = {"window": Window()}
"""What the running table of taggers lists of this chapter, by its seed 0."""
SEEDS = (0, 1, 2)
USUAL = {"columns": "all", "vectors": False, "level": "sentence", "window": 5}
RUNS: list[dict[str, Any]] = [
    {"columns": "words"},
    {"columns": "words", "vectors": True},
    {},
    {"vectors": True},
    {"level": "word"},
    {"window": 1},
    {"window": 1, "level": "word"},
]
"""What differs from the usual."""
STUDY = Study(
    "a window tagger on English EWT: columns, vectors, transitions, its width",
    {
        "covered": Experiment(covered),
        "scores": Experiment(
            measured,
            [{**USUAL, **run, "seed": seed} for run in RUNS for seed in SEEDS],
            smoke={"tagger": Window(epochs=1), "pairs": 200},
            arguments=trained,
        ),
    },
)

"""Learners of translators, and of those that attend to their source."""

import math
import warnings
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, replace
from typing import Any, ClassVar

import numpy as np
import torch
from torch import Tensor, nn

from lookback.decoding import Penalty, beam_search, greedy
from lookback.measure import alignment_error_rate, bleu, strongest_links
from lookback.text.batches import Batch, pad, pair_batches
from lookback.text.corpora import Lengths, Pair
from lookback.text.vocabulary import Vocabulary, words_of

from .attending import HidingLearner
from .data import AnyCorpus, pairs, vocabulary
from .fit import Batches
from .learner import Metrics, NeuralLearner, Vocabularies, Weights, Words
from .recipe import Data

EVALUATED = 1000  # pairs of a split on which a metric is measured
EVALUATION_TOKENS = 4000  # a batch's, when nothing is learned from it

PAIRS = Data("grammar", (("pairs", 50_000), ("seed", 0), ("size", "small")))
"""What every translator learns from: most lengths log-normal, a tenth uniform."""

SHORT_PAIRS = Data(
    "grammar",
    (
        *PAIRS.options,
        ("lengths", Lengths(uniform=0.0, low=12, high=18, longest=18)),
    ),
)
"""The same without a sentence of more than 18 words."""


CAPTIONS = Data("multi30k", min_count=3)
"""Captions that people wrote and translated."""


@dataclass(frozen=True)
class Unknown:
    """A source word that the model does not know.

    position  in the source;  word  as it was given
    read      what the model read instead
    written   the words whose attention was largest there; () too where a model does
              not attend
    """

    position: int
    word: str
    read: str
    written: tuple[str, ...] = ()


@dataclass(frozen=True)
class Translation:
    """A translation, and what one should know of it.

    words    where the model wrote <unk> while attending to a source word that it does
             not know, that word is kept, in brackets
    source   the source, unknown words in brackets
    unknown  these words, in order
    score    the mean of ln P of what the model wrote, its end included: of each word,
             or of each piece of a word
    """

    words: tuple[str, ...]
    source: tuple[str, ...]
    unknown: tuple[Unknown, ...] = ()
    score: float = math.nan


class TranslationLearner(NeuralLearner):
    """Trains a network that is called with source, its mask, and target from <s> on.

    The network returns logits (B, T, V), alone or as the first of several; it has
    `start` and `step`, which `lookback.decoding` needs.
    """

    architecture: ClassVar[type[nn.Module]]
    """The class of the network: (configuration, source and target vocabulary size)."""

    def build(self, vocabularies: Vocabularies) -> nn.Module:
        source, target = len(vocabularies["source"]), len(vocabularies["target"])
        return self.architecture(self.recipe.model, source, target)

    @property
    def sides(self) -> tuple[Vocabulary, Vocabulary]:
        """The vocabularies of source and target."""
        return self.vocabularies["source"], self.vocabularies["target"]

    def words_of(self, corpus: AnyCorpus) -> Vocabularies:
        train = pairs(corpus, "train")
        return {
            "source": vocabulary([pair.source for pair in train], self.recipe.data),
            "target": vocabulary([pair.target for pair in train], self.recipe.data),
        }

    def batches(
        self, corpus: AnyCorpus, split: str, generator: torch.Generator
    ) -> Batches:
        read = pairs(corpus, split)
        if split != "train":
            some = read[:EVALUATED]
            return list(pair_batches(some, *self.sides, tokens=EVALUATION_TOKENS))
        return lambda: self.epoch(read, generator)

    def epoch(
        self, pairs: Sequence[Pair], generator: torch.Generator
    ) -> Iterator[Batch]:
        """The batches of an epoch of training."""
        tokens = self.recipe.budget.tokens
        return pair_batches(pairs, *self.sides, tokens=tokens, generator=generator)

    def loss(self, network: nn.Module, batch: Batch) -> tuple[Tensor, int]:
        """Teacher forcing: the target so far is the reference's."""
        logits = teacher_forced(network, batch)
        real = batch.target_mask[:, 1:]  # (B, T)
        total = nn.functional.cross_entropy(
            logits[real], batch.target[:, 1:][real], reduction="sum"
        )
        return total, batch.tokens

    def decode(
        self,
        sources: Sequence[Words],
        *,
        size: int = 1,
        penalty: Penalty | None = None,
        longest: int | None = None,
    ) -> list[list[str]]:
        """The translation of each source, which may be longer than any in training.

        size, penalty  those of `beam_search`; a beam of 1 is greedy
        longest        words after which one is cut off; None: by the length of sources
        Raises `ValueError` for sources without words.
        """
        how: Any = {"size": size, "penalty": penalty, "longest": longest}
        return [self.joined(pieces) for pieces in self.pieces(sources, **how)]

    def joined(self, pieces: Sequence[str]) -> list[str]:
        """The words of what the network wrote."""
        return [*pieces]

    def cut(self, words: Words) -> tuple[str, ...]:
        """What the network reads of these words."""
        return tuple(words_of(words))

    def knows(self, word: str) -> bool:
        """Can the network read this source word?"""
        return word in self.sides[0]

    def pieces(
        self,
        sources: Sequence[Words],
        *,
        size: int = 1,
        penalty: Penalty | None = None,
        longest: int | None = None,
    ) -> list[list[str]]:
        """What the network writes: as `decode`, before it is joined to words."""
        sources = [self.cut(source) for source in sources]
        target, device = self.sides[1], next(self.network.parameters()).device
        written, network = [list[str]()] * len(sources), self.network.eval()
        for rows, ids, mask in padded(sources, self.sides[0]):
            options: Any = {"begin": target.start, "end": target.end}
            limit = longest_translation(ids.size(1) - 1) if longest is None else longest
            options |= {"longest": limit}
            mask = self.visible([sources[row] for row in rows], mask)
            ids, mask = ids.to(device), mask.to(device)
            if size == 1:
                best = greedy(network, ids, mask, **options)  # type: ignore[arg-type]
            else:
                options |= {"size": size, "penalty": penalty}
                beams = beam_search(network, ids, mask, **options)  # type: ignore[arg-type]
                best = [list(hypothesis.ids) for hypothesis, *_ in beams]
            for row, words in zip(rows, best, strict=True):
                written[row] = target.words(words)
        return written

    def visible(self, read: Sequence[Words], mask: Tensor, first: int = 0) -> Tensor:
        """The mask (B, S) of what may be attended to in these B sources: all words."""
        return mask

    def scores(
        self, sources: Sequence[Words], written: Sequence[Sequence[str]]
    ) -> list[float]:
        """The mean of ln P of the pieces that were written for each source.

        written  what `pieces` returned; the end counts as one more
        """
        framed = [
            Pair(self.cut(s), tuple(t)) for s, t in zip(sources, written, strict=True)
        ]
        network, found = self.network.eval(), [math.nan] * len(framed)
        device = next(network.parameters()).device
        with torch.no_grad():
            for batch in pair_batches(framed, *self.sides, tokens=EVALUATION_TOKENS):
                rows = [framed[row].source for row in batch.rows.tolist()]
                mask = self.visible(rows, batch.source_mask)
                moved = replace(batch, source_mask=mask).to(device)
                log_p = teacher_forced(network, moved).log_softmax(dim=-1)  # (B, T, V)
                of = log_p.gather(-1, moved.target[:, 1:, None]).squeeze(-1)
                real = moved.target_mask[:, 1:]
                means = of.masked_fill(~real, 0).sum(dim=1) / real.sum(dim=1)
                for row, mean in zip(batch.rows.tolist(), means.tolist(), strict=True):
                    found[row] = mean
        return found

    def translate(self, source: Words) -> list[str]:
        """The words of a translation; a warning names those that are unknown."""
        strange = [word for word in words_of(source) if not self.knows(word)]
        if strange:
            warnings.warn(
                f"{self.name or 'the model'} reads <unk> for {', '.join(strange)}, "
                "which it does not know; pretrained('bpe-transformer') reads any word",
                stacklevel=2,
            )
        return self.decode([source])[0]

    def explain(self, source: Words, size: int = 1) -> Translation:
        """Translate, say how sure it is, and what became of words it does not know."""
        source = words_of(source)
        (pieces,) = self.pieces([source], size=size)
        (score,), words = self.scores([source], [pieces]), self.joined(pieces)
        known, target = self.sides
        strange = [k for k, word in enumerate(source) if not self.knows(word)]
        if not strange:
            return Translation(tuple(words), tuple(source), score=score)
        positions, marked = self.attended(source, words), []
        for word, position in zip(words, positions, strict=True):
            lost = word == target.entries[target.unk] and position in strange
            marked.append(
                f"[{source[position]}]" if lost and position is not None else word
            )
        unknown = tuple(
            Unknown(
                k,
                source[k],
                known.entries[known.unk],
                tuple(w for w, p in zip(marked, positions, strict=True) if p == k),
            )
            for k in strange
        )
        shown = [f"[{w}]" if i in strange else w for i, w in enumerate(source)]
        return Translation(tuple(marked), tuple(shown), unknown, score)

    def attended(self, source: Words, target: Words) -> list[int | None]:
        """For each target word the source position of most weight; None: no word's."""
        return [None] * len(target)

    def measured_on(self, corpus: AnyCorpus, split: str) -> Sequence[Pair]:
        """The pairs of a split on which a metric is measured."""
        return pairs(corpus, split)[:EVALUATED]

    def evaluate(self, corpus: AnyCorpus) -> Metrics:
        return translation_metrics(
            self.decode, lambda split: self.measured_on(corpus, split)
        )


def translation_metrics(
    translate: Callable[[list[Words]], list[list[str]]],
    measured_on: Callable[[str], Sequence[Pair]],
) -> Metrics:
    """BLEU on validation and test.

    translate    sources → their translations
    measured_on  the name of a split → its pairs on which BLEU is measured
    """
    metrics = {}
    for split in ("validation", "test"):
        read = measured_on(split)
        written = translate([pair.source for pair in read])
        references = [list(pair.target) for pair in read]
        score = bleu(hypotheses=written, references=references).score
        metrics[f"{split} BLEU"] = score
    return metrics


class AttentionLearner(HidingLearner, TranslationLearner):
    """Of a network that returns its attention weights (B, T, S) after the logits."""

    def attention(self, source: Words, target: Words) -> Weights:
        """Attention weights (T, S) of each target word over the source words."""
        (weights,) = self.attention_weights([(source, target)])
        return weights[:-1, :-1]

    def attention_weights(self, read: Sequence[tuple[Words, Words]]) -> list[Weights]:
        """The weights (T + 1, S + 1) of each pair, </s> the last of either side.

        Row t holds the weights when target word t was predicted, all words before it
        being those of the target.
        """
        maps = [np.empty((0, 0))] * len(read)
        framed = [Pair(tuple(words_of(s)), tuple(words_of(t))) for s, t in read]
        network, device = self.network.eval(), next(self.network.parameters()).device
        with torch.no_grad():
            for batch in pair_batches(framed, *self.sides, tokens=EVALUATION_TOKENS):
                batch = self.masked(batch, [source for source, _ in read])
                weights = self.batch_weights(network, batch.to(device))
                for row, padded in zip(batch.rows.tolist(), weights, strict=True):
                    source, target = framed[row].source, framed[row].target
                    inside = padded[: len(target) + 1, : len(source) + 1]
                    maps[row] = inside.double().cpu().numpy()
        return maps

    def masked(self, batch: Batch, sources: Sequence[Words]) -> Batch:
        """A batch of some of these sources, of which hidden words are masked."""
        read = [sources[row] for row in batch.rows.tolist()]
        return replace(batch, source_mask=self.visible(read, batch.source_mask))

    def batch_weights(self, network: nn.Module, batch: Batch) -> Tensor:
        """The attention weights (B, T, S) on a batch."""
        weights: Tensor
        read = batch.target[:, :-1]
        _, weights, *_ = network(batch.source, batch.source_mask, read)
        return weights

    def link(self, source: Words, target: Words) -> set[tuple[int, int]]:
        """Each target word with its largest weight; none where that is on </s>."""
        (weights,) = self.attention_weights([(source, target)])
        return strongest_links(weights)

    def attended(self, source: Words, target: Words) -> list[int | None]:
        positions = {t: s for s, t in self.link(source, target)}
        return [positions.get(t) for t in range(len(target))]

    def evaluate(self, corpus: AnyCorpus) -> Metrics:
        metrics = super().evaluate(corpus)
        for split in ("validation", "test"):
            gold = [pair for pair in self.measured_on(corpus, split) if pair.possible]
            if gold:
                both = [(pair.source, pair.target) for pair in gold]
                metrics[f"{split} AER"] = alignment_error(
                    self.attention_weights(both), gold
                )
        return metrics


def teacher_forced(network: nn.Module, batch: Batch) -> Tensor:
    """The logits (B, T, V) of each target word, all before it being the reference's."""
    output = network(batch.source, batch.source_mask, batch.target[:, :-1])
    logits: Tensor = output[0] if isinstance(output, tuple) else output
    return logits


def alignment_error(weights: Sequence[Weights], gold: Sequence[Pair]) -> float:
    """The alignment error rate of weights (T + 1, S + 1), each word at its largest."""
    links = [strongest_links(one) for one in weights]
    sure, possible = [pair.sure for pair in gold], [pair.possible for pair in gold]
    return alignment_error_rate(links, sure, possible)


def longest_translation(words: int) -> int:
    """How many words a translation of so many words may have before it is cut off."""
    return 2 * words + 12


def padded(
    sources: Sequence[Words], words: Vocabulary
) -> Iterator[tuple[list[int], Tensor, Tensor]]:
    """Sentences of similar length together: their rows, ids and mask (B, S)."""
    empty = [row for row, source in enumerate(sources) if not source]
    if empty:
        raise ValueError(f"sources {empty} are empty: expected at least one word")
    rows = sorted(range(len(sources)), key=lambda row: len(sources[row]))
    ids = {row: [*words.ids(sources[row]), words.end] for row in rows}
    while rows:
        count = max(1, min(128, EVALUATION_TOKENS // len(ids[rows[-1]])))
        some, rows = rows[:count], rows[count:]
        yield some, *pad([ids[row] for row in some], words.pad)

"""Makers of models that translate, and of those that look while they do."""

from abc import abstractmethod
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
import torch
from numpy.typing import NDArray
from torch import Tensor, nn

from lookback.decoding import Penalty, beam_search, greedy
from lookback.measure import alignment_error_rate, bleu, strongest_links
from lookback.text.batches import Batch, pad, pair_batches
from lookback.text.corpora import Pair, PairCorpus
from lookback.text.vocabulary import Vocabulary

from .data import AnyCorpus, vocabulary
from .fit import Anew
from .makers import Aligns, Metrics, Translates, Vocabularies, Words
from .neural import NeuralMaker
from .recipes import Recipe

MEASURED = 1000  # pairs of a split on which a metric is measured
TOKENS = 4000  # that a batch holds when nothing is learnt from it


@dataclass(frozen=True)
class Unknown:
    """A source word that the model does not know.

    place  where it stands in the source;  word  as it was given
    read   what the model read in its place
    wrote  what it wrote while it looked there; () too where a model cannot look
    """

    place: int
    word: str
    read: str
    wrote: tuple[str, ...] = ()


@dataclass(frozen=True)
class Translation:
    """A translation, and what one should know of it.

    words    where the model wrote <unk>, and looked at a source word that it does not
             know, that word is kept, in brackets
    source   the source, unknown words in brackets
    unknown  these words, in order
    """

    words: tuple[str, ...]
    source: tuple[str, ...]
    unknown: tuple[Unknown, ...] = ()


class TranslationMaker(NeuralMaker, Translates):
    """Trains a module that is called with source, its mask, and target from <s> on.

    The module returns logits (B, T, V), alone or as the first of several; it has
    `start` and `step`, which `lookback.decoding` asks for.
    """

    @abstractmethod
    def module(self, config: Any, vocabularies: Vocabularies) -> nn.Module:
        """The untrained module; the roles are "source" and "target"."""

    def vocabularies(self, recipe: Recipe, corpus: AnyCorpus) -> Vocabularies:
        train = pairs(corpus, "train")
        return {
            "source": vocabulary([pair.source for pair in train], recipe.data),
            "target": vocabulary([pair.target for pair in train], recipe.data),
        }

    def batches(
        self,
        recipe: Recipe,
        vocabularies: Vocabularies,
        corpus: AnyCorpus,
        split: str,
        generator: torch.Generator,
    ) -> Iterable[Batch]:
        read = pairs(corpus, split)
        if split != "train":
            sides = vocabularies["source"], vocabularies["target"]
            return list(pair_batches(read[:MEASURED], *sides, tokens=TOKENS))
        return Anew(lambda: self.drawn(recipe, vocabularies, read, generator))

    def drawn(
        self,
        recipe: Recipe,
        vocabularies: Vocabularies,
        read: Sequence[Pair],
        generator: torch.Generator,
    ) -> Iterator[Batch]:
        """The batches of an epoch of training."""
        sides = vocabularies["source"], vocabularies["target"]
        tokens = recipe.budget.tokens
        return pair_batches(read, *sides, tokens=tokens, generator=generator)

    def loss(self, module: nn.Module, batch: Batch) -> tuple[Tensor, int]:
        logits = logits_of(
            module(batch.source, batch.source_mask, batch.target[:, :-1])
        )
        there = batch.target_mask[:, 1:]  # (B, T)
        total = nn.functional.cross_entropy(
            logits[there], batch.target[:, 1:][there], reduction="sum"
        )
        return total, batch.tokens

    def decode(
        self,
        model: nn.Module,
        vocabularies: Vocabularies,
        sources: Sequence[Words],
        *,
        size: int = 1,
        penalty: Penalty | None = None,
    ) -> list[list[str]]:
        """The translation of each source, which may be longer than any in training.

        size, penalty  those of `beam_search`; a beam of 1 is greedy
        Raises `ValueError` for sources without words.
        """
        target, device = vocabularies["target"], next(model.parameters()).device
        found, searched = [list[str]()] * len(sources), model.eval()
        for rows, ids, mask in padded(sources, vocabularies["source"]):
            told: Any = {"begin": target.start, "end": target.end}
            told |= {"longest": longest(ids.size(1) - 1)}
            if size == 1:
                written = greedy(searched, ids.to(device), mask.to(device), **told)  # type: ignore[arg-type]
            else:
                told |= {"size": size, "penalty": penalty}
                beams = beam_search(searched, ids.to(device), mask.to(device), **told)  # type: ignore[arg-type]
                written = [list(best.ids) for best, *_ in beams]
            for row, words in zip(rows, written, strict=True):
                found[row] = target.words(words)
        return found

    def translate(
        self, model: nn.Module, vocabularies: Vocabularies, source: Words
    ) -> list[str]:
        return self.decode(model, vocabularies, [source])[0]

    def explain(
        self,
        model: nn.Module,
        vocabularies: Vocabularies,
        source: Words,
        size: int = 1,
    ) -> Translation:
        """Translate a source, and tell what became of words that are not known."""
        (words,) = self.decode(model, vocabularies, [source], size=size)
        known, unk = vocabularies["source"], vocabularies["target"].unk
        strange = [place for place, word in enumerate(source) if word not in known]
        if not strange:
            return Translation(tuple(words), tuple(source))
        places, marked = self.looked_at(model, vocabularies, source, words), []
        for word, place in zip(words, places, strict=True):
            lost = word == vocabularies["target"].entries[unk] and place in strange
            marked.append(f"[{source[place]}]" if lost and place is not None else word)
        told = tuple(
            Unknown(
                place,
                source[place],
                known.entries[known.unk],
                tuple(w for w, p in zip(marked, places, strict=True) if p == place),
            )
            for place in strange
        )
        shown = [f"[{w}]" if i in strange else w for i, w in enumerate(source)]
        return Translation(tuple(marked), tuple(shown), told)

    def looked_at(
        self, model: nn.Module, vocabularies: Vocabularies, source: Words, target: Words
    ) -> list[int | None]:
        """For each target word where in the source the model looked; None: nowhere."""
        return [None] * len(target)

    def measure(
        self, model: nn.Module, vocabularies: Vocabularies, corpus: AnyCorpus
    ) -> Metrics:
        found = {}
        for split in ("validation", "test"):
            read = pairs(corpus, split)[:MEASURED]
            written = self.decode(model, vocabularies, [pair.source for pair in read])
            references = [list(pair.target) for pair in read]
            score = bleu(hypotheses=written, references=references).score
            found[f"{split} BLEU"] = score
        return found


class AttentionMaker(TranslationMaker, Aligns):
    """Of a module that returns its weights (B, T, S) behind the logits."""

    def weights(
        self, model: nn.Module, vocabularies: Vocabularies, source: Words, target: Words
    ) -> NDArray[np.float64]:
        (found,) = self.looks(model, vocabularies, [(source, target)])
        return found[:-1, :-1]

    def looks(
        self,
        model: nn.Module,
        vocabularies: Vocabularies,
        read: Sequence[tuple[Words, Words]],
    ) -> list[NDArray[np.float64]]:
        """The weights (T + 1, S + 1) of each pair, </s> the last of either side.

        Row t is how the model looked when it predicted target word t, all words before
        it being those of the target.
        """
        found = [np.empty((0, 0))] * len(read)
        framed = [Pair(tuple(s), tuple(t)) for s, t in read]
        roles = vocabularies["source"], vocabularies["target"]
        device = next(model.parameters()).device
        model.eval()
        with torch.no_grad():
            for batch in pair_batches(framed, *roles, tokens=TOKENS):
                batch = batch.to(device)
                weights = self.seen(model, batch)
                for row, looked in zip(batch.rows.tolist(), weights, strict=True):
                    source, target = framed[row].source, framed[row].target
                    inside = looked[: len(target) + 1, : len(source) + 1]
                    found[row] = inside.double().cpu().numpy()
        return found

    def seen(self, model: nn.Module, batch: Batch) -> Tensor:
        """The weights (B, T, S) with which a batch is looked at."""
        weights: Tensor
        _, weights, *_ = model(batch.source, batch.source_mask, batch.target[:, :-1])
        return weights

    def align(
        self, model: nn.Module, vocabularies: Vocabularies, source: Words, target: Words
    ) -> set[tuple[int, int]]:
        """Each target word to where it looks most; to none where that is </s>."""
        (looked,) = self.looks(model, vocabularies, [(source, target)])
        return most(looked)

    def looked_at(
        self, model: nn.Module, vocabularies: Vocabularies, source: Words, target: Words
    ) -> list[int | None]:
        places = {t: s for s, t in self.align(model, vocabularies, source, target)}
        return [places.get(t) for t in range(len(target))]

    def measure(
        self, model: nn.Module, vocabularies: Vocabularies, corpus: AnyCorpus
    ) -> Metrics:
        found = super().measure(model, vocabularies, corpus)
        for split in ("validation", "test"):
            read = [pair for pair in pairs(corpus, split)[:MEASURED] if pair.possible]
            if read:
                both = [(pair.source, pair.target) for pair in read]
                links = [most(w) for w in self.looks(model, vocabularies, both)]
                sure, possible = [p.sure for p in read], [p.possible for p in read]
                found[f"{split} AER"] = alignment_error_rate(links, sure, possible)
        return found


def logits_of(returned: Any) -> Tensor:
    """What a module returned, less what stands behind the logits."""
    logits: Tensor = returned[0] if isinstance(returned, tuple) else returned
    return logits


most = strongest_links


def longest(words: int) -> int:
    """How many words a translation of so many words may have before it is cut off."""
    return 2 * words + 12


def padded(
    sources: Sequence[Words], words: Vocabulary
) -> Iterator[tuple[list[int], Tensor, Tensor]]:
    """Sentences of like length together: their places, ids and mask (B, S)."""
    empty = [row for row, source in enumerate(sources) if not source]
    if empty:
        raise ValueError(f"sources {empty} are empty: expected at least one word")
    rows = sorted(range(len(sources)), key=lambda row: len(sources[row]))
    ids = {row: [*words.ids(sources[row]), words.end] for row in rows}
    while rows:
        count = max(1, min(128, TOKENS // len(ids[rows[-1]])))
        some, rows = rows[:count], rows[count:]
        yield some, *pad([ids[row] for row in some], words.pad)


def pairs(corpus: AnyCorpus, split: str) -> tuple[Pair, ...]:
    """The pairs of a split; `ValueError` for a corpus of single sentences."""
    if not isinstance(corpus, PairCorpus):
        raise ValueError(f"a translator learns from pairs, {corpus.name} has none")
    return corpus.split(split)

"""Makers of language models: what a model is asked for that predicts the next word."""

from abc import ABC, abstractmethod
from collections.abc import Iterable, Iterator, Sequence
from typing import Any

import numpy as np
import torch
from numpy.typing import NDArray
from torch import Tensor, nn

from lookback.measure import log_probabilities, perplexity
from lookback.text.batches import Batch, sentence_batches
from lookback.text.vocabulary import Vocabulary

from .data import AnyCorpus, english, vocabulary
from .fit import Anew
from .makers import Generates, Metrics, Vocabularies, Words
from .neural import NeuralMaker
from .recipes import Recipe

MEASURED = 4000  # tokens a batch holds when nothing is learnt from it


class Predicts(ABC):
    """Makers of models that say how likely each word of a sentence is."""

    @abstractmethod
    def log_probabilities(
        self, model: Any, vocabularies: Vocabularies, sentences: Sequence[Words]
    ) -> list[NDArray[np.float64]]:
        """ln P of each word and then of the sentence's end, given all before it.

        A word that the model does not know is read, and predicted, as <unk>.
        """


class LanguageMaker(NeuralMaker, Generates, Predicts):
    """Trains a module that predicts each word of a sentence from those before it."""

    @abstractmethod
    def logits(self, module: nn.Module, ids: Tensor) -> Tensor:
        """Scores (B, T, V) of the words behind each place of ids (B, T).

        The ids begin with that of <s>. It calls the module itself, not its methods.
        """

    def vocabularies(self, recipe: Recipe, corpus: AnyCorpus) -> Vocabularies:
        return {"words": vocabulary(english(corpus, "train"), recipe.data)}

    def batches(
        self,
        recipe: Recipe,
        vocabularies: Vocabularies,
        corpus: AnyCorpus,
        split: str,
        generator: torch.Generator,
    ) -> Iterable[Batch]:
        read = english(corpus, split)
        if split != "train":
            return _in_order(read, vocabularies["words"])
        return Anew(lambda: self.drawn(recipe, vocabularies, read, generator))

    def drawn(
        self,
        recipe: Recipe,
        vocabularies: Vocabularies,
        read: Sequence[Words],
        generator: torch.Generator,
    ) -> Iterator[Batch]:
        """The batches of an epoch of training."""
        words, tokens = vocabularies["words"], recipe.budget.tokens
        return sentence_batches(read, words, tokens=tokens, generator=generator)

    def loss(self, module: nn.Module, batch: Batch) -> tuple[Tensor, int]:
        return -self._log_p(module, batch).sum(), batch.tokens

    def measure(
        self, model: nn.Module, vocabularies: Vocabularies, corpus: AnyCorpus
    ) -> Metrics:
        found = {}
        for split in ("validation", "test"):
            log_p = self.log_probabilities(model, vocabularies, english(corpus, split))
            together = torch.from_numpy(np.concatenate(log_p))
            found[f"{split} perplexity"] = perplexity(together)
        return found

    def log_probabilities(
        self, model: nn.Module, vocabularies: Vocabularies, sentences: Sequence[Words]
    ) -> list[NDArray[np.float64]]:
        found: list[NDArray[np.float64]] = [np.empty(0)] * len(sentences)
        device = next(model.parameters()).device
        model.eval()
        with torch.no_grad():
            for batch in _in_order(sentences, vocabularies["words"]):
                log_p = self._log_p(model, batch.to(device)).double().cpu().numpy()
                ends = np.cumsum(batch.target_mask[:, 1:].sum(dim=1).numpy())
                parts = np.split(log_p, ends[:-1])
                for row, part in zip(batch.rows.tolist(), parts, strict=True):
                    found[row] = part
        return found

    def generate(
        self,
        model: nn.Module,
        vocabularies: Vocabularies,
        words: int,
        start: Words,
        generator: torch.Generator,
    ) -> list[list[str]]:
        """Sentences of `words` drawn words and ends together."""
        vocabulary = vocabularies["words"]
        sentences = [list(start)]
        for _ in range(words):
            ids = [vocabulary.start, *vocabulary.ids(sentences[-1])]
            drawn = self._draw(model, ids, vocabulary, generator)
            if drawn == vocabulary.end:
                sentences.append([])
            else:
                sentences[-1].append(vocabulary.entries[drawn])
        return [sentence for sentence in sentences if sentence]

    def _draw(
        self,
        model: nn.Module,
        ids: list[int],
        words: Vocabulary,
        generator: torch.Generator,
    ) -> int:
        """One word behind these, by its probability; never <pad> or <s>."""
        model.eval()
        with torch.no_grad():
            logits = self.logits(model, torch.tensor([ids]))[0, -1]  # (V,)
        logits[[words.pad, words.start]] = -torch.inf
        p = torch.softmax(logits, dim=0)
        return int(torch.multinomial(p, 1, generator=generator))

    def _log_p(self, module: nn.Module, batch: Batch) -> Tensor:
        """ln P (N,) of the batch's words and ends, sentence after sentence."""
        logits = self.logits(module, batch.target[:, :-1])  # (B, T, V)
        there = batch.target_mask[:, 1:]  # (B, T)
        return log_probabilities(logits[there], batch.target[:, 1:][there])


def _in_order(sentences: Sequence[Words], words: Vocabulary) -> list[Batch]:
    """All sentences in batches that never change."""
    longest = max(map(len, sentences), default=0) + 2
    return list(sentence_batches(sentences, words, tokens=max(MEASURED, longest)))

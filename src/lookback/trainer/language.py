"""Learners of language models: each word of a sentence from those before it."""

from abc import ABC, abstractmethod
from collections.abc import Iterator, Sequence
from dataclasses import replace
from typing import TypeVar

import numpy as np
import torch
from torch import Tensor, nn

from lookback.measure import log_probabilities, perplexity
from lookback.text.batches import Batch, sentence_batches
from lookback.text.vocabulary import Vocabulary, words_of

from .data import AnyCorpus, english, vocabulary
from .fit import Batches
from .learner import Learner, Metrics, NeuralLearner, Vocabularies, Weights, Words
from .recipe import Data, Recipe, check_choice

L = TypeVar("L")

EVALUATION_TOKENS = 4000  # a batch's, when nothing is learned from it

TEXTS: dict[str, Data] = {
    "grammar": Data(
        "grammar", (("pairs", 25_000), ("seed", 0), ("size", "small")), min_count=2
    ),
    "python_reference": Data("python_reference"),
    "multi30k": Data("multi30k", min_count=2),
    "wikitext2": Data("wikitext2", (("min_count", 10),)),
}
"""What every language model is compared on; of pairs, the English side."""


class PerplexityLearner(Learner, ABC):
    """Knows how likely each word of a sentence is after those before it."""

    @abstractmethod
    def log_probabilities(self, sentences: Sequence[Words]) -> list[Weights]:
        """ln P of each word and then of the sentence's end, given all before it.

        A word that the model does not know is read, and predicted, as <unk>.
        """

    def perplexity(self, sentences: Sequence[Words]) -> float:
        """exp of the mean of -ln P, over all words and ends of sentences."""
        for sentence in [sentences] if isinstance(sentences, str) else sentences:
            words_of(sentence)
        return float(np.exp(-np.concatenate(self.log_probabilities(sentences)).mean()))


class LanguageLearner(PerplexityLearner, NeuralLearner):
    """Trains a module that predicts each word of a sentence from those before it."""

    @abstractmethod
    def logits(self, network: nn.Module, ids: Tensor) -> Tensor:
        """Scores (B, T, V) of the words that follow each position of ids (B, T).

        The ids begin with that of <s>. It calls the network itself, not its methods.
        """

    def words_of(self, corpus: AnyCorpus) -> Vocabularies:
        return {"words": vocabulary(english(corpus, "train"), self.recipe.data)}

    def batches(
        self, corpus: AnyCorpus, split: str, generator: torch.Generator
    ) -> Batches:
        sentences = english(corpus, split)
        if split != "train":
            return in_order(sentences, self.vocabularies["words"])
        return lambda: self.epoch(sentences, generator)

    def epoch(
        self, sentences: Sequence[Words], generator: torch.Generator
    ) -> Iterator[Batch]:
        """The batches of an epoch of training."""
        words, tokens = self.vocabularies["words"], self.recipe.budget.tokens
        return sentence_batches(sentences, words, tokens=tokens, generator=generator)

    def loss(self, network: nn.Module, batch: Batch) -> tuple[Tensor, int]:
        return -self._log_p(network, batch).sum(), batch.tokens

    def evaluate(self, corpus: AnyCorpus) -> Metrics:
        metrics = {}
        for split in ("validation", "test"):
            log_p = np.concatenate(self.log_probabilities(english(corpus, split)))
            metrics[f"{split} perplexity"] = perplexity(torch.from_numpy(log_p))
        return metrics

    def log_probabilities(self, sentences: Sequence[Words]) -> list[Weights]:
        rows: list[Weights] = [np.empty(0)] * len(sentences)
        network, device = self.network.eval(), next(self.network.parameters()).device
        with torch.no_grad():
            for batch in in_order(sentences, self.vocabularies["words"]):
                log_p = self._log_p(network, batch.to(device)).double().cpu().numpy()
                ends = np.cumsum(batch.target_mask[:, 1:].sum(dim=1).numpy())
                parts = np.split(log_p, ends[:-1])
                for row, part in zip(batch.rows.tolist(), parts, strict=True):
                    rows[row] = part
        return rows

    def generate(
        self, words: int, *, start: Words = (), generator: torch.Generator
    ) -> list[list[str]]:
        """Sentences of `words` words together, the first of which begins with start."""
        vocabulary = self.vocabularies["words"]
        sentences = [list(start)]
        for _ in range(words):
            ids = [vocabulary.start, *vocabulary.ids(sentences[-1])]
            word = self._sample(ids, generator)
            if word == vocabulary.end:
                sentences.append([])
            else:
                sentences[-1].append(vocabulary.entries[word])
        return [sentence for sentence in sentences if sentence]

    def _sample(self, ids: list[int], generator: torch.Generator) -> int:
        """One word to follow these, by its probability; never <pad> or <s>."""
        words, network = self.vocabularies["words"], self.network.eval()
        with torch.no_grad():
            logits = self.logits(network, torch.tensor([ids]))[0, -1]  # (V,)
        logits[[words.pad, words.start]] = -torch.inf
        p = torch.softmax(logits, dim=0)
        return int(torch.multinomial(p, 1, generator=generator))

    def _log_p(self, network: nn.Module, batch: Batch) -> Tensor:
        """ln P (N,) of the batch's words and ends, sentence after sentence."""
        logits = self.logits(network, batch.target[:, :-1])  # (B, T, V)
        real = batch.target_mask[:, 1:]  # (B, T)
        return log_probabilities(logits[real], batch.target[:, 1:][real])


def in_order(sentences: Sequence[Words], words: Vocabulary) -> list[Batch]:
    """All sentences in batches that never change."""
    longest = max(map(len, sentences), default=0) + 2
    tokens = max(EVALUATION_TOKENS, longest)
    return list(sentence_batches(sentences, words, tokens=tokens))


def on(text: str, recipe: Recipe[L], seed: int = 0) -> Recipe[L]:
    """The same recipe for another of TEXTS and another seed."""
    return replace(recipe, data=TEXTS[check_choice("text", text, TEXTS)], seed=seed)

"""Learners of word vectors."""

from abc import abstractmethod
from collections.abc import Sequence

from torch import Tensor, nn

from lookback.measure import analogy_scores, neighbour_agreement
from lookback.text.analogies import ANALOGIES
from lookback.text.grammar import noun_kinds
from lookback.text.vocabulary import SPECIALS

from . import seeds
from .data import AnyCorpus, Sentences, english, vocabulary
from .learner import Metrics, NeuralLearner, Vocabularies

FIRST = len(SPECIALS)
"""Row 0 of the vectors is the vocabulary's first word after its special tokens."""


class VectorLearner(NeuralLearner):
    """Models whose use is the vectors of their words. Special tokens have no row."""

    @abstractmethod
    def table(self, network: nn.Module) -> Tensor:
        """The vector of each word (V, m)."""

    def vectors(self) -> tuple[Sequence[str], Tensor]:
        """The words, the frequent ones first, and their vectors (V, m)."""
        return self.words, self.table(self.network).detach()

    @property
    def words(self) -> Sequence[str]:
        """The words that have a vector, the frequent ones first."""
        return self.vocabularies["words"].entries[FIRST:]

    def words_of(self, corpus: AnyCorpus) -> Vocabularies:
        return {
            "words": vocabulary(unique_sentences(corpus, "train"), self.recipe.data)
        }

    def rows(self, corpus: AnyCorpus, split: str) -> list[list[int]]:
        """The rows of each sentence's words.

        Unknown words are left out, so that those around them move together.
        """
        words = self.vocabularies["words"]
        return [
            [i - FIRST for i in words.ids(sentence) if i >= FIRST]
            for sentence in unique_sentences(corpus, split)
        ]

    def evaluate(self, corpus: AnyCorpus) -> Metrics:
        """Analogies right, mean of all classes; on the grammar, neighbours alike."""
        return usefulness(*self.vectors(), corpus.name)


def usefulness(words: Sequence[str], vectors: Tensor, corpus: str) -> Metrics:
    """What a table of vectors is good for, each figure a share from 0 to 1."""
    generator, metrics = seeds.generator(0), Metrics()
    scores = analogy_scores(ANALOGIES, words, vectors, generator=generator, samples=1)
    if scores:
        right = [score.right.value for score in scores.values()]
        metrics["analogies"] = sum(right) / len(right)
    if corpus == "grammar":
        kinds = {word: kind.kind for word, kind in noun_kinds("full").items()}
        agreed = neighbour_agreement(
            kinds, words, vectors, generator=generator, samples=1
        )
        metrics["same kind"] = agreed.right.value
    return metrics


def unique_sentences(corpus: AnyCorpus, split: str) -> Sentences:
    """The English sentences of a split, each once, though it has many translations."""
    return list(dict.fromkeys(english(corpus, split)))

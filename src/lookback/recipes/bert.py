"""How a BERT is trained on the grammar: masked words alone, since its sentences are
not running text."""

import math
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import torch
from torch import Tensor, nn
from torch.nn.functional import cross_entropy

from lookback.bert import BERT, KINDS, BERTConfig, Masked, mask_words
from lookback.text.batches import Batch, sentence_batches
from lookback.text.vocabulary import Vocabulary
from lookback.trainer import seeds
from lookback.trainer.attending import HeadsLearner, HidingLearner
from lookback.trainer.data import AnyCorpus, english, vocabulary
from lookback.trainer.fit import Batches
from lookback.trainer.language import TEXTS
from lookback.trainer.learner import Metrics, NeuralLearner, Vocabularies, Words
from lookback.trainer.recipe import Budget, Optimiser, Recipe

MASK = "[MASK]"
EVALUATION_TOKENS = 4000  # a batch's, when nothing is learned from it

Kinds = tuple[float, float, float]


@dataclass(frozen=True, kw_only=True)
class MaskedConfig(BERTConfig):
    """A BERT, and how the words are masked that it learns from.

    kinds  of the chosen words, how many are read as [MASK], as a random word, as such
    """

    kinds: Kinds = KINDS


@dataclass(frozen=True)
class Task:
    """Sentences with masked words: what was said, and what is read of it.

    words, mask   (B, S)  ids, <s> first and </s> last; True on all but padding
    read, chosen  (B, S)  as of `Masked`
    """

    words: Tensor
    mask: Tensor
    read: Tensor
    chosen: Tensor


class BERTLearner(HidingLearner, HeadsLearner, NeuralLearner):
    """Learns to predict masked words; <s> takes the place of [CLS], </s> of [SEP]."""

    network: BERT

    def words_of(self, corpus: AnyCorpus) -> Vocabularies:
        return {
            "words": with_mask(vocabulary(english(corpus, "train"), self.recipe.data))
        }

    def build(self, vocabularies: Vocabularies) -> nn.Module:
        mask_id(vocabularies["words"])
        return BERT(self.recipe.model, len(vocabularies["words"]))

    def batches(
        self, corpus: AnyCorpus, split: str, generator: torch.Generator
    ) -> Batches:
        """In each epoch of train other words are masked; else always the same."""
        text, words = english(corpus, split), self.vocabularies["words"]
        if split != "train":
            return fixed_masks(text, words)
        tokens, kinds = self.recipe.budget.tokens, self.recipe.model.kinds

        def epoch() -> Iterator[Task]:
            for batch in sentence_batches(
                text, words, tokens=tokens, generator=generator
            ):
                yield task(batch, words, generator, kinds)

        return epoch

    def loss(self, network: nn.Module, batch: Task) -> tuple[Tensor, int]:
        logits, _, _ = network(batch.read, batch.mask)
        right = batch.words[batch.chosen]
        return cross_entropy(logits[batch.chosen], right, reduction="sum"), len(right)

    def evaluate(self, corpus: AnyCorpus) -> Metrics:
        """Perplexity of masked words, and the share whose likeliest word is right."""
        metrics = {}
        for split in ("validation", "test"):
            read = fixed_masks(english(corpus, split), self.vocabularies["words"])
            metrics[f"{split} perplexity"] = math.exp(
                self.mean_loss(self.network, read)
            )
            metrics[f"{split} right"] = self.right(read)
        return metrics

    @torch.no_grad()
    def right(self, read: Sequence[Task]) -> float:
        """The share of masked words whose likeliest word is right."""
        hits = [
            self.network(b.read, b.mask)[0][b.chosen].argmax(dim=-1)
            == b.words[b.chosen]
            for b in read
        ]
        return torch.cat(hits).double().mean().item()

    def attentions(self) -> Mapping[str, Sequence[nn.Module]]:
        layers: Iterable[Any] = self.network.encoder.layers
        return {"encoder": [layer.self_attention for layer in layers]}

    @torch.no_grad()
    def fill(self, words: Words, n: int = 5) -> list[tuple[str, float]]:
        """The n likeliest words for the first "[MASK]" of a sentence, and their P."""
        if MASK not in words:
            raise ValueError(f"{' '.join(words)!r} has no {MASK}: nothing to fill")
        known = self.vocabularies["words"]
        ids = torch.tensor([[known.start, *known.ids(words), known.end]])
        mask = self.visible([words], torch.ones_like(ids, dtype=torch.bool), first=1)
        p = self.network(ids, mask)[0][0, 1 + list(words).index(MASK)].softmax(dim=0)
        best = p.topk(min(n, len(p)))
        return list(zip(known.words(best.indices), best.values.tolist(), strict=True))


def with_mask(words: Vocabulary) -> Vocabulary:
    """The vocabulary with [MASK] after its four specials."""
    return Vocabulary((*words.specials, MASK, *words.entries[4:]), words.specials)


def mask_id(words: Vocabulary) -> int:
    """The id of [MASK]; `ValueError` where the vocabulary lacks it."""
    if MASK not in words:
        raise ValueError(f"the vocabulary lacks {MASK}: expected one of `with_mask`")
    return words.ids([MASK])[0]


def task(
    batch: Batch, words: Vocabulary, generator: torch.Generator, kinds: Kinds = KINDS
) -> Task:
    """Masks words of a batch: neither <s> nor </s> nor padding."""
    said, mask = batch.target, batch.target_mask
    masked: Masked = mask_words(
        said,
        mask & (said != words.start) & (said != words.end),
        mask_id=mask_id(words),
        first=mask_id(words) + 1,
        V=len(words),
        generator=generator,
        kinds=kinds,
    )
    return Task(said, mask, *masked)


def fixed_masks(text: Sequence[Words], words: Vocabulary) -> list[Task]:
    """All sentences, of which the same words are [MASK] each time."""
    generator = seeds.generator(0)
    read = sentence_batches(text, words, tokens=EVALUATION_TOKENS)
    return [task(batch, words, generator, (1.0, 0.0, 0.0)) for batch in read]


def on_grammar(
    seed: int = 0, steps: int = 3000, tokens: int = 1000, **changed: Any
) -> Recipe[BERTLearner]:
    """As GPT on the grammar, of the same size; `changed` is of the model."""
    sizes = {"N": 2, "d_model": 64, "h": 4, "d_ff": 256, "max_positions": 80}
    return Recipe(
        BERTLearner,
        data=TEXTS["grammar"],
        seed=seed,
        model=MaskedConfig(**{**sizes, "init": 0.05, **changed}),
        optimiser=Optimiser(
            "adamw",
            3e-3,
            (("betas", (0.9, 0.95)),),
            warmup=steps // 20,
            decay="linear",
            clip=1.0,
        ),
        budget=Budget(steps=steps, tokens=tokens, evaluate_every=steps // 5),
    )


RECIPES = {"bert": on_grammar()}

"""Network and counts, mixed, on four texts; and what learned vectors are worth."""

import torch
from torch import Tensor
from torch.nn.functional import cross_entropy

from lookback.measure import neighbour_agreement
from lookback.nplm import NPLM, NPLMConfig, contexts
from lookback.recipes.ngram import ngrams
from lookback.recipes.nplm import BY_TEXT, SEEDS
from lookback.text.corpora import Pair, grammar
from lookback.text.grammar import noun_kinds
from lookback.text.vocabulary import Vocabulary
from lookback.trainer import seeds
from lookback.trainer.data import corpus, english
from lookback.trainer.language import on
from lookback.trainer.recipe import smoke_recipe
from lookback.trainer.study import Experiment, Row, Setting, Study, grid
from lookback.trainer.toys import train_toy

from .language_models import Recipes, measured

CONFIG = NPLMConfig(n=4, m=16, h=48, direct=False)


def mixture(recipes: Recipes) -> Row:
    """The tokens of train, and the test perplexity of network and n-grams, mixed.

    What each has alone is in the running table of language models.
    """
    tokens = sum(len(s) + 1 for s in english(corpus(recipes[0].data), "train"))
    return {"tokens": tokens, "mixed": measured(recipes)["test perplexity"]}


def on_text(text: str, seed: int) -> Setting:
    """The recipes of a setting."""
    return {"recipes": (on(text, BY_TEXT[text], seed), ngrams(text, 5))}


def windows(pairs: tuple[Pair, ...], words: Vocabulary) -> tuple[Tensor, Tensor]:
    """All contexts (N, 3) of the sources, the nearest word first; the words (N,)."""
    rows = [torch.tensor([words.start, *words.ids(p.source), words.end]) for p in pairs]
    before = [contexts(row[:-1], CONFIG.n) for row in rows]
    return torch.cat(before), torch.cat([row[1:] for row in rows])


def vectors(learnt: bool, seed: int, pairs: int = 6500, steps: int = 1200) -> Row:
    """Perplexity of validation, and how often the nearest noun is of the same kind.

    learnt  are the vectors trained with the rest? Or do they stay as they were drawn
    """
    corpus = grammar(pairs=pairs)
    words = Vocabulary.build([pair.source for pair in corpus.train])
    (context, target), held = (
        windows(split, words) for split in (corpus.train, corpus.validation)
    )
    generator = seeds.generator(seed)

    def made() -> NPLM:
        model = NPLM(CONFIG, len(words))
        model.C.requires_grad_(learnt)
        return model

    def loss(model: NPLM, generator: torch.Generator) -> Tensor:
        rows = torch.randint(len(target), (256,), generator=generator)
        return cross_entropy(model(context[rows]), target[rows])

    model, _ = train_toy(
        made, loss, seed=seed, steps=steps, rate=5e-3, generator=generator
    )
    with torch.no_grad():
        perplexity = cross_entropy(model(held[0]), held[1]).exp().item()
    kinds = {word: noun.kind for word, noun in noun_kinds("small").items()}
    agreed = neighbour_agreement(
        kinds, words.entries, model.C.detach(), generator=generator, samples=1
    )
    return {
        "perplexity": perplexity,
        "same kind": agreed.right.value,
        "chance": agreed.chance,
    }


STUDY = Study(
    "the neural model and 5-grams, mixed; learned and random vectors",
    {
        "mixtures": Experiment(
            mixture,
            [s for text, n in SEEDS.items() for s in grid(text=[text], seed=range(n))],
            smoke={
                "recipes": (
                    smoke_recipe(BY_TEXT["grammar"], steps=5),
                    smoke_recipe(ngrams("grammar", 3)),
                )
            },
            arguments=on_text,
        ),
        "vectors": Experiment(
            vectors,
            grid(learnt=(True, False), seed=range(3)),
            smoke={"learnt": True, "seed": 0, "pairs": 500, "steps": 5},
        ),
    },
)

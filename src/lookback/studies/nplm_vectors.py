"""What learnt vectors are worth: the same network with vectors that stay random."""

import torch
from torch import Tensor
from torch.nn.functional import cross_entropy

from lookback.measure import neighbour_agreement
from lookback.nplm import NPLM, NPLMConfig, contexts
from lookback.text.corpora import Pair, grammar
from lookback.text.grammar import noun_kinds
from lookback.text.vocabulary import Vocabulary
from lookback.workshop import Row, Study, case, practise, seeds

CONFIG = NPLMConfig(n=4, m=16, h=48, direct=False)
RATE, BATCH = 5e-3, 256


def windows(pairs: tuple[Pair, ...], words: Vocabulary) -> tuple[Tensor, Tensor]:
    """All contexts (N, 3) of the sources, the nearest word first; the words (N,)."""
    rows = [torch.tensor([words.start, *words.ids(p.source), words.end]) for p in pairs]
    before = [contexts(row[:-1], CONFIG.n) for row in rows]
    return torch.cat(before), torch.cat([row[1:] for row in rows])


def measured(learnt: bool, seed: int, pairs: int = 6500, steps: int = 1200) -> Row:
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
        rows = torch.randint(len(target), (BATCH,), generator=generator)
        return cross_entropy(model(context[rows]), target[rows])

    model, _ = practise(
        made, loss, seed=seed, steps=steps, rate=RATE, generator=generator
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
    about="the neural model on the grammar, with learnt and with random vectors",
    cases={
        f"{name}, seed {seed}": case(measured, learnt=learnt, seed=seed)
        for name, learnt in (("learnt", True), ("random", False))
        for seed in (0, 1, 2)
    },
    check=case(measured, learnt=True, seed=0, pairs=500, steps=5),
)

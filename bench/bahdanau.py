"""What attention costs: a training step of RNNsearch and one of the fixed vector.

Both have the same sizes and take the same batches, those of the recipe: most sentences
short, some long. The aim is that attention takes 2.2 times as long at most.
`transformer.py` runs the same race.
"""

from collections.abc import Callable

import torch
from run import speeds
from torch import nn
from torch.nn.functional import cross_entropy

from lookback.bahdanau import RNNSearch, RNNSearchConfig
from lookback.encdec import EncoderDecoderConfig, RNNEncoderDecoder
from lookback.text.batches import Batch, pair_batches
from lookback.text.corpora import grammar
from lookback.text.vocabulary import Vocabulary
from lookback.workshop import recipe

PAIRS, BATCHES = 12_000, 24


def drawn(tokens: int) -> tuple[list[Batch], tuple[int, int]]:
    """Batches of the grammar, and how many words either side has."""
    train = grammar(pairs=PAIRS).train
    source = Vocabulary.build([pair.source for pair in train])
    target = Vocabulary.build([pair.target for pair in train])
    generator = torch.Generator().manual_seed(0)
    every = pair_batches(train, source, target, tokens=tokens, generator=generator)
    batches = [batch for batch, _ in zip(every, range(BATCHES), strict=False)]
    return batches, (len(source), len(target))


def training(model: nn.Module, batches: list[Batch]) -> Callable[[], None]:
    """A step on every batch, from the batch to the new weights."""
    adam = torch.optim.Adam(model.parameters())

    def work() -> None:
        for batch in batches:
            output = model(batch.source, batch.source_mask, batch.target[:, :-1])
            logits = output[0] if isinstance(output, tuple) else output
            real = batch.target_mask[:, 1:]
            loss = cross_entropy(logits[real], batch.target[:, 1:][real])
            adam.zero_grad()
            loss.backward()
            nn.utils.clip_grad_norm_(model.parameters(), 1.0)
            adam.step()

    return work


def main() -> None:
    shipped = recipe("bahdanau")
    m, n, k, l = (getattr(shipped.model, name) for name in "mnkl")  # noqa: E741
    batches, words = drawn(shipped.budget.tokens)
    models = {
        "fixed vector": RNNEncoderDecoder(EncoderDecoderConfig(m, n, l), *words),
        "RNNsearch": RNNSearch(RNNSearchConfig(m, n, k, l), *words),
    }
    works = {name: training(model, batches) for name, model in models.items()}
    read = sum(batch.tokens for batch in batches)
    speeds("target words a second", {"training": works}, read)

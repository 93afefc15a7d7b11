"""A race of translators: training steps on the same batches, by turns.

`attention.py` and `transformer.py` run it; alone it does nothing.
"""

import time
from collections.abc import Mapping, Sequence

import torch
from torch import nn
from torch.nn.functional import cross_entropy

from lookback.text.batches import Batch, pair_batches
from lookback.text.corpora import grammar
from lookback.text.vocabulary import Vocabulary

PAIRS, BATCHES, TURNS = 12_000, 24, 5


def drawn(tokens: int) -> tuple[list[Batch], tuple[int, int]]:
    """Batches of the grammar, and how many words either side has."""
    train = grammar(pairs=PAIRS, size="small").train
    source = Vocabulary.build([pair.source for pair in train])
    target = Vocabulary.build([pair.target for pair in train])
    chance = torch.Generator().manual_seed(0)
    every = pair_batches(train, source, target, tokens=tokens, generator=chance)
    batches = [batch for batch, _ in zip(every, range(BATCHES), strict=False)]
    return batches, (len(source), len(target))


def race(models: Mapping[str, nn.Module], batches: Sequence[Batch]) -> dict[str, float]:
    """CPU seconds of a step on every batch; of each the fastest turn counts."""
    adams = {x: torch.optim.Adam(made.parameters()) for x, made in models.items()}
    best = {name: [float("inf")] * len(batches) for name in models}
    for _ in range(TURNS):
        for place, batch in enumerate(batches):
            for name, model in models.items():
                spent = step(model, adams[name], batch)
                best[name][place] = min(best[name][place], spent)
    return {name: sum(spent) for name, spent in best.items()}


def step(model: nn.Module, adam: torch.optim.Optimizer, batch: Batch) -> float:
    """Seconds of one step, from the batch to the new weights."""
    began = time.process_time()
    returned = model(batch.source, batch.source_mask, batch.target[:, :-1])
    logits = returned[0] if isinstance(returned, tuple) else returned
    there = batch.target_mask[:, 1:]
    loss = cross_entropy(logits[there], batch.target[:, 1:][there])
    adam.zero_grad()
    loss.backward()
    nn.utils.clip_grad_norm_(model.parameters(), 1.0)
    adam.step()
    return time.process_time() - began

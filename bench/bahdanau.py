"""What attention costs: a training step of RNNsearch and one of the fixed vector.

Run it with `python bench/bahdanau.py`. Both have the same sizes and take the same
batches, those of a recipe: most sentences short, some long. The two take turns in one
process on one thread; of each batch the best of its turns counts. The aim is a ratio of
2.2 at most over all batches. `transformer.py` runs the same race.
"""

import time
from collections.abc import Mapping, Sequence
from functools import partial

import torch
from torch import nn
from torch.nn.functional import cross_entropy

from lookback.bahdanau import RNNSearch, RNNSearchConfig
from lookback.encdec import EncoderDecoderConfig, RNNEncoderDecoder
from lookback.measure import timings
from lookback.text.batches import Batch, pair_batches
from lookback.text.corpora import grammar
from lookback.text.vocabulary import Vocabulary
from lookback.workshop import recipe

PAIRS, BATCHES, TURNS = 12_000, 24, 5


def drawn(tokens: int) -> tuple[list[Batch], tuple[int, int]]:
    """Batches of the grammar, and how many words either side has."""
    train = grammar(pairs=PAIRS, size="small").train
    source = Vocabulary.build([pair.source for pair in train])
    target = Vocabulary.build([pair.target for pair in train])
    generator = torch.Generator().manual_seed(0)
    every = pair_batches(train, source, target, tokens=tokens, generator=generator)
    batches = [batch for batch, _ in zip(every, range(BATCHES), strict=False)]
    return batches, (len(source), len(target))


def race(models: Mapping[str, nn.Module], batches: Sequence[Batch]) -> dict[str, float]:
    """CPU seconds of a step on every batch; of each the fastest turn counts."""
    adams = [torch.optim.Adam(model.parameters()) for model in models.values()]
    seconds = dict.fromkeys(models, 0.0)
    for batch in batches:
        steps = [
            partial(step, model, adam, batch)
            for model, adam in zip(models.values(), adams, strict=True)
        ]
        runs = timings(*steps, repeats=TURNS, clock=time.process_time)
        for name, run in zip(models, runs, strict=True):
            seconds[name] += run.best
    return seconds


def step(model: nn.Module, adam: torch.optim.Optimizer, batch: Batch) -> None:
    """One step, from the batch to the new weights."""
    output = model(batch.source, batch.source_mask, batch.target[:, :-1])
    logits = output[0] if isinstance(output, tuple) else output
    real = batch.target_mask[:, 1:]
    loss = cross_entropy(logits[real], batch.target[:, 1:][real])
    adam.zero_grad()
    loss.backward()
    nn.utils.clip_grad_norm_(model.parameters(), 1.0)
    adam.step()


def main() -> None:
    torch.set_num_threads(1)
    torch.manual_seed(0)
    shipped = recipe("bahdanau")
    m, n, k, l = (getattr(shipped.model, name) for name in "mnkl")  # noqa: E741
    batches, words = drawn(shipped.budget.tokens)
    models = {
        "fixed vector": RNNEncoderDecoder(EncoderDecoderConfig(m, n, l), *words),
        "RNNsearch": RNNSearch(RNNSearchConfig(m, n, k, l), *words),
    }
    best = race(models, batches)
    predicted = sum(batch.tokens for batch in batches)
    print(f"m {m}, n {n}, k {k}, l {l}; {len(batches)} batches, {predicted:,} tokens")
    for name, model in models.items():
        spent, size = best[name], sum(p.numel() for p in model.parameters())
        cost = f"{1e6 * spent / predicted:6.1f} µs a token"
        print(f"{name:14}{size:>9,} parameters {cost}")
    print(f"ratio {best['RNNsearch'] / best['fixed vector']:.2f}, at most 2.2")


if __name__ == "__main__":
    main()

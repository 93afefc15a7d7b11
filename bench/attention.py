"""What looking costs: a training step of RNNsearch beside one of the fixed vector.

Run it with `python bench/attention.py`. Both have the same sizes and take the same
batches, those of a recipe: most sentences short, some long. The two take turns in one
process on one thread; of each batch the best of its turns counts. The aim is a ratio of
2.2 at most over all batches.
"""

import time

import torch
from torch import nn
from torch.nn.functional import cross_entropy

from lookback.bahdanau import RNNSearch, RNNSearchConfig
from lookback.encdec import EncoderDecoderConfig, RNNEncoderDecoder
from lookback.text.batches import Batch, pair_batches
from lookback.text.corpora import grammar
from lookback.text.vocabulary import Vocabulary
from lookback.workshop.attending import RNNSEARCH

PAIRS, BATCHES, TURNS = 12_000, 24, 5


def seconds(model: nn.Module, adam: torch.optim.Optimizer, batch: Batch) -> float:
    """One step, from the batch to the new weights."""
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


def main() -> None:
    torch.set_num_threads(1)
    torch.manual_seed(0)
    asked = RNNSEARCH
    m, n, k, l = (getattr(asked.model, name) for name in "mnkl")  # noqa: E741
    train = grammar(pairs=PAIRS, size="small").train
    source = Vocabulary.build([pair.source for pair in train])
    target = Vocabulary.build([pair.target for pair in train])
    chance = torch.Generator().manual_seed(0)
    tokens = asked.budget.tokens
    drawn = pair_batches(train, source, target, tokens=tokens, generator=chance)
    batches = [batch for batch, _ in zip(drawn, range(BATCHES), strict=False)]
    words = len(source), len(target)
    models = {
        "fixed vector": RNNEncoderDecoder(EncoderDecoderConfig(m, n, l), *words),
        "RNNsearch": RNNSearch(RNNSearchConfig(m, n, k, l), *words),
    }
    adams = {x: torch.optim.Adam(made.parameters()) for x, made in models.items()}
    best = {name: [float("inf")] * len(batches) for name in models}
    for _ in range(TURNS):
        for place, batch in enumerate(batches):
            for name, model in models.items():
                spent = seconds(model, adams[name], batch)
                best[name][place] = min(best[name][place], spent)
    predicted = sum(batch.tokens for batch in batches)
    print(f"m {m}, n {n}, k {k}, l {l}; {len(batches)} batches, {predicted:,} tokens")
    for name, model in models.items():
        spent, size = sum(best[name]), sum(p.numel() for p in model.parameters())
        cost = f"{1e6 * spent / predicted:6.1f} µs a token"
        print(f"{name:14}{size:>9,} parameters {cost}")
    print(
        f"ratio {sum(best['RNNsearch']) / sum(best['fixed vector']):.2f}, at most 2.2"
    )


if __name__ == "__main__":
    main()

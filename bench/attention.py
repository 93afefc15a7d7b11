"""What looking costs: a training step of RNNsearch beside one of the fixed vector.

Run it with `python bench/attention.py`. Both have the same sizes and take the same
batches, those of a recipe: most sentences short, some long. The two take turns in one
process on one thread; of each batch the best of its turns counts. The aim is a ratio of
2.2 at most over all batches.
"""

import torch
from steps import drawn, race

from lookback.bahdanau import RNNSearch, RNNSearchConfig
from lookback.encdec import EncoderDecoderConfig, RNNEncoderDecoder
from lookback.workshop.attending import RNNSEARCH


def main() -> None:
    torch.set_num_threads(1)
    torch.manual_seed(0)
    asked = RNNSEARCH
    m, n, k, l = (getattr(asked.model, name) for name in "mnkl")  # noqa: E741
    batches, words = drawn(asked.budget.tokens)
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

"""The Transformer's costs: a training step beside torch's own, and a word with a cache.

Run it with `python bench/transformer.py`. One thread. A step of ours and one of a
network of the same sizes around `nn.Transformer` take turns on the same batches; of
each batch the fastest of its turns counts. The aim is a ratio of 1.15 at most. Then
words are written one by one, with the cache and without: with it, a word should cost
about the same at every position.
"""

import time

import torch
from bahdanau import drawn, race
from torch import Tensor, nn

from lookback.attention import causal_mask
from lookback.measure import timing
from lookback.positions import SinusoidalPositions
from lookback.transformer import Embedding, Transformer
from lookback.workshop import recipe

TRANSFORMER = recipe("transformer")
LENGTHS, WORDS, REPEATS = (10, 50, 100, 200), 10, 5


class Theirs(nn.Module):
    """`nn.Transformer` with our embeddings, positions and scores."""

    def __init__(self, source_vocab_size: int, target_vocab_size: int) -> None:
        super().__init__()
        c = TRANSFORMER.model
        self.e_source = Embedding(source_vocab_size, c.d_model)
        self.e_target = Embedding(target_vocab_size, c.d_model)
        self.positions = SinusoidalPositions(c.d_model)
        self.inside = nn.Transformer(
            c.d_model, c.h, c.N, c.N, c.d_ff, dropout=c.dropout, batch_first=True
        )

    def forward(self, source: Tensor, mask: Tensor, target: Tensor) -> tuple[Tensor]:
        x = self.inside(
            self.e_source(source, self.positions(source.size(1))),
            self.e_target(target, self.positions(target.size(1))),
            tgt_mask=~causal_mask(target.size(1)),  # there True means: may not attend
            src_key_padding_mask=~mask,
            memory_key_padding_mask=~mask,
        )
        return (self.e_target.scores(x),)


def steps() -> None:
    """The ratio over all batches."""
    batches, words = drawn(TRANSFORMER.budget.tokens)
    models = {
        "ours": Transformer(TRANSFORMER.model, *words),
        "nn.Transformer": Theirs(*words),
    }
    best = race(models, batches)
    read = sum(batch.tokens for batch in batches)
    for name, spent in best.items():
        print(f"{name:16} {read / spent:8,.0f} target words a second")
    ratio = best["ours"] / best["nn.Transformer"]
    print(f"a training step: {ratio:.2f} times nn.Transformer's (the aim: ≤ 1.15)")


@torch.no_grad()
def words() -> None:
    """Milliseconds a word, after so many others."""
    torch.manual_seed(0)
    model = Transformer(TRANSFORMER.model, 500, 900).eval()
    source, longest = torch.randint(500, (1, 20)), max(LENGTHS) + WORDS
    mask, target = torch.ones_like(source).bool(), torch.randint(900, (1, longest))
    for T in LENGTHS:
        state = model.start(source, mask)
        for t in range(T):
            _, state = model.step(target[:, t], state)

        def cached(state=state, T=T) -> None:
            for t in range(T, T + WORDS):
                _, state = model.step(target[:, t], state)

        def again(T=T) -> None:
            for t in range(T, T + WORDS):
                model(source, mask, target[:, : t + 1])

        runs = [
            timing(work, repeats=REPEATS, clock=time.process_time)
            for work in (cached, again)
        ]
        figures = [f"{1000 * run.best / WORDS:5.2f} ms" for run in runs]
        print(f"a word after {T:3}: {figures[0]} with the cache, {figures[1]} without")


def main() -> None:
    torch.set_num_threads(1)
    torch.manual_seed(0)
    steps()
    words()


if __name__ == "__main__":
    main()

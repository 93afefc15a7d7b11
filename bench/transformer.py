"""The Transformer's costs: a training step beside torch's own, and a word with a cache.

Run it with `python bench/transformer.py`. One thread. A step of ours and one of a
network of the same sizes around `nn.Transformer` take turns on the same batches; of
each batch the fastest of its turns counts. The aim is a ratio of 1.15 at most. Then
words are written one by one, with the cache and without: with it, a word should cost
about the same wherever it stands.
"""

import time

import torch
from torch import Tensor, nn
from torch.nn.functional import cross_entropy

from lookback.attention import causal_mask
from lookback.measure import timing
from lookback.positions import SinusoidalPositions
from lookback.text.batches import Batch, pair_batches
from lookback.text.corpora import grammar
from lookback.text.vocabulary import Vocabulary
from lookback.transformer import Embedding, Transformer
from lookback.workshop.transforming import TRANSFORMER

PAIRS, BATCHES, TURNS = 12_000, 24, 5
LENGTHS, WORDS, REPEATS = (10, 50, 100, 200), 10, 5


class Theirs(nn.Module):
    """`nn.Transformer` with our embeddings, positions and scores."""

    def __init__(self, source_words: int, target_words: int) -> None:
        super().__init__()
        c = TRANSFORMER.model
        self.e_source = Embedding(source_words, c.d_model)
        self.e_target = Embedding(target_words, c.d_model)
        self.positions = SinusoidalPositions(c.d_model)
        self.inside = nn.Transformer(
            c.d_model, c.h, c.N, c.N, c.d_ff, dropout=c.dropout, batch_first=True
        )

    def forward(self, source: Tensor, mask: Tensor, target: Tensor) -> tuple[Tensor]:
        x = self.inside(
            self.e_source(source, self.positions(source.size(1))),
            self.e_target(target, self.positions(target.size(1))),
            tgt_mask=~causal_mask(target.size(1)),  # there True means: may not look
            src_key_padding_mask=~mask,
            memory_key_padding_mask=~mask,
        )
        return (self.e_target.scores(x),)


def step(model: nn.Module, adam: torch.optim.Optimizer, batch: Batch) -> float:
    """Seconds of one step, from the batch to the new weights."""
    began = time.process_time()
    logits = model(batch.source, batch.source_mask, batch.target[:, :-1])[0]
    there = batch.target_mask[:, 1:]
    loss = cross_entropy(logits[there], batch.target[:, 1:][there])
    adam.zero_grad()
    loss.backward()
    nn.utils.clip_grad_norm_(model.parameters(), 1.0)
    adam.step()
    return time.process_time() - began


def steps() -> None:
    """The ratio over all batches."""
    train = grammar(pairs=PAIRS, size="small").train
    source = Vocabulary.build([pair.source for pair in train])
    target = Vocabulary.build([pair.target for pair in train])
    chance = torch.Generator().manual_seed(0)
    tokens = TRANSFORMER.budget.tokens
    drawn = pair_batches(train, source, target, tokens=tokens, generator=chance)
    batches = [batch for batch, _ in zip(drawn, range(BATCHES), strict=False)]
    words = len(source), len(target)
    models = {
        "ours": Transformer(TRANSFORMER.model, *words),
        "nn.Transformer": Theirs(*words),
    }
    adams = {x: torch.optim.Adam(made.parameters()) for x, made in models.items()}
    best = {name: [float("inf")] * len(batches) for name in models}
    for _ in range(TURNS):
        for place, batch in enumerate(batches):
            for name, model in models.items():
                spent = step(model, adams[name], batch)
                best[name][place] = min(best[name][place], spent)
    read = sum(batch.tokens for batch in batches)
    for name, spent in best.items():
        print(f"{name:16} {read / sum(spent):8,.0f} target words a second")
    ratio = sum(best["ours"]) / sum(best["nn.Transformer"])
    print(f"a training step: {ratio:.2f} times nn.Transformer's (the aim: ≤ 1.15)")


@torch.no_grad()
def words() -> None:
    """Milliseconds a word, behind so many others."""
    torch.manual_seed(0)
    model = Transformer(TRANSFORMER.model, 500, 900).eval()
    source, longest = torch.randint(500, (1, 20)), max(LENGTHS) + WORDS
    mask, target = torch.ones_like(source).bool(), torch.randint(900, (1, longest))
    for T in LENGTHS:
        _, _, state = model.write(target[:, :T], model.start(source, mask))

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
        told = [f"{1000 * run.best / WORDS:5.2f} ms" for run in runs]
        print(f"a word behind {T:3}: {told[0]} with the cache, {told[1]} without")


def main() -> None:
    torch.set_num_threads(1)
    torch.manual_seed(0)
    steps()
    words()


if __name__ == "__main__":
    main()

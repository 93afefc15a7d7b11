"""The Transformer's costs: a training step beside torch's own, and a word with a cache.

A step of ours and one of a network of the same sizes around `nn.Transformer` take turns
on the same batches; the aim is a ratio of 0.87 at least. Then words are written one by
one: with the cache a word should cost about the same at every position.
"""

import torch
from bahdanau import drawn, training
from run import costs, speeds
from torch import Tensor, nn

from lookback.attention import causal_mask
from lookback.positions import SinusoidalPositions
from lookback.transformer import Embedding, Transformer
from lookback.workshop import recipe

TRANSFORMER = recipe("transformer")
LENGTHS, WORDS = (10, 50, 100, 200), 10


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

    def forward(self, source: Tensor, mask: Tensor, target: Tensor) -> Tensor:
        x = self.inside(
            self.e_source(source, self.positions(source.size(1))),
            self.e_target(target, self.positions(target.size(1))),
            tgt_mask=~causal_mask(target.size(1)),  # there True means: may not attend
            src_key_padding_mask=~mask,
            memory_key_padding_mask=~mask,
        )
        return self.e_target.scores(x)


def main() -> None:
    batches, words = drawn(TRANSFORMER.budget.tokens)
    steps = {
        "ours": training(Transformer(TRANSFORMER.model, *words), batches),
        "torch": training(Theirs(*words), batches),
    }
    read = sum(batch.tokens for batch in batches)
    speeds("target words a second", {"training": steps}, read)
    writing()


@torch.no_grad()
def writing() -> None:
    """Time words after so many others."""
    model, rows = Transformer(TRANSFORMER.model, 500, 900).eval(), {}
    source = torch.randint(500, (1, 20))
    mask, target = torch.ones_like(source).bool(), torch.randint(900, (1, 210))
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

        rows[f"a word after {T}"] = {"cache": cached, "no cache": again}
    costs("milliseconds", rows, WORDS)

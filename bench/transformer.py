"""A training step of the Transformer, beside one around `nn.Transformer`.

Both have the same sizes and take the same batches, those of the recipe: most sentences
short, some long. The aim is a ratio of 0.87 at least.
"""

from collections.abc import Callable

import torch
from run import speeds
from torch import Tensor, nn
from torch.nn.functional import cross_entropy

from lookback.attention import causal_mask
from lookback.positions import SinusoidalPositions
from lookback.text.batches import Batch, pair_batches
from lookback.text.corpora import grammar
from lookback.text.vocabulary import Vocabulary
from lookback.trainer.recipe import recipe
from lookback.transformer import Embedding, Transformer

TRANSFORMER = recipe("transformer")
PAIRS, BATCHES = 12_000, 24


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
    batches, words = drawn(TRANSFORMER.budget.tokens)
    steps = {
        "ours": training(Transformer(TRANSFORMER.model, *words), batches),
        "torch": training(Theirs(*words), batches),
    }
    read = sum(batch.tokens for batch in batches)
    speeds("target words a second", {"training": steps}, read)

"""Words a second of the text that word2vec reads: ours beside gensim's C.

Both read the same sentences of the grammar as often, with vectors of 64 numbers,
windows of 5, 5 noise words and the same words subsampled; counting is included.
"""

from functools import partial

import torch
from gensim.models import Word2Vec
from run import speeds

from lookback.recipes.word2vec import KINDS, Word2VecConfig, examples
from lookback.text.corpora import grammar
from lookback.text.vocabulary import Vocabulary
from lookback.trainer.vectors import FIRST
from lookback.word2vec import negative_sampling_loss, running_text

EPOCHS, BATCH, LEAST, M, WINDOW, K, T = 2, 4096, 10, 64, 5, 5, 1e-3
ARCHITECTURES = {"skip-gram": 1, "cbow": 0}  # gensim's names for them


def ours(kind: str, sentences: list[list[str]]) -> None:
    """What `lookback train` does, without the evaluations."""
    words = Vocabulary.build(sentences, min_count=LEAST)
    rows = [[i - FIRST for i in words.ids(s) if i >= FIRST] for s in sentences]
    ids, sentence = running_text(rows)
    counts, generator = ids.bincount(), torch.Generator().manual_seed(0)
    config = Word2VecConfig(kind, M, WINDOW, K, T)
    model = KINDS[kind](len(counts), M)
    optimiser = torch.optim.Adam(model.parameters(), lr=0.015)
    for _ in range(EPOCHS):
        for *inputs, scored in examples(
            config, ids, sentence, counts, size=BATCH, generator=generator
        ):
            loss = negative_sampling_loss(model(*inputs, scored)).mean()
            optimiser.zero_grad()
            loss.backward()
            optimiser.step()


def theirs(kind: str, sentences: list[list[str]]) -> None:
    Word2Vec(
        sentences, vector_size=M, window=WINDOW, negative=K, sample=T, min_count=LEAST,
        sg=ARCHITECTURES[kind], epochs=EPOCHS, workers=1, seed=0,
    )  # fmt: skip


def main() -> None:
    once = dict.fromkeys(pair.source for pair in grammar(10_000).train)
    sentences = [list(sentence) for sentence in once]
    rows = {
        kind: {
            "ours": partial(ours, kind, sentences),
            "gensim": partial(theirs, kind, sentences),
        }
        for kind in ARCHITECTURES
    }
    speeds("words a second", rows, EPOCHS * sum(map(len, sentences)))

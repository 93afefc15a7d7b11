"""How many words a second word2vec reads: ours beside gensim's C, one thread each.

The text is the English of the grammar, and Tatoeba's where a copy is at hand. Both read
the same sentences as often, with vectors of 64 numbers, windows of 5, 5 noise words and
the same words subsampled. The words counted are those of the text, before that,
and the seconds those of the processor.
"""

import time
from collections.abc import Iterable
from functools import partial

import torch
from gensim.models import Word2Vec

from lookback.measure import timing
from lookback.recipes.word2vec import KINDS, Word2VecConfig, examples
from lookback.text.corpora import DataError, grammar, tatoeba
from lookback.text.vocabulary import Vocabulary
from lookback.word2vec import negative_sampling_loss, running_text
from lookback.workshop import FIRST

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


def texts() -> Iterable[tuple[str, list[list[str]]]]:
    for name, make in (("grammar", lambda: grammar(10_000)), ("Tatoeba", tatoeba)):
        try:
            once = dict.fromkeys(pair.source for pair in make().train)
        except DataError:
            print(f"{name}: there is no copy of it here")
        else:
            yield name, [list(sentence) for sentence in once]


def main() -> None:
    torch.set_num_threads(1)
    print("words a second of processor time, counting included, one thread each")
    print(f"{'':22}{'ours':>12}{'gensim':>12}{'ratio':>10}")
    for name, sentences in texts():
        amount = EPOCHS * sum(map(len, sentences))
        for kind in ARCHITECTURES:
            mine, c = (
                timing(
                    partial(train, kind, sentences),
                    repeats=3,
                    warmup=0,
                    clock=time.process_time,
                ).per_second(amount)
                for train in (ours, theirs)
            )
            print(f"{name + ', ' + kind:22}{mine:12,.0f}{c:12,.0f}{c / mine:9.1f}×")


if __name__ == "__main__":
    main()

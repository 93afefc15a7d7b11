"""BERT beside a GPT of the same size: words a second that are read, and predicted.

Run it with `python bench/bert.py`. The sizes are those of the book; each figure is the
best of three. BERT scores the vocabulary at all positions, as the plain form does; a
faster one would score the chosen positions alone.
"""

from functools import partial

import torch
from torch.nn.functional import cross_entropy

from lookback.bert import BERT, SHARE, BERTConfig, TokenClassifier, mask_words
from lookback.gpt import GPT, GPTConfig
from lookback.measure import timings

V, B, T, TURNS = 500, 32, 32, 3
SIZES = {"N": 2, "d_model": 64, "h": 4, "d_ff": 256, "max_positions": 64}


def left_to_right(model: GPT, words: torch.Tensor) -> None:
    scores = model(words)[0][:, :-1].flatten(0, 1)
    cross_entropy(scores, words[:, 1:].flatten()).backward()


def masked(model: BERT, words: torch.Tensor) -> None:
    read, chosen = mask_words(
        words, words > 0, mask_id=4, first=5, V=V, generator=torch.Generator()
    )
    scores = model(read)[0][chosen]
    cross_entropy(scores, words[chosen]).backward()


def tagged(model: TokenClassifier, words: torch.Tensor) -> None:
    cross_entropy(model(words).flatten(0, 1), words.flatten() % 17).backward()


def main() -> None:
    torch.manual_seed(0)
    gpt = GPT(GPTConfig(**SIZES), V)
    bert = BERT(BERTConfig(**SIZES), V)
    tagger = TokenClassifier(BERT(BERTConfig(**SIZES), V), 17)
    words = torch.randint(5, V, (B, T))
    ways = {
        "GPT, next word": (partial(left_to_right, gpt, words), 1.0),
        "BERT, masked words": (partial(masked, bert, words), SHARE),
        "BERT, tags": (partial(tagged, tagger, words), 1.0),
    }
    found = timings(*(way for way, _ in ways.values()), repeats=TURNS, warmup=1)
    print(f"{'words a second':20}{'read':>12}{'predicted':>12}")
    for (name, (_, share)), time in zip(ways.items(), found, strict=True):
        a_second = words.numel() / time.best
        print(f"{name:20}{a_second:12,.0f}{share * a_second:12,.0f}")


if __name__ == "__main__":
    main()

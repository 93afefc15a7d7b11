"""A Llama beside a GPT of the same size: words a second in training and in generation.

Run it with `python bench/modern.py`. The sizes are those of the book; each figure is
the best of three. The GPT reads at most as many words as it has positions.
"""

from functools import partial

import torch
from torch import nn

from lookback.gpt import GPT, GPTConfig
from lookback.measure import timings
from lookback.modern import Llama, LlamaConfig

V, B, T, NEW, TURNS = 500, 16, 32, 48, 3


def step(model: nn.Module, words: torch.Tensor) -> None:
    scores = model(words)[0][:, :-1].flatten(0, 1)
    nn.functional.cross_entropy(scores, words[:, 1:].flatten()).backward()


@torch.no_grad()
def write(model: nn.Module, first: torch.Tensor) -> None:
    word, past = first, None
    for _ in range(NEW):
        scores, _, past = model(word, past)
        word = scores[:, -1:].argmax(dim=-1)


def main() -> None:
    torch.manual_seed(0)
    models = {
        "GPT": GPT(GPTConfig(N=2, d_model=64, h=4, d_ff=256, max_positions=64), V),
        "Llama": Llama(LlamaConfig(N=2, d_model=64, h=4, g=2, d_ff=172), V),
    }
    words = torch.randint(V, (B, T))
    print(f"{'words a second':16}{'training':>12}{'writing':>12}")
    for name, model in models.items():
        learn, tell = timings(
            partial(step, model, words), partial(write, model, words[:1, :1]),
            repeats=TURNS, warmup=1,
        )  # fmt: skip
        print(f"{name:16}{words.numel() / learn.best:12,.0f}{NEW / tell.best:12,.0f}")


if __name__ == "__main__":
    main()

"""A Llama beside a GPT of the same size: words a second in training and in writing."""

from functools import partial

import torch
from run import speeds
from torch import nn

from lookback.gpt import GPT, GPTConfig
from lookback.modern import Llama, LlamaConfig

V, NEW = 500, 48


def step(model: nn.Module, words: torch.Tensor) -> None:
    scores = model(words)[0][:, :-1].flatten(0, 1)
    nn.functional.cross_entropy(scores, words[:, 1:].flatten()).backward()


@torch.no_grad()
def write(model: nn.Module, word: torch.Tensor) -> None:
    past = None
    for _ in range(NEW):
        scores, _, past = model(word, past)
        word = scores[:, -1:].argmax(dim=-1)


def main() -> None:
    models = {
        "Llama": Llama(LlamaConfig(N=2, d_model=64, h=4, g=2, d_ff=172), V),
        "GPT": GPT(GPTConfig(N=2, d_model=64, h=4, d_ff=256, max_positions=64), V),
    }
    words = torch.randint(V, (16, 32))
    learn = {name: partial(step, model, words) for name, model in models.items()}
    speeds("words a second", {"training": learn}, words.numel())
    tell = {
        name: partial(write, model, words[:1, :1]) for name, model in models.items()
    }
    speeds("words a second", {"writing": tell}, NEW)

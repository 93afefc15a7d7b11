"""LastWord on words of which each is followed by its successor."""

import torch
from torch import Tensor
from torch.nn.functional import cross_entropy

from lookback.cli.templates.last_word import LastWord
from lookback.trainer.study import Experiment, Row, Study, grid
from lookback.trainer.toys import train_toy

V = 7


def measured(steps: int, seed: int = 0) -> Row:
    """The mean loss of the last step."""

    def loss(model: LastWord, generator: torch.Generator) -> Tensor:
        words = torch.randint(0, V, (16, 1), generator=generator)
        return cross_entropy(model(words).flatten(0, 1), (words.flatten() + 1) % V)

    _, losses = train_toy(lambda: LastWord(V), loss, seed=seed, steps=steps, rate=0.1)
    return {"loss": losses[-1]}


STUDY = Study(
    about="a table of scores, on words of which each is followed by its successor",
    experiments={
        "steps": Experiment(measured, grid(steps=(10, 100)), smoke={"steps": 3})
    },
)

"""Draw the neural probabilistic language model: two words in, all scores out."""

import torch

from lookback.diagrams.truth import held, preserves_rng
from lookback.figures.diagram import Diagram, Panel
from lookback.nplm import NPLM, NPLMConfig

SIZES = {"B": 1, "m": 2, "h": 5, "V": 7, "x": 4}
WORDS = ("the", "cat")


def panel() -> Panel:
    """Draw the words as they are read; the paper's x has the nearest first."""
    rows = [
        "h | learned | $\\text{tanh}(d + H x)$ | ./tanh | B h",
        "u | learned | $b + U h$ | ./linear#2 | B V",
        "w | learned | $W x$ | ./linear#3 | B V",
        "y | plus | | ./add | B V",
        "x | op | concatenate | ./flatten | B x",
        "ly | left | scores $y$ of all $V$ words",
        "lh | left | hidden units",
        "lv | left | rows of $C$",
        "lw | left | words",
        "p | note | softmax: P(next word)",
    ]
    for k, word in enumerate(WORDS):
        rows += [
            f"w{k} | word | {word} | .(context)[:, {1 - k}] | B",
            f"v{k} | strip 4 c2 | | ./getitem[:, {1 - k}] | B m",
        ]
    return Panel(
        boxes="\n".join(rows),
        grid="""
         | 14 220 330 440 560
         . . p . .
         ly . y . .
         . . u . w
         lh . h . .
         . . x . .
         +14
         lv v0 . v1 .
         lw w0 . w1 .
        """,
        arrows="""
         w0 -> v0
         w1 -> v1
         v0 ~> x
         v1 ~> x
         x -> h -> u -> y
         x ~> w
         w ~> y
        """,
        says={"v": "vector of a word", "y": "scores"},
        links={"y": "nplm#eq-1", "x": "nplm#eq-2"},
    )


def hold(panel: Panel) -> Panel:
    """Hold the panel against a model that reads two words."""
    context = torch.tensor([[4, 1]])
    model = NPLM(NPLMConfig(n=3, m=2, h=5, direct=True), V=7)
    return held(panel, model, lambda model: model(context), SIZES)


@preserves_rng
def draw() -> Diagram:
    return Diagram(hold(panel()), about=("lookback.nplm:NPLM",))

"""Draw the window tagger: three words in, the middle one's scores of all tags out."""

import torch

from lookback.diagrams.truth import held, preserves_rng
from lookback.figures.diagram import Diagram, Panel
from lookback.window import WindowConfig, WindowTagger

SIZES = {"B": 1, "d": 5, "h": 7, "C": 2, "K": 2}
WORDS = ("we", "fish", "padding")


def panel() -> Panel:
    """Draw words, their vectors, the window, hidden units, scores, bottom to top."""
    rows = [
        "f | learned | $f = M_2 h + b_2$ | M_2[:, 1] | B C",
        "h | op | $\\text{hardtanh}$ | ./hardtanh[:, 1] | B h",
        "m | learned | $M_1 x + b_1$ | M_1[:, 1] | B h",
        "x | op | concatenate | ./cat#2[:, 1] | B 3d",
        "lf | left | scores of the tags",
        "lh | left | hidden units",
        "lx | left | window",
        "lv | left | rows of the tables",
        "lw | left | words",
    ]
    for k, word in enumerate(WORDS):
        rows += [
            f"w{k} | word | {word} | .(x)[:, {k}] | B K",
            f"v{k} | strip 5 c2 | | .look_up[:, {k + 1}] | B d",
        ]
    return Panel(
        boxes="\n".join(rows),
        grid="""
         | 14 230 350 470
         lf . f .
         lh . h .
         . . m .
         lx . x .
         +14
         lv v0 v1 v2
         lw w0 w1 w2
        """,
        arrows="""
         w0 -> v0
         w1 -> v1
         w2 -> v2
         v0 ~> x
         v1 -> x
         v2 ~> x
         x -> m -> h -> f
        """,
        unboxed="tables.0, tables.1 | the tables, from which the rows are taken",
        says={"v": "vectors of a word", "f": "scores"},
        links={"f": "window#eq-2", "x": "window#eq-1"},
    )


def hold(panel: Panel) -> Panel:
    """Hold the panel against a tagger with a window of three words."""
    model = WindowTagger(WindowConfig(3, 3, (2,), 7), sizes=(9, 6), C=2)
    x = torch.tensor([[[4, 2], [7, 3], [5, 4]]])
    return held(panel, model, lambda model: model(x), SIZES)


@preserves_rng
def draw() -> Diagram:
    return Diagram(hold(panel()), about=("lookback.window:WindowTagger",))

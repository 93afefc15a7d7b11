"""Draw a recurrent language model, unrolled over four words."""

import torch

from lookback.diagrams.truth import held, preserves_rng
from lookback.figures.diagram import Diagram, Panel
from lookback.recurrent import RecurrentLM

SIZES = {"B": 1, "m": 2, "n": 5}
READ = ("the", "ministers", "of", "france")
NEXT = ("ministers", "of", "france", "are")
N = range(1, 5)


def panel() -> Panel:
    """Draw four words, a prediction after each, one state that is carried along."""
    rows = [
        "ly | left | next word, predicted",
        "lh | left c0 | state",
        "lx | left | word read",
    ]
    for t in N:
        rows += [
            f"x{t} | word | {READ[t - 1]} | C[:, {t - 1}] | B m",
            f"h{t} | strip 3 c0 | | cell.step#{t} | B n",
            f"y{t} | word | {NEXT[t - 1]} | out[:, {t - 1}]",
        ]
    lines = [f"x{t} -> h{t}\nh{t} -> y{t}" for t in N]
    lines += [" => ".join(f"h{t}" for t in N) + " | c0"]
    return Panel(
        boxes="\n".join(rows),
        grid="""
         | 14 190 306 422 538
         ly y1 y2 y3 y4
         +14
         lh h1 h2 h3 h4
         +14
         lx x1 x2 x3 x4
        """,
        arrows="\n".join(lines),
        says={"h": "state", "x": "word read", "y": "next word"},
        links={"h1": "recurrent#eq-1", "y1": "recurrent#eq-2"},
    )


def hold(panel: Panel) -> Panel:
    """Hold the panel against a run of four words."""
    model = RecurrentLM(V=11, m=2, n=5)
    return held(panel, model, lambda model: model(torch.tensor([[4, 7, 10, 3]])), SIZES)


@preserves_rng
def draw() -> Diagram:
    return Diagram(hold(panel()), about=("lookback.recurrent:RecurrentLM",))

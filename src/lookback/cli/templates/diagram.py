"""Draw LastWord: a word, and its row of the table."""

import torch

from lookback.cli.templates.last_word import LastWord
from lookback.diagrams.truth import held, preserves_rng
from lookback.figures.diagram import Diagram, Panel


def panel() -> Panel:
    """Draw the word below, its scores above."""
    return Panel(
        boxes="""
         s | learned | scores | W   | B T V
         x | word    | $x$    | .(x) | B T
        """,
        grid="""
         | 120
         s
         x
        """,
        arrows="""
         x -> s
        """,
    )


def hold(panel: Panel) -> Panel:
    """Hold the panel against a run."""
    x = torch.tensor([[1, 2, 3]])
    return held(panel, LastWord(5), lambda model: model(x), {"B": 1, "T": 3, "V": 5})


@preserves_rng
def draw() -> Diagram:
    return Diagram(hold(panel()), about=("lookback.cli.templates.last_word:LastWord",))

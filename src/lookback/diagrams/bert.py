"""Draw BERT: three tables, a stack of encoder layers, and what is read off it."""

import torch

from lookback.bert import BERT, BERTConfig
from lookback.diagrams.truth import held, preserves_rng
from lookback.figures.diagram import Diagram, Panel

CONFIG = BERTConfig(N=2, d_model=6, h=3, d_ff=8, max_positions=9, init=0.5)
SIZES = {"B": 2, "S": 4, "d_model": 6, "V": 5}


def model() -> Panel:
    """Draw three rows for each token, the layers, two predictions, bottom to top."""
    return Panel(
        title="BERT",
        boxes="""
         sc   | learned w90 | $W_T$, / times $W_e^T$ | .scores     | B S V
         pool | learned w90 | [CLS] / times $W_P$ | W_P       | B d_model
         nx   | learned w90 | $W_N$        | W_N              | B 2
         two  | learned w90 | layer 2      | encoder.layers.1[0] | B S d_model
         one  | learned w90 | layer 1      | encoder.layers.0[0] | B S d_model
         nrm  | learned pill | norm         | norm             | B S d_model
         sum2 | plus         |              | .embed/add#2     | B S d_model
         sum  | plus         |              | .embed/add#1     | B S d_model
         e    | op w90       | $W_e$ | e               | B S d_model
         p    | learned c2   | $W_p$ | p               | S d_model
         g    | learned c3   | $W_s$ | s               | B S d_model
         w    | word         | words        | .(words)         | B S
         seg  | word         | segments     | .(segments)      | B S
         n    | name         | masked words
         m    | name         | did it follow?
        """,
        grid="""
         | 52 160 268
         n . m
         . . nx
         sc . pool
         +10
         two . .
         one . .
         nrm . .
         sum2 . .
         sum . .
         +10
         e p g
         w . seg
        """,
        arrows="""
         w -> e -> sum -> sum2 -> nrm -> one -> two -> sc -> n
         p -> sum | c2
         seg -> g -> sum2 | c3
         two -> pool -> nx -> m
        """,
        unboxed="""
         e | the table, whose rows are taken below and which scores all words above
         W_T, norm_T, b | the transform: a layer with GELU, a norm; and words' biases
         encoder.layers.0.self_attention.W_K | biases
         encoder.layers.1.self_attention.W_K | biases
        """,
        links={
            "nrm": "layernorm",
            "one": "encoder",
            "two": "encoder",
            "p": "positions",
        },
    )


def hold_model(panel: Panel) -> Panel:
    """Hold the panel against a BERT of two layers."""
    words = torch.tensor([[1, 2, 0, 4], [3, 3, 1, 0]])
    segments = torch.tensor([[0, 0, 1, 1], [0, 1, 1, 1]])
    return held(
        panel,
        BERT(CONFIG, 5).eval(),
        lambda bert: bert(words, segments=segments),
        SIZES,
    )


@preserves_rng
def draw() -> Diagram:
    """Draw the whole model."""
    return Diagram(
        hold_model(model()),
        about=("lookback.bert:BERT",),
        left="dropout, the mask over padding",
    )

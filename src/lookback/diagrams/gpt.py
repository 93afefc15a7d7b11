"""Draw GPT: the whole model, and a block, which comes from the decoder layer."""

import torch

from lookback.diagrams.truth import fixed_normal, held, preserves_rng
from lookback.figures.diagram import Diagram, Panel
from lookback.gpt import GPT, Block, GPTConfig

CONFIG = GPTConfig(N=2, d_model=6, h=3, d_ff=8, max_positions=9, init=0.5)
SIZES = {"B": 2, "T": 4, "d_model": 6, "V": 5}


def model() -> Panel:
    """Draw words and positions, blocks, a norm, scores of all words, bottom to top."""
    return Panel(
        title="GPT",
        boxes="""
         s    | op w130      | times $W_e^T$ | ./linear        | B T V
         nrm  | learned pill | norm         | norm            | B T d_model
         two  | learned w130 | block 2      | blocks.1[0]     | B T d_model
         one  | learned w130 | block 1      | blocks.0[0]     | B T d_model
         sum  | plus         |              | .states/add#1   | B T d_model
         e    | op           | rows of $W_e$ | e               | B T d_model
         p    | learned c2   | rows of $W_p$ | p               | T d_model
         w    | word         | words        | .(words)        | B T
         n    | name         | the next word's scores
        """,
        grid="""
         | 100 240
         n .
         s .
         nrm .
         two .
         one .
         sum .
         +10
         e p
         w .
        """,
        arrows="""
         w -> e -> sum -> one -> two -> nrm -> s -> n
         p -> sum | c2
        """,
        unboxed="""
         e | the table, whose rows are taken below and which scores all words above
         blocks.0.attention.W_K, blocks.1.attention.W_K | the keys' biases
        """,
        links={"p": "positions", "nrm": "layernorm"},
    )


def block() -> Panel:
    """Draw a block, pre-norm."""
    return Panel(
        title="A block",
        boxes="""
         x    | word         | $x$                 | .(x)                | B T d_model
         nrm1 | learned pill | norm                | norm_attention      | B T d_model
         att  | learned w130 | self-attention / masked | attention[0]
         sum1 | plus         |                     | ./add#1             | B T d_model
         nrm2 | learned pill | norm                | norm_feed_forward   | B T d_model
         ffn  | learned w130 | feed-forward / GELU | feed_forward        | B T d_model
         sum2 | plus         |                     | ./add#2             | B T d_model
         z    | name         | $z$
        """,
        grid="""
         | 44 146
         z    .
         sum2 .
         .    ffn
         .    nrm2
         +12
         sum1 .
         .    att
         .    nrm1
         +20
         x    .
        """,
        arrows="""
         x => sum1 => sum2 => z
         x -> nrm1 -> att -> sum1
         sum1 -> nrm2 -> ffn -> sum2
        """,
        unboxed="attention.W_K | the keys' biases",
        links={"att": "decoder", "nrm1": "layernorm", "ffn": "gpt#eq-2"},
    )


def hold_model(panel: Panel) -> Panel:
    """Hold the panel against a GPT of two blocks."""
    words = torch.tensor([[1, 2, 0, 4], [3, 3, 1, 0]])
    return held(panel, GPT(CONFIG, 5).eval(), lambda gpt: gpt(words), SIZES)


def hold_block(panel: Panel) -> Panel:
    """Hold the panel against one block."""
    x = fixed_normal(2, 4, 6)
    return held(panel, Block(CONFIG).eval(), lambda layer: layer(x), SIZES)


@preserves_rng
def draw() -> Diagram:
    """Draw both, side by side."""
    return Diagram(
        hold_model(model()),
        hold_block(block()),
        about=("lookback.gpt:GPT", "lookback.gpt:Block"),
        left="dropout, the mask, the cache of keys and values",
    )

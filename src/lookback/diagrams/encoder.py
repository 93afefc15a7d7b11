"""Draw the encoder layer, post-norm and pre-norm."""

from lookback.diagrams.truth import fixed_normal, held, preserves_rng
from lookback.encoder import EncoderLayer, LayerConfig
from lookback.figures.diagram import Diagram, Panel

SIZES = {"B": 2, "S": 5, "d_model": 6}

BOXES = """
 x    | word         | $x$                       | .(x)                | B S d_model
 att  | learned w150 | self-attention / $h$ heads | self_attention[0]  | B S d_model
 sum1 | plus         |                           | ./add#1             | B S d_model
 nrm1 | learned pill | norm                      | norm_self_attention | B S d_model
 ffn  | learned w150 | feed-forward / $d_{model} → d_{ff} → d_{model}$ | feed_forward
 sum2 | plus         |                           | ./add#2             | B S d_model
 nrm2 | learned pill | norm                      | norm_feed_forward   | B S d_model
 y    | name         | $y$
 size | left         | $B S d_{model}$
"""
LINKS = {"att": "multihead", "nrm1": "layernorm", "ffn": "encoder#eq-2"}


def panels() -> tuple[Panel, Panel]:
    """Draw the order of 2017, and that of most models today."""
    post = Panel(
        title="Post-norm",
        note="2017",
        boxes=BOXES,
        links=LINKS,
        grid="""
         | 60 190
         y    .
         nrm2 .
         sum2 .
         .    ffn
         +14
         nrm1 .
         sum1 .
         .    att
         +22
         x    size-75
        """,
        arrows="""
         x => sum1 => nrm1 => sum2 => nrm2 => y
         x -> att -> sum1
         nrm1 -> ffn -> sum2
        """,
    )
    pre = Panel(
        title="Pre-norm",
        note="most today",
        boxes=BOXES,
        links=LINKS,
        grid="""
         | 60 190
         y    .
         sum2 .
         .    ffn
         .    nrm2
         +14
         sum1 .
         .    att
         .    nrm1
         +22
         x    size-75
        """,
        arrows="""
         x => sum1 => sum2 => y
         x -> nrm1 -> att -> sum1
         sum1 -> nrm2 -> ffn -> sum2
        """,
    )
    return post, pre


def hold(panel: Panel, *, norm_first: bool) -> Panel:
    """Hold the panel against a layer."""
    config = LayerConfig(d_model=6, h=3, d_ff=7, norm_first=norm_first)
    x = fixed_normal(2, 5, 6)
    return held(panel, EncoderLayer(config), lambda layer: layer(x), SIZES)


@preserves_rng
def draw() -> Diagram:
    """Draw both layers, side by side."""
    post, pre = panels()
    return Diagram(
        hold(post, norm_first=False),
        hold(pre, norm_first=True),
        about=("lookback.encoder:EncoderLayer",),
        left="dropout, the mask",
    )

"""Draw the decoder layer, post-norm and pre-norm."""

from lookback.decoder import DecoderLayer
from lookback.diagrams.truth import fixed_normal, held, preserves_rng
from lookback.encoder import LayerConfig
from lookback.figures.diagram import Diagram, Panel

SIZES = {"B": 2, "S": 5, "T": 3, "d_model": 6}
BOXES = """
 x     | word         | $x$                     | .(x)                     | B T d_model
 att   | learned w130 | self-attention / masked | self_attention[0]        | B T d_model
 sum1  | plus         |                         | ./add#1                  | B T d_model
 nrm1  | learned pill | norm                    | norm_self_attention      | B T d_model
 cross | learned w130 | cross-attention         | cross_attention[0]       | B T d_model
 sum2  | plus         |                         | ./add#2                  | B T d_model
 nrm2  | learned pill | norm                    | norm_cross_attention     | B T d_model
 ffn   | learned w130 | feed-forward            | feed_forward             | B T d_model
 sum3  | plus         |                         | ./add#3                  | B T d_model
 nrm3  | learned pill | norm                    | norm_feed_forward        | B T d_model
 m|word c2| memory / $B S d_{model}$ | cross_attention.keys_values(memory) | B S d_model
 z     | name         | $y$
 xsize | left         | $B T d_{model}$
"""
LINKS = {"att": "attention", "nrm1": "layernorm", "ffn": "encoder#eq-2"}
POST = """
 | 44 146 258
 z    . .
 nrm3 . .
 sum3 . .
 .    ffn .
 +12
 nrm2 . .
 sum2 . .
 .    cross .
 +12
 nrm1 . .
 sum1 . .
 .    att .
 +20
 x    xsize-78 m
"""
PRE = """
 | 44 146 258
 z    . .
 sum3 . .
 .    ffn .
 .    nrm3 .
 +12
 sum2 . .
 .    cross .
 .    nrm2 .
 +12
 sum1 . .
 .    att .
 .    nrm1 .
 +20
 x    xsize-78 m
"""


def panels() -> tuple[Panel, Panel]:
    """Draw the order of 2017, and that of most models today."""
    post = Panel(
        title="Post-norm",
        note="2017",
        boxes=BOXES,
        links=LINKS,
        grid=POST,
        arrows="""
         x => sum1 => nrm1 => sum2 => nrm2 => sum3 => nrm3 => z
         x -> att -> sum1
         nrm1 -> cross -> sum2
         nrm2 -> ffn -> sum3
         m |-> cross | c2
        """,
    )
    pre = Panel(
        title="Pre-norm",
        note="most today",
        boxes=BOXES,
        links=LINKS,
        grid=PRE,
        arrows="""
         x => sum1 => sum2 => sum3 => z
         x -> nrm1 -> att -> sum1
         sum1 -> nrm2 -> cross -> sum2
         sum2 -> nrm3 -> ffn -> sum3
         m |-> cross | c2
        """,
    )
    return post, pre


def hold(panel: Panel, *, norm_first: bool) -> Panel:
    """Hold the panel against a layer."""
    config = LayerConfig(d_model=6, h=3, d_ff=7, norm_first=norm_first)
    x, memory = fixed_normal(2, 3, 6), fixed_normal(2, 5, 6)

    def run(layer: DecoderLayer) -> object:
        return layer(x, layer.cross_attention.keys_values(memory))

    return held(panel, DecoderLayer(config), run, SIZES)


@preserves_rng
def draw() -> Diagram:
    """Draw both layers, side by side."""
    post, pre = panels()
    return Diagram(
        hold(post, norm_first=False),
        hold(pre, norm_first=True),
        about=("lookback.decoder:DecoderLayer",),
        left="dropout, masks, the cache of keys and values",
    )

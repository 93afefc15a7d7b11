"""Draw a layer of Llama, and the gate inside its feed-forward network."""

from lookback.diagrams.truth import fixed_normal, held, preserves_rng
from lookback.figures.diagram import Diagram, Panel
from lookback.modern import LlamaConfig, LlamaLayer, SwiGLU

SIZES = {"B": 2, "T": 5, "d_model": 8, "d_ff": 7}


def layer() -> Panel:
    """Draw the stream on the left, what is added to it on the right: pre-norm."""
    return Panel(
        title="A layer of Llama",
        boxes="""
         x    | word         | $x$                       | .(x)       | B T d_model
         n1   | learned pill | RMSNorm                   | norm_attention
         att  | op w150      | attention / rotated, grouped | .:y
         sum1 | plus         |                           | ./add#1    | B T d_model
         n2   | learned pill | RMSNorm                   | norm_feed_forward
         ffn  | learned w150 | SwiGLU                    | feed_forward
         sum2 | plus         |                           | ./add#2    | B T d_model
         z    | name         | $z$
        """,
        unboxed="attention.W_Q, attention.W_K, attention.W_V, attention.W_O | the four "
        "matrices of attention",
        links={"att": "grouped#eq-1", "n1": "modern#eq-1", "ffn": "modern#eq-3"},
        grid="""
         | 60 190
         z    .
         sum2 .
         .    ffn
         .    n2
         +14
         sum1 .
         .    att
         .    n1
         +22
         x    .
        """,
        arrows="""
         x => sum1 => sum2 => z
         x -> n1 -> att -> sum1
         sum1 -> n2 -> ffn -> sum2
        """,
    )


def gate() -> Panel:
    """Draw two maps of the same input, of which one opens and closes the other."""
    return Panel(
        title="SwiGLU",
        boxes="""
         a   | strip 6 right | | .(x) | B T d_model
         w   | learned slim | $W$ | W | B T d_ff
         v   | learned slim | $V$ | V | B T d_ff
         s   | op slim | silu | ./silu | B T d_ff
         t   | times | | ./mul | B T d_ff
         w2  | learned slim | $W_2$ | W_2 | B T d_model
        """,
        says={"a": "a position", "t": "product"},
        links={"t": "modern#eq-3"},
        grid="""
         | 70 160
         . w2
         +14
         . t
         s .
         w v
         +14
         . a
        """,
        arrows="""
         a ~> w
         a -> v
         w -> s
         s ~> t
         v -> t
         t -> w2
        """,
    )


def hold_layer(panel: Panel) -> Panel:
    """Hold the panel against a layer."""
    x = fixed_normal(2, 5, 8)
    layer = LlamaLayer(LlamaConfig(N=1, d_model=8, h=4, g=2, d_ff=7))
    return held(panel, layer, lambda layer: layer(x), SIZES)


def hold_gate(panel: Panel) -> Panel:
    """Hold the panel against a feed-forward network."""
    x = fixed_normal(2, 5, 8)
    return held(panel, SwiGLU(8, 7), lambda network: network(x), SIZES)


@preserves_rng
def draw() -> Diagram:
    return Diagram(
        hold_layer(layer()),
        hold_gate(gate()),
        about=("lookback.modern:LlamaLayer", "lookback.modern:SwiGLU"),
        left="the cache, the mask",
    )

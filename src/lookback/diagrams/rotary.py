"""Draw rotary attention: queries and keys are rotated, and values are not."""

from lookback.attention import causal_mask
from lookback.diagrams.truth import fixed_normal, held, preserves_rng
from lookback.figures.diagram import Diagram, Panel
from lookback.rotary import RotaryAttention

SIZES = {"B": 2, "T": 5, "d_model": 8, "h": 2, "d_k": 4}


def panel() -> Panel:
    """Draw words, projections, rotations, weights, the sum, bottom to top."""
    return Panel(
        boxes="""
         x | strip 8 right | words | .(queries) | B T d_model
         wq | learned c3 | $W^Q$ | W_Q | B T d_model
         wk | learned c2 | $W^K$ | W_K | B T d_model
         wv | learned c0 | $W^V$ | W_V | B T d_model
         rq | op | rotate | rotary#1 | B h T d_k
         rk | op | rotate | rotary#2 | B h T d_k
         s | op | products, softmax | masked_softmax | B h T T
         z | op | weighted sum | .compare[0] | B h T d_k
         wo | learned | $W^O$ | W_O | B T d_model
        """,
        grid="""
         | 100 260 480
         . wo+110 .
         . z+110 .
         s+80 . .
         rq rk .
         wq wk wv
         +14
         . x .
        """,
        arrows="""
         x ~> wq
         x -> wk
         x ~> wv
         wq -> rq ~> s
         wk -> rk ~> s
         s ~> z
         wv ~> z
         z -> wo
        """,
        says={"x": "words"},
        links={"rq": "rotary#eq-2", "rk": "rotary#eq-2", "s": "rotary#eq-3"},
    )


def hold(panel: Panel) -> Panel:
    """Hold the panel against two heads."""
    x = fixed_normal(2, 5, 8)
    layer = RotaryAttention(d_model=8, h=2)
    return held(panel, layer, lambda layer: layer(x, x, x, causal_mask(5)), SIZES)


@preserves_rng
def draw() -> Diagram:
    return Diagram(
        hold(panel()), about=("lookback.rotary:RotaryAttention",), left="the mask"
    )

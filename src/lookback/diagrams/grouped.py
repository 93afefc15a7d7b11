"""Draw grouped queries: four heads, each two of which share keys and values."""

from lookback.diagrams.truth import fixed_normal, held, preserves_rng
from lookback.figures.diagram import Diagram, Panel
from lookback.grouped import GroupedQueryAttention

SIZES = {"B": 2, "T": 5, "d_model": 8, "d_k": 2}
HEADS, GROUPS = 4, 2


def panel() -> Panel:
    """Draw words, all queries, keys and values of two groups, bottom to top."""
    rows = [
        "x | strip 8 right | words | .(x) | B T d_model",
        "wo | learned w90 | $W^O$ | W_O | B T d_model",
        "lz | left | outputs of the heads",
        "lq | left | queries; keys and values",
    ]
    for i in range(HEADS):
        rows += [
            f"q{i} | strip 2 c3 | | grouped_attention(Q)[:, {i}] | B T d_k",
            f"z{i} | strip 2 c0 | | grouped_attention[0][:, {i}] | B T d_k",
        ]
    for g in range(GROUPS):
        both = f"grouped_attention(K)[:, {g}] & grouped_attention(V)[:, {g}]"
        rows.append(f"k{g} | strip 4 c2 | | {both}")
    arrows = [f"x ~> q{i} -> z{i} ~> wo" for i in range(HEADS)]
    arrows += [f"k{i * GROUPS // HEADS} ~> z{i} | c2" for i in range(HEADS)]
    arrows += [f"x ~> k{g}" for g in range(GROUPS)]
    return Panel(
        boxes="\n".join(rows),
        grid="""
         | 14 190 250 310 365 420 480 540
         . . . . wo . . .
         +10
         lz z0 . z1 . z2 . z3
         +24
         lq q0 k0 q1 . q2 k1 q3
         +14
         . . . . x . . .
        """,
        arrows="\n".join(arrows),
        unboxed="W_Q, W_K, W_V | the learned matrices of queries, keys and values",
        says={"q": "query", "z": "output", "k": "keys and values", "x": "words"},
        links={"k0": "grouped#eq-1"},
    )


def hold(panel: Panel) -> Panel:
    """Hold the panel against four heads in two groups."""
    x = fixed_normal(2, 5, 8)
    layer = GroupedQueryAttention(d_model=8, h=HEADS, g=GROUPS)
    return held(panel, layer, lambda layer: layer(x), SIZES)


@preserves_rng
def draw() -> Diagram:
    about = ("lookback.grouped:GroupedQueryAttention",)
    return Diagram(hold(panel()), about=about, left="masks, rotations")

"""Draw multi-head attention: project, attend in each head, concatenate, project."""

from lookback.diagrams.truth import fixed_normal, held, preserves_rng
from lookback.figures.diagram import Diagram, Panel
from lookback.multihead import HeadList

SIZES = {"B": 2, "S": 5, "d_model": 7, "d_v": 3}
HEADS = (1, 2, 3)


def panel() -> Panel:
    """Draw three heads, side by side."""
    rows = [
        "x | strip 12 right | $x$ | .(queries) | B S d_model",
        "cat | strip 9 c0 right | concatenated | ./cat | B S 9",
        "wo | learned w90 | $W^O$ | W_O | B S d_model",
        "z | name | $z$",
    ]
    for i in HEADS:
        maps = " & ".join(f"heads.{i - 1}.W_{m}" for m in "QKV")
        attended = f"scaled_dot_product_attention#{i}[0]"
        rows += [
            f"w{i} | learned slim | $W^Q_{i}$ $W^K_{i}$ $W^V_{i}$ | {maps}",
            f"a{i} | op slim | head {i} / attention | {attended} | B S d_v",
        ]
    arrows = [f"x ~> w{i} -> a{i}" for i in HEADS]
    arrows += [f"a{i} ~> cat.{3 * i - 1} | c0" for i in HEADS]
    return Panel(
        boxes="\n".join(rows),
        grid="""
         | 110 280 450
         . z .
         . wo .
         . cat .
         +12
         a1 a2 a3
         w1 w2 w3
         +14
         . x .
        """,
        arrows="\n".join([*arrows, "cat -> wo -> z"]),
        links={
            "w1": "multihead", "a1": "attention#eq-1", "wo": "multihead",
        },
    )  # fmt: skip


def hold(panel: Panel) -> Panel:
    """Hold the panel against three heads, one after the other."""
    x = fixed_normal(2, 5, 7)
    heads = HeadList(d_model=7, h=3, d_k=2, d_v=3)
    return held(panel, heads, lambda heads: heads(x, x, x), SIZES)


@preserves_rng
def draw() -> Diagram:
    about = ("lookback.multihead:HeadList",)
    return Diagram(hold(panel()), about=about, left="masks, the batch")

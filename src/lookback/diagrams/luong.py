"""Draw one step of Luong's decoder: the state, then attention, then the word."""

import torch

from lookback.diagrams.truth import held, preserves_rng
from lookback.figures.diagram import Diagram, Panel
from lookback.luong import LuongConfig, LuongTranslator

SIZES = {"B": 1, "S": 3, "m": 2, "n": 5}
SOURCE = ("the", "black", "cat")
N = range(1, 4)
WEIGHTS = torch.tensor([1.0, 2, 4]).softmax(dim=0).tolist()  # the chapter's, by hand
CONFIG = LuongConfig(
    m=2, n=5, score="dot", input_feeding=False, directions="left-to-right", cell="gru"
)


def panel() -> Panel:
    """Draw the decoder that has written le, and is about to write chat."""
    rows = [
        "ly | left | word predicted",
        "lt | left c1 | attentional state",
        "lc | left c0 | context",
        "la | left c0 | attention weights",
        "ls | left c2 | states",
        "lx | left | word read",
        "y | word | chat | W_s[:, 1]",
        "ht | strip 3 c1 right | $h\\tilde$ | .attend[0][:, 1] | B n",
        "c | strip 3 c0 right | $c_2$ | .attend:c[:, 1] | B n",
        "alpha | bars c0 | | .attend[1][:, 1] | B S",
        "h | strip 3 c1 right | $h_2$ | decoder[0][:, 1] | B n",
        "le | word | le | e_target[:, 1] | B m",
    ]
    lines = ["h -> alpha | c1 query", "h -> ht | c1", "c -> ht -> y", "le -> h"]
    for j in N:
        rows += [
            f"x{j} | word | {SOURCE[j - 1]} | e_source[:, {j - 1}] | B m",
            f"s{j} | strip 3 c2 | | encoder[0][:, {j - 1}] | B n",
        ]
        lines += [f"x{j} -> s{j}", f"s{j} -> alpha.{j}", f"alpha.{j} ~> c | c0"]
    before = ", ".join(f"x{j} -> h" for j in N)
    read = ", ".join(f"x{i} -> s{j}" for j in N for i in range(1, j))
    along = ", ".join(f"s{j} -> c" for j in N)
    return Panel(
        boxes="\n".join(rows),
        grid="""
         | 14 240 330 420 560
         ly . . . y
         lt . . . ht
         lc . . c .
         +20
         la alpha*3 . . .
         ls s1 s2 s3 h
         lx x1 x2 x3 le
        """,
        arrows="\n".join(lines),
        omits=f"""
         {along} | the states, of which the context is the weighted mean
         {before}, {read} | the steps before
        """,
        unboxed="""
         e_target, W_c, encoder.sides, encoder.sides.left, encoder.sides.left.0
         decoder.0
        """,
        numbers={"alpha": WEIGHTS},
        weights={f"alpha.{j} c": WEIGHTS[j - 1] for j in N},
        says={"s": "state of the encoder", "alpha": "attention weights"},
        links={"alpha": "luong#eq-7", "ht": "luong#eq-5", "y": "luong#eq-6"},
    )


def hold(panel: Panel) -> Panel:
    """Hold the panel against a run of two steps."""
    model = LuongTranslator(CONFIG, 11, 13)
    source, target = torch.tensor([[4, 7, 10]]), torch.tensor([[2, 5]])
    return held(panel, model, lambda model: model(source, source > 0, target), SIZES)


@preserves_rng
def draw() -> Diagram:
    return Diagram(hold(panel()), about=("lookback.luong:LuongTranslator",))

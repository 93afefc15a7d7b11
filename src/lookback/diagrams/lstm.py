"""Draw the cells of an LSTM and of a GRU."""

from lookback.diagrams.truth import fixed_normal, held, preserves_rng
from lookback.figures.diagram import Diagram, Panel
from lookback.lstm import GRUCell, LSTMCell

SIZES = {"B": 2, "d": 3, "n": 5}


def lstm() -> Panel:
    """Draw an LSTM, whose cell state is the straight line."""
    return Panel(
        title="LSTM",
        note="1997, forget gate 2000",
        boxes="""
         cell | word | $c_{t-1}$ | .(state)[1] | B n
         in   | word | $x_t$, $h_{t-1}$ | .(x) & .(state)[0]
         f    | learned slim | $f$ / $σ$ | .step/sigmoid#1 | B n
         i    | learned slim | $i$ / $σ$ | .step/sigmoid#2 | B n
         g    | learned slim | $g$ / $\\text{tanh}$ | .step/tanh#1 | B n
         o    | learned slim | $o$ / $σ$ | .step/sigmoid#3 | B n
         keep | times | | .step/mul#1 | B n
         new  | times | | .step/mul#2 | B n
         sum  | plus  | | .step/add#2 | B n
         tanh | op slim | $\\text{tanh}$ | .step/tanh#2 | B n
         out  | times | | .step/mul#3 | B n
         next | name  | $c_t$
         shown | name | $h_t$
        """,
        grid="""
         | 36 88 138 186 234 288
         next . . . . shown
         .  . . . . out
         .  . . . tanh .
         +18
         sum . . . . .
         .  . . new . .
         keep . . . . .
         f+52 . i . g o
         +14
         cell . . in . .
        """,
        arrows="""
         cell => keep => sum => next
         in ~> f
         in ~> i
         in ~> g
         in ~> o
         f |-> keep
         i |-> new
         g |-> new
         new |-> sum
         sum -> tanh |-> out
         o -> out -> shown
        """,
        links={"f": "lstm#eq-1", "sum": "lstm#eq-2"},
    )


def gru() -> Panel:
    """Draw a GRU, whose hidden state is the straight line."""
    return Panel(
        title="GRU",
        note="2014",
        boxes="""
         h    | word | $h_{t-1}$ | .(state) | B n
         x    | word | $x_t$ | .(x) | B d
         r    | learned slim | $r$ / $σ$ | .step:r | B n
         z    | learned slim | $z$ / $σ$ | .step:z | B n
         past | times | | .step/mul#1 | B n
         cand | learned slim | $h\\tilde$ / $\\text{tanh}$ | .step/tanh | B n
         keep | times | | .step/mul#2 | B n
         less | op slim | $1 − z$ | .step/rsub | B n
         new  | times | | .step/mul#3 | B n
         sum  | plus | | .step/add#4 | B n
         hnext | name | $h_t$
        """,
        grid="""
         | 36 96 160 224 280
         hnext . . . .
         sum . . . .
         . . new . .
         . less . . .
         . . cand . .
         keep . past . .
         . z . r .
         +14
         h . . . x
        """,
        arrows="""
         h => keep => sum => hnext
         h ~> z
         h ~> r
         h ~> past
         x ~> z
         x ~> r
         x |-> cand
         r |-> past -> cand
         z |-> keep
         z -> less |-> new
         cand -> new |-> sum
        """,
        links={"r": "lstm#eq-3", "sum": "lstm#eq-4"},
    )


def hold(panel: Panel, cell: LSTMCell | GRUCell) -> Panel:
    """Hold the panel against one step of the cell."""
    x, h, c = fixed_normal(2, 3), fixed_normal(2, 5), fixed_normal(5, 2).T.contiguous()
    state = (h, c) if isinstance(cell, LSTMCell) else h
    return held(panel, cell, lambda cell: cell(x, state), SIZES)


@preserves_rng
def draw() -> Diagram:
    """Draw both cells, side by side."""
    return Diagram(
        hold(lstm(), LSTMCell(3, 5)),
        hold(gru(), GRUCell(3, 5)),
        about=("lookback.lstm:LSTMCell", "lookback.lstm:GRUCell"),
    )

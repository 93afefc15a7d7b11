"""Draw two deep LSTMs: the last states of one are the first of the other."""

import torch

from lookback.diagrams.truth import held, preserves_rng
from lookback.figures.diagram import Diagram, Panel
from lookback.seq2seq import Seq2Seq, Seq2SeqConfig

SIZES = {"B": 1, "m": 2, "n": 5}
SOURCE, TARGET = ("cat", "the", "</s>"), ("le", "chat", "</s>")
N = range(1, 4)


def both(side: str, layer: int, t: int) -> str:
    """Write the address of both states, h and c, after a step of a layer."""
    step = f"{side}.cells.{layer}.step#{t}"
    return f"{step}[0] & {step}[1]"


def panel() -> Panel:
    """Draw three words read from the last, three words written, two layers."""
    rows = [
        "ly | left | $y_t$, word predicted",
        "l2 | left c0 | layer 2",
        "l1 | left c0 | layer 1",
        "lx | left | word read",
        "start | word | <s> | target[:, 0] | B m",
    ]
    lines = []
    for t in N:
        also = f" & target[:, {t}]" if t < len(N) else ""
        rows += [
            f"x{t} | word | {SOURCE[t - 1]} | source[:, {t - 1}] | B m",
            f"a{t} | strip 3 c2 | | {both('encoder', 0, t)} | B n",
            f"b{t} | strip 3 c2 | | {both('encoder', 1, t)} | B n",
            f"s{t} | strip 3 c0 | | {both('decoder', 0, t)} | B n",
            f"u{t} | strip 3 c0 | | {both('decoder', 1, t)} | B n",
            f"y{t} | word | {TARGET[t - 1]} | out[:, {t - 1}]{also}",
        ]
        lines += [f"x{t} -> a{t} -> b{t}", f"s{t} -> u{t} -> y{t}"]
    lines += [" -> ".join(f"a{t}" for t in N) + " | c2"]
    lines += [" -> ".join(f"b{t}" for t in N) + " | c2"]
    lines += ["a3 -> s1 -> s2 -> s3 | c0", "b3 -> u1 -> u2 -> u3 | c0", "start -> s1"]
    lines += [f"y{t} /> s{t + 1}" for t in N[:-1]]
    return Panel(
        boxes="\n".join(rows),
        grid="""
         | 14 120 210 300 400 500 600
         ly . . . y1 y2 y3
         +8
         l2 b1 b2 b3 u1 u2 u3
         +16
         l1 a1 a2 a3 s1 s2 s3
         lx x1 x2 x3 start . .
        """,
        arrows="\n".join(lines),
        links={"a1": "lstm", "y1": "seq2seq#eq-4", "b3": "seq2seq#eq-3"},
    )


def hold(panel: Panel) -> Panel:
    """Hold the panel against a run of three words each."""
    config = Seq2SeqConfig(m=2, n=5, layers=2, reversed=True)
    model = Seq2Seq(config, 11, 13)
    source, target = torch.tensor([[4, 7, 3]]), torch.tensor([[2, 5, 9]])
    return held(panel, model, lambda model: model(source, source > 0, target), SIZES)


@preserves_rng
def draw() -> Diagram:
    return Diagram(hold(panel()), about=("lookback.seq2seq:Seq2Seq",))

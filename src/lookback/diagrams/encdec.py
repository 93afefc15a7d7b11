"""Draw the encoder–decoder, in which one vector is all that the decoder learns."""

import torch

from lookback.diagrams.truth import held, preserves_rng
from lookback.encdec import EncoderDecoderConfig, RNNEncoderDecoder
from lookback.figures.diagram import Diagram, Panel

SIZES = {"B": 1, "m": 2, "n": 5}
SOURCE, TARGET = ("the", "black", "cat", "sleeps"), ("le", "chat", "noir", "dort")
N = range(1, 5)


def panel() -> Panel:
    """Draw four words in, one vector, four words out."""
    rows = [
        "c | strip 3 c1 right | $c$ | encoder | B n",
        "ly | left | $y_t$, word predicted",
        "ls | left c0 | states of the decoder",
        "lc | left c1 | the whole sentence",
        "lh | left c2 | states of the encoder",
        "lx | left | $x_s$, word read",
        "start | word | <s> | decoder.e[:, 0] | B m",
    ]
    for t in N:
        also = f" & decoder.e[:, {t}]" if t < len(N) else ""
        rows += [
            f"x{t} | word | {SOURCE[t - 1]} | encoder.e[:, {t - 1}] | B m",
            f"h{t} | strip 3 c2 | | encoder.cell.step#{t} | B n",
            f"s{t} | strip 3 c0 | | decoder.cell#{t} | B n",
            f"y{t} | word | {TARGET[t - 1]} | decoder.G[:, {t - 1}]{also}",
        ]
    lines = [f"x{t} -> h{t}\ns{t} -> y{t}\nc ~> s{t} | c1" for t in N]
    lines += [f"y{t} /> s{t + 1}" for t in N[:-1]]
    lines += [" -> ".join(f"h{t}" for t in N) + " | c2", "h4 ~> c | c1"]
    lines += [" -> ".join(f"s{t}" for t in N) + " | c0", "start /> s1"]
    reads = ", ".join(f"c -> y{t}" for t in N)
    words = ", ".join(f"y{t} -> y{t + 1}" for t in N[:-1])
    return Panel(
        boxes="\n".join(rows),
        grid="""
         | 14 190 292 394 496 598
         ly start y1 y2 y3 y4
         +8
         ls . s1 s2 s3 s4
         +20
         lc . . c+51 . .
         +16
         lh . h1 h2 h3 h4
         lx . x1 x2 x3 x4
        """,
        arrows="\n".join(lines),
        omits=f"{reads}, start -> y1, {words} | the context and the word before, which "
        "the output reads too",
        unboxed="""
         encoder.V, decoder.V, decoder.O_h, decoder.O_y, decoder.O_c
        """,
        says={"h": "state of the encoder", "s": "state of the decoder"},
        links={
            "c": "encdec#eq-1", "h1": "lstm#eq-4", "s1": "encdec#eq-5",
            "y1": "encdec#eq-8",
        },
    )  # fmt: skip


def hold(panel: Panel) -> Panel:
    """Hold the panel against a run of four words each."""
    model = RNNEncoderDecoder(EncoderDecoderConfig(m=2, n=5, l=3), 11, 13)
    source, target = torch.tensor([[4, 7, 10, 3]]), torch.tensor([[2, 5, 9, 12]])
    return held(panel, model, lambda model: model(source, source > 0, target), SIZES)


@preserves_rng
def draw() -> Diagram:
    return Diagram(hold(panel()), about=("lookback.encdec:RNNEncoderDecoder",))

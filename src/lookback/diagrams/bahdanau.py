"""Draw RNNsearch as it predicts one word, with the weights of the trained model."""

from collections.abc import Sequence
from typing import Any

import torch

from lookback.bahdanau import RNNSearch, RNNSearchConfig
from lookback.diagrams.truth import held, preserves_rng
from lookback.figures.diagram import Diagram, Panel
from lookback.trainer.checkpoint import pretrained

SIZES = {"B": 1, "S": 4, "m": 2, "n": 5, "V": 13}
S, STEP = 4, 3  # words of the source, its end included; the step that is drawn


WIDE = """
 | 14 250 354 458 562
 ly y2-22 . y3 .
 ls s2-22 . s3 .
 lc . . c3 .
 +20
 la alpha*4 . . .
 lh h1 h2 h3 h4
 +8
 lb b1+21 b2+21 b3+21 b4+21
 lf f1-18 f2-18 f3-18 f4-18
 +8
 lx x1 x2 x3 x4
"""
PHONE = """
 | 41 118 195 272
 y2-12 . y3 .
 s2-12 . s3 .
 . . c3-14 .
 +20
 alpha*4 . . .
 h1 h2 h3 h4
 +8
 b1+14 b2+14 b3+14 b4+14
 f1-12 f2-12 f3-12 f4-12
 +8
 x1 x2 x3 x4
 . kf+40 kb+40 .
"""


def boxes(source: Sequence[str], target: Sequence[str]) -> str:
    """Write the table of boxes; step 2 predicts `target[0]`, step 3 `target[1]`."""
    rows = []
    for j, word in enumerate(source, 1):
        k = S + 1 - j  # the backward network reads the last word first
        rows += [
            f"x{j} | word | {word} | encoder.e[:, {j - 1}] | B m",
            f"f{j} | strip 3 c2 | | encoder.forwards.step#{j} | B n",
            f"b{j} | strip 3 c3 | | encoder.backwards.step#{k} | B n",
            f"h{j} | word | $h_{j}$ | encoder[:, {j - 1}] | B 2n",
        ]
    step = f"decoder.next#{STEP}"
    rows += [
        f"y2 | word | {target[0]} | decoder.W_o#2 & decoder.e#{STEP}",
        f"y3 | word | {target[1]} | decoder.W_o#{STEP}[:, 0] | B V",
        "s2 | strip 3 c1 right | $s_2$ | decoder.cell.step#2 | B n",
        f"s3 | strip 3 c1 right | $s_3$ | decoder.cell.step#{STEP} | B n",
        f"c3 | strip 6 c0 right | $c_3$ | {step}:c | B 2n",
        f"alpha | bars c0 | | {step}:weights | B S",
        "ly | left | $y_i$, word predicted",
        "ls | left c1 | $s_i$, state of the decoder",
        "lc | left c0 | $c_i$, context",
        "la | left c0 | $α_{ij}$, attention weights",
        "lh | left | $h_j$, annotations",
        "lb | left c3 | backward states",
        "lf | left c2 | forward states",
        "lx | left | $x_j$, word read",
        "kf | note c2 | forward",
        "kb | note c3 | backward",
    ]
    return "\n".join(rows)


def panel(
    source: Sequence[str], target: Sequence[str], weights: Sequence[float]
) -> Panel:
    """Draw the third step; weights: one for each word of the source."""
    js = range(1, S + 1)
    lines = [f"x{j} ~> f{j}\nx{j} ~> b{j}\nh{j} -> alpha.{j}" for j in js]
    lines += [f"alpha.{j} ~> c3 | c0" for j in js]
    lines += [" -> ".join(f"f{j}" for j in js) + " | c2"]
    lines += [" -> ".join(f"b{j}" for j in reversed(js)) + " | c3"]
    lines += ["s2 -> alpha | c1 query", "s2 -> y2 /> s3 -> y3", "s2 -> s3", "c3 -> s3"]
    before = ", ".join(f"h{j} -> s2, h{j} -> y2" for j in js)
    along = ", ".join(f"h{j} -> c3" for j in js)
    return Panel(
        boxes=boxes(source, target),
        grid=WIDE,
        phone=PHONE,
        arrows="\n".join(lines),
        groups="\n".join(f" | f{j} b{j} | | h{j}" for j in js),
        omits=f"""
         {along} | the annotations, of which the context is the weighted mean
         c3 -> y3, y2 -> y3 | the word before and the context, for the output
         {before} | the steps before
        """,
        unboxed="""
         decoder.e, decoder.attention, decoder.attention.W, decoder.attention.U
         decoder.U_o, decoder.V_o, decoder.C_o, decoder.W_s
         decoder.cell, decoder.cell.step
        """,
        says={"f": "forward state", "b": "backward state", "h": "annotation",
              "alpha": "attention weights"},
        numbers={"alpha": weights},
        weights={f"alpha.{j} c3": weights[j - 1] for j in js},
        links={
            "alpha": "bahdanau#eq-6", "c3": "bahdanau#eq-5", "s3": "bahdanau#eq-9",
            "h1": "bahdanau#eq-7", "y3": "bahdanau#eq-4", "f1": "lstm#eq-4",
        },
    )  # fmt: skip


def hold(panel: Panel) -> Panel:
    """Hold the panel against three steps of RNNsearch."""
    model = RNNSearch(RNNSearchConfig(m=2, n=5, k=7, l=3), 11, 13)
    source, prefix = torch.tensor([[4, 7, 10, 3]]), torch.tensor([2, 5, 6])

    def run(model: RNNSearch) -> None:
        state = model.start(source, source > 0)
        for token in prefix:
            _, state = model.step(token.view(1), state)

    return held(panel, model, run, SIZES)


@preserves_rng
def draw() -> Diagram:
    """Draw the third step of *the black cat*."""
    source, target = ["the", "black", "cat"], ["le", "chat", "noir"]
    learner: Any = pretrained("bahdanau")
    (weights,) = learner.attention_weights([(source, target)])
    row = [float(weight) for weight in weights[STEP - 1]]
    drawn = panel([*source, "</s>"], target[1:], row)
    return Diagram(hold(drawn), about=("lookback.bahdanau:RNNSearch",))

"""Draw one query by hand: all numbers between three words and what the first finds."""

from collections.abc import Sequence

import numpy as np
import torch

from lookback.attention import Head
from lookback.diagrams.truth import fixed_normal, held, preserves_rng
from lookback.figures.diagram import Diagram, Panel

SIZES = {"d_model": 4, "d_k": 3}
WORDS = ("in", "doubt", "look")
X = ((0, 1, 0, 1), (1, 1, 0, 0), (0, 2, 1, 0))
W_Q = ((1, 0, 0), (0, 1, 1), (0, 1, 0), (1, 0, 1))
W_K = ((0, 1, 0), (1, 0, 1), (0, 1, 0), (1, -1, 0))
W_V = ((1, 0, 2), (0, 3, 0), (2, 0, 1), (0, 1, 1))
CALL = "scaled_dot_product_attention"
JS = (1, 2, 3)


def numbers() -> dict[str, Sequence[Sequence[float]]]:
    """Compute the head's numbers for these words and matrices; rounded, they add up."""
    head = Head(d_model=4, d_k=3, d_v=3)
    x = torch.tensor(X).float()
    with torch.no_grad():
        for name, matrix in (("W_Q", W_Q), ("W_K", W_K), ("W_V", W_V)):
            getattr(head, name).weight.copy_(torch.tensor(matrix).T)
        q, k, v = head.W_Q(x), head.W_K(x), head.W_V(x)
        z, weights = head(x, x, x)
    found = {"q": q[:1], "z": z[:1], "wq": torch.tensor(W_Q), "wk": torch.tensor(W_K)}
    found["wv"] = torch.tensor(W_V)
    for j in JS:
        score = (q[0] @ k[j - 1]).view(1, 1)
        found |= {f"x{j}": x[j - 1 : j], f"k{j}": k[j - 1 : j], f"v{j}": v[j - 1 : j]}
        found |= {f"p{j}": score, f"e{j}": score / 3**0.5}
        found[f"a{j}"] = weights[0, j - 1].view(1, 1)
    return {
        name: np.asarray(value, dtype=float).tolist() for name, value in found.items()
    }


def panel() -> Panel:
    """Draw words, their query, keys and values, the weights, the sum, top to bottom."""
    rows = [
        "q | cells c3 above | $q_1$ | W_Q[0] | d_k",
        "z | cells c0 right | $z_1$ | .[0][0] | d_k",
        "wq | cells c1 above | $W^Q$ | W_Q.weight",
        "wk | cells c1 above | $W^K$ | W_K.weight",
        "wv | cells c1 above | $W^V$ | W_V.weight",
        "lx | left | words $x$",
        "lq | left c3 | query $q = x W^Q$",
        "lk | left c2 | keys $k = x W^K$",
        "lv | left c0 | values $v = x W^V$",
        "lp | left | scores $q_1 · k_j$",
        "le | left | divided by $√d_k$",
        "la | left | softmax: weights",
        "lz | left c0 | weighted sum of $v_j$",
    ]
    for j in JS:
        rows += [
            f"t{j} | name | {WORDS[j - 1]}",
            f"x{j} | cells c4 | | .(queries)[{j - 1}] | d_model",
            f"k{j} | cells c2 above | $k_{j}$ | W_K[{j - 1}] | d_k",
            f"v{j} | cells c0 above | $v_{j}$ | W_V[{j - 1}] | d_k",
            f"p{j} | cells c3 w44 | | {CALL}/matmul#1[0, {j - 1}]",
            f"e{j} | cells c3 w44 | | {CALL}:scores[0, {j - 1}]",
            f"a{j} | cells c3 w44 | | {CALL}:weights[0, {j - 1}]",
        ]
    lines = ["x1 -> q | hidden", "wq -> q | hidden"]
    for j in JS:
        lines += [f"x{j} -> {m}{j} | hidden" for m in "kv"]
        lines += [f"w{m} -> {m}{j} | hidden" for m in "kv"]
        lines += [f"q -> p{j} | hidden", f"k{j} -> p{j} | hidden"]
        lines += [f"p{j} -> e{j} -> a{j}", f"a{j} ~> z | c0", f"v{j} -> z | hidden"]
    sums = ", ".join(f"e{i} -> a{j}" for i in JS for j in JS if i != j)
    return Panel(
        boxes="\n".join(rows),
        grid="""
         | 14 232 356 480 586
         lx t1 t2 t3 .
         -8
         . x1 x2 x3 .
         lq q . . wq
         lk k1 k2 k3 wk
         lv v1 v2 v3 wv
         +14
         lp p1 p2 p3 .
         le e1 e2 e3 .
         la a1 a2 a3 .
         +18
         lz . z . .
        """,
        phone="""
         | 57 166 275
         t1 t2 t3
         -8
         x1 x2 x3
         wq wk wv
         q . .
         k1 k2 k3
         v1 v2 v3
         +8
         p1 p2 p3
         e1 e2 e3
         a1 a2 a3
         +18
         . z .
        """,
        arrows="\n".join(lines),
        omits=f"{sums} | the sum of all exponentials, by which the softmax divides",
        says={"x": "vector", "p": "score", "e": "score divided", "a": "weight"},
        numbers=numbers(),
        weights={f"a{j} z": numbers()[f"a{j}"][0][0] for j in JS},
        gap=17,
        links={"z": "attention#eq-1", "a1": "attention#eq-3", "p1": "attention#eq-2"},
    )


def hold(panel: Panel) -> Panel:
    """Hold the panel against a head with other numbers."""
    x = fixed_normal(3, 4)
    return held(panel, Head(4, 3, 3), lambda head: head(x, x, x), SIZES)


@preserves_rng
def draw() -> Diagram:
    return Diagram(hold(panel()), about=("lookback.attention:Head",))

"""Draw skip-gram with negative sampling: one word nearby, three random ones."""

import torch

from lookback.diagrams.truth import held, preserves_rng
from lookback.figures.diagram import Diagram, Panel
from lookback.word2vec import SkipGram, negative_sampling_loss

SIZES = {"B": 1, "m": 3}
WORDS = ("cat", "treaty", "blue", "signs")
K = range(1, 5)


def panel() -> Panel:
    """Draw the word in the middle, which is scored against four others."""
    rows = [
        "c | word bold | black | .(centre) | B",
        "v | strip 4 c2 | | .scores(hidden) | B m",
        "loss | op | $−\\text{log }σ(s_1) − Σ_{k>1} \\text{ log }σ(−s_k)$ | "
        "negative_sampling_loss | B",
        "ll | left | loss",
        "ls | left | scores $s_k = u_k · v$",
        "lv | left c2 | input vector $v$",
        "lu | left c1 | output vectors $u_k$",
        "lw | left | words",
        "kc | note | in the middle",
        "k1 | note | occurs nearby",
        "k3 | note | three drawn at random",
    ]
    for k in K:
        colour = "c1" if k == 1 else "c4"
        rows += [
            f"w{k} | word | {WORDS[k - 1]} | .(words)[:, {k - 1}] | B",
            f"u{k} | strip 4 {colour} | | .scores:u[:, {k - 1}] | B m",
            f"s{k} | times | | .scores[:, {k - 1}] | B",
        ]
    lines = [f"w{k} -> u{k} -> s{k}\nv ~> s{k} | c2\ns{k} ~> loss" for k in K]
    return Panel(
        boxes="\n".join(rows),
        grid="""
         | 14 190 282 384 486 588
         ll . . . loss-51 .
         +10
         ls . s1 s2 s3 s4
         +26
         lv v . . . .
         lu . u1 u2 u3 u4
         lw c w1 w2 w3 w4
         -16
         . kc k1 . k3 .
        """,
        phone="""
         | 36 102 164 226 288
         . . loss . .
         +10
         . s1 s2 s3 s4
         +26
         v . . . .
         . u1 u2 u3 u4
         c w1 w2 w3 w4
         -12
         . k1 . k3 .
        """,
        arrows="\n".join([*lines, "c -> v | c2"]),
        says={"v": "input vector", "u": "output vector", "s": "score"},
        links={"loss": "word2vec#eq-4", "v": "word2vec#eq-2"},
    )


def hold(panel: Panel) -> Panel:
    """Hold the panel against a word and the four that it is scored against."""
    centre, words = torch.tensor([2]), torch.tensor([[4, 1, 6, 5]])
    return held(
        panel,
        SkipGram(V=7, m=3),
        lambda model: negative_sampling_loss(model(centre, words)),
        SIZES,
    )


@preserves_rng
def draw() -> Diagram:
    return Diagram(hold(panel()), about=("lookback.word2vec:SkipGram",))

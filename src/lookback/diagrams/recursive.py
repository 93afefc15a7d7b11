"""Draw the recursive network on three words: one layer at each node of the tree."""

from lookback.diagrams.truth import held, preserves_rng
from lookback.figures.diagram import Diagram, Panel
from lookback.recursive import RecursiveNetwork

SIZES = {"n": 5}
WORDS = ("not", "not", "T")


def panel() -> Panel:
    """Draw words, their vectors, the inner node, the root, bottom to top."""
    rows = [
        "p | strip 5 c2 | | .merge#2 | n",
        "W2 | learned | $W q + b$ | .merge#2/linear | n",
        "q | strip 5 c2 | | .merge#1 | n",
        "W1 | learned | $W q + b$ | .merge#1/linear | n",
        "lp | left | tanh: the root",
        "lm | left | one layer",
        "lq | left | tanh: a node",
        "lo | left | the same layer",
        "lv | left | words' vectors",
        "lw | left | words",
    ]
    for k, word in enumerate(WORDS, 1):
        rows += [
            f"w{k} | name | {word}",
            f"v{k} | strip 5 c2 | | .leaf#{k} | n",
        ]
    return Panel(
        boxes="\n".join(rows),
        grid="""
         | 14 200 335 400 460 530
         lp . p . . .
         lm . W2 . . .
         +14
         lq . . . q .
         lo . . . W1 .
         +14
         lv v1 . v2 . v3
         lw w1 . w2 . w3
        """,
        arrows="""
         v1 ~> W2
         v2 ~> W1
         v3 ~> W1
         W1 -> q ~> W2
         W2 -> p
         w1 -> v1
         w2 -> v2
         w3 -> v3
        """,
        unboxed="E | the table of vectors, from which the rows are taken",
        says={
            "v": "vector of a word",
            "q": "vector of the inner node",
            "p": "vector of the root",
        },
        links={"W1": "recursive#eq-1"},
    )


def hold(panel: Panel) -> Panel:
    """Hold the panel against a network that follows (not, (not, T))."""
    model = RecursiveNetwork(V=2, n=5)
    return held(panel, model, lambda model: model.recurse((0, (0, 1))), SIZES)


@preserves_rng
def draw() -> Diagram:
    return Diagram(hold(panel()), about=("lookback.recursive:RecursiveNetwork",))

"""Draw Model 1 on one of three pairs: the links before, during and after EM."""

from lookback.diagrams.hmm import weighed
from lookback.figures.diagram import Diagram, Panel
from lookback.ibm1 import IBMModel1

PAIRS = (
    (("the", "house"), ("la", "maison")),
    (("the", "flower"), ("la", "fleur")),
    (("a", "house"), ("une", "maison")),
)
SAY = {0: "at first", 1: "after 1 iteration", 10: "after 10 iterations"}


def posteriors(iterations: int) -> dict[str, float]:
    """Compute the probability of each link of the first pair: "e0 f1" → P(a_1 = 0)."""
    source, target = PAIRS[0]
    found = IBMModel1().fit(PAIRS, iterations).posterior(source, target)
    return {f"e{i} f{j + 1}": float(found[j, i]) for j in range(2) for i in range(3)}


def panel(iterations: int) -> Panel:
    """Draw English above, French below; the likelier a link, the wider its line."""
    known = posteriors(iterations)
    words = ["(none)", *PAIRS[0][0]]
    rows = [f"e{i} | word | {word} | source" for i, word in enumerate(words)]
    rows += [f"f{j + 1} | word bold | {f} | target" for j, f in enumerate(PAIRS[0][1])]
    return Panel(
        boxes="\n".join(rows),
        grid="""
         | 34 98 158
         e0 e1 e2
         +40
         . f1 f2
        """,
        arrows="\n".join(f"{pair.replace(' ', ' ~> ')} | c1" for pair in known),
        weights=known,
        title=SAY[iterations],
        says={"e": "English word", "f": "French word"},
    )


def hold(panel: Panel, iterations: int) -> Panel:
    """Return the panel if its lines are as wide as the model's links are likely."""
    return weighed(panel, posteriors(iterations))


def draw() -> Diagram:
    panels = [hold(panel(n), n) for n in SAY]
    return Diagram(*panels, about=("lookback.ibm1:IBMModel1",))

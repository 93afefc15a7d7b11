"""Draw Model 1 on three pairs: the links before, during and after EM."""

from lookback.diagrams.hmm import weighed
from lookback.figures.diagram import Diagram, Panel
from lookback.figures.frames import Frames, frames
from lookback.ibm1 import IBMModel1

PAIRS = (
    (("the", "house"), ("la", "maison")),
    (("the", "flower"), ("la", "fleur")),
    (("a", "house"), ("une", "maison")),
)
SAY = {
    n: f"after {n} iteration{'s' * (n > 1)}" if n else "at first"
    for n in (0, 1, 2, 3, 4, 6, 10)
}


def posteriors(iterations: int, pair: int = 0) -> dict[str, float]:
    """Compute the probability of each link of a pair: "e0 f1" → P(a_1 = 0)."""
    source, target = PAIRS[pair]
    found = IBMModel1().fit(PAIRS, iterations).posterior(source, target)
    return {f"e{i} f{j + 1}": float(found[j, i]) for j in range(2) for i in range(3)}


def panel(iterations: int, pair: int = 0) -> Panel:
    """Draw English above, French below; the likelier a link, the wider its line."""
    known, (source, target) = posteriors(iterations, pair), PAIRS[pair]
    rows = [f"e{i} | word | {e} | source" for i, e in enumerate(("(none)", *source))]
    rows += [f"f{j} | word bold | {f} | target" for j, f in enumerate(target, 1)]
    return Panel(
        boxes="\n".join(rows),
        grid="""
         | 34 98 158
         e0 e1 e2
         +40
         . f1 f2
        """,
        arrows="\n".join(f"{link.replace(' ', ' ~> ')} | c1" for link in known),
        weights=known,
        says={"e": "English word", "f": "French word"},
    )


def hold(panel: Panel, iterations: int, pair: int = 0) -> Panel:
    """Return the panel if its lines are as wide as the model's links are likely."""
    return weighed(panel, posteriors(iterations, pair))


def draw() -> Frames:
    """Draw all pairs after more and more iterations."""

    def drawn(n: int) -> Diagram:
        panels = [hold(panel(n, pair), n, pair) for pair in range(len(PAIRS))]
        return Diagram(*panels, about=("lookback.ibm1:IBMModel1",))

    steps = {label: n for n, label in SAY.items()}
    return frames(drawn, steps, chosen=[SAY[n] for n in (0, 1, 10)])

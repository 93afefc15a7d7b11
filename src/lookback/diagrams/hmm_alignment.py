"""Draw the HMM alignment model: positions from left to right, and their words."""

import numpy as np

from lookback.diagrams.hmm import weighed
from lookback.figures.diagram import Diagram, Panel
from lookback.hmm_alignment import HMMAlignment

SOURCE, TARGET = ("day", "after", "day"), ("jour", "après", "jour")
JUMPS = {-2: 1, -1: 2, 0: 1, 1: 4, 2: 1, 3: 1}
WALK = (1, 2, 3)


def toy() -> HMMAlignment:
    """Build the model of three words that the chapter works out by hand.

    jour comes from day alone, après from after alone, and nothing from the empty word.
    """
    model = HMMAlignment(empty=0.0, uniform=1e-13).fit([(SOURCE, TARGET)], 0, 0)
    t = [[0, 0], [1, 0], [0, 1]]  # the empty word, day, after; jour, après
    model.lexicon = model.lexicon.with_table(np.array(t, float).ravel())
    model.jumps = {width: s / 10 for width, s in JUMPS.items()}
    return model


def weights() -> dict[str, float]:
    """Compute probabilities: "a1 a2" → P(a_2 | a_1), "a1 f1" → t(f_1 | e)."""
    model, before, found = toy(), 0, {}
    moves = model.moves(len(SOURCE))
    for j, (f, i) in enumerate(zip(TARGET, WALK, strict=True), 1):
        start = f"a{j - 1}" if j > 1 else "s"
        found[f"{start} a{j}"] = round(float(moves[before, i - 1]), 9)
        found[f"a{j} f{j}"] = model.translation_prob(f, SOURCE[i - 1])
        before = i
    return found


def panel() -> Panel:
    """Draw positions from left to right, their source words, and a word under each."""
    known = weights()
    rows = ["s | name | start", "la | left | positions", "lf | left | target"]
    for j, (f, i) in enumerate(zip(TARGET, WALK, strict=True), 1):
        rows.append(f"a{j} | learned | {SOURCE[i - 1]} | {i}")
        rows.append(f"f{j} | word bold | {f} | {j}")
    return Panel(
        boxes="\n".join(rows),
        grid="""
         | 24 130 230 350 470
         la s a1 a2 a3
         +30
         lf . f1 f2 f3
        """,
        arrows="\n".join(f"{pair.replace(' ', ' -> ')} | c1" for pair in known),
        weights=known,
        says={"a": "source position", "f": "target word"},
        links={"a1": "hmm_alignment#eq-1"},
    )


def hold(panel: Panel) -> Panel:
    """Return the panel if its lines are as wide as the model says, none missing."""
    return weighed(panel, weights())


def draw() -> Diagram:
    return Diagram(hold(panel()), about=("lookback.hmm_alignment:HMMAlignment",))

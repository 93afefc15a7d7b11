"""Draw a hidden Markov model: tags that are not seen, and the words they write."""

from collections.abc import Mapping

from lookback.figures.diagram import Diagram, Panel
from lookback.hmm import HiddenMarkovModel

TAGS, WORDS = ("N", "V"), ("fish", "can", "they")
TRANSITION = ((0, 3 / 4, 1 / 4), (1 / 4, 1 / 4, 1 / 2), (1 / 2, 1 / 4, 1 / 4))
EMISSION = ((1 / 4, 1 / 2), (1 / 4, 1 / 2), (1 / 2, 0))
SENTENCE, PATH = ("they", "can", "fish"), ("N", "V", "V")


def toy() -> HiddenMarkovModel:
    """Build the model of two tags and three words that the chapter works out."""
    return HiddenMarkovModel.from_parameters(TAGS, WORDS, TRANSITION, EMISSION)


def weights() -> dict[str, float]:
    """Compute probabilities: "t1 t2" → P(t_2 | t_1), "t1 w1" → P(w_1 | t_1)."""
    model = toy()
    ids = [0, *(model.tags.index(tag) + 1 for tag in PATH), 0]
    names = ["s", *(f"t{i}" for i in range(1, len(PATH) + 1)), "e"]
    moves = zip(names, names[1:], ids, ids[1:], strict=False)
    found = {f"{a} {b}": float(model.transition[i, j]) for a, b, i, j in moves}
    for i, (word, state) in enumerate(zip(SENTENCE, ids[1:], strict=False), 1):
        found[f"t{i} w{i}"] = float(model.emission[model.words[word], state])
    return found


def panel() -> Panel:
    """Draw tags from left to right, and a word under each."""
    known = weights()
    rows = [
        "s | name | start",
        "e | name | end",
        "lt | left | hidden",
        "lw | left | seen",
    ]
    for i, (tag, word) in enumerate(zip(PATH, SENTENCE, strict=True), 1):
        rows += [f"t{i} | learned | {tag} | {i}", f"w{i} | word bold | {word} | {i}"]
    return Panel(
        boxes="\n".join(rows),
        grid="""
         | 14 110 220 330 440 540
         lt s t1 t2 t3 e
         +30
         lw . w1 w2 w3 .
        """,
        arrows="\n".join(f"{pair.replace(' ', ' -> ')} | c1" for pair in known),
        weights=known,
        says={"t": "tag", "w": "word"},
        links={"t1": "hmm#eq-1"},
    )


def hold(panel: Panel) -> Panel:
    """Return the panel if its lines are as wide as the model says, none missing."""
    return weighed(panel, weights())


def weighed(panel: Panel, known: Mapping[str, float]) -> Panel:
    """Return the panel if its lines are those of `known`, "start end", and as wide.

    Raises ValueError for a line that says something else or has no weight, and where
    one is missing.
    """
    if len(panel.lines) != len(known):
        raise ValueError(f"{len(panel.lines)} lines are drawn: expected {len(known)}")
    for arrow in panel.lines:
        pair = f"{arrow.start} {arrow.end}"
        true = known.get(pair, 0.0)
        if abs(panel.weights[pair] - true) > 1e-9 or not true:
            raise ValueError(
                f"{pair} is drawn as {panel.weights[pair]:.3f}, but it is {true:.3f}"
            )
    return panel


def draw() -> Diagram:
    return Diagram(hold(panel()), about=("lookback.hmm:HiddenMarkovModel",))
